#pragma once
// FFTW's two precisions under one name, since it has a prefix where C++ would have a template.

#include <fftw3.h>

#include <complex>
#include <memory>
#include <span>

#include "app/check.hpp"
#include "kallima/fft.hpp"

namespace kallima::cli {

template <class T>
struct Fftw;

template <>
struct Fftw<double> {
  using Element = fftw_complex;
  using Plan = fftw_plan;
  static constexpr auto alloc = fftw_alloc_complex;
  static constexpr auto release = fftw_free;
  static constexpr auto init_threads = fftw_init_threads;
  static constexpr auto use_threads = fftw_plan_with_nthreads;
  static constexpr auto plan_dft = fftw_plan_dft;
  static constexpr auto plan_many_dft = fftw_plan_many_dft;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Fftw<float> {
  using Element = fftwf_complex;
  using Plan = fftwf_plan;
  static constexpr auto alloc = fftwf_alloc_complex;
  static constexpr auto release = fftwf_free;
  static constexpr auto init_threads = fftwf_init_threads;
  static constexpr auto use_threads = fftwf_plan_with_nthreads;
  static constexpr auto plan_dft = fftwf_plan_dft;
  static constexpr auto plan_many_dft = fftwf_plan_many_dft;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};

inline unsigned fftw_flag(Effort effort) {
  return effort == Effort::estimate ? FFTW_ESTIMATE : effort == Effort::patient ? FFTW_PATIENT : FFTW_MEASURE;
}

// What FFTW calls a cosine or sine transform.
inline fftw_r2r_kind fftw_kind(Kind kind) {
  constexpr fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
                                     FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
  return kinds[static_cast<int>(kind) - static_cast<int>(Kind::dct1)];
}

// An array from FFTW's own allocator.
template <class T>
class FftwArray {
 public:
  explicit FftwArray(Index count)
      : data_(count > 0 ? Fftw<T>::alloc(static_cast<std::size_t>(count)) : nullptr), count_(count) {
    require(count == 0 || data_,
            "not enough memory for FFTW ({} elements of {} bytes were refused) use a smaller shape", count,
            sizeof(std::complex<T>));
  }
  typename Fftw<T>::Element* get() const { return data_.get(); }
  std::span<std::complex<T>> span(Index count) const {
    return {reinterpret_cast<std::complex<T>*>(data_.get()), static_cast<std::size_t>(count)};
  }

 private:
  struct Release {
    void operator()(typename Fftw<T>::Element* p) const { Fftw<T>::release(p); }
  };
  std::unique_ptr<typename Fftw<T>::Element, Release> data_;
  Index count_;
};

template <class T>
class FftwPlan {
 public:
  explicit FftwPlan(typename Fftw<T>::Plan plan) : plan_(plan) {}
  explicit operator bool() const { return plan_ != nullptr; }
  void execute() const { Fftw<T>::execute(plan_.get()); }

 private:
  struct Destroy {
    void operator()(typename Fftw<T>::Plan p) const { Fftw<T>::destroy(p); }
  };
  std::unique_ptr<std::remove_pointer_t<typename Fftw<T>::Plan>, Destroy> plan_;
};

}  // namespace kallima::cli
