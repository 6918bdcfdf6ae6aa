// The finer grid for products, and the way between spectra of different extents: wave numbers from 0 on are at the
// front of both, negative ones at the back.

#include "base/check.hpp"
#include "kallima/spectral.hpp"
#include "spectral/regrid.hpp"

namespace kallima {
namespace {

// What is kept of n points among m.
std::vector<IndexRun> kept(Index n, Index m) {
  if (n == m) return {{0, 0, n}};
  const Index negative = (n - 1) / 2;
  std::vector<IndexRun> runs{{0, 0, (n + 1) / 2}};
  if (negative > 0) runs.push_back({n - negative, m - negative, negative});
  return runs;
}

IndexRuns kept_in(const Problem& small, const Problem& large) {
  IndexRuns runs;
  for (std::size_t k = 0; k < small.shape.size(); ++k) {
    const Index n = small.shape[k], m = large.shape[k];
    if (halved_axis(small) != static_cast<int>(k))
      runs.push_back(kept(n, m));
    else
      runs.push_back({{0, 0, n == m ? n / 2 + 1 : (n + 1) / 2}});
  }
  return runs;
}

Problem finer(const Problem& asked, const Shape& shape) {
  const Problem problem = checked(asked);
  check_plain_spectrum(problem);
  require(spectrum_data(problem) == Data::complex_, "there is no Fourier axis to refine (axes are cosines and sines)");
  require(shape.empty() || shape.size() == problem.shape.size(), "the finer grid {} has not the dimensions of {}",
          text(shape), text(problem.shape));
  Problem fine = {.shape = problem.shape, .axes = problem.axes, .precision = problem.precision};
  fine.output = Output::any;
  fine.data = problem.data;
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    const Index n = problem.shape[k];
    if (!shape.empty()) fine.shape[k] = shape[k];
    if (!transforms(problem, k)) {
      require(fine.shape[k] == n, "dimension {} is not transformed and cannot go from {} to {} points", k, n,
              fine.shape[k]);
      continue;
    }
    require(kind_of(problem, k) == Kind::fourier, "axis {} has a cosine or sine transform (Fourier axes are refined)",
            k);
    if (shape.empty() && n > 1) fine.shape[k] = smooth_extent((3 * n + 1) / 2);
    require(fine.shape[k] >= n, "the finer grid has {} points along axis {}: give it at least {}", fine.shape[k], k, n);
  }
  return fine;
}

}  // namespace

void check_plain_spectrum(const Problem& problem) {
  require(
      problem.storage_out.is_plain(),
      "the spectrum is stored in an order of its own or padded (Problem::storage_out), and this needs it plain: leave "
      "storage_out at its default, or use Fft::apply");
}

Index smooth_extent(Index n) {
  for (Index m = n;; ++m) {
    Index left = m;
    for (const Index prime : {2, 3, 5})
      while (left % prime == 0) left /= prime;
    if (left == 1) return m;
  }
}

detail::Regrid::Regrid(const Layout& small, const Layout& large, const IndexRuns& runs, Data data, Precision precision,
                       const Comm& comm, const FftOptions& options) {
  const auto planner = [=](const PlanOptions& o) { return plan_regrid(small, large, runs, data, o); };
  const FftImpl::Arguments what{{"smaller array", describe(small)}, {"larger array", describe(large)}};
  impl = std::make_unique<FftImpl>(planner, what, comm,
                                   FftOptions{.effort = options.effort, .backend = cpu_backend(precision)});
}

template <class T>
Dealias<T>::Dealias(const Fft<T>& fft, const Shape& shape, const FftOptions& options)
    : fine_(finer(fft.plan().problem(), shape), fft.comm(), options),
      points_(static_cast<double>(transformed_count(fft.plan().problem()))),
      regrid_(std::make_unique<detail::Regrid>(fft.layout_out(), fine_.layout_out(),
                                               kept_in(checked(fft.plan().problem()), fine_.plan().problem()),
                                               Data::complex_, detail::precision_of<T>, fft.comm(), options)),
      spectrum_(fine_.local_size_out()) {
  regrid_->impl->points = points_;
}

template <class T>
Dealias<T>::Dealias(Dealias&&) noexcept = default;

template <class T>
Dealias<T>& Dealias<T>::operator=(Dealias&&) noexcept = default;

template <class T>
Dealias<T>::~Dealias() = default;

template <class T>
void Dealias<T>::pad_spectrum(std::span<const Complex> small, std::span<Complex> large) {
  regrid_->grow(small, large);
}

template <class T>
void Dealias<T>::truncate_spectrum(std::span<const Complex> large, std::span<Complex> small) {
  regrid_->shrink(large, small);
}

template <class T>
void Dealias<T>::to_physical(std::span<const Complex> spectrum, typename Fft<T>::Out field) {
  regrid_->grow(spectrum, spectrum_.span(), Norm::full);
  fine_.backward(spectrum_.span(), field);
}

template <class T>
void Dealias<T>::to_spectral(typename Fft<T>::In field, std::span<Complex> spectrum) {
  fine_.forward(field, spectrum_.span(), Norm::full);
  truncate_spectrum(spectrum_.span(), spectrum);
  for (Complex& value : spectrum) value *= static_cast<T>(points_);
}

template class Dealias<float>;
template class Dealias<double>;
template class Dealias<long double>;

}  // namespace kallima
