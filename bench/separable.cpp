// The factors are real where the data are, and complex otherwise. A dimension that is not transformed is a factor that
// stays as it is.

#include "bench/separable.hpp"

#include <cmath>

namespace kallima::cli {
namespace {

// Of no frequency in particular; never zero.
std::complex<double> sample(std::size_t dim, Index j, Data data) {
  const double x = static_cast<double>((j * 7919 + 104729 * static_cast<Index>(dim + 1)) % 10007) / 10007;
  const double y = static_cast<double>((j * 6271 + 1299709 * static_cast<Index>(dim + 1)) % 10009) / 10009;
  return {0.5 + x - 0.9 * y, data == Data::complex_ ? 0.3 + y - 0.7 * x : 0};
}

Values factor_out(const Problem& problem, std::size_t dim, const Values& in) {
  if (!transforms(problem, dim)) return in;
  const bool halved = halved_axis(problem) == static_cast<int>(dim);
  return reference(checked({.shape = {problem.shape[dim]},
                            .data = halved ? Data::real_ : Data::complex_,
                            .kinds = {kind_of(problem, dim)}}),
                   in);
}

// Calls visit(t, value) for the rank's elements in order.
template <class Visit>
void visit_products(const std::vector<Values>& factors, const Layout& layout, int rank, const Visit& visit) {
  const std::vector<Progression> owned = layout.owned(rank);
  const std::size_t d = owned.size();
  const Index count = layout.local_size(rank);
  Shape at(d, 0);
  const auto value = [&](std::size_t k) {
    return factors[k][static_cast<std::size_t>(owned[k].first + at[k] * owned[k].step)];
  };
  for (Index t = 0; t < count;) {
    std::complex<double> outer = 1;
    for (std::size_t k = 0; k + 1 < d; ++k) outer *= value(k);
    for (at[d - 1] = 0; at[d - 1] < owned[d - 1].count; ++at[d - 1], ++t)
      visit(static_cast<std::size_t>(t), outer * value(d - 1));
    for (std::size_t k = d - 1; k-- > 0;) {
      if (++at[k] < owned[k].count) break;
      at[k] = 0;
    }
  }
}

}  // namespace

Separable::Separable(const Problem& problem) {
  const Problem full = checked(problem);
  for (std::size_t k = 0; k < full.shape.size(); ++k) {
    Values& line = in_.emplace_back();
    for (Index j = 0; j < full.shape[k]; ++j) line.push_back(sample(k, j, full.data));
    out_.push_back(factor_out(full, k, line));
  }
}

template <class T>
void Separable::fill(const Layout& layout, int rank, Data data, std::span<T> reals) const {
  visit_products(in_, layout, rank, [&](std::size_t t, std::complex<double> value) {
    if (data == Data::real_) {
      reals[t] = static_cast<T>(value.real());
    } else {
      reals[2 * t] = static_cast<T>(value.real());
      reals[2 * t + 1] = static_cast<T>(value.imag());
    }
  });
}

template <class T>
ErrorSums Separable::spectrum_error(const Layout& layout, int rank, Data data, std::span<const T> reals) const {
  ErrorSums sums;
  visit_products(out_, layout, rank, [&](std::size_t t, std::complex<double> expected) {
    const std::complex<double> got =
        data == Data::real_ ? std::complex<double>(reals[t], 0) : std::complex<double>(reals[2 * t], reals[2 * t + 1]);
    sums.difference += std::norm(got - expected);
    sums.expected += std::norm(expected);
  });
  return sums;
}

template void Separable::fill(const Layout&, int, Data, std::span<float>) const;
template void Separable::fill(const Layout&, int, Data, std::span<double>) const;
template ErrorSums Separable::spectrum_error(const Layout&, int, Data, std::span<const float>) const;
template ErrorSums Separable::spectrum_error(const Layout&, int, Data, std::span<const double>) const;

}  // namespace kallima::cli
