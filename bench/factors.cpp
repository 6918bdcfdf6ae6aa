// Forward, times factors, and backward, as one: by Kallima, and in turns with cuFFT and a kernel that multiplies. All
// factors are one and the same number of magnitude 1, so that the result is known: the input times that.

#include <cmath>

#include "app/check.hpp"
#include "bench/collect.hpp"
#include "bench/kinds.hpp"
#include "bench/mirror.hpp"
#include "bench/separable.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cli {
namespace {

// The arrays of either.
template <class T>
class FactorArrays : public Rival {
 public:
  using Complex = std::complex<T>;

  void fill() override {
    signal_.fill<T>(layout_, rank_, Data::complex_, reals(in_));
    std::ranges::fill(factors_.host(), factor);
    in_.upload();
    factors_.upload();
  }

 protected:
  FactorArrays(const Problem& problem, Layout layout, int rank, Index spectrum, const FftOptions& options)
      : signal_(problem), layout_(std::move(layout)), rank_(rank) {
    const Index count = layout_.local_size(rank);
    in_ = Mirror<Complex>(count, options.backend);
    out_ = Mirror<Complex>(count, options.backend);
    factors_ = Mirror<Complex>(spectrum, options.backend);
  }

  ErrorSums sums() const {
    out_.download();
    ErrorSums result;
    for (std::size_t i = 0; i < in_.host().size(); ++i) {
      const std::complex<double> expected = std::complex<double>(in_.host()[i]) * std::complex<double>(factor);
      result.difference += std::norm(std::complex<double>(out_.host()[i]) - expected);
      result.expected += std::norm(expected);
    }
    return result;
  }

  static std::span<T> reals(const Mirror<Complex>& array) {
    return {reinterpret_cast<T*>(array.host().data()), 2 * array.host().size()};
  }

  static constexpr Complex factor{T(0.6), T(-0.8)};
  Separable signal_;
  Layout layout_;
  int rank_;
  Mirror<Complex> in_, out_, factors_;
};

template <class T>
class OurFactors final : public FactorArrays<T> {
 public:
  OurFactors(Fft<T>& fft, const KindSpec& spec)
      : FactorArrays<T>(spec.problem, fft.layout_in(), fft.comm().rank(), fft.local_size_out(), spec.options),
        fft_(fft) {}
  std::string name() const override { return "kallima"; }
  std::string title() const override { return "Kallima"; }
  void run() override { fft_.apply_factors(this->in_.span(), this->out_.span(), this->factors_.span()); }
  double error() override { return relative_error(fft_.comm().transport(), this->sums()); }
  std::size_t bytes() const { return this->in_.bytes() + this->out_.bytes() + this->factors_.bytes(); }

 private:
  Fft<T>& fft_;
};

template <class T>
class CufftFactors final : public FactorArrays<T> {
 public:
  explicit CufftFactors(const KindSpec& spec) : CufftFactors(spec, *kallima::plan(spec.problem, 1)) {}
  std::string name() const override { return "cufft"; }
  std::string title() const override { return "cuFFT, multiply, cuFFT"; }
  void run() override { run_(this->in_.data(), this->factors_.data(), this->out_.data()); }
  double error() override {
    const ErrorSums sums = this->sums();
    return std::sqrt(sums.difference / sums.expected);
  }

 private:
  CufftFactors(const KindSpec& spec, const Plan& whole)
      : FactorArrays<T>(spec.problem, whole.layout_in(), 0, whole.layout_out().local_size(0), spec.options),
        run_(cufft_apply(spec.problem)) {}
  std::function<void(const void*, const void*, void*)> run_;
};

template <class T>
KindResult measure_factors_of(const KindSpec& spec, const Comm& comm) {
  Fft<T> fft(spec.problem, comm, spec.options);
  OurFactors<T> ours(fft, spec);
  std::unique_ptr<Rival> cufft;
  together(comm.transport(), [&] {
    if (spec.against_cufft && comm.rank() == 0) cufft = std::make_unique<CufftFactors<T>>(spec);
  });
  std::vector<Rival*> all{&ours};
  if (cufft) all.push_back(cufft.get());
  Race race(all, comm.transport(), Placement::out_of_place);
  race.check_and_warm_up();
  for (int rep = 0; rep < spec.reps; ++rep) race.run_each();
  KindResult result{.ranks = comm.size(), .transport = comm.transport().name()};
  const Plan& plan = fft.plan();
  result.kallima = {.runs = race.runs()[0],
                    .words_sent_per_rank = 2 * plan.traffic(comm.rank(), Direction::forward).words,
                    .data_bytes_per_rank = static_cast<Index>(ours.bytes() / 3),
                    .peak_bytes_per_rank = static_cast<Index>(ours.bytes() + fft.workspace_bytes()),
                    .program = fft.program_size(),
                    .exchanges = 2 * plan.exchanges(),
                    .route = plan.options().route,
                    .explanation = "forward, factors, backward; " + plan.explanation()};
  if (spec.against_cufft) result.fftw = race.runs().back();
  result.flops = 2 * flop_count(spec.problem);
  result.bound = 2 * error_bound(transformed_count(spec.problem), spec.problem.precision);
  return result;
}

}  // namespace

KindResult measure_factors(const KindSpec& asked, const Comm& comm) {
  KindSpec spec = asked;
  spec.problem = checked(asked.problem);
  require(spec.problem.data == Data::complex_, "--apply measures complex transforms (this one is of reals): use c2c");
  return spec.problem.precision == Precision::single_ ? measure_factors_of<float>(spec, comm)
                                                      : measure_factors_of<double>(spec, comm);
}

}  // namespace kallima::cli
