#include "execute/executor.hpp"

namespace kallima {
namespace {

double seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

double now() { return seconds(std::chrono::steady_clock::now()); }

}  // namespace

// Kernels call progress_ every few microseconds of work: nothing where a thread looks after the messages.
Execution::Execution(Transport& transport)
    : transport_(transport),
      poll_every_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(transport.tuning().poll_seconds))),
      progress_(transport.tuning().progress == ProgressBy::thread ? Progress([] {})
                                                                  : Progress([this] { poll_in_between(); })) {}

void Execution::begin(const Program& program, const std::array<std::byte*, 4>& memory, const RunOptions& options) {
  const std::vector<Task>& tasks = program.schedule().tasks;
  program_ = &program;
  options_ = options;
  operands_.buffers = memory;
  operands_.apply = options.apply;
  operands_.errors = options.errors;
  operands_.received.assign(tasks.size(), nullptr);
  requests_.assign(tasks.size(), -1);
  unmet_.resize(tasks.size());
  unread_.resize(tasks.size());
  const auto emptied = [&](auto&... lists) { ((lists.clear(), lists.reserve(tasks.size())), ...); };
  emptied(posts_, computable_, pending_, finished_);
  started_.clear();
  done_ = 0;
  waiting_since_ = -1;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    unmet_[i] = static_cast<int>(tasks[i].after.size());
    unread_[i] = program.task(static_cast<int>(i)).readers;
  }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (unmet_[i] == 0) make_ready(static_cast<int>(i));
}

void Execution::make_ready(int id) {
  switch (task(id).kind) {
    case TaskKind::compute:
    case TaskKind::copy:
      return computable_.push(id);
    case TaskKind::send_start:
    case TaskKind::recv_start:
      return posts_.push(id);
    case TaskKind::send_finish:
    case TaskKind::recv_finish:
      return pending_.push_back(id);
  }
}

void Execution::complete(int id) {
  ++done_;
  for (const int follower : program_->task(id).followers)
    if (--unmet_[static_cast<std::size_t>(follower)] == 0) make_ready(follower);
}

std::span<std::byte> Execution::bytes(const Range& range) const {
  if (range.count == 0) return {};
  const std::size_t each = program_->backend().element().bytes_of(range.real ? Data::real_ : Data::complex_);
  std::byte* const buffer = operands_.buffers[static_cast<std::size_t>(range.buffer)];
  return {buffer + static_cast<std::size_t>(range.offset) * each, static_cast<std::size_t>(range.count) * each};
}

void Execution::post(int id) {
  const Task& t = task(id);
  const int tag = options_.number * options_.tags + t.tag;
  const std::span<std::byte> block = bytes(t.range);
  request_of(id) = t.kind == TaskKind::send_start ? transport_.post_send(t.peer, tag, block)
                                                  : transport_.post_recv(t.peer, tag, block);
}

bool Execution::post_all() {
  const bool any = !posts_.empty();
  while (!posts_.empty()) {
    const int id = posts_.pop();
    const double begin = clock();
    post(id);
    note(id, begin, clock());
    complete(id);
  }
  return any;
}

void Execution::finish_message(int id) {
  const Request request = request_of(task(id).start);
  const bool received = task(id).kind == TaskKind::recv_finish;
  if (received) operands_.received[static_cast<std::size_t>(id)] = transport_.data(request);
  if (!received || unread_[static_cast<std::size_t>(id)] == 0) transport_.release(request);
}

// Completes every message that has finished; true if there was one.
bool Execution::poll_messages() {
  if (pending_.empty()) return false;
  finished_.clear();
  std::erase_if(pending_, [&](int id) {
    const bool is_finished = transport_.test(request_of(task(id).start));
    if (is_finished) finished_.push_back(id);
    return is_finished;
  });
  if (!finished_.empty()) stop_waiting();
  for (const int id : finished_) {
    const double begin = clock();
    finish_message(id);
    note(id, begin, clock());
    complete(id);
  }
  return !finished_.empty();
}

// What was started is done in that order.
bool Execution::poll_computations() {
  std::size_t done = 0;
  while (done < started_.size() && program_->backend().done(started_[done].ticket)) {
    const Started& it = started_[done++];
    note(it.task, it.begin, clock());
    finish_computation(it.task);
  }
  started_.erase(started_.begin(), started_.begin() + static_cast<std::ptrdiff_t>(done));
  return done > 0;
}

bool Execution::exchange() {
  const bool posted = post_all();
  const bool computed = !started_.empty() && poll_computations();
  return poll_messages() || posted || computed;
}

bool Execution::can_feed() const { return !computable_.empty() && program_->task(computable_.top()).feeds; }

void Execution::poll_in_between() {
  const Clock::time_point time = Clock::now();
  if (time - polled_ < poll_every_) return;
  transport_.progress();
  polled_ = time;
  if (options_.trace != nullptr) polls_.add(seconds(time), now());
}

void Execution::compute(std::span<std::byte> tile) {
  stop_waiting();
  const int id = computable_.pop();
  const double begin = clock();
  polls_ = Polls(begin);
  const Ticket ticket = program_->start(id, {operands_, {}, options_.scale, tile, progress_});
  if (ticket != 0) return started_.push_back({id, ticket, begin});
  Event* const event = note(id, begin, clock());
  if (event != nullptr && transport_.tuning().progress == ProgressBy::polling) polls_.write(*event);
  finish_computation(id);
}

void Execution::finish_computation(int id) {
  for (const int block : program_->task(id).blocks_read)
    if (--unread_[static_cast<std::size_t>(block)] == 0) transport_.release(request_of(task(block).start));
  complete(id);
}

void Execution::idle() {
  if (options_.trace != nullptr && waiting_since_ < 0) waiting_since_ = now();
  if (started_.empty())
    transport_.idle();
  else
    transport_.progress();  // nobody rings when a computation is done
}

void Execution::stop_waiting() {
  if (waiting_since_ < 0) return;
  Event event{.rank = transport_.rank(), .task = -1, .label = "waiting", .begin = waiting_since_, .end = now()};
  options_.trace->events.push_back(std::move(event));
  waiting_since_ = -1;
}

double Execution::clock() const { return options_.trace != nullptr ? now() : 0; }

Event* Execution::note(int id, double begin, double end) {
  if (options_.trace == nullptr) return nullptr;
  const Task& t = task(id);
  const int first = options_.number * static_cast<int>(unmet_.size());  // runs at once have numbers of their own
  Event event{.rank = transport_.rank(), .task = first + id, .kind = t.kind, .label = t.label, .chunk = t.chunk};
  event.peer = t.peer;
  event.start = t.start < 0 ? -1 : first + t.start;
  event.begin = begin;
  event.end = end;
  event.elements = t.elements;
  if (t.peer >= 0) event.tag = options_.number * options_.tags + (t.start < 0 ? t : task(t.start)).tag;
  options_.trace->element_bytes = static_cast<Index>(program_->backend().element().bytes);
  return &options_.trace->events.emplace_back(std::move(event));
}

}  // namespace kallima
