// What the kind of a transform asks of its pass: reals at the ends that have them, a length that it is defined for, and
// twiddle factors only for what is complex in the end and no longer symmetric.

#include <algorithm>

#include "base/check.hpp"
#include "schedule/checks.hpp"
#include "schedule/names.hpp"

namespace kallima::checks {
namespace {

enum class Holds { complex_, real_, both };  // both: the pieces of one end do not agree

Holds held(const std::vector<Piece>& pieces) {
  const auto real = std::count_if(pieces.begin(), pieces.end(), [](const Piece& p) { return p.real; });
  if (real == 0) return Holds::complex_;
  return real == static_cast<std::ptrdiff_t>(pieces.size()) ? Holds::real_ : Holds::both;
}

std::string_view text(Holds holds) {
  return holds == Holds::complex_ ? "complex numbers" : holds == Holds::real_ ? "reals" : "both kinds of numbers";
}

bool recodes(const Pass& pass) { return pass.action == Action::encode || pass.action == Action::decode; }

// What it does, in the words of the schedule.
std::string_view what(const Pass& pass) {
  return pass.action == Action::transform ? enum_name(pass.kind) : enum_name(pass.action);
}

bool ends_fit(const Pass& pass, Holds from, Holds to) {
  if (from == Holds::both || to == Holds::both) return false;
  if (pass.action == Action::sum) return from == Holds::complex_ && to == Holds::complex_;
  if (pass.action == Action::encode) return to == Holds::real_;
  if (pass.action == Action::decode) return from == Holds::real_;
  if (pass.action != Action::transform) return from == to;
  switch (pass.kind) {
    case Kind::fourier:
      return from == Holds::complex_ && to == Holds::complex_;
    case Kind::real_to_half:
      return from == Holds::real_ && to == Holds::complex_;
    case Kind::half_to_real:
      return from == Holds::complex_ && to == Holds::real_;
    default:
      return from == to;
  }
}

bool may_twiddle(const Pass& pass, Holds to) {
  return to == Holds::complex_ && pass.action != Action::apply && !recodes(pass) &&
         (pass.action != Action::transform || pass.kind == Kind::fourier || pass.kind == Kind::real_to_half);
}

bool is_one_line(const std::vector<Piece>& pieces) {
  return pieces.size() == 1 && pieces[0].stride == 1 && pieces[0].first == 0 && pieces[0].every == 1;
}

// The caller's function sees elements where they stand.
bool is_in_place(const Pass& pass) {
  return is_one_line(pass.sources) && pass.sources == pass.targets && pass.sources[0].recv < 0;
}

// Blocks of numbers are written one after the other, and only as a whole.
bool is_encodable(const Pass& pass) {
  return pass.loops.empty() && is_one_line(pass.sources) && is_one_line(pass.targets) &&
         pass.wire.format != Wire::Format::same;
}

}  // namespace

void check_kind(const Pass& pass, const Where& where) {
  const Holds from = held(pass.sources), to = held(pass.targets);
  require(ends_fit(pass, from, to),
          "{} is a {} from {} to {} (fourier and sum are of complex numbers, real_to_half goes from reals to complex "
          "numbers, half_to_real back, what is encoded counts as reals, all others stay with what they have)",
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
  require(!pass.conjugated || (pass.action == Action::move && to == Holds::complex_),
          "{} conjugates a {} to {} (only moves of complex numbers can be conjugated)", where, what(pass), text(to));
}

}  // namespace kallima::checks
