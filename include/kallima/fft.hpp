#pragma once
// The front door: plan once, run many times. Construction is collective over the communicator and either succeeds on
// every rank or throws on every rank.

#include <complex>
#include <memory>
#include <span>

#include "kallima/comm.hpp"
#include "kallima/plan.hpp"
#include "kallima/trace.hpp"

namespace kallima {

struct FftOptions {
  PlanOptions plan = {};
  Effort effort = Effort::measure;
};

template <class T>  // float or double
class Fft {
 public:
  using Complex = std::complex<T>;

  Fft(const Problem& problem, Comm comm, const FftOptions& options = {});
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;
  ~Fft();

  // Collective. `in` holds local_size_in() elements and is left as it was, `out` local_size_out() (backward: the other
  // way round). In place when both begin at the same address; the array is then as long as the longer. A plan made for
  // one Placement serves the other as well, at the price of a copy.
  void forward(std::span<const Complex> in, std::span<Complex> out, Norm norm = Norm::none);
  void backward(std::span<const Complex> in, std::span<Complex> out, Norm norm = Norm::none);
  void forward(std::span<Complex> data, Norm norm = Norm::none) { forward(data, data, norm); }
  void backward(std::span<Complex> data, Norm norm = Norm::none) { backward(data, data, norm); }

  Layout layout_in() const;   // where forward's input lives
  Layout layout_out() const;  // where forward leaves its output
  Index local_size_in() const;
  Index local_size_out() const;

  std::size_t workspace_bytes() const;  // held by this object on this rank
  const Plan& plan() const;
  const Comm& comm() const;

  // Add what this rank does from now on to `trace` (null: stop), which must outlive its use here.
  void record(Trace* trace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Fft<float>;
extern template class Fft<double>;

}  // namespace kallima
