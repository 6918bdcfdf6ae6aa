// cuFFT on one device, on arrays that are whole there, of any kind that it has.

#include <cmath>

#include "app/check.hpp"
#include "bench/mirror.hpp"
#include "bench/rival.hpp"
#include "bench/separable.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cli {
namespace {

Index cufft_reals(Index count, Data data) { return data == Data::real_ ? count : 2 * count; }

template <class T>
class Cufft : public Rival {
 public:
  Cufft(const Problem& problem, const FftOptions& options)
      : plan_(kallima::plan(problem, 1)),
        signal_(problem),
        in_(cufft_reals(plan_->layout_in().local_size(0), plan_->data_in()), options.backend),
        out_(cufft_reals(plan_->layout_out().local_size(0), plan_->data_out()), options.backend),
        run_(cufft_transform(problem)) {}

  std::string name() const override { return "cufft"; }
  std::string title() const override { return "cuFFT"; }
  void fill() override {
    signal_.fill<T>(plan_->layout_in(), 0, plan_->data_in(), in_.host());
    in_.upload();
  }
  void run() override { run_(in_.data(), out_.data()); }
  double error() override {
    out_.download();
    const std::span<const T> result = out_.host();
    const ErrorSums sums = signal_.spectrum_error<T>(plan_->layout_out(), 0, plan_->data_out(), result);
    return std::sqrt(sums.difference / sums.expected);
  }

 private:
  std::unique_ptr<Plan> plan_;
  Separable signal_;
  Mirror<T> in_, out_;
  std::function<void(const void*, void*)> run_;
};

}  // namespace

std::unique_ptr<Rival> make_cufft(const Problem& problem, const FftOptions& options) {
  const Problem full = checked(problem);
  if (full.precision == Precision::single_) return std::make_unique<Cufft<float>>(full, options);
  return std::make_unique<Cufft<double>>(full, options);
}

}  // namespace kallima::cli
