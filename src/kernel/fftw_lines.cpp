// Lines by FFTW. Plans are made once per process for each shape and kept.
//
// FFTW has a library for each precision, with the same names but for a letter. Its planners are not thread-safe and
// remember a time limit, so that plans are made under one lock and the limit is put back afterwards.

#include <fftw3.h>

#include <map>
#include <mutex>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "kernel/line_fft.hpp"

namespace kallima::kernel {
namespace {

template <class T>
struct Fftw;

// Strides of real transforms count reals on the real side and complex numbers on the other.
#define KALLIMA_FFTW(T, X)                                                                                        \
  template <>                                                                                                     \
  struct Fftw<T> {                                                                                                \
    using Complex = X##_complex;                                                                                  \
    using Plan = X##_plan;                                                                                        \
    using Axis = X##_iodim64;                                                                                     \
    static Plan dft(const Axis& line, const Axis& loop, Complex* in, Complex* out, int sign, unsigned flags) {    \
      return X##_plan_guru64_dft(1, &line, 1, &loop, in, out, sign, flags);                                       \
    }                                                                                                             \
    static Plan to_half(const Axis& line, const Axis& loop, T* in, Complex* out, unsigned flags) {                \
      return X##_plan_guru64_dft_r2c(1, &line, 1, &loop, in, out, flags);                                         \
    }                                                                                                             \
    static Plan to_real(const Axis& line, const Axis& loop, Complex* in, T* out, unsigned flags) {                \
      return X##_plan_guru64_dft_c2r(1, &line, 1, &loop, in, out, flags);                                         \
    }                                                                                                             \
    static Plan r2r(const Axis& line, const Axis (&loops)[2], T* in, T* out, fftw_r2r_kind k, unsigned flags) {   \
      return X##_plan_guru64_r2r(1, &line, 2, loops, in, out, &k, flags);                                         \
    }                                                                                                             \
    static void run(void* plan, Complex* in, Complex* out) { X##_execute_dft(static_cast<Plan>(plan), in, out); } \
    static void run(void* plan, T* in, Complex* out) { X##_execute_dft_r2c(static_cast<Plan>(plan), in, out); }   \
    static void run(void* plan, Complex* in, T* out) { X##_execute_dft_c2r(static_cast<Plan>(plan), in, out); }   \
    static void run(void* plan, T* in, T* out) { X##_execute_r2r(static_cast<Plan>(plan), in, out); }             \
    static void limit(double seconds) { X##_set_timelimit(seconds); }                                             \
    static void destroy(void* plan) { X##_destroy_plan(static_cast<Plan>(plan)); }                                \
  }

KALLIMA_FFTW(float, fftwf);
KALLIMA_FFTW(double, fftw);
KALLIMA_FFTW(long double, fftwl);
#undef KALLIMA_FFTW

// One for all precisions: each library has a planner of its own, but planning is rare.
std::mutex fftw_planner;

constexpr double measuring_seconds = 0.5;  // per plan: with a coarse clock FFTW would measure for many seconds

fftw_r2r_kind fftw_kind(Kind kind) {
  constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                     FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[static_cast<int>(kind) - static_cast<int>(Kind::dct1)];
}

template <class T>
typename Fftw<T>::Complex* halves(T* reals) {
  return reinterpret_cast<typename Fftw<T>::Complex*>(reals);
}

template <class T>
void* make_plan(const Lines& l, T* in, T* out, unsigned flags) {
  using Axis = typename Fftw<T>::Axis;
  const Axis line{l.length, l.parts, l.parts};
  if (l.kind == Kind::real_to_half)
    return Fftw<T>::to_half(line, {l.count, l.pitch_in, l.pitch_out / 2}, in, halves(out), flags);
  if (l.kind == Kind::half_to_real)
    return Fftw<T>::to_real(line, {l.count, l.pitch_in / 2, l.pitch_out}, halves(in), out, flags);
  if (l.kind == Kind::fourier)
    return Fftw<T>::dft(line, {l.count, l.pitch_in / 2, l.pitch_out / 2}, halves(in), halves(out),
                        l.direction == Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, flags);
  const Axis loops[2] = {{l.count, l.pitch_in, l.pitch_out}, {l.parts, 1, 1}};
  return Fftw<T>::r2r(line, loops, in, out, fftw_kind(l.kind), flags);
}

// On arrays of its own, since measuring overwrites them, and under the effort's time limit: the planner is shared with
// whoever else uses FFTW in this process.
template <class T>
std::shared_ptr<void> made(const Lines& l, Effort effort) {
  const Index line = 2 * l.length + 2;  // reals that either side of any kind takes at most
  const Array<T> in((l.count - 1) * l.pitch_in + line);
  const Array<T> other(l.in_place ? 0 : (l.count - 1) * l.pitch_out + line);
  T* const out = l.in_place ? in.data() : other.data();
  constexpr unsigned flags[] = {FFTW_ESTIMATE, FFTW_MEASURE, FFTW_PATIENT};
  Fftw<T>::limit(effort == Effort::patient ? FFTW_NO_TIMELIMIT : measuring_seconds);
  void* plan = make_plan<T>(l, in.data(), out, flags[static_cast<int>(effort)] | FFTW_UNALIGNED);
  Fftw<T>::limit(FFTW_NO_TIMELIMIT);
  require(plan != nullptr, "FFTW found no plan for {} lines of length {}", l.count, l.length);
  return {plan, Fftw<T>::destroy};
}

template <class T>
class LinesByFftw final : public LineFft<T> {
 public:
  LinesByFftw(Kind kind, std::shared_ptr<void> plan) : kind_(kind), plan_(std::move(plan)) {}

  // FFTW takes its input as non-const, but out of place leaves it alone: lines that are not complex are done in place.
  void operator()(const T* from, T* out, std::complex<T>*) const override {
    T* const in = const_cast<T*>(from);
    if (kind_ == Kind::fourier)
      Fftw<T>::run(plan_.get(), halves(in), halves(out));
    else if (kind_ == Kind::real_to_half)
      Fftw<T>::run(plan_.get(), in, halves(out));
    else if (kind_ == Kind::half_to_real)
      Fftw<T>::run(plan_.get(), halves(in), out);
    else
      Fftw<T>::run(plan_.get(), in, out);
  }

 private:
  Kind kind_;
  std::shared_ptr<void> plan_;
};

}  // namespace

template <class T>
std::shared_ptr<const LineFft<T>> fftw_lines(const Lines& lines, Effort effort) {
  static std::map<std::pair<Lines, Effort>, std::shared_ptr<void>> cache;
  const std::lock_guard lock(fftw_planner);
  std::shared_ptr<void>& plan = cache[{lines, effort}];
  if (!plan) plan = made<T>(lines, effort);
  return std::make_shared<LinesByFftw<T>>(lines.kind, plan);
}

template std::shared_ptr<const LineFft<float>> fftw_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<double>> fftw_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<long double>> fftw_lines(const Lines&, Effort);

}  // namespace kallima::kernel
