// With omega = exp(-2 pi i/(2M)) a slice takes a line's element j times omega^((2q+1) j), in the place of what is L
// before or after it as well, which is in the same rank's memory; a result's element k is the slice's there times the
// inverse. Both are phases of chirps, with the modulus 4M so that a quarter turn has a number, too.

#include "plan/routes/slices.hpp"

#include <algorithm>
#include <tuple>

#include "plan/routes/elementwise.hpp"

namespace kallima {
namespace {

Index modulo(Index x, Index m) { return (x % m + m) % m; }

Location behind(Location place, Index count) {
  place.offset += count;
  return place;
}

Location real_part(const Location& number) {
  return number.real ? number : Location{.buffer = number.buffer, .offset = 2 * number.offset, .real = true};
}

// The lowest and the highest d of b that is needed, and one more where the middle asks for it.
std::pair<Index, Index> reach_of(const Chirp& chirp, Index n, Index outputs) {
  const Index highest = std::max(outputs - 1, n - 1 - chirp.offset());
  return {-chirp.offset() - highest, highest};
}

}  // namespace

Index Slices::least_points(const Chirp& chirp, Index n, Index outputs) {
  const auto [lowest, highest] = reach_of(chirp, n, outputs);
  return highest - lowest + 1;
}

Slices::Slices(const Convolution& convolution, const Chirp& chirp, Index n, Index outputs)
    : c_(convolution), chirp_(chirp), length_(c_.points / c_.slices) {
  std::tie(lowest_, highest_) = reach_of(chirp, n, outputs);
  spectra_ = (c_.slices + 1) / 2;
  for (Index q = 0; q < spectra_; ++q) {
    all_.push_back({q, false});
    if (c_.slices > 1) all_.push_back({q, true});
  }
}

// Elements `first` to `end` of a rank, cut where one is a multiple of the slice's length.
std::vector<Slices::Run> Slices::runs(int rank, Index first, Index end) const {
  std::vector<Run> all;
  for (Index next = first; next < end; next += all.back().count) {
    const Index slot = modulo(next, words(rank));
    all.push_back({next, std::min(end - next, words(rank) - slot), slot});
  }
  return all;
}

// From a rank's element `first` on. A quarter turn backwards makes cosines sines.
Pass Slices::factors(End end, int rank, Index first, Index turns) const {
  const Index p = c_.ranks, j = rank + p * first, m = chirp_.modulus, whole = 4 * c_.points;
  const Index begin = end == End::line ? chirp_.in : chirp_.out;
  const Index quarter = end == End::result && chirp_.sine ? c_.points : 0;
  return {.twiddle = {m, modulo(begin + chirp_.unit * j, m), chirp_.unit * p % m},
          .phase = {whole, modulo(turns * j - quarter, whole), modulo(turns * p, whole)}};
}

// Of omega^(1/2), as passes in this direction have it, from an element of the line to the next.
Index Slices::turns(const Slice& slice, Direction direction) const {
  const Index turns = 2 * (2 * slice.number + 1);
  return slice.mirrored == (direction == Direction::backward) ? turns : -turns;
}

Task Slices::taken(const Slice& slice, int rank, Direction direction, const Line& line, const Location& to) const {
  const End end = direction == Direction::forward ? End::line : End::result;
  std::vector<Step> steps;
  const auto append = [&](const Location& from, Index first, Index slot, Index count, Index divisor) {
    Pass pass = factors(end, rank, first, turns(slice, direction));
    pass.divisor = divisor;
    const Location there = behind(to, slot);
    append_chirp(steps, from, first > slot ? std::optional(there) : std::nullopt, there, count, pass);
  };
  for (const Run& run : runs(rank, 0, line.count)) {
    Index done = 0;
    for (const Index k : line.halved) {
      const Index h = k / c_.ranks - run.first;
      if (k % c_.ranks != rank || h < 0 || h >= run.count) continue;
      append(behind(line.at, run.first + done), run.first + done, run.slot + done, h - done, 1);
      append(real_part(behind(line.at, run.first + h)), run.first + h, run.slot + h, 1, 2);
      done = h + 1;
    }
    append(behind(line.at, run.first + done), run.first + done, run.slot + done, run.count - done, 1);
  }
  if (line.count < words(rank)) append_fill(steps, behind(to, line.count), words(rank) - line.count, 1, {});
  return compute_task("chirp", 0, std::move(steps));
}

// At the inverse of z the values of b are those at z times z^offset.
Task Slices::convolved(const Slice& slice, int rank, Direction direction, const Location& array) const {
  const Location kept{Buffer::kept, slice.number * words(rank)};
  std::vector<Step> steps;
  append_product(steps, array, kept, array, words(rank), {.conjugated = direction == Direction::backward});
  if (const Index offset = chirp_.offset(); slice.mirrored && offset != 0) {
    const Index whole = 4 * c_.points, step = 4 * c_.slices;
    const Index first = step * rank + 2 * (2 * slice.number + 1);
    const Twiddle powers{whole, modulo(offset * first, whole), modulo(offset * step * c_.ranks, whole)};
    append_chirp(steps, array, {}, array, words(rank), {.twiddle = {.modulus = 1}, .phase = powers});
  }
  return compute_task("convolve", 0, std::move(steps));
}

Task Slices::added(const Slice& slice, int rank, Direction direction, const Location& from, const Sum& sum) const {
  const End end = direction == Direction::forward ? End::result : End::line;
  std::vector<Step> steps;
  for (const auto& [first, count, slot] : runs(rank, 0, sum.count)) {
    Pass pass = factors(end, rank, first, -turns(slice, direction));
    pass.scaled = true;
    const auto before = sum.before ? std::optional(behind(*sum.before, first)) : std::nullopt;
    append_chirp(steps, behind(from, slot), before, behind(sum.after, first), count, pass);
  }
  return compute_task("chirp back", 0, std::move(steps));
}

// Over b's own numbers, which may be negative, as sums of its constant times the chirp: they are more than a slice has.
Task Slices::spectrum(const Slice& slice, int rank, const Location& constants, const Location& to) const {
  const Index p = c_.ranks, m = chirp_.modulus, whole = 4 * c_.points;
  const Index turns = -2 * (2 * slice.number + 1);  // conjugated with the rest
  const auto from = [&](Index d) { return d >= rank ? (d - rank + p - 1) / p : -((rank - d) / p); };
  std::vector<Step> steps;
  const Twiddle constant{.modulus = m, .shift = modulo(chirp_.constant, m)};
  append_fill(steps, constants, words(rank), 1, {.twiddle = constant, .conjugated = true});
  append_fill(steps, to, words(rank), 1, {});
  for (const auto& [first, count, slot] : runs(rank, from(lowest_), from(highest_ + 1))) {
    const Index d = rank + p * first, begin = chirp_.between + chirp_.unit * d;
    const Pass pass{.twiddle = {m, modulo(begin, m), chirp_.unit * p % m},
                    .phase = {whole, modulo(turns * d, whole), modulo(turns * p, whole)},
                    .conjugated = true,
                    .divisor = c_.points};
    append_chirp(steps, constants, behind(to, slot), behind(to, slot), count, pass);
  }
  return compute_task("chirp", 0, std::move(steps));
}

}  // namespace kallima
