// What can be said of a pass without knowing what else runs: its sources and its targets each cover the line (of a
// sum: its one result) exactly once, there is a stride for every loop, and its lowest and highest element stay inside
// the buffer or the received block. Extremes are found from the strides, so this takes time proportional to the text of
// the schedule and the lengths of its lines only. The kind of a transform asks for reals at the ends that have them, a
// length that it is defined for, and twiddle factors only for what is complex in the end and no longer symmetric.

#include <algorithm>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "base/text.hpp"
#include "kallima/layout.hpp"
#include "schedule/checks.hpp"
#include "schedule/names.hpp"
#include "schedule/walk.hpp"

namespace kallima::checks {
namespace {

Where piece_at(const Where& w, const char* side, std::size_t piece) { return {w.rank, w.task, w.pass, side, piece}; }

// A bit for each element of a longer line would be memory that the text of a schedule can ask for, but not pay.
constexpr Index marked_line = Index{1} << 20;

Progression covered_by(const Piece& p) { return {p.first, p.every, p.count}; }

void check_cover(Index length, const std::vector<Piece>& pieces, const char* side, const Where& where) {
  std::vector<bool> covered(at(length <= marked_line ? length : 0), false);
  Int128 total = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[i];
    require(p.count >= 1 && p.every >= 1 && p.first >= 0 && p.first < length &&
                p.count - 1 <= (length - 1 - p.first) / p.every,
            "{} covers {} elements from {} by {} (the line has {})", piece_at(where, side, i), p.count, p.first,
            p.every, length);
    Progression again;
    for (Index e = 0; !covered.empty() && e < p.count && again.count == 0; ++e) {
      const Index k = p.first + e * p.every;
      if (covered[at(k)]) again = {k, 1, 1};
      covered[at(k)] = true;
    }
    for (std::size_t j = 0; covered.empty() && j < i && again.count == 0; ++j)
      again = intersection(covered_by(pieces[j]), covered_by(p));
    require(again.count == 0, "{} covers line element {} again (each is covered once)", piece_at(where, side, i),
            again.first);
    total += p.count;
  }
  require(total == length, "{}: {}s cover {} of the line's {} elements", where, side, static_cast<Index>(total),
          length);
}

// In the piece's own elements.
Index limit_of(const Piece& p, const std::vector<Index>& received, const Where& where) {
  const Index in_one = p.real ? 1 : 2;
  if (p.recv < 0) return reals_of(*where.rank, p.buffer) / in_one;
  require(p.recv < static_cast<int>(where.rank->tasks.size()) &&
              where.rank->tasks[at(p.recv)].kind == TaskKind::recv_finish,
          "{} reads what task {} received (that is no recv_finish)", where, p.recv);
  return received[at(p.recv)] / in_one;
}

// The lowest and the highest element that a piece touches, whatever lies between.
struct Extremes {
  Int128 low;
  Int128 high;
};

Extremes extremes_of(const Piece& p, const std::vector<Index>& extents) {
  Extremes all{p.offset, p.offset};
  const auto widen = [&](Index size, Index stride) {
    const Int128 reach = (Int128{size} - 1) * stride;
    (reach < 0 ? all.low : all.high) += reach;
  };
  widen(p.count, p.stride);
  for (std::size_t k = 0; k < extents.size(); ++k) widen(extents[k], p.strides[k]);
  return all;
}

void check_extremes(const Piece& p, Index limit, const std::vector<Index>& extents, const Where& where) {
  const auto [low, high] = extremes_of(p, extents);
  require(low >= 0 && high < limit, "{} touches {} {} to {} of {} (it has {})", where, p.real ? "reals" : "elements",
          static_cast<Index>(low), static_cast<Index>(high), p.recv >= 0 ? "a received block" : name(p.buffer), limit);
}

void check_pieces(Index length, const std::vector<Piece>& pieces, const char* side, const Where& where,
                  const std::vector<Index>& extents, const std::vector<Index>& received) {
  check_cover(length, pieces, side, where);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Where here = piece_at(where, side, i);
    require(pieces[i].strides.size() == extents.size(), "{} has {} strides (there are {} loops around it)", here,
            pieces[i].strides.size(), extents.size());
    check_extremes(pieces[i], limit_of(pieces[i], received, here), extents, here);
  }
}

void check_twiddle(const Pass& pass, const Where& where) {
  const Twiddle& t = pass.twiddle;
  require(t.modulus >= 0, "{} has a twiddle of modulus {} (use a positive one, or 0 for none)", where, t.modulus);
  require(t.modulus == 0 || pass.action != Action::sum,
          "{} has a twiddle of modulus {} (a sum has one element, which it would leave alone) use 0", where, t.modulus);
  const Index most = Index{1} << 59;
  const bool has_chirp = pass.action == Action::fill || pass.action == Action::chirp;
  require(!has_chirp || (t.loop == -1 && t.modulus <= most && t.step <= most / pass.length),
          "{} has lines of {} and a chirp of modulus {} and step {} over loop {} (it varies with no loop: use -1, "
          "and numbers to 2^59)",
          where, pass.length, t.modulus, t.step, t.loop);
  require(pass.action != Action::chirp || t.modulus > 0, "{} has a chirp of modulus 0 (use a positive one)", where);
  const Index rows = t.loop >= 0 && t.loop < static_cast<int>(pass.loops.size()) ? pass.loops[at(t.loop)] : 1;
  require(t.shift >= 0 && t.shift <= most && t.step >= 0 && t.step <= most / rows,
          "{} has a twiddle of shift {} and step {} over {} iterations (use 0 to 2^59, all steps together)", where,
          t.shift, t.step, rows);
  require(t.loop >= -1 && t.loop < static_cast<int>(pass.loops.size()), "{} has a twiddle over loop {} (it has {})",
          where, t.loop, pass.loops.size());
}

void check_phase(const Pass& pass, const Where& where) {
  const Twiddle& t = pass.phase;
  const Index most = Index{1} << 59;
  const auto fits = [&](Index number) { return number >= 0 && number <= most; };
  require(t == Twiddle{} || pass.action == Action::chirp, "{} has a phase (only chirps have one) leave it out", where);
  require(
      fits(t.modulus) && fits(t.shift) && fits(t.step) && t.loop == -1,
      "{} has a phase of modulus {}, shift {} and step {} over loop {} (it varies with no loop: use -1, and numbers "
      "from 0 to 2^59)",
      where, t.modulus, t.shift, t.step, t.loop);
}

void check_targets(const Pass& pass, std::size_t repeats, const Where& where) {
  for (std::size_t i = 0; i < pass.targets.size(); ++i) {
    const Piece& p = pass.targets[i];
    require(p.recv < 0, "{} writes to the block received by task {} (received blocks are read only)",
            piece_at(where, "target", i), p.recv);
    bool moves = p.count == 1 || p.stride != 0;
    for (std::size_t k = 0; k < pass.loops.size(); ++k) moves &= pass.loops[k] == 1 || p.strides[repeats + k] != 0;
    require(moves, "{} writes the same elements in several iterations (one of its strides is 0)",
            piece_at(where, "target", i));
  }
}

enum class Holds { complex_, real_, both };  // both: the pieces of one end do not agree

Holds held(const std::vector<Piece>& pieces) {
  const auto real = std::ranges::count_if(pieces, [](const Piece& p) { return p.real; });
  if (real == 0) return Holds::complex_;
  return real == static_cast<std::ptrdiff_t>(pieces.size()) ? Holds::real_ : Holds::both;
}

const char* text(Holds holds) { return word_for(holds, {"complex numbers", "reals", "both kinds of numbers"}); }

bool is_elementwise(const Pass& pass) { return pass.action == Action::multiply || pass.action == Action::chirp; }

bool conjugates(const Pass& pass) {
  return pass.action == Action::move || pass.action == Action::fill || is_elementwise(pass);
}

bool recodes(const Pass& pass) { return pass.action == Action::encode || pass.action == Action::decode; }

// What it does, in the words of the schedule.
std::string_view what(const Pass& pass) {
  return pass.action == Action::transform ? enum_name(pass.kind) : enum_name(pass.action);
}

// Reals by complex numbers, complex numbers by such to reals, or complex numbers alone.
bool factors_fit(const std::vector<Piece>& factors, Holds to) {
  const auto is_real = [](const Piece& p) { return p.real; };
  const bool first = !factors.empty() && factors.front().real;
  return to != Holds::both && std::ranges::count_if(factors, is_real) == (first ? 1 : 0) &&
         !(first && to == Holds::real_);
}

// The same with factors that are not read, and perhaps with what is added.
bool chirp_fits(const std::vector<Piece>& sources, Holds to) {
  const bool first = !sources.empty() && sources.front().real;
  return !(first && to == Holds::real_) && (sources.size() < 2 || sources[1].real == (to == Holds::real_));
}

bool ends_fit(const Pass& pass, Holds from, Holds to) {
  if (pass.action == Action::multiply) return factors_fit(pass.sources, to);
  if (pass.action == Action::chirp) return chirp_fits(pass.sources, to);
  if (from == Holds::both || to == Holds::both) return false;
  if (pass.action == Action::encode) return to == Holds::real_;
  if (pass.action == Action::decode) return from == Holds::real_;
  if (pass.action == Action::fill) return from == to && to == Holds::complex_;
  const bool sums = pass.action == Action::sum;
  if (!sums && (pass.action != Action::transform || pass.kind > Kind::half_to_real)) return from == to;
  return (from == Holds::real_) == (!sums && pass.kind == Kind::real_to_half) &&
         (to == Holds::real_) == (!sums && pass.kind == Kind::half_to_real);
}

bool may_twiddle(const Pass& pass, Holds to) {
  if (pass.action == Action::chirp) return true;
  return to == Holds::complex_ && pass.action != Action::apply && pass.action != Action::multiply && !recodes(pass) &&
         (pass.action != Action::transform || pass.kind == Kind::fourier || pass.kind == Kind::real_to_half);
}

bool is_line(const Piece& piece, Index first) { return piece.stride == 1 && piece.first == first && piece.every == 1; }

bool is_one_line(const std::vector<Piece>& pieces) { return pieces.size() == 1 && is_line(pieces[0], 0); }

// The caller's function sees elements where they stand.
bool is_in_place(const Pass& pass) {
  return is_one_line(pass.sources) && pass.sources == pass.targets && pass.sources[0].recv < 0;
}

// Blocks of numbers are written one after the other, and only as a whole.
bool is_encodable(const Pass& pass) {
  return pass.loops.empty() && is_one_line(pass.sources) && is_one_line(pass.targets) &&
         pass.wire.format != Wire::Format::same;
}

bool is_product(const Pass& pass) {
  return pass.sources.size() == 2 && is_line(pass.sources[0], 0) && is_line(pass.sources[1], pass.length) &&
         pass.sources[0].count == pass.sources[1].count && is_one_line(pass.targets);
}

bool is_chirp(const Pass& pass) {
  if (!is_one_line(pass.targets) || pass.sources.empty() || !is_line(pass.sources[0], 0)) return false;
  if (pass.sources.size() == 1) return true;
  return pass.sources.size() == 2 && is_line(pass.sources[1], pass.length) && pass.sources[0].count == pass.length;
}

// A pass's pieces are real where its action and kind have reals, and only there, and it is twiddled or conjugated only
// where that has a meaning.
void check_kind(const Pass& pass, const Where& where) {
  const Holds from = held(pass.sources), to = held(pass.targets);
  require(
      ends_fit(pass, from, to),
      "{} is a {} from {} to {} (fourier, sum and fill are of complex numbers, real_to_half goes from reals to "
      "complex numbers, half_to_real back, multiply has complex factors second and reals at one end only, as a chirp "
      "has, which adds what its target is of, what is encoded counts as reals, all others stay with what they "
      "have)",
      where, what(pass), text(from), text(to));
  require(pass.action != Action::transform || pass.kind != Kind::dct1 || pass.length >= 2,
          "{} is a dct1 of {} element (it is defined for 2 and more)", where, pass.length);
  require(pass.twiddle.modulus == 0 || may_twiddle(pass, to),
          "{} multiplies a {} by twiddle factors of modulus {} (its result is {}) use modulus 0", where, what(pass),
          pass.twiddle.modulus, to == Holds::real_ ? "real" : "no Fourier transform's");
  require(pass.action != Action::apply || is_in_place(pass),
          "{} applies a function to {} pieces (it takes one of neighbours, source and target alike)", where,
          pass.sources.size());
  require(!recodes(pass) || is_encodable(pass),
          "{} is to {} {} pieces in {} loops by wire format {} (it takes one line of neighbours at either end and a "
          "format other than same)",
          where, what(pass), pass.sources.size() + pass.targets.size(), pass.loops.size(), enum_name(pass.wire.format));
  require(pass.action != Action::multiply || is_product(pass),
          "{} multiplies {} pieces (it takes two lines of neighbours, one behind the other, to a third)", where,
          pass.sources.size());
  require(pass.action != Action::chirp || is_chirp(pass),
          "{} has a chirp for {} pieces (it takes a line of neighbours, and one behind it if that is to be added, to "
          "another)",
          where, pass.sources.size());
  require(!pass.conjugated || (conjugates(pass) && (to == Holds::complex_ || is_elementwise(pass))),
          "{} conjugates a {} to {} (only moves, fills and products of complex numbers can be conjugated)", where,
          what(pass), text(to));
  require(pass.divisor == 1 || (pass.divisor > 1 && (pass.action == Action::fill || pass.action == Action::chirp)),
          "{} divides a {} by {} (only fills and chirps are divided, by 1 or more) use 1", where, what(pass),
          pass.divisor);
}

// The caller's two arrays may be one.
bool may_overlap(const Piece& a, const Piece& b, const std::vector<Index>& extents) {
  const auto is_callers = [](const Piece& p) { return p.buffer == Buffer::in || p.buffer == Buffer::out; };
  if (a.recv >= 0 || b.recv >= 0 || (a.buffer != b.buffer && !(is_callers(a) && is_callers(b)))) return false;
  const auto in_reals = [&](const Piece& p) {
    const auto [low, high] = extremes_of(p, extents);
    return p.real ? Extremes{low, high} : Extremes{2 * low, 2 * high + 1};
  };
  const Extremes one = in_reals(a), other = in_reals(b);
  return one.low <= other.high && other.low <= one.high;
}

// What is written may take the place of what it comes from. Where the two differ in size it would take that of elements
// that are yet to be read.
void check_product(const Pass& pass, const std::vector<Index>& extents, const Where& where) {
  const Piece& to = pass.targets[0];
  for (const Piece& from : pass.sources)
    require(from.real == to.real || !may_overlap(from, to, extents),
            "{} multiplies {} to {} in their place (the two differ in size) let it write elsewhere", where,
            from.real ? "reals" : "complex numbers", to.real ? "reals" : "complex numbers");
}

// Longer than any line that the rank's buffers and received blocks hold: half a spectrum is twice as many reals.
Index longest_line(const RankSchedule& rank, const std::vector<Index>& received) {
  constexpr Index most = Index{1} << 60;  // of which four times as many can be counted
  Index reals = 0;
  for (const Buffer b : buffers) reals = std::min(most, reals + reals_of(rank, b));
  for (const Index block : received) reals = std::min(most, reals + block);
  return 2 * reals;
}

void check_pass(const Step& step, std::span<const Index> repeats, const std::vector<Index>& received, Index longest,
                const Where& where) {
  const Pass& pass = step.pass;
  require(step.repeat == 1, "{} is repeated {} times (a repeat needs a body) put the pass into one", where,
          step.repeat);
  require(pass.length >= 1, "{} has lines of {} elements (use at least 1)", where, pass.length);
  require(pass.length <= longest, "{} has lines of {} elements (the rank's memory has room for {} at most)", where,
          pass.length, longest);
  std::vector<Index> extents(repeats.begin(), repeats.end());
  extents.insert(extents.end(), pass.loops.begin(), pass.loops.end());
  for (const Index extent : extents)
    require(extent >= 1, "{} is inside a loop of {} iterations (use at least 1)", where, extent);
  check_kind(pass, where);
  check_pieces(elements_read(pass), pass.sources, "source", where, extents, received);
  check_pieces(elements_written(pass), pass.targets, "target", where, extents, received);
  if (is_elementwise(pass)) check_product(pass, extents, where);
  check_targets(pass, repeats.size(), where);
  check_twiddle(pass, where);
  check_phase(pass, where);
}

}  // namespace

void check_passes(const RankSchedule& rank, const std::vector<Index>& received) {
  const Index longest = longest_line(rank, received);
  for (int t = 0; t < static_cast<int>(rank.tasks.size()); ++t) {
    Where where{&rank, t, 0};
    std::vector<Index> repeats;
    for_each_pass(rank.tasks[at(t)].steps, repeats, [&](const Step& step, std::span<const Index> enclosing) {
      check_pass(step, enclosing, received, longest, where);
      ++where.pass;
    });
  }
}

}  // namespace kallima::checks
