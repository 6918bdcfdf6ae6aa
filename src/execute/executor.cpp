#include "execute/executor.hpp"

#include <algorithm>

namespace kallima {
namespace {

double seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

double now() { return seconds(std::chrono::steady_clock::now()); }

}  // namespace

template <class T>
Execution<T>::Execution(const Program<T>& program, Transport& transport, const Workspace<T>& workspace,
                        const RunOptions<T>& options)
    : program_(program),
      tasks_(program.schedule().tasks),
      transport_(transport),
      workspace_(workspace),
      options_(options),
      poll_every_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(transport.tuning().poll_seconds))),
      room_(program.schedule(), options.wire, sizeof(T)),
      unmet_(tasks_.size()),
      requests_(tasks_.size(), -1),
      unread_(tasks_.size()),
      progress_(progress_between(transport.tuning().progress)) {
  memory_.buffers = workspace.buffers;
  memory_.apply = options.apply;
  memory_.received.assign(tasks_.size(), nullptr);
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    unmet_[i] = static_cast<int>(tasks_[i].after.size());
    unread_[i] = program.readers(static_cast<int>(i));
  }
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (unmet_[i] == 0) make_ready(static_cast<int>(i));
}

template <class T>
void Execution<T>::make_ready(int id) {
  switch (task(id).kind) {
    case TaskKind::compute:
    case TaskKind::copy:
      computable_.push(id);
      break;
    case TaskKind::send_start:
    case TaskKind::recv_start:
      posts_.push(id);
      break;
    case TaskKind::send_finish:
    case TaskKind::recv_finish:
      pending_.push_back(id);
      break;
  }
}

template <class T>
void Execution<T>::complete(int id) {
  ++done_;
  for (const int follower : program_.followers(id))
    if (--unmet_[static_cast<std::size_t>(follower)] == 0) make_ready(follower);
}

template <class T>
std::span<std::byte> Execution<T>::bytes(const Range& range) const {
  if (range.count == 0) return {};
  const Index each = static_cast<Index>(range.real ? sizeof(T) : sizeof(std::complex<T>));
  auto* const buffer = reinterpret_cast<std::byte*>(workspace_.buffers[static_cast<std::size_t>(range.buffer)]);
  return {buffer + range.offset * each, static_cast<std::size_t>(range.count * each)};
}

template <class T>
void Execution<T>::post(int id) {
  if (options_.part == Only::computation) return;
  const Task& t = task(id);
  const int tag = options_.number * options_.tags + t.tag;
  const std::span<std::byte> block = encodes() ? encoded(id) : bytes(t.range);
  if (options_.tally != nullptr && t.kind == TaskKind::send_start)
    options_.tally->count(reals_in(t.range) * static_cast<Index>(sizeof(T)), static_cast<Index>(block.size()));
  request_of(id) = t.kind == TaskKind::send_start ? transport_.post_send(t.peer, tag, block)
                                                  : transport_.post_recv(t.peer, tag, block);
}

template <class T>
bool Execution<T>::post_all() {
  const bool any = !posts_.empty();
  while (!posts_.empty()) {
    const int id = posts_.top();
    posts_.pop();
    if (encodes()) encode(id);
    const double begin = clock();
    post(id);
    note(id, begin, clock());
    complete(id);
  }
  return any;
}

// With the exchange left out, blocks are read where they would have landed or, where they would have been views, from
// the rank's own memory: the answer is wrong, the work the same.
template <class T>
void Execution<T>::finish(int id) {
  const bool received = task(id).kind == TaskKind::recv_finish;
  const Request request = request_of(task(id).start);
  if (options_.part == Only::computation) {
    const Range& landing = task(id).range;
    const Range own{.buffer = Buffer::work, .offset = 0, .count = std::max<Index>(task(id).elements, 1)};
    const std::byte* block = bytes(landing.count > 0 ? landing : own).data();
    if (received) memory_.received[static_cast<std::size_t>(id)] = reinterpret_cast<const std::complex<T>*>(block);
    return;
  }
  if (encodes()) return transport_.release(request);
  if (received)
    memory_.received[static_cast<std::size_t>(id)] = reinterpret_cast<const std::complex<T>*>(transport_.data(request));
  if (!received || unread_[static_cast<std::size_t>(id)] == 0) transport_.release(request);
}

// Completes every message that has finished; true if there was one.
template <class T>
bool Execution<T>::poll() {
  if (pending_.empty()) return false;
  std::vector<int> finished;
  std::erase_if(pending_, [&](int id) {
    const bool is_finished = options_.part == Only::computation || transport_.test(request_of(task(id).start));
    if (is_finished) finished.push_back(id);
    return is_finished;
  });
  if (!finished.empty()) stop_waiting();
  for (const int id : finished) {
    if (encodes()) decode(id);
    const double begin = clock();
    finish(id);
    note(id, begin, clock());
    complete(id);
  }
  return !finished.empty();
}

template <class T>
bool Execution<T>::exchange() {
  const bool posted = post_all();
  return poll() || posted;
}

template <class T>
bool Execution<T>::can_feed() const {
  return !computable_.empty() && program_.feeds(computable_.top());
}

// What kernels call every few microseconds of work: nothing where a thread looks after the messages.
template <class T>
kernel::Progress Execution<T>::progress_between(ProgressBy who) {
  if (who == ProgressBy::thread) return [] {};
  return [this] { poll_in_between(); };
}

template <class T>
void Execution<T>::poll_in_between() {
  const Clock::time_point time = Clock::now();
  if (time - polled_ < poll_every_) return;
  transport_.progress();
  polled_ = time;
  if (options_.trace != nullptr) looks_.add(seconds(time), now());
}

template <class T>
void Execution<T>::compute() {
  stop_waiting();
  const int id = computable_.top();
  computable_.pop();
  const double begin = clock();
  looks_.start(begin);
  if (options_.part != Only::communication) program_.compute(id, memory_, options_.scale, workspace_.tile, progress_);
  Event* const event = note(id, begin, clock());
  if (event != nullptr && transport_.tuning().progress == ProgressBy::polling) looks_.write(*event);
  for (const int block : program_.blocks_read(id))
    if (--unread_[static_cast<std::size_t>(block)] == 0 && options_.part != Only::computation && !encodes())
      transport_.release(request_of(task(block).start));
  complete(id);
}

template <class T>
void Execution<T>::rest() {
  if (options_.trace != nullptr && waiting_since_ < 0) waiting_since_ = now();
  transport_.idle();
}

template <class T>
void Execution<T>::stop_waiting() {
  if (waiting_since_ < 0) return;
  Event event{.rank = transport_.rank(), .task = -1, .label = "waiting", .begin = waiting_since_, .end = now()};
  options_.trace->events.push_back(std::move(event));
  waiting_since_ = -1;
}

template <class T>
double Execution<T>::clock() const {
  return options_.trace != nullptr ? now() : 0;
}

template <class T>
Event* Execution<T>::note(int id, double begin, double end) {
  if (options_.trace == nullptr) return nullptr;
  const Task& t = task(id);
  const int first = options_.number * static_cast<int>(tasks_.size());  // runs at once have numbers of their own
  Event event{.rank = transport_.rank(), .task = first + id, .kind = t.kind, .label = t.label, .chunk = t.chunk};
  event.peer = t.peer;
  event.start = t.start < 0 ? -1 : first + t.start;
  event.begin = begin;
  event.end = end;
  event.elements = encodes() && t.peer >= 0 ? room_.elements_sent(t.start < 0 ? id : t.start) : t.elements;
  if (t.peer >= 0) event.tag = options_.number * options_.tags + (t.start < 0 ? t : task(t.start)).tag;
  options_.trace->element_bytes = sizeof(std::complex<T>);
  return &options_.trace->events.emplace_back(std::move(event));
}

template <class T>
void execute(const Program<T>& program, Transport& transport, const Workspace<T>& workspace,
             const RunOptions<T>& options) {
  Execution<T> run(program, transport, workspace, options);
  while (!run.over()) {
    if (run.exchange()) continue;
    if (run.can_compute())
      run.compute();
    else
      run.rest();
  }
}

template class Execution<float>;
template class Execution<double>;
template class Execution<long double>;
template void execute<float>(const Program<float>&, Transport&, const Workspace<float>&, const RunOptions<float>&);
template void execute<double>(const Program<double>&, Transport&, const Workspace<double>&, const RunOptions<double>&);
template void execute<long double>(const Program<long double>&, Transport&, const Workspace<long double>&,
                                   const RunOptions<long double>&);

}  // namespace kallima
