#include "execute/executor.hpp"

#include <cstring>

namespace kallima {
namespace {

double seconds(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

constexpr int most_kinds = 8;  // of RunOptions

double now() { return seconds(std::chrono::steady_clock::now()); }

}  // namespace

// Kernels call progress_ every few microseconds of work: nothing where a thread looks after the messages.
Execution::Execution(Transport& transport)
    : transport_(transport),
      notes_(dynamic_cast<NotesCopies*>(&transport)),
      poll_every_(
          std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(transport.tuning().poll_seconds))),
      progress_(transport.tuning().progress == ProgressBy::thread ? Progress([] {})
                                                                  : Progress([this] { poll_in_between(); })) {}

void Execution::begin(const Program& program, const Memory& memory, const RunOptions& options) {
  const auto tasks = static_cast<std::size_t>(program.tasks());
  program_ = &program;
  options_ = options;
  operands_.buffers = memory;
  operands_.apply = options.apply;
  operands_.errors = options.errors;
  operands_.received.assign(tasks, nullptr);
  requests_.assign(program.messages().size(), -1);
  unmet_.assign(tasks, 0);
  unread_.clear();
  for (const Program::Message& message : program.messages()) unread_.push_back(message.readers);
  const auto emptied = [&](auto&... lists) { ((lists.clear(), lists.reserve(tasks)), ...); };
  emptied(posts_, computable_, pending_, finished_);
  started_.clear();
  turns_.clear();
  if (notes_ != nullptr) notes_->note_copies(options.trace);
  done_ = 0;
  waiting_since_ = -1;
  for (int id = 0; id < program.tasks(); ++id) program.each_follower(id, [&](int follower) { ++unmet_[at(follower)]; });
  for (int id = 0; id < program.tasks(); ++id)
    if (unmet_[at(id)] == 0) make_ready(id);
}

void Execution::make_ready(int id) {
  switch (program_->kind(id)) {
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

void Execution::met_one(int id) {
  if (--unmet_[at(id)] == 0) make_ready(id);
}

void Execution::complete(int id, Followers followers) {
  ++done_;
  program_->each_follower(id, [&](int follower) {
    if (followers == Followers::wait || !is_computation(follower)) met_one(follower);
  });
}

std::span<std::byte> Execution::bytes(const Program::Message& m) const {
  if (m.is_view) return {};
  const std::size_t each = program_->backend().element().bytes_of(m.real ? Data::real_ : Data::complex_);
  std::byte* const buffer = operands_.buffers[m.buffer];
  return {buffer + static_cast<std::size_t>(m.offset) * each, static_cast<std::size_t>(m.count) * each};
}

void Execution::post(int id) {
  const Program::Message& m = program_->message(id);
  const int tag = (options_.number * options_.tags + m.tag) * most_kinds + options_.kind;
  const std::span<std::byte> block = bytes(m);
  request_of(id) = program_->kind(id) == TaskKind::send_start ? transport_.post_send(m.peer, tag, block)
                                                              : transport_.post_recv(m.peer, tag, block);
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

// What has memory to land in is there from now on, whatever it was before: its sender may go on.
void Execution::finish_message(int id) {
  const Request request = request_of(id);
  const bool received = program_->kind(id) == TaskKind::recv_finish;
  if (received) {
    const std::span<std::byte> landing = bytes(program_->message(id));
    const std::byte* const block = transport_.data(request);
    if (!landing.empty() && block != landing.data()) program_->backend().copy(landing.data(), block, landing.size());
    operands_.received[at(id)] = landing.empty() ? block : landing.data();
  }
  if (!received || unread_[at(program_->message_number(id))] == 0) transport_.release(request);
}

// Completes every message that has finished; true if there was one.
bool Execution::poll_messages() {
  if (pending_.empty()) return false;
  finished_.clear();
  std::erase_if(pending_, [&](int id) {
    const bool is_finished = transport_.test(request_of(id));
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

bool Execution::poll_computations() {
  const Backend& backend = program_->backend();
  finished_.clear();
  bool waits = false;  // for one that others are done behind
  std::erase_if(started_, [&](const Started& it) {
    const bool is_done = !waits && backend.done(it.ticket);
    waits = !is_done && backend.in_order();
    if (is_done) note_started(it);
    if (is_done) finished_.push_back(it.task);
    return is_done;
  });
  for (const int id : finished_) finish_computation(id, backend.in_order() ? Followers::told : Followers::wait);
  return !finished_.empty();
}

// What was started while another was under way has waited for its turn: computations in one line, copies in one for
// each stage.
void Execution::note_started(const Started& it) {
  if (options_.trace == nullptr) return;
  double& before = turns_[program_->kind(it.task) == TaskKind::copy ? program_->label(it.task) : ""];
  note(it.task, std::max(it.begin, before), clock());
  before = clock();
}

bool Execution::exchange() {
  const bool posted = post_all();
  const bool computed = !started_.empty() && poll_computations();
  return poll_messages() || posted || computed;
}

bool Execution::can_feed() const { return !computable_.empty() && program_->feeds(computable_.top()); }

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
  if (ticket != 0) {
    started_.push_back({id, ticket, begin});
    if (program_->backend().in_order())
      program_->each_follower(id, [&](int follower) {
        if (is_computation(follower)) met_one(follower);
      });
    return;
  }
  Event* const event = note(id, begin, clock());
  if (event != nullptr && transport_.tuning().progress == ProgressBy::polling) polls_.write(*event);
  finish_computation(id, Followers::wait);
}

bool Execution::is_computation(int id) const {
  return program_->kind(id) == TaskKind::compute || program_->kind(id) == TaskKind::copy;
}

void Execution::finish_computation(int id, Followers followers) {
  for (const int message : program_->blocks_read(id))
    if (--unread_[at(message)] == 0) transport_.release(requests_[at(message)]);
  complete(id, followers);
}

void Execution::idle() {
  if (options_.trace != nullptr && waiting_since_ < 0 && started_.empty()) waiting_since_ = now();
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
  const int first = options_.number * static_cast<int>(unmet_.size());  // runs at once have numbers of their own
  const TaskKind kind = program_->kind(id);
  Event event{.rank = transport_.rank(), .task = first + id, .kind = kind, .label = program_->label(id)};
  event.begin = begin;
  event.end = end;
  if (kind == TaskKind::compute || kind == TaskKind::copy) {
    event.chunk = program_->computation(id).chunk;
    event.elements = program_->computation(id).elements;
  } else {
    const Program::Message& m = program_->message(id);
    event.chunk = m.chunk;
    event.elements = m.elements;
    event.peer = m.peer;
    event.tag = options_.number * options_.tags + m.tag;
    event.start = m.start == id ? -1 : first + m.start;
    event.in_place = m.is_view && (kind == TaskKind::recv_start || kind == TaskKind::recv_finish);
  }
  options_.trace->element_bytes = static_cast<Index>(program_->backend().element().bytes);
  return &options_.trace->events.emplace_back(std::move(event));
}

}  // namespace kallima
