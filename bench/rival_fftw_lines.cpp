#include "app/check.hpp"
#include "bench/fftw_names.hpp"
#include "bench/line_rivals.hpp"

namespace kallima::cli {
namespace {

template <class T>
std::function<void()> planned(const LineBatch& batch, const LineSteps& steps, void* in, void* out) {
  using Element = typename Fftw<T>::Element;
  const int length = static_cast<int>(batch.length), step = static_cast<int>(steps.along);
  const int next = static_cast<int>(steps.across);
  const auto plan = std::make_shared<FftwPlan<T>>(Fftw<T>::plan_many_dft(
      1, &length, static_cast<int>(batch.lines), static_cast<Element*>(in), nullptr, step, next,
      static_cast<Element*>(out), nullptr, step, next, FFTW_FORWARD, fftw_flag(Effort::measure)));
  require(static_cast<bool>(*plan), "FFTW has no plan for {} lines of {} points (it returned none) leave them out",
          batch.lines, batch.length);
  return [plan] { plan->execute(); };
}

}  // namespace

std::function<void()> plan_fftw_lines(const LineBatch& batch, const LineSteps& steps, void* in, void* out) {
  return batch.precision == Precision::single_ ? planned<float>(batch, steps, in, out)
                                               : planned<double>(batch, steps, in, out);
}

}  // namespace kallima::cli
