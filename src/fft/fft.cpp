// The facade: what the public class says, in terms of what it holds.

#include "kallima/fft.hpp"

#include "fft/impl.hpp"

namespace kallima {

template <class T>
Pending<T>::Pending(std::unique_ptr<State> state) : state_(std::move(state)) {}

template <class T>
Pending<T>::Pending(Pending&&) noexcept = default;

template <class T>
Pending<T>& Pending<T>::operator=(Pending&& other) noexcept {
  Pending ending(std::move(*this));  // waits when it goes
  state_ = std::move(other.state_);
  return *this;
}

// Whoever wants to know whether all went well calls wait(): a destructor has nobody to tell.
template <class T>
Pending<T>::~Pending() {
  try {
    wait();
  } catch (const std::exception&) {
  }
}

template <class T>
Fft<T>::Fft(const Problem& problem, Comm comm, const FftOptions& options)
    : impl_(std::make_unique<detail::FftImpl<T>>(problem, std::move(comm), options)) {}

template <class T>
Fft<T>::Fft(Fft&&) noexcept = default;

template <class T>
Fft<T>& Fft<T>::operator=(Fft&&) noexcept = default;

template <class T>
Fft<T>::~Fft() = default;

namespace {

// The caller's arrays, each as reals.
template <class T, class Item>
std::vector<Reals<T>> all_reals(std::span<const std::span<Item>> arrays) {
  return {arrays.begin(), arrays.end()};
}

}  // namespace

template <class T>
void Fft<T>::forward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  impl_->run(Direction::forward, in, out, norm);
}

template <class T>
void Fft<T>::forward(std::span<const T> in, std::span<Complex> out, Norm norm) {
  impl_->run(Direction::forward, in, out, norm);
}

template <class T>
void Fft<T>::forward(std::span<const T> in, std::span<T> out, Norm norm) {
  impl_->run(Direction::forward, in, out, norm);
}

template <class T>
void Fft<T>::backward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  impl_->run(Direction::backward, in, out, norm);
}

template <class T>
void Fft<T>::backward(std::span<const Complex> in, std::span<T> out, Norm norm) {
  impl_->run(Direction::backward, in, out, norm);
}

template <class T>
void Fft<T>::backward(std::span<const T> in, std::span<T> out, Norm norm) {
  impl_->run(Direction::backward, in, out, norm);
}

template <class T>
Pending<T> Fft<T>::start_forward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  return impl_->start(Direction::forward, in, out, norm);
}

template <class T>
Pending<T> Fft<T>::start_forward(std::span<const T> in, std::span<Complex> out, Norm norm) {
  return impl_->start(Direction::forward, in, out, norm);
}

template <class T>
Pending<T> Fft<T>::start_backward(std::span<const Complex> in, std::span<Complex> out, Norm norm) {
  return impl_->start(Direction::backward, in, out, norm);
}

template <class T>
Pending<T> Fft<T>::start_backward(std::span<const Complex> in, std::span<T> out, Norm norm) {
  return impl_->start(Direction::backward, in, out, norm);
}

template <class T>
void Fft<T>::forward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<Complex>> out,
                          Norm norm) {
  impl_->run_many(Direction::forward, all_reals<const T>(in), all_reals<T>(out), norm);
}

template <class T>
void Fft<T>::forward_many(std::span<const std::span<const T>> in, std::span<const std::span<Complex>> out, Norm norm) {
  impl_->run_many(Direction::forward, all_reals<const T>(in), all_reals<T>(out), norm);
}

template <class T>
void Fft<T>::backward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<Complex>> out,
                           Norm norm) {
  impl_->run_many(Direction::backward, all_reals<const T>(in), all_reals<T>(out), norm);
}

template <class T>
void Fft<T>::backward_many(std::span<const std::span<const Complex>> in, std::span<const std::span<T>> out, Norm norm) {
  impl_->run_many(Direction::backward, all_reals<const T>(in), all_reals<T>(out), norm);
}

template <class T>
void Fft<T>::apply_lines(std::span<const Complex> in, std::span<Complex> out, const detail::OnLines<T>& f, Norm norm) {
  impl_->apply(in, out, f, norm);
}

template <class T>
void Fft<T>::apply_lines(std::span<const T> in, std::span<T> out, const detail::OnLines<T>& f, Norm norm) {
  impl_->apply(in, out, f, norm);
}

template <class T>
void Fft<T>::rehearse(Only part, std::span<const Complex> in, std::span<Complex> out) {
  impl_->run(Direction::forward, in, out, Norm::none, part);
}

template <class T>
void Fft<T>::rehearse(Only part, std::span<const T> in, std::span<Complex> out) {
  impl_->run(Direction::forward, in, out, Norm::none, part);
}

template <class T>
Layout Fft<T>::layout_in() const {
  return plan().layout_in();
}

template <class T>
Layout Fft<T>::layout_out() const {
  return plan().layout_out();
}

template <class T>
Index Fft<T>::local_size_in() const {
  return impl_->compiled.programs[0].schedule().size(Buffer::in);
}

template <class T>
Index Fft<T>::local_size_out() const {
  return impl_->compiled.programs[0].schedule().size(Buffer::out);
}

template <class T>
std::size_t Fft<T>::workspace_bytes() const {
  const auto& programs = impl_->compiled.programs;
  const std::size_t applied = impl_->applied ? impl_->applied->pipeline->bytes() : 0;
  return impl_->pipeline->bytes() + applied + static_cast<std::size_t>(impl_->kept.size()) * sizeof(Complex) +
         std::max(programs[0].table_bytes(), programs[1].table_bytes());  // both directions share their tables
}

template <class T>
const Plan& Fft<T>::plan() const {
  return *impl_->compiled.plan;
}

template <class T>
const Comm& Fft<T>::comm() const {
  return impl_->comm;
}

template <class T>
Tuning Fft<T>::tuning() const {
  return impl_->transport->tuning();
}

template <class T>
std::string Fft<T>::tuning_from() const {
  return impl_->transport->tuning_from();
}

template <class T>
WireReport Fft<T>::wire_report() const {
  return impl_->wire_report();
}

template <class T>
void Fft<T>::record(Trace* trace) {
  impl_->trace = trace;
  if (trace != nullptr) trace->settings = impl_->settings();
}

template class Pending<float>;
template class Pending<double>;
template class Pending<long double>;
template class Fft<float>;
template class Fft<double>;
template class Fft<long double>;

}  // namespace kallima
