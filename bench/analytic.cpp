// Both terms are products over the dimensions, so a part of any shape is filled from one short table per dimension.

#include "bench/analytic.hpp"

#include <cmath>
#include <numbers>

#include "bench/collect.hpp"

namespace kallima::cli {

namespace {

__extension__ typedef __int128 Int128;  // products of two Indices that must not overflow before they are divided

using Factor = std::complex<double>;

// Neither zero nor symmetric where the extent allows it, and different in each dimension.
Index wave_number(const Axis& axis) { return (axis.extent / 3 + 1 + static_cast<Index>(axis.dimension)) % axis.extent; }
Index impulse_at(const Axis& axis) { return (axis.extent / 5 + 2 + static_cast<Index>(axis.dimension)) % axis.extent; }

// exp(2 pi i numerator/denominator), 0 <= numerator < denominator. The angle is brought below an eighth of a turn while
// it is still exact, which leaves the library's own rounding only.
template <class Real>
std::complex<Real> root(Index numerator, Index denominator) {
  const auto eighth = static_cast<int>(Int128{8} * numerator / denominator);
  const Index turned =
      eighth % 2 == 0 ? numerator : denominator - numerator;  // odd eighths are mirrored at the next even one
  const int base = eighth % 2 == 0 ? eighth / 2 : (7 - eighth) / 2;
  const auto rest = static_cast<Real>(Int128{4} * turned - Int128{base} * denominator);
  const Real angle = std::numbers::pi_v<Real> / 2 * rest / static_cast<Real>(denominator);
  std::complex<Real> value(std::cos(angle), std::sin(angle));
  for (int quarter = 0; quarter < base; ++quarter) value = {-value.imag(), value.real()};
  return eighth % 2 == 0 ? value : std::conj(value);
}

// A root to twice the precision: the number, and what it is short of.
struct LongRoot {
  Factor value, rest;
};

LongRoot long_root(Index numerator, Index denominator) {
  const auto exact = root<long double>(numerator, denominator);
  const Factor value(exact);
  return {value, Factor(exact - std::complex<long double>(value))};
}

// a b - c d, rounded once or so (Kahan).
double difference_of_products(double a, double b, double c, double d) {
  const double cd = c * d;
  return std::fma(a, b, -cd) - std::fma(c, d, -cd);
}

Factor product(const LongRoot& x, const LongRoot& y) {
  const Factor &a = x.value, &b = y.value;
  const Factor small = a * y.rest + x.rest * b;
  return {difference_of_products(a.real(), b.real(), a.imag(), b.imag()) + small.real(),
          difference_of_products(a.real(), b.imag(), -a.imag(), b.real()) + small.imag()};
}

// Of one dimension: the roots exp(2 pi i sign a j/n) for the owned j, and whether j is `at`. Long tables would need
// more memory than the arrays they fill: those are products of two short ones.
class Table {
 public:
  Table(const Axis& axis, Index a, int sign, Index at) : axis_(axis), a_(a), sign_(sign), at_(at) {
    const Index count = axis.owned.count;
    if (count <= longest) {
      for (Index i = 0; i < count; ++i) roots_.push_back(root<double>(exponent(index(i)), axis.extent));
    } else {
      for (Index i = 0; i < block; ++i) low_.push_back(long_root(exponent(i * axis.owned.step), axis.extent));
      for (Index i = 0; i < count; i += block) high_.push_back(long_root(exponent(index(i)), axis.extent));
    }
  }
  Index size() const { return axis_.owned.count; }
  Factor wave(Index i) const {
    const Factor value =
        roots_.empty() ? product(high_[static_cast<std::size_t>(i / block)], low_[static_cast<std::size_t>(i % block)])
                       : roots_[static_cast<std::size_t>(i)];
    return sign_ > 0 ? value : std::conj(value);
  }
  bool impulse(Index i) const { return index(i) == at_; }

 private:
  static constexpr Index longest = 65536, block = 16384;

  Index index(Index i) const { return axis_.owned.first + i * axis_.owned.step; }
  Index exponent(Index j) const { return static_cast<Index>(Int128{a_} * j % axis_.extent); }

  Axis axis_;
  Index a_;
  int sign_;
  Index at_;
  std::vector<Factor> roots_;
  std::vector<LongRoot> low_, high_;
};

double points_of(const std::vector<Axis>& axes) {
  double n = 1;
  for (const Axis& axis : axes) n *= static_cast<double>(axis.extent);
  return n;
}

// Calls visit(t, value) for the local elements in order, value = wave_scale * wave + impulse_scale * impulse.
template <class Visit>
void visit_elements(const std::vector<Table>& tables, double wave_scale, double impulse_scale, const Visit& visit) {
  Index count = 1;
  for (const Table& table : tables) count *= table.size();
  const Table& inner = tables.back();
  Shape at(tables.size(), 0);
  for (Index t = 0; t < count;) {
    Factor outer = wave_scale;
    bool hit = true;
    for (std::size_t d = 0; d + 1 < tables.size(); ++d) {
      outer *= tables[d].wave(at[d]);
      hit = hit && tables[d].impulse(at[d]);
    }
    for (Index i = 0; i < inner.size(); ++i, ++t)
      visit(static_cast<std::size_t>(t), outer * inner.wave(i) + (hit && inner.impulse(i) ? impulse_scale : 0.0));
    for (std::size_t d = tables.size() - 1; d-- > 0;) {
      if (++at[d] < tables[d].size()) break;
      at[d] = 0;
    }
  }
}

template <class Visit>
void visit_signal(const std::vector<Axis>& axes, const Visit& visit) {
  std::vector<Table> tables;
  for (const Axis& axis : axes) tables.emplace_back(axis, wave_number(axis), 1, impulse_at(axis));
  visit_elements(tables, 1, std::sqrt(points_of(axes)), visit);
}

template <class Visit>
void visit_spectrum(const std::vector<Axis>& axes, const Visit& visit) {
  std::vector<Table> tables;
  for (const Axis& axis : axes) tables.emplace_back(axis, impulse_at(axis), -1, wave_number(axis));
  visit_elements(tables, std::sqrt(points_of(axes)), points_of(axes), visit);
}

}  // namespace

std::vector<Axis> axes_of(const Layout& layout, int rank) {
  std::vector<Axis> axes;
  const std::vector<Progression> owned = layout.owned(rank);
  for (std::size_t d = 0; d < owned.size(); ++d)
    axes.push_back({.extent = layout.shape()[d], .dimension = d, .owned = owned[d]});
  return axes;
}

Axis block_axis(const Shape& shape, std::size_t dimension, Index first, Index count) {
  return {.extent = shape[dimension], .dimension = dimension, .owned = {.first = first, .step = 1, .count = count}};
}

template <class T>
void fill_signal(const std::vector<Axis>& axes, std::span<std::complex<T>> part) {
  visit_signal(axes, [part](std::size_t t, const Factor& value) { part[t] = std::complex<T>(value); });
}

template <class T>
ErrorSums spectrum_error(const std::vector<Axis>& axes, std::span<const std::complex<T>> part) {
  ErrorSums sums;
  visit_spectrum(axes, [part, &sums](std::size_t t, const Factor& expected) {
    sums.difference += std::norm(Factor(part[t]) - expected);
    sums.expected += std::norm(expected);
  });
  return sums;
}

double relative_error(Transport& transport, const ErrorSums& mine) {
  const double difference = total(transport, mine.difference);
  return std::sqrt(difference / total(transport, mine.expected));
}

double error_bound(Index points, Precision precision) {
  const double unit = precision == Precision::double_ ? 1e-15 : 5e-7;
  return unit * std::max(1.0, std::log2(static_cast<double>(points)));
}

template void fill_signal(const std::vector<Axis>&, std::span<std::complex<float>>);
template void fill_signal(const std::vector<Axis>&, std::span<std::complex<double>>);
template ErrorSums spectrum_error(const std::vector<Axis>&, std::span<const std::complex<float>>);
template ErrorSums spectrum_error(const std::vector<Axis>&, std::span<const std::complex<double>>);

}  // namespace kallima::cli
