#pragma once
// FFTW's functions by precision: it has a library for each, with the same names but for a letter. Its planners are not
// thread-safe and remember a time limit, so that plans are made under one lock and the limit is put back afterwards.

#include <fftw3.h>

#include <complex>
#include <memory>
#include <mutex>

#include "kallima/types.hpp"

namespace kallima::kernel {

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
inline std::mutex fftw_planner;

inline constexpr double measuring_seconds = 0.5;  // per plan: with a coarse clock FFTW would measure for many seconds

inline unsigned flags_of(Effort effort) {
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

// make(flags) under the effort's time limit; the planner is shared with whoever else uses FFTW in this process.
template <class T, class Make>
void* planned(Effort effort, const Make& make) {
  Fftw<T>::limit(effort == Effort::patient ? FFTW_NO_TIMELIMIT : measuring_seconds);
  void* plan = make(flags_of(effort) | FFTW_UNALIGNED);
  Fftw<T>::limit(FFTW_NO_TIMELIMIT);
  return plan;
}

}  // namespace kallima::kernel
