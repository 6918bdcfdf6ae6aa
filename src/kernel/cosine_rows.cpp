#include "kernel/cosine_rows.hpp"

#include <numbers>

#include "base/bits.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {
namespace {

// Reals of types I and II that are better transformed as complex numbers: errors then stay below 1.2 times FFTW's
// (measured).
constexpr Index short_cosines = 42;

bool is_sine(Kind kind) { return kind >= Kind::dst1; }
int type_of(Kind kind) {
  return 1 + (static_cast<int>(kind) - static_cast<int>(is_sine(kind) ? Kind::dst1 : Kind::dct1));
}

// What stands in a place of a line that is transformed: a real and its sign, or nothing.
struct SignedReal {
  Index from = 0;
  int sign = 0;
};

template <class T>
void join_slots(CosinePlan<T>& plan, const std::vector<SignedReal>& slots, Index shortest) {
  plan.length = std::ssize(slots);
  const bool in_pairs = plan.length % 2 == 0 && plan.length > shortest;
  plan.between = in_pairs ? Kind::real_to_half : Kind::fourier;
  for (std::size_t i = 0; i < slots.size(); i += in_pairs ? 2 : 1) {
    const SignedReal even = slots[i], odd = in_pairs ? slots[i + 1] : SignedReal{even.from, 0};
    plan.joints.push_back({.x = even.from, .y = odd.from, .a = T(even.sign), .d = T(odd.sign)});
  }
}

}  // namespace

template <class T>
CosinePlan<T>::CosinePlan(Kind kind, Index n) {
  const bool sine = is_sine(kind);
  const int type = type_of(kind);
  if (type == 1)
    say_first(sine, n);
  else if (type == 2)
    say_second(sine, n);
  else if (type == 3)
    say_third(sine, n);
  else if (n % 2 == 0)
    say_fourth(sine, n);
  else
    say_fourth_of_odd(sine, n);
}

// Continued to both sides, evenly or oddly.
template <class T>
void CosinePlan<T>::say_first(bool sine, Index n) {
  std::vector<SignedReal> slots(at(2 * (sine ? n + 1 : n - 1)));
  for (Index k = 0; k < n; ++k) {
    const Index slot = sine ? k + 1 : k;
    slots[at(slot)] = {k, 1};
    if (sine || (k > 0 && k < n - 1)) slots[at(std::ssize(slots) - slot)] = {k, sine ? -1 : 1};
    taken.push_back({slot, T(sine ? 0 : 1), T(sine ? -1 : 0)});
  }
  join_slots(*this, slots, short_cosines);
}

// Even ones first, then odd ones backwards.
template <class T>
void CosinePlan<T>::say_second(bool sine, Index n) {
  std::vector<SignedReal> slots(at(n));
  for (Index k = 0; k < n; ++k)
    slots[at(k % 2 == 0 ? k / 2 : n - 1 - k / 2)] = {k, sine && k % 2 == 1 ? -1 : 1};
  join_slots(*this, slots, short_cosines);
  const Roots roots(4 * n);
  for (Index k = 0; k < n; ++k) {
    const Index m = sine ? n - 1 - k : k;
    const std::complex<T> w = roots.as<T>(2 * m <= n ? m : n - m);
    if (2 * m <= n)
      taken.push_back({m, 2 * w.real(), -2 * w.imag()});
    else
      taken.push_back({n - m, -2 * w.imag(), -2 * w.real()});
  }
}

// Type II backwards. Of an odd length the other half of the spectrum, too, is joined.
template <class T>
void CosinePlan<T>::say_third(bool sine, Index n) {
  const bool in_pairs = n % 2 == 0;
  length = n;
  between = in_pairs ? Kind::half_to_real : Kind::fourier;
  direction = Direction::backward;
  const Roots roots(4 * n);
  const auto given = [&](Index k) { return sine ? n - 1 - k : k; };
  for (Index k = 0; k < (in_pairs ? n / 2 + 1 : n); ++k) {
    const Index m = std::min(k, n - k);
    if (m == 0 || 2 * m == n) {  // reals, and times themselves 1 or the root of 2
      joints.push_back({.x = given(m), .y = given(m), .a = m == 0 ? T(1) : std::numbers::sqrt2_v<T>});
      continue;
    }
    const std::complex<T> w = std::conj(roots.as<T>(m));
    const T sign = k == m ? T(1) : T(-1);
    joints.push_back({given(m), given(n - m), w.real(), w.imag(), sign * w.imag(), -sign * w.real()});
  }
  for (Index k = 0; k < n; ++k) {
    const Index slot = k % 2 == 0 ? k / 2 : n - 1 - k / 2;
    const T sign = sine && k % 2 == 1 ? T(-1) : T(1);
    if (in_pairs)
      taken.push_back({slot / 2, slot % 2 == 0 ? sign : T(0), slot % 2 == 0 ? T(0) : sign});
    else
      taken.push_back({slot, sign, T(0)});
  }
}

// Two reals make a complex number of half the length, turned before and after.
template <class T>
void CosinePlan<T>::say_fourth(bool sine, Index n) {
  length = n / 2;
  const Roots roots(8 * n);
  taken.resize(at(n));
  for (Index k = 0; k < length; ++k) {
    const std::complex<T> before = roots.as<T>(4 * k + 1), after = T(2) * roots.as<T>(4 * k);
    const T c = before.real(), s = before.imag(), sign = sine ? T(1) : T(-1);
    joints.push_back({sine ? n - 1 - 2 * k : 2 * k, sine ? 2 * k : n - 1 - 2 * k, c, -s, s, c});
    taken[at(2 * k)] = {k, after.real(), -after.imag()};
    taken[at(n - 1 - 2 * k)] = {k, sign * after.imag(), sign * after.real()};
  }
}

// With a = 2 j + 1 and b = 2 k + 1, the cosines of 2 pi a b / 8 n may be had from a and b that are 1 modulo 8, and
// 1/8n is u/8 + v/n but for a whole number.
template <class T>
void CosinePlan<T>::say_fourth_of_odd(bool sine, Index n) {
  const auto one_of_eight = [n](Index a) -> std::pair<Index, bool> {
    for (const Index same : {a, 8 * n - a})
      if (same % 8 == 1) return {same, false};
    return {(4 * n - a) % 8 == 1 ? 4 * n - a : 4 * n + a, true};
  };
  Index u = 1, v = 0;
  while (u * n % 8 != 1) u += 2;
  while ((8 * v) % n != 1 % n) ++v;
  const T root = std::numbers::sqrt2_v<T>;
  const T c = u == 1 || u == 7 ? root : -root, s = u < 4 ? root : -root;
  std::vector<SignedReal> slots(at(n));
  for (Index k = 0; k < n; ++k) {
    const auto [a, minus] = one_of_eight(2 * k + 1);
    slots[at(a % n)] = {sine ? n - 1 - k : k, minus ? -1 : 1};
    const Index row = static_cast<Index>(static_cast<Int128>(v) * a % n);
    const T sign = minus != (sine && k % 2 == 1) ? T(-1) : T(1);
    if (2 * row < n)
      taken.push_back({row, sign * c, sign * s});
    else
      taken.push_back({n - row, sign * c, -sign * s});
  }
  join_slots(*this, slots, 0);
}

template <class T>
CosineRows<T>::CosineRows(Kind kind, Index length) : reals_(length), plan_(kind, length) {
  if (plan_.between == Kind::fourier)
    complex_ = std::make_unique<LaneFft<T>>(plan_.length, plan_.direction);
  else
    half_ = std::make_unique<RealLaneFft<T>>(plan_.length, plan_.between);
}

template <class T>
Index CosineRows<T>::between_elements(Index lanes) const {
  if (half_) return half_->tile_elements(lanes);
  return spread_row<T>(plan_.length, lanes) + complex_->tile_elements(lanes);
}

template <class T>
void CosineRows<T>::operator()(const T* const* in, T* const* out, Index first, Index lanes, T scale,
                               Complex* tile) const {
  JoinedRows<T> it;
  it.rows = tile;
  it.pitch = spread_row<T>(1, lanes);
  it.lanes = lanes;
  it.scale = scale;
  const auto reals = [&](T* const* rows) {
    return RowsOfReals<T>{.rows = rows, .first = first, .pairs = pairs(tile, lanes), .pairs_pitch = it.pitch};
  };
  it.reals = reals(const_cast<T* const*>(in));  // only read
  it.joints = plan_.joints.data();
  it.count = std::ssize(plan_.joints);
  codelets<T>().join(it);
  transform(lanes, tile);
  it.reals = reals(out);
  it.taken = plan_.taken.data();
  it.count = std::ssize(plan_.taken);
  codelets<T>().take(it);
}

template <class T>
void CosineRows<T>::transform(Index lanes, Complex* tile) const {
  const Index pitch = spread_row<T>(1, lanes);
  const RowList<const Complex> from{.base = tile, .pitch = pitch, .lane_stride = 1};
  const RowList<Complex> to{.base = tile, .pitch = pitch, .lane_stride = 1};
  if (plan_.between == Kind::real_to_half)
    half_->to_half(from, {}, 0, lanes, {}, Direction::forward, tile);
  else if (plan_.between == Kind::half_to_real)
    half_->to_reals({}, to, 0, lanes, T(1), tile);
  else
    (*complex_)({from, to}, 0, lanes, {}, tile + spread_row<T>(plan_.length, lanes));
}

template <class T>
LoneCosines<T>::LoneCosines(Kind kind, Index length) : plan_(kind, length) {
  if (plan_.between != Kind::fourier) {
    half_ = lone_half_line<T>(plan_.length, plan_.between);
  } else {
    complex_ = std::make_unique<LaneFft<T>>(plan_.length, plan_.direction);
    if (!complex_->takes_single_lines()) complex_.reset();
  }
}

template <class T>
Index LoneCosines<T>::tile_elements() const {
  return half_ ? plan_.length / 2 + 1 + half_->tile_elements() : plan_.length + complex_->line_tile_elements();
}

template <class T>
void LoneCosines<T>::operator()(const T* in, T* out, Index apart, Complex* tile) const {
  for (std::size_t i = 0; i < plan_.joints.size(); ++i) {
    const Joint<T>& joint = plan_.joints[i];
    const T x = in[joint.x * apart], y = in[joint.y * apart];
    tile[i] = {joint.a * x + joint.b * y, joint.c * x + joint.d * y};
  }
  if (half_)
    (*half_)(reinterpret_cast<T*>(tile), reinterpret_cast<T*>(tile), tile + plan_.length / 2 + 1);
  else
    complex_->run_line(tile, tile, tile + plan_.length);
  for (std::size_t k = 0; k < plan_.taken.size(); ++k) {
    const Taken<T>& what = plan_.taken[k];
    out[static_cast<Index>(k) * apart] = what.re * tile[what.row].real() + what.im * tile[what.row].imag();
  }
}

template <class T>
std::shared_ptr<const LoneCosines<T>> lone_cosines(Kind kind, Index length) {
  const auto line = shared_value<LoneCosines<T>>(std::pair(kind, length), [&] { return LoneCosines<T>(kind, length); });
  return line->is_taken() ? line : nullptr;
}

#define KALLIMA_COSINES(T)       \
  template class CosineRows<T>;  \
  template class LoneCosines<T>; \
  template std::shared_ptr<const LoneCosines<T>> lone_cosines(Kind, Index);
KALLIMA_COSINES(float)
KALLIMA_COSINES(double)
KALLIMA_COSINES(long double)

}  // namespace kallima::kernel
