#pragma once
// The front door: plan once, run many times. Construction is collective over the communicator and either succeeds on
// every rank or throws on every rank.

#include <complex>
#include <memory>
#include <span>

#include "kallima/comm.hpp"
#include "kallima/plan.hpp"
#include "kallima/spectrum.hpp"
#include "kallima/trace.hpp"
#include "kallima/wire.hpp"

namespace kallima {

struct FftOptions {
  PlanOptions plan = {};
  Effort effort = Effort::measure;
  Wire wire = {};  // where it is not same, blocks travel as messages
};

namespace detail {
template <class T>
struct FftImpl;
}

// A transform that has begun. It moves on in test() and wait() only, or in those of another Pending of the same Fft,
// which must outlive it. Every rank ends its Pendings, by wait() or by destroying them, in the same order.
template <class T>
class Pending {
 public:
  Pending(Pending&&) noexcept;
  Pending& operator=(Pending&&) noexcept;  // waits for what was there
  ~Pending();                              // waits

  bool test();  // moves messages on and does at most one of the computations that can be done; true: all is done
  void wait();  // returns when the result is there

 private:
  friend struct detail::FftImpl<T>;
  struct State;
  explicit Pending(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

template <class T>  // float, double or long double
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

  // Of real data: to half of its spectrum and back, or by cosine and sine transforms to reals.
  void forward(std::span<const T> in, std::span<Complex> out, Norm norm = Norm::none);
  void backward(std::span<const Complex> in, std::span<T> out, Norm norm = Norm::none);
  void forward(std::span<const T> in, std::span<T> out, Norm norm = Norm::none);
  void backward(std::span<const T> in, std::span<T> out, Norm norm = Norm::none);

  // The same without waiting: phase I is done and its blocks are on their way when these return, and the caller may do
  // other work. Both arrays must be left alone until the Pending is over. Collective.
  Pending<T> start_forward(std::span<const Complex> in, std::span<Complex> out, Norm norm = Norm::none);
  Pending<T> start_backward(std::span<const Complex> in, std::span<Complex> out, Norm norm = Norm::none);
  Pending<T> start_forward(std::span<const T> in, std::span<Complex> out, Norm norm = Norm::none);
  Pending<T> start_backward(std::span<const Complex> in, std::span<T> out, Norm norm = Norm::none);

  // Several arrays (the components of a vector field) through one pipeline: the exchange of one is hidden behind the
  // computing of its neighbours. As forward() of each, with workspace for two at once. Collective.
  void forward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<Complex>> out,
                    Norm norm = Norm::none);
  void backward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<Complex>> out,
                     Norm norm = Norm::none);
  void forward_many(std::span<const std::span<const T>> in, std::span<const std::span<Complex>> out,
                    Norm norm = Norm::none);
  void backward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<T>> out,
                     Norm norm = Norm::none);

  // Forward, `f` on the spectrum wherever forward leaves it, and backward, as one pipeline. `f` gives a factor for the
  // wave numbers of one element, f(std::span<const Index>), or does what it likes with a line of them, which is faster:
  // f(const SpectrumLine<Complex>&), or of T after cosine and sine transforms alone. It is called once for each
  // element, in any order, between other work of the rank. Of real data only the half of the spectrum that is there is
  // seen, and a factor must be its own conjugate at the opposite wave number for the result to be real. In place where
  // `in` and `out` are one. The first call plans. Collective.
  template <class F>
  void apply(std::span<const Complex> in, std::span<Complex> out, const F& f, Norm norm = Norm::full) {
    apply_lines(in, out, detail::on_lines<T>(f), norm);
  }
  template <class F>
  void apply(std::span<const T> in, std::span<T> out, const F& f, Norm norm = Norm::full) {
    apply_lines(in, out, detail::on_lines<T>(f), norm);
  }

  // A part of forward(), for measuring; what is in `out` then means nothing. Collective.
  void rehearse(Only part, std::span<const Complex> in, std::span<Complex> out);
  void rehearse(Only part, std::span<const T> in, std::span<Complex> out);

  Layout layout_in() const;   // where forward's input lives
  Layout layout_out() const;  // where forward leaves its output
  Index local_size_in() const;  // elements of the array, padding included
  Index local_size_out() const;

  std::size_t workspace_bytes() const;  // held by this object on this rank
  const Plan& plan() const;
  const Comm& comm() const;
  Tuning tuning() const;            // of its messages,
  std::string tuning_from() const;  // and who chose it: default, doctor, environment, flag, caller, planner

  // What is sent in fewer bytes, where that was asked for, and what it cost. Collective.
  WireReport wire_report() const;

  // Add what this rank does from now on to `trace` (null: stop), which must outlive its use here. Its settings are set
  // to the plan's.
  void record(Trace* trace);

 private:
  void apply_lines(std::span<const Complex> in, std::span<Complex> out, const detail::OnLines<T>& f, Norm norm);
  void apply_lines(std::span<const T> in, std::span<T> out, const detail::OnLines<T>& f, Norm norm);

  std::unique_ptr<detail::FftImpl<T>> impl_;
};

extern template class Pending<float>;
extern template class Pending<double>;
extern template class Pending<long double>;
extern template class Fft<float>;
extern template class Fft<double>;
extern template class Fft<long double>;

}  // namespace kallima
