#include "execute/executor.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <queue>

namespace kallima {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

template <class T>
class Run {
 public:
  Run(const Program<T>& program, Transport& transport, const Workspace<T>& workspace, T scale, Trace* trace)
      : program_(program),
        tasks_(program.schedule().tasks),
        transport_(transport),
        workspace_(workspace),
        scale_(scale),
        trace_(trace),
        unmet_(tasks_.size()),
        requests_(tasks_.size(), -1),
        unread_(tasks_.size()),
        progress_([this] { transport_.progress(); }) {
    memory_.buffers = workspace.buffers;
    memory_.received.assign(tasks_.size(), nullptr);
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      unmet_[i] = static_cast<int>(tasks_[i].after.size());
      unread_[i] = program.readers(static_cast<int>(i));
    }
  }

  void operator()() {
    for (std::size_t i = 0; i < tasks_.size(); ++i)
      if (unmet_[i] == 0) make_ready(static_cast<int>(i));
    while (done_ < tasks_.size()) {
      post_all();
      const bool arrived = poll();
      if (!posts_.empty()) continue;
      if (!computable_.empty())
        compute_next();
      else if (!arrived)
        wait();
    }
    stop_waiting();
  }

 private:
  const Task& task(int id) const { return tasks_[static_cast<std::size_t>(id)]; }

  void make_ready(int id) {
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

  void complete(int id) {
    ++done_;
    for (const int follower : program_.followers(id))
      if (--unmet_[static_cast<std::size_t>(follower)] == 0) make_ready(follower);
  }

  std::span<std::complex<T>> elements(const Range& range) const {
    std::complex<T>* buffer = workspace_.buffers[static_cast<std::size_t>(range.buffer)];
    return range.count == 0 ? std::span<std::complex<T>>{}
                            : std::span(buffer + range.offset, static_cast<std::size_t>(range.count));
  }

  void post_all() {
    while (!posts_.empty()) {
      const int id = posts_.top();
      posts_.pop();
      const Task& t = task(id);
      const double begin = clock();
      requests_[static_cast<std::size_t>(id)] =
          t.kind == TaskKind::send_start
              ? transport_.post_send(t.peer, t.tag, std::as_bytes(elements(t.range)))
              : transport_.post_recv(t.peer, t.tag, std::as_writable_bytes(elements(t.range)));
      note(id, begin, clock());
      complete(id);
    }
  }

  // Completes every message that has finished; true if there was one.
  bool poll() {
    if (pending_.empty()) return false;
    std::vector<int> finished;
    std::erase_if(pending_, [&](int id) {
      const bool is_finished = transport_.test(requests_[static_cast<std::size_t>(task(id).start)]);
      if (is_finished) finished.push_back(id);
      return is_finished;
    });
    if (!finished.empty()) stop_waiting();
    for (const int id : finished) {
      const double begin = clock();
      const Request request = requests_[static_cast<std::size_t>(task(id).start)];
      if (task(id).kind == TaskKind::recv_finish) {
        memory_.received[static_cast<std::size_t>(id)] =
            reinterpret_cast<const std::complex<T>*>(transport_.data(request));
        if (unread_[static_cast<std::size_t>(id)] == 0) transport_.release(request);
      } else {
        transport_.release(request);
      }
      note(id, begin, clock());
      complete(id);
    }
    return !finished.empty();
  }

  void compute_next() {
    stop_waiting();
    const int id = computable_.top();
    computable_.pop();
    const double begin = clock();
    program_.compute(id, memory_, scale_, workspace_.tile, progress_);
    note(id, begin, clock());
    for (const int block : program_.blocks_read(id))
      if (--unread_[static_cast<std::size_t>(block)] == 0)
        transport_.release(requests_[static_cast<std::size_t>(task(block).start)]);
    complete(id);
  }

  void wait() {
    if (trace_ != nullptr && waiting_since_ < 0) waiting_since_ = now();
    transport_.idle();
  }

  void stop_waiting() {
    if (waiting_since_ < 0) return;
    trace_->events.push_back(
        {.rank = transport_.rank(), .task = -1, .label = "waiting", .begin = waiting_since_, .end = now()});
    waiting_since_ = -1;
  }

  double clock() const { return trace_ != nullptr ? now() : 0; }

  void note(int id, double begin, double end) {
    if (trace_ == nullptr) return;
    const Task& t = task(id);
    Event event{.rank = transport_.rank(), .task = id, .kind = t.kind, .label = t.label, .chunk = t.chunk};
    event.peer = t.peer;
    event.start = t.start;
    event.begin = begin;
    event.end = end;
    event.elements = t.elements;
    trace_->events.push_back(std::move(event));
  }

  using Lowest = std::priority_queue<int, std::vector<int>, std::greater<>>;

  const Program<T>& program_;
  const std::vector<Task>& tasks_;
  Transport& transport_;
  const Workspace<T>& workspace_;
  const T scale_;
  Trace* const trace_;
  kernel::Memory<T> memory_;
  std::vector<int> unmet_;
  std::vector<Request> requests_;  // by start task
  std::vector<int> unread_;        // readers left, by recv_finish task
  kernel::Progress progress_;
  Lowest posts_;
  Lowest computable_;
  std::vector<int> pending_;
  std::size_t done_ = 0;
  double waiting_since_ = -1;
};

}  // namespace

template <class T>
void execute(const Program<T>& program, Transport& transport, const Workspace<T>& workspace, T scale, Trace* trace) {
  Run<T>(program, transport, workspace, scale, trace)();
}

template void execute<float>(const Program<float>&, Transport&, const Workspace<float>&, float, Trace*);
template void execute<double>(const Program<double>&, Transport&, const Workspace<double>&, double, Trace*);

}  // namespace kallima
