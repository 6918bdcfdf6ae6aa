// Operators on Fourier coefficients, row by row: along a row all wave numbers but the last are constant, so that every
// inner loop is one multiplication of a stretch of memory by a constant or by a table.

#include "kallima/field.hpp"

#include "spectral/wave_steps.hpp"

namespace kallima {
namespace {

template <class T>
std::complex<T> times_i(const std::complex<T>& z, T k) {  // i k z
  return {-k * z.imag(), k * z.real()};
}

Problem checked_for_mesh(const Problem& asked) {
  const Problem problem = checked(asked);
  detail::check_plain_spectrum(problem);
  check_fourier(problem);
  require(
      problem.axes.size() == problem.shape.size(),
      "a wave-number mesh needs every axis transformed (the problem transforms {} of {}): leave Problem::axes empty",
      problem.axes.size(), problem.shape.size());
  return problem;
}

}  // namespace

template <class T>
WaveMesh<T>::WaveMesh(const Fft<T>& fft, const Lengths& lengths) : comm_(fft.comm()) {
  const Problem problem = checked_for_mesh(fft.plan().problem());
  const WaveNumbers numbers(problem, fft.layout_out(), comm_.rank());
  const std::vector<Wide<T>> steps = wave_steps<Wide<T>>(problem, lengths);
  const int halved = halved_axis(problem);
  size_ = numbers.size();
  shape_ = problem.shape;
  unit_ = static_cast<double>(*std::ranges::min_element(steps));
  double longest = 0;
  for (std::size_t dim = 0; dim < shape_.size(); ++dim) {
    const Index n = shape_[dim];
    auto &waves = numbers_.emplace_back(), &slopes = slopes_.emplace_back(), &weights = weights_.emplace_back();
    auto& kept = kept_.emplace_back();
    for (const Index k : numbers.along(dim)) {
      waves.push_back(static_cast<T>(static_cast<Wide<T>>(k) * steps[dim]));
      slopes.push_back(2 * k == n ? 0 : waves.back());
      weights.push_back(halved == static_cast<int>(dim) && k != 0 && 2 * k != n ? 2 : 1);
      kept.push_back(3 * std::abs(k) < n);
    }
    longest = std::hypot(longest, static_cast<double>(n / 2) * static_cast<double>(steps[dim]) / unit_);
  }
  shells_ = static_cast<Index>(std::lround(longest)) + 1;
}

template <class T>
T WaveMesh<T>::set_fixed(Index row, const std::vector<std::vector<T>>& numbers, std::vector<T>& fixed) const {
  T weight = 1;
  for (std::size_t dim = fixed.size(); dim-- > 0;) {
    const auto extent = static_cast<Index>(numbers[dim].size());
    fixed[dim] = numbers[dim][at(row % extent)];
    weight *= weights_[dim][at(row % extent)];
    row /= extent;
  }
  return weight;
}

template <class T>
void WaveMesh<T>::check(std::size_t size, const char* what) const {
  require(size == at(size_), "{} has {} coefficients on rank {}, whose part of the spectrum has {}", what, size,
          comm_.rank(), size_);
}

template <class T>
void WaveMesh<T>::check(const Vector& u, std::size_t components, const char* what) const {
  require(at(u.components()) == components, "{} has {} components in {} dimensions: give it {}", what, u.components(),
          dims(), components);
  check(at(u.size()), what);
}

template <class T>
void WaveMesh<T>::gradient(ConstScalar f, const Vector& out) const {
  check(f.size(), "the field");
  check(out, dims(), "the gradient");
  for_each_slope_row([&](const WaveRow<T>& row) {
    for (std::size_t dim = 0; dim < dims(); ++dim) {
      Complex* const to = out[static_cast<Index>(dim)].data();
      row.along(dim, [&](Index t, T k) { to[t] = times_i(f[at(t)], k); });
    }
  });
}

template <class T>
void WaveMesh<T>::divergence(const Vector& u, Scalar out) const {
  check(u, dims(), "the field");
  check(out.size(), "the divergence");
  for_each_slope_row([&](const WaveRow<T>& row) {
    Complex* const to = out.data();
    const Complex* from = u[0].data();
    row.along(0, [&](Index t, T k) { to[t] = times_i(from[t], k); });
    for (std::size_t dim = 1; dim < dims(); ++dim) {
      from = u[static_cast<Index>(dim)].data();
      row.along(dim, [&](Index t, T k) { to[t] += times_i(from[t], k); });
    }
  });
}

template <class T>
void WaveMesh<T>::curl(const Vector& u, const Vector& out) const {
  require(dims() == 2 || dims() == 3, "there is a curl in 2 and 3 dimensions (the box has {})", dims());
  const bool flat = dims() == 2;
  check(u, dims(), "the field");
  check(out, flat ? 1 : 3, "the curl");
  for_each_slope_row([&](const WaveRow<T>& row) {
    for (std::size_t c = flat ? 2 : 0; c < 3; ++c) {
      const std::size_t next = (c + 1) % 3, other = (c + 2) % 3;
      Complex* const to = out[flat ? 0 : static_cast<Index>(c)].data();
      const Complex *const a = u[static_cast<Index>(other)].data(), *const b = u[static_cast<Index>(next)].data();
      row.along(next, [&](Index t, T k) { to[t] = times_i(a[t], k); });
      row.along(other, [&](Index t, T k) { to[t] -= times_i(b[t], k); });
    }
  });
}

template <class T>
void WaveMesh<T>::laplacian(ConstScalar f, Scalar out) const {
  check(f.size(), "the field");
  check(out.size(), "the Laplacian");
  for_each_row([&](const WaveRow<T>& row) {
    T others = 0;
    for (const T k : row.fixed) others += k * k;
    row.along(row.fixed.size(), [&](Index t, T k) { out[at(t)] = -(others + k * k) * f[at(t)]; });
  });
}

// Of the wave numbers that divergence() takes, so that this is zero afterwards. What has none of them has no
// divergence.
template <class T>
void WaveMesh<T>::project(const Vector& u) const {
  check(u, dims(), "the field");
  std::vector<Complex> share(numbers_.back().size());  // k . u / |k|^2
  for_each_slope_row([&](const WaveRow<T>& row) {
    T others = 0;
    for (const T k : row.fixed) others += k * k;
    std::ranges::fill(share, Complex(0));
    for (std::size_t dim = 0; dim < dims(); ++dim) {
      const Complex* const from = u[static_cast<Index>(dim)].data();
      row.along(dim, [&](Index t, T k) { share[at(t - row.first)] += k * from[t]; });
    }
    for (std::size_t i = 0; i < share.size(); ++i) {
      const T square = others + row.last[i] * row.last[i];
      share[i] *= square > 0 ? 1 / square : 0;
    }
    for (std::size_t dim = 0; dim < dims(); ++dim) {
      Complex* const to = u[static_cast<Index>(dim)].data();
      row.along(dim, [&](Index t, T k) { to[t] -= k * share[at(t - row.first)]; });
    }
  });
}

template <class T>
void WaveMesh<T>::truncate(const Vector& u) const {
  check(at(u.size()), "each component");
  const std::size_t length = numbers_.back().size();
  for (Index first = 0; first < size_; first += static_cast<Index>(length)) {
    bool keeps_row = true;
    for (Index dim = std::ssize(shape_) - 1, row = first / static_cast<Index>(length); dim-- > 0;) {
      const auto extent = static_cast<Index>(kept_[at(dim)].size());
      keeps_row = keeps_row && kept_[at(dim)][at(row % extent)];
      row /= extent;
    }
    for (Index c = 0; c < u.components(); ++c)
      for (std::size_t i = 0; i < length; ++i)
        if (!keeps_row || !kept_.back()[i]) u[c][at(first) + i] = 0;
  }
}

template <class T>
double WaveMesh<T>::mean_square(const Vector& u) const {
  check(at(u.size()), "each component");
  double sum = 0;
  for_each_row([&](const WaveRow<T>& row) {
    for (Index c = 0; c < u.components(); ++c)
      for (std::size_t i = 0; i < row.last.size(); ++i)
        sum += static_cast<double>(row.weights[i] * std::norm(u[c][at(row.first) + i]));
  });
  return comm_.sum(sum);
}

template <class T>
std::vector<double> WaveMesh<T>::energy_spectrum(const Vector& u) const {
  check(at(u.size()), "each component");
  std::vector<double> shells(at(shells_));
  for_each_row([&](const WaveRow<T>& row) {
    double others = 0;
    for (const T k : row.fixed) others += static_cast<double>(k) * static_cast<double>(k);
    for (std::size_t i = 0; i < row.last.size(); ++i) {
      const auto k = static_cast<double>(row.last[i]);
      double energy = 0;
      for (Index c = 0; c < u.components(); ++c) energy += static_cast<double>(std::norm(u[c][at(row.first) + i]));
      const auto shell = std::lround(std::sqrt(others + k * k) / unit_);
      shells[std::min(at(shell), shells.size() - 1)] += static_cast<double>(row.weights[i]) * energy / 2;
    }
  });
  comm_.sum(shells);
  return shells;
}

template <class Item>
DealiasedProduct<Item>::DealiasedProduct(PeriodicBox<Item>& box, Index in, Index out, const Shape& shape,
                                         const FftOptions& options)
    : finer_(box.fft(), shape, options),
      spectra_(std::max(in, out), finer_.grid().local_size_out()),
      in_(in, finer_.grid().local_size_in()),
      out_(out, finer_.grid().local_size_in()) {}

template <class Item>
void DealiasedProduct<Item>::run(const Spans<Complex>& in, const Spans<Complex>& out, const Function& f) {
  require(std::ssize(in) == in_.components() && std::ssize(out) == out_.components(),
          "{} fields in and {} out, but the product was made for {} and {}", in.size(), out.size(), in_.components(),
          out_.components());
  const Spans<Complex> finer = spectra_.spans();
  const auto read = std::span(finer).first(in.size()), made = std::span(finer).first(out.size());
  finer_.pad_spectra(in, read);
  finer_.grid().backward_many(read, in_.spans());
  f(in_, out_);
  finer_.grid().forward_many(out_.spans(), made, Norm::full);
  finer_.truncate_spectra(made, out);
}

#define KALLIMA_FIELD(T)              \
  template class WaveMesh<T>;         \
  template class DealiasedProduct<T>; \
  template class DealiasedProduct<std::complex<T>>;

KALLIMA_FIELD(float)
KALLIMA_FIELD(double)
KALLIMA_FIELD(long double)

}  // namespace kallima
