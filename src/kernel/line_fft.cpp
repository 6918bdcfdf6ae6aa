#include "kernel/line_fft.hpp"

#include <fftw3.h>

#include <limits>
#include <map>
#include <mutex>
#include <tuple>

#include "base/check.hpp"
#include "kallima/memory.hpp"

namespace kallima::kernel {
namespace {

template <class T>
struct Fftw;

template <>
struct Fftw<double> {
  using Complex = fftw_complex;
  static fftw_plan many(int n, int count, Complex* in, int id, Complex* out, int od, int sign, unsigned flags) {
    return fftw_plan_many_dft(1, &n, count, in, nullptr, 1, id, out, nullptr, 1, od, sign, flags);
  }
  static void run(void* plan, Complex* in, Complex* out) { fftw_execute_dft(static_cast<fftw_plan>(plan), in, out); }
  static void limit(double seconds) { fftw_set_timelimit(seconds); }
  static void destroy(void* plan) { fftw_destroy_plan(static_cast<fftw_plan>(plan)); }
};

template <>
struct Fftw<float> {
  using Complex = fftwf_complex;
  static fftwf_plan many(int n, int count, Complex* in, int id, Complex* out, int od, int sign, unsigned flags) {
    return fftwf_plan_many_dft(1, &n, count, in, nullptr, 1, id, out, nullptr, 1, od, sign, flags);
  }
  static void run(void* plan, Complex* in, Complex* out) { fftwf_execute_dft(static_cast<fftwf_plan>(plan), in, out); }
  static void limit(double seconds) { fftwf_set_timelimit(seconds); }
  static void destroy(void* plan) { fftwf_destroy_plan(static_cast<fftwf_plan>(plan)); }
};

// One for all precisions: libfftw3 and libfftw3f each have a planner of their own, but planning is rare.
std::mutex planner_mutex;

constexpr double measuring_seconds = 0.5;  // per plan: with a coarse clock FFTW would measure for many seconds

unsigned flags_of(Effort effort) {
  switch (effort) {
    case Effort::estimate:
      return FFTW_ESTIMATE;
    case Effort::measure:
      return FFTW_MEASURE;
    case Effort::patient:
      return FFTW_PATIENT;
  }
  return FFTW_ESTIMATE;
}

int checked_int(Index value) {
  require(value <= std::numeric_limits<int>::max(),
          "a local transform of length or stride {} is too long (FFTW counts in 32 bits, at most {}): use more ranks",
          value, std::numeric_limits<int>::max());
  return static_cast<int>(value);
}

template <class T>
void* make_plan(const Lines& l, Direction direction, Effort effort) {
  using Complex = typename Fftw<T>::Complex;
  const Index in_size = (l.count - 1) * l.pitch_in + l.length;
  const Index out_size = (l.count - 1) * l.pitch_out + l.length;
  const Array<std::complex<T>> a(in_size);
  const Array<std::complex<T>> b(l.in_place ? 0 : out_size);
  Complex* in = reinterpret_cast<Complex*>(a.data());
  Complex* out = l.in_place ? in : reinterpret_cast<Complex*>(b.data());
  const int sign = direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD;
  Fftw<T>::limit(effort == Effort::patient ? FFTW_NO_TIMELIMIT : measuring_seconds);
  void* plan = Fftw<T>::many(checked_int(l.length), checked_int(l.count), in, checked_int(l.pitch_in), out,
                             checked_int(l.pitch_out), sign, flags_of(effort) | FFTW_UNALIGNED);
  Fftw<T>::limit(FFTW_NO_TIMELIMIT);  // the planner is shared with whoever else uses FFTW in this process
  require(plan != nullptr, "FFTW found no plan for {} lines of length {}", l.count, l.length);
  return plan;
}

}  // namespace

template <class T>
LineFft<T>::LineFft(const Lines& lines, Direction direction, Effort effort) {
  using Key = std::tuple<Lines, Direction, Effort>;
  static std::map<Key, std::shared_ptr<void>> cache;
  const std::lock_guard lock(planner_mutex);
  std::shared_ptr<void>& plan = cache[Key{lines, direction, effort}];
  if (!plan) plan = std::shared_ptr<void>(make_plan<T>(lines, direction, effort), Fftw<T>::destroy);
  plan_ = plan;
}

template <class T>
void LineFft<T>::operator()(const std::complex<T>* in, std::complex<T>* out) const {
  using Complex = typename Fftw<T>::Complex;
  // FFTW takes its input as non-const, but leaves it alone: FFTW_PRESERVE_INPUT is its default for these transforms.
  Fftw<T>::run(plan_.get(), reinterpret_cast<Complex*>(const_cast<std::complex<T>*>(in)),
               reinterpret_cast<Complex*>(out));
}

template class LineFft<float>;
template class LineFft<double>;

}  // namespace kallima::kernel
