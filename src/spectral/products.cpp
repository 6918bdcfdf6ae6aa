// Products of fields: convolutions, which are products of two spectra that lie alike (the linear one is circular, among
// zeros), and the finer grid on which products do not alias. Between spectra of different extents wave numbers from 0
// on are at the front of both, negative ones at the back.

#include "base/check.hpp"
#include "fft/impl.hpp"
#include "kallima/spectral.hpp"
#include "plan/routes/regrid.hpp"

namespace kallima {

// Between a distributed array and a larger one, among zeros.
struct detail::Regrid {
  Regrid(const Layout& small, const Layout& large, const IndexRuns& runs, Data data, Precision precision,
         const Comm& comm, const FftOptions& options) {
    const auto planner = [=](const PlanOptions& o) { return plan_regrid(small, large, runs, data, o); };
    const FftImpl::Arguments what{{"smaller array", describe(small)}, {"larger array", describe(large)}};
    impl = std::make_unique<FftImpl>(planner, what, comm,
                                     FftOptions{.effort = options.effort, .backend = cpu_backend(precision)});
  }

  void run(Direction direction, ArrayIn from, ArrayOut to, Norm norm = Norm::none) {  // forward: into the larger
    std::ranges::fill(to.bytes, std::byte{0});
    impl->run(direction, from, to, norm);
  }

  template <class Complex>
  void run_many(Direction direction, std::span<const std::span<Complex>> from, std::span<const std::span<Complex>> to) {
    for (const std::span<Complex>& array : to) std::ranges::fill(array, Complex(0));
    impl->run_many(direction, std::vector<ArrayIn>(from.begin(), from.end()),
                   std::vector<ArrayOut>(to.begin(), to.end()), Norm::none);
  }

  std::unique_ptr<FftImpl> impl;
};

namespace {

// The first product of 2, 3 and 5 from n on.
Index smooth_extent(Index n) {
  for (Index m = n;; ++m) {
    Index left = m;
    for (const Index prime : {2, 3, 5})
      while (left % prime == 0) left /= prime;
    if (left == 1) return m;
  }
}

// What is kept of a spectrum in a larger one.
IndexRuns kept_in(const Problem& small, const Problem& large) {
  IndexRuns runs;
  for (std::size_t k = 0; k < small.shape.size(); ++k) {
    const Index n = small.shape[k], m = large.shape[k];
    const bool halved = halved_axis(small) == static_cast<int>(k);
    runs.push_back({{0, 0, n != m ? (n + 1) / 2 : halved ? n / 2 + 1 : n}});
    const Index negative = n == m || halved ? 0 : (n - 1) / 2;
    if (negative > 0) runs.back().push_back({n - negative, m - negative, negative});
  }
  return runs;
}

Problem finer(const Problem& asked, const Shape& shape) {
  const Problem problem = checked(asked);
  detail::check_plain_spectrum(problem);
  require(spectrum_data(problem) == Data::complex_, "there is no Fourier axis to refine (axes are cosines and sines)");
  require(shape.empty() || shape.size() == problem.shape.size(), "the finer grid {} has not the dimensions of {}",
          text(shape), text(problem.shape));
  Problem fine{problem.shape, problem.axes, problem.precision, Output::any, problem.data};
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

enum class Factor { itself, conjugate };

// The spectrum of `b`, or its conjugate, times that of `a`.
template <class T>
void multiply_spectra(Fft<T>& fft, const ArrayIn& a, const ArrayIn& b, const ArrayOut& c, Factor take) {
  require(fft.plan().data_out() == Data::complex_, "convolutions need a Fourier axis (the problem has only others)");
  detail::check_plain_spectrum(fft.plan().problem());
  Array<std::complex<T>> spectrum(fft.local_size_out());
  fft.any().forward(b, spectrum.span());
  if (take == Factor::conjugate)
    for (std::complex<T>& value : spectrum) value = std::conj(value);
  const auto times = [&](const SpectrumLine<std::complex<T>>& line) {
    for (std::size_t i = 0; i < line.values.size(); ++i) line.values[i] *= spectrum[line.first + static_cast<Index>(i)];
  };
  const detail::OnLines<T> lines = detail::on_lines<T>(times);
  fft.any().apply(a, c, detail::visitor(lines, Data::complex_));
}

Shape padded_shape(const Layout& a, const Layout& b, const Layout& c) {
  Shape shape;
  require(a.shape().size() == b.shape().size() && b.shape().size() == c.shape().size(),
          "arrays of {}, {} and {} differ in their number of dimensions: give all the same", text(a.shape()),
          text(b.shape()), text(c.shape()));
  for (std::size_t k = 0; k < a.shape().size(); ++k) {
    const Index n = a.shape()[k] + b.shape()[k] - 1;
    require(c.shape()[k] == n, "the convolution of {} and {} points has {} along dimension {}, not {}", a.shape()[k],
            b.shape()[k], n, k, c.shape()[k]);
    shape.push_back(smooth_extent(n));
  }
  return shape;
}

}  // namespace

void detail::check_plain_spectrum(const Problem& problem) {
  require(
      problem.storage_out.is_plain(),
      "the spectrum is stored in an order of its own or padded (Problem::storage_out), and this needs it plain: leave "
      "storage_out at its default, or use Fft::apply");
}

template <class T>
Dealias<T>::Dealias(const Fft<T>& fft, const Shape& shape, const FftOptions& options)
    : fine_(finer(fft.plan().problem(), shape), fft.comm(), options),
      points_(static_cast<double>(transformed_count(fft.plan().problem()))),
      regrid_(std::make_shared<detail::Regrid>(fft.layout_out(), fine_.layout_out(),
                                               kept_in(checked(fft.plan().problem()), fine_.plan().problem()),
                                               Data::complex_, detail::precision_of<T>, fft.comm(), options)),
      spectrum_(fine_.local_size_out()) {
  regrid_->impl->points = points_;
}

template <class T>
void Dealias<T>::pad_spectrum(std::span<const Complex> small, std::span<Complex> large) {
  fine_.plan();  // throws where this was moved from
  regrid_->run(Direction::forward, small, large);
}

template <class T>
void Dealias<T>::truncate_spectrum(std::span<const Complex> large, std::span<Complex> small) {
  fine_.plan();
  regrid_->run(Direction::backward, large, small);
}

template <class T>
void Dealias<T>::pad_spectra(std::span<const std::span<Complex>> small, std::span<const std::span<Complex>> large) {
  fine_.plan();
  regrid_->template run_many<Complex>(Direction::forward, small, large);
}

template <class T>
void Dealias<T>::truncate_spectra(std::span<const std::span<Complex>> large,
                                  std::span<const std::span<Complex>> small) {
  fine_.plan();
  regrid_->template run_many<Complex>(Direction::backward, large, small);
}

template <class T>
void Dealias<T>::to_physical(std::span<const Complex> spectrum, typename Fft<T>::Out field) {
  fine_.plan();
  regrid_->run(Direction::forward, spectrum, spectrum_.span(), Norm::full);
  fine_.backward(spectrum_.span(), field);
}

template <class T>
void Dealias<T>::to_spectral(typename Fft<T>::In field, std::span<Complex> spectrum) {
  fine_.forward(field, spectrum_.span(), Norm::full);
  truncate_spectrum(spectrum_.span(), spectrum);
  for (Complex& value : spectrum) value *= static_cast<T>(points_);
}

template <class T>
void convolve(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c) {
  multiply_spectra(fft, a, b, c, Factor::itself);
}

template <class T>
void correlate(Fft<T>& fft, typename Fft<T>::In a, typename Fft<T>::In b, typename Fft<T>::Out c) {
  multiply_spectra(fft, b, a, c, Factor::conjugate);
}

template <class T>
LinearConvolution<T>::LinearConvolution(const Layout& a, const Layout& b, const Layout& c, Data data, const Comm& comm,
                                        const FftOptions& options)
    : fft_({.shape = padded_shape(a, b, c), .output = Output::any, .data = data}, comm, options) {
  for (const Layout& layout : {a, b, c}) {
    IndexRuns first_corner;
    for (const Index n : layout.shape()) first_corner.push_back({{0, 0, n}});
    parts_.push_back(std::make_shared<detail::Regrid>(layout, fft_.layout_in(), first_corner, data,
                                                      detail::precision_of<T>, comm, options));
  }
}

template <class T>
void LinearConvolution<T>::run(In a, In b, Out c) {
  const Array<T> first(fft_.local_size_in() * (fft_.plan().data_in() == Data::real_ ? 1 : 2)), second(first.size());
  const ArrayOut grown_a = std::as_writable_bytes(first.span()), grown_b = std::as_writable_bytes(second.span());
  parts_[0]->run(Direction::forward, a, grown_a);
  parts_[1]->run(Direction::forward, b, grown_b);
  multiply_spectra(fft_, ArrayIn(grown_a.bytes), ArrayIn(grown_b.bytes), grown_a, Factor::itself);
  parts_[2]->run(Direction::backward, ArrayIn(grown_a.bytes), c);
}

#define KALLIMA_REGRID(T)                                                                              \
  template void convolve<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::In, typename Fft<T>::Out);  \
  template void correlate<T>(Fft<T>&, typename Fft<T>::In, typename Fft<T>::In, typename Fft<T>::Out); \
  template class LinearConvolution<T>;                                                                 \
  template class Dealias<T>;

KALLIMA_REGRID(float)
KALLIMA_REGRID(double)
KALLIMA_REGRID(long double)

}  // namespace kallima
