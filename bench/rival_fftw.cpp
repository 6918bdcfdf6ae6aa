// FFTW in one process with several threads: the best that shared memory offers without Kallima.

#include <cmath>

#include "bench/analytic.hpp"
#include "bench/fftw_build.hpp"
#include "bench/fftw_names.hpp"
#include "bench/rival.hpp"

namespace kallima::cli {

namespace {

std::vector<int> int_extents(const Shape& shape) {
  std::vector<int> extents;
  for (const Index n : shape) {
    require(n <= 2147483647,
            "FFTW cannot be asked for {} (an extent of {} is above its 2^31 - 1) choose a smaller shape", text(shape),
            n);
    extents.push_back(static_cast<int>(n));
  }
  return extents;
}

template <class T>
class FftwThreads : public Rival {
 public:
  FftwThreads(const RivalSpec& spec, int threads)
      : threads_(threads),
        count_(element_count(spec.shape)),
        in_(count_),
        out_(spec.placement == Placement::in_place ? 0 : count_),
        plan_(make_plan(spec)) {
    require(static_cast<bool>(plan_), "FFTW has no plan for {} (it returned none) choose another shape",
            text(spec.shape));
    for (std::size_t d = 0; d < spec.shape.size(); ++d) axes_.push_back(block_axis(spec.shape, d, 0, spec.shape[d]));
  }

  std::string name() const override { return "threads"; }
  std::string title() const override {
    return fmt::format("FFTW with {} thread{}", threads_, threads_ == 1 ? "" : "s");
  }
  void fill() override { fill_signal<T>(axes_, in_.span(count_)); }
  void run() override { plan_.execute(); }

  double error() override {
    const ErrorSums sums = spectrum_error<T>(axes_, (out_.get() ? out_ : in_).span(count_));
    return std::sqrt(sums.difference / sums.expected);
  }

 private:
  // The number of threads is a global of FFTW's planner; whoever plans next must find it as it was.
  FftwPlan<T> make_plan(const RivalSpec& spec) {
    require(Fftw<T>::init_threads() != 0, "FFTW cannot start threads (fftw_init_threads failed) run without --against");
    const std::vector<int> extents = int_extents(spec.shape);
    Fftw<T>::use_threads(threads_);
    FftwPlan<T> plan(Fftw<T>::plan_dft(static_cast<int>(extents.size()), extents.data(), in_.get(),
                                       out_.get() ? out_.get() : in_.get(), FFTW_FORWARD, fftw_flag(spec.effort)));
    Fftw<T>::use_threads(1);
    return plan;
  }

  int threads_;
  Index count_;
  FftwArray<T> in_;
  FftwArray<T> out_;
  FftwPlan<T> plan_;
  std::vector<Axis> axes_;
};

}  // namespace

std::string fftw_words(Precision precision) { return precision == Precision::single_ ? fftwf_version : fftw_version; }

std::unique_ptr<Rival> make_fftw_threads(const RivalSpec& spec, int threads) {
  if (spec.precision == Precision::single_) return std::make_unique<FftwThreads<float>>(spec, threads);
  return std::make_unique<FftwThreads<double>>(spec, threads);
}

}  // namespace kallima::cli
