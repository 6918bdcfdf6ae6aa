// FFTW with threads on transforms of any one kind along all axes: its c2c, r2c and r2r plans.

#include <algorithm>
#include <cmath>

#include "bench/accuracy.hpp"
#include "bench/fftw_names.hpp"
#include "bench/kinds.hpp"
#include "bench/separable.hpp"

namespace kallima::cli {
namespace {

template <class T>
struct FftwKinds;

template <>
struct FftwKinds<double> {
  static constexpr auto r2c = fftw_plan_dft_r2c;
  static constexpr auto c2r = fftw_plan_dft_c2r;
  static constexpr auto r2r = fftw_plan_r2r;
};

template <>
struct FftwKinds<float> {
  static constexpr auto r2c = fftwf_plan_dft_r2c;
  static constexpr auto c2r = fftwf_plan_dft_c2r;
  static constexpr auto r2r = fftwf_plan_r2r;
};

template <class T>
T* reals(const FftwArray<T>& array) {
  return reinterpret_cast<T*>(array.get());
}

// Of a checked problem that FFTW has plans for. What comes backward of a half spectrum may overwrite that.
template <class T>
FftwPlan<T> plan_kind(const Problem& problem, Direction direction, unsigned flags, const FftwArray<T>& in,
                      const FftwArray<T>& out) {
  const std::vector<int> extents(problem.shape.begin(), problem.shape.end());
  const auto d = static_cast<int>(extents.size());
  const bool forward = direction == Direction::forward;
  if (problem.data == Data::complex_)
    return FftwPlan<T>(Fftw<T>::plan_dft(d, extents.data(), in.get(), out.get(), forward ? FFTW_FORWARD : FFTW_BACKWARD,
                                         flags | FFTW_PRESERVE_INPUT));
  if (spectrum_data(problem) == Data::complex_)
    return FftwPlan<T>(forward ? FftwKinds<T>::r2c(d, extents.data(), reals(in), out.get(), flags | FFTW_PRESERVE_INPUT)
                               : FftwKinds<T>::c2r(d, extents.data(), in.get(), reals(out), flags));
  std::vector<fftw_r2r_kind> kinds;
  for (const Kind kind : problem.kinds) kinds.push_back(fftw_kind(forward ? kind : inverse(kind)));
  return FftwPlan<T>(
      FftwKinds<T>::r2r(d, extents.data(), reals(in), reals(out), kinds.data(), flags | FFTW_PRESERVE_INPUT));
}

template <class T>
class FftwKind : public Rival {
 public:
  FftwKind(const Problem& problem, Effort effort, int threads)
      : problem_(problem),
        threads_(threads),
        signal_(problem),
        in_layout_(whole(problem.shape)),
        out_layout_(whole(spectrum_shape(problem))),
        in_(element_count(problem.shape)),
        out_(element_count(problem.shape)),
        plan_(make_plan(effort)) {
    require(static_cast<bool>(plan_), "FFTW has no plan for {} (it returned none) choose another shape",
            text(problem.shape));
  }

  std::string name() const override { return "fftw"; }
  std::string title() const override {
    return fmt::format("FFTW with {} thread{}", threads_, threads_ == 1 ? "" : "s");
  }
  void fill() override { signal_.fill<T>(in_layout_, 0, problem_.data, all(in_)); }
  void run() override { plan_.execute(); }
  double error() override {
    const std::span<const T> result = all(out_);
    const ErrorSums sums = signal_.spectrum_error<T>(out_layout_, 0, spectrum_data(problem_), result);
    return std::sqrt(sums.difference / sums.expected);
  }

 private:
  static Layout whole(const Shape& shape) { return Layout::blocks(shape, Shape(shape.size(), 1), 1); }
  std::span<T> all(const FftwArray<T>& array) const {
    return {reals(array), 2 * static_cast<std::size_t>(element_count(problem_.shape))};
  }

  FftwPlan<T> make_plan(Effort effort) {
    require(Fftw<T>::init_threads() != 0, "FFTW cannot start threads (fftw_init_threads failed) run without --against");
    Fftw<T>::use_threads(threads_);
    FftwPlan<T> plan = plan_kind(problem_, Direction::forward, fftw_flag(effort), in_, out_);
    Fftw<T>::use_threads(1);
    return plan;
  }

  Problem problem_;
  int threads_;
  Separable signal_;
  Layout in_layout_, out_layout_;
  FftwArray<T> in_, out_;
  FftwPlan<T> plan_;
};

// Fourier along all, with the last one halved if any, or cosines and sines of reals along all.
bool is_fftws(const Problem& p) {
  const auto fourier = std::count(p.kinds.begin(), p.kinds.end(), Kind::fourier);
  const int halved = halved_axis(p);
  const bool all = p.axes.size() == p.shape.size() && (halved < 0 || halved == static_cast<int>(p.shape.size()) - 1);
  return all && (fourier == static_cast<std::ptrdiff_t>(p.kinds.size()) || (fourier == 0 && p.data == Data::real_));
}

}  // namespace

std::unique_ptr<Rival> make_fftw_kind(const Problem& asked, Effort effort, int threads) {
  const Problem problem = checked(asked);
  require(is_fftws(problem),
          "--against fftw is for transforms of one kind along all axes in their order: leave it out");
  if (problem.precision == Precision::single_) return std::make_unique<FftwKind<float>>(problem, effort, threads);
  return std::make_unique<FftwKind<double>>(problem, effort, threads);
}

template <class T>
LineTransform<T> plan_fftw_line(const Problem& problem, Direction direction, Effort effort) {
  const auto room = element_count(problem.shape) + 2;
  const auto in = std::make_shared<FftwArray<T>>(room), out = std::make_shared<FftwArray<T>>(room);
  const auto plan = std::make_shared<FftwPlan<T>>(plan_kind(problem, direction, fftw_flag(effort), *in, *out));
  require(static_cast<bool>(*plan), "FFTW has no plan for {} (it returned none) choose another length",
          text(problem.shape));
  return [=](std::span<const T> from, std::span<T> to) {
    std::copy(from.begin(), from.end(), reals(*in));
    plan->execute();
    std::copy_n(reals(*out), to.size(), to.begin());
  };
}

template LineTransform<double> plan_fftw_line(const Problem&, Direction, Effort);
template LineTransform<float> plan_fftw_line(const Problem&, Direction, Effort);

}  // namespace kallima::cli
