#include "execute/pipeline.hpp"

namespace kallima {

template <class T>
void Pipeline<T>::add_slot() {
  Slot slot;
  together(transport_, [&] {
    slot.inbox = Array<Complex>(room_.inbox);
    slot.receiving = Array<std::byte>(static_cast<Index>(room_.receiving));
  });
  slot.work = transport_.allocate(static_cast<std::size_t>(room_.work) * sizeof(Complex));
  if (wire_.format != Wire::Format::same) slot.sending = transport_.allocate(room_.sending);
  slots_.push_back(std::move(slot));
}

template <class T>
std::size_t Pipeline<T>::bytes() const {
  const Index each = room_.work + room_.inbox;
  return static_cast<std::size_t>(slots() * each + room_.tile) * sizeof(Complex) +
         static_cast<std::size_t>(slots()) * (room_.sending + room_.receiving);
}

template <class T>
void Pipeline<T>::begin(int slot, const Program<T>& program, const Complex* in, Complex* out, RunOptions<T> options) {
  Slot& s = slots_[static_cast<std::size_t>(slot)];
  // The schedule says which buffers it only reads, so that casting `in` to non-const never leads to a write.
  const Workspace<T> workspace{
      {const_cast<Complex*>(in), out, reinterpret_cast<Complex*>(s.work->bytes().data()), s.inbox.data()},
      tile_.span(),
      s.sending ? s.sending->bytes() : std::span<std::byte>{},
      s.receiving.span()};
  options.number = slot;
  options.tags = tags_;
  options.wire = wire_;
  s.run = std::make_unique<Execution<T>>(program, transport_, workspace, options);
  runs_.push_back(s.run.get());
}

template <class T>
void Pipeline<T>::release(int slot) {
  std::unique_ptr<Execution<T>>& run = slots_[static_cast<std::size_t>(slot)].run;
  std::erase(runs_, run.get());
  run.reset();
}

template <class T>
Execution<T>* Pipeline<T>::next_to_compute() const {
  for (Execution<T>* run : runs_)
    if (run->can_feed()) return run;
  for (Execution<T>* run : runs_)
    if (run->can_compute()) return run;
  return nullptr;
}

template <class T>
void Pipeline<T>::something_to_do() {
  for (Execution<T>* run : runs_) run->stop_waiting();
}

template <class T>
bool Pipeline<T>::advance() {
  bool moved = false;
  for (Execution<T>* run : runs_) moved = run->exchange() || moved;
  Execution<T>* const next = moved ? nullptr : next_to_compute();
  if (!moved && next == nullptr) return false;
  something_to_do();
  if (next != nullptr) next->compute();
  return true;
}

template <class T>
void Pipeline<T>::rest() {
  for (Execution<T>* run : runs_)
    if (!run->over()) return run->rest();
}

template class Pipeline<float>;
template class Pipeline<double>;
template class Pipeline<long double>;

}  // namespace kallima
