#pragma once
// The front door: plan once, run many times. Planning is collective over the communicator and either succeeds on every
// rank or throws on every rank; so is whatever is marked collective below. Freeing an Fft is not: ranks may drop theirs
// whenever they like, once no run of it is under way.
// Arrays that do not fit are an Error. Where one rank's exception would leave others waiting for its messages
// (Transport::survives_exceptions), the rank prints it and ends the job instead of throwing: checking the arguments of
// all ranks would cost every call that is right a message. Ranks that wait for each other in different calls notice it
// within seconds, and it is an Error, or the end of the job, that names both.

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "kallima/execute.hpp"
#include "kallima/plan.hpp"
#include "kallima/spectrum.hpp"
#include "kallima/trace.hpp"
#include "kallima/wire.hpp"

namespace kallima {

struct FftOptions {
  PlanOptions plan = {};
  Effort effort = Effort::measure;
  Wire wire = {};                               // where it is not same, blocks travel as messages
  std::shared_ptr<const Backend> backend = {};  // none: the processor's, of the problem's precision
};

// An array of the caller's: bytes, or numbers whose type says what they are.
template <class Byte>  // const std::byte or std::byte
struct AnyArray {
  AnyArray(std::span<Byte> array) : bytes(array) {}
  template <class Item>
  requires(!std::is_same_v<std::remove_const_t<Item>, std::byte> && (std::is_const_v<Byte> || !std::is_const_v<Item>))
      AnyArray(std::span<Item> array)
      : bytes(reinterpret_cast<Byte*>(array.data()), array.size_bytes()),
        data(std::is_floating_point_v<Item> ? Data::real_ : Data::complex_) {}

  std::span<Byte> bytes;
  std::optional<Data> data = {};  // not known of mere bytes
};
using ArrayIn = AnyArray<const std::byte>;
using ArrayOut = AnyArray<std::byte>;

// One of reals or complex numbers of one precision: whatever a std::span of them can be made from.
template <class Real>  // const T or T
struct ArrayOf : AnyArray<std::conditional_t<std::is_const_v<Real>, const std::byte, std::byte>> {
  using Byte = std::conditional_t<std::is_const_v<Real>, const std::byte, std::byte>;
  using Complex = std::conditional_t<std::is_const_v<Real>, const std::complex<std::remove_const_t<Real>>,
                                     std::complex<std::remove_const_t<Real>>>;
  template <class Range>
  requires std::convertible_to<Range&&, std::span<Real>> ArrayOf(Range&& range)
      : AnyArray<Byte>(std::span<Real>(std::forward<Range>(range))) {}
  template <class Range>
  requires std::convertible_to<Range&&, std::span<Complex>> ArrayOf(Range&& range)
      : AnyArray<Byte>(std::span<Complex>(std::forward<Range>(range))) {}
};

namespace detail {
struct FftImpl;
}

// A transform that has begun. It moves on in test() and wait() only, or in those of another Pending of the same Fft,
// which must outlive it. Every rank ends its Pendings, by wait() or by destroying them, in the same order.
class AnyPending {
 public:
  AnyPending(AnyPending&&) noexcept;
  AnyPending& operator=(AnyPending&&) noexcept;  // waits for what was there
  ~AnyPending();                                 // waits

  bool test();  // moves messages on and does at most one of the computations that can be done; true: all is done
  void wait();  // returns when the result is there

 private:
  friend struct detail::FftImpl;
  AnyPending(detail::FftImpl& fft, int slot) : fft_(&fft), slot_(slot) {}
  detail::FftImpl* fft_;  // none: it is over
  int slot_;
};

template <class T>
using Pending = AnyPending;

// A transform whose numbers have the precision that the problem says, or are what options.backend works on.
class AnyFft {
 public:
  AnyFft(const Problem& problem, Comm comm, const FftOptions& options = {});
  AnyFft(AnyFft&&) noexcept;
  AnyFft& operator=(AnyFft&&) noexcept;
  ~AnyFft();

  // As those of Fft, which says more.
  void forward(ArrayIn in, ArrayOut out, Norm norm = Norm::none);
  void backward(ArrayIn in, ArrayOut out, Norm norm = Norm::none);
  AnyPending start_forward(ArrayIn in, ArrayOut out, Norm norm = Norm::none);
  AnyPending start_backward(ArrayIn in, ArrayOut out, Norm norm = Norm::none);
  void forward_many(std::span<const ArrayIn> in, std::span<const ArrayOut> out, Norm norm = Norm::none);
  void backward_many(std::span<const ArrayIn> in, std::span<const ArrayOut> out, Norm norm = Norm::none);
  void rehearse(Only part, ArrayIn in, ArrayOut out);

  // `visit` gets `count` elements of the spectrum (or reals, after cosine and sine transforms alone), of which the
  // first is number `first` of this rank's part.
  using Visit = std::function<void(std::byte* values, Index first, Index count, const WaveNumbers& numbers)>;
  void apply(ArrayIn in, ArrayOut out, const Visit& visit, Norm norm = Norm::full);
  void apply_factors(ArrayIn in, ArrayOut out, std::span<const std::byte> factors, Norm norm = Norm::full);

  Layout layout_in() const;     // where forward's input lives
  Layout layout_out() const;    // where forward leaves its output
  Index local_size_in() const;  // elements of the array, padding included
  Index local_size_out() const;

  const Element& element() const;       // that arrays hold, or halves of it where data_in() or data_out() is real
  std::size_t workspace_bytes() const;  // held by this object on this rank
  ProgramSize program_size() const;     // of forward, on this rank
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
  detail::FftImpl& impl() const;  // throws where it was moved from
  std::unique_ptr<detail::FftImpl> impl_;
};

namespace detail {
template <class T>
constexpr Precision precision_of = std::is_same_v<T, float>    ? Precision::single_
                                   : std::is_same_v<T, double> ? Precision::double_
                                                               : Precision::long_double;

Problem with_precision(Problem problem, Precision precision);

// Throws Error unless the function can take what the spectrum holds.
void check_function(Data spectrum, bool takes_it);

// A function of lines as one of bytes. `f` must outlive it.
template <class T>
AnyFft::Visit visitor(const OnLines<T>& f, Data spectrum) {
  check_function(spectrum, spectrum == Data::real_ ? f.real_lines != nullptr : f.complex_lines != nullptr);
  return [&f, spectrum](std::byte* values, Index first, Index count, const WaveNumbers& numbers) {
    const auto size = static_cast<std::size_t>(count);
    if (spectrum == Data::real_)
      numbers.for_each_line(std::span(reinterpret_cast<T*>(values), size), first, f.real_lines);
    else
      numbers.for_each_line(std::span(reinterpret_cast<std::complex<T>*>(values), size), first, f.complex_lines);
  };
}
}  // namespace detail

// The typed face of an AnyFft.
template <class T>  // float, double or long double
class Fft : public AnyFft {
 public:
  using Complex = std::complex<T>;
  using In = ArrayOf<const T>;
  using Out = ArrayOf<T>;

  Fft(const Problem& problem, Comm comm, const FftOptions& options = {})
      : AnyFft(detail::with_precision(problem, detail::precision_of<T>), std::move(comm), options) {}

  // Collective. `in` holds local_size_in() elements and is left as it was, `out` local_size_out() (backward: the other
  // way round): complex numbers, or reals where the problem has these. In place when both begin at the same address;
  // the array is then as long as the longer. A plan made for one Placement serves the other as well, at the price of a
  // copy.
  void forward(In in, Out out, Norm norm = Norm::none) { AnyFft::forward(in, out, norm); }
  void backward(In in, Out out, Norm norm = Norm::none) { AnyFft::backward(in, out, norm); }
  void forward(std::span<Complex> data, Norm norm = Norm::none) { AnyFft::forward(data, data, norm); }
  void backward(std::span<Complex> data, Norm norm = Norm::none) { AnyFft::backward(data, data, norm); }

  // The same without waiting: phase I is done and its blocks are on their way when these return, and the caller may do
  // other work. Both arrays must be left alone until the Pending is over. Collective.
  AnyPending start_forward(In in, Out out, Norm norm = Norm::none) { return AnyFft::start_forward(in, out, norm); }
  AnyPending start_backward(In in, Out out, Norm norm = Norm::none) { return AnyFft::start_backward(in, out, norm); }

  // Several arrays (the components of a vector field) through one pipeline: the exchange of one is hidden behind the
  // computing of its neighbours. As forward() of each, with workspace for two at once. Collective.
  void forward_many(const auto& in, const auto& out, Norm norm = Norm::none) {
    AnyFft::forward_many(listed<ArrayIn, In>(in), listed<ArrayOut, Out>(out), norm);
  }
  void backward_many(const auto& in, const auto& out, Norm norm = Norm::none) {
    AnyFft::backward_many(listed<ArrayIn, In>(in), listed<ArrayOut, Out>(out), norm);
  }

  // Forward, `f` on the spectrum wherever forward leaves it, and backward, as one pipeline. `f` gives a factor for the
  // wave numbers of one element, f(std::span<const Index>), or does what it likes with a line of them, which is faster:
  // f(const SpectrumLine<Complex>&), or of T after cosine and sine transforms alone. It is called once for each
  // element, in any order, between other work of the rank. Of real data only the half of the spectrum that is there is
  // seen, and a factor must be its own conjugate at the opposite wave number for the result to be real. In place where
  // `in` and `out` are one. The first call plans. Collective.
  void apply(In in, Out out, const auto& f, Norm norm = Norm::full) {
    const detail::OnLines<T> lines = detail::on_lines<T>(f);
    AnyFft::apply(in, out, detail::visitor(lines, plan().data_out()), norm);
  }

  // The same with a factor for each element of the spectrum, in its order, where arrays are: on a device without a way
  // over the host and, on one rank, in the middle of a pass over memory. Of complex spectra.
  void apply_factors(In in, Out out, std::span<const Complex> factors, Norm norm = Norm::full) {
    AnyFft::apply_factors(in, out, std::as_bytes(factors), norm);
  }

  // A part of forward(), for measuring; what is in `out` then means nothing. Collective.
  void rehearse(Only part, In in, Out out) { AnyFft::rehearse(part, in, out); }

  AnyFft& any() { return *this; }

 private:
  template <class Any, class Typed, class Arrays>
  static std::vector<Any> listed(const Arrays& arrays) {
    std::vector<Any> result;
    for (const auto& array : arrays) result.push_back(Typed(array));
    return result;
  }
};

}  // namespace kallima
