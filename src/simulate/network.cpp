#include "base/check.hpp"
#include "simulate/network_run.hpp"

namespace kallima {
namespace {

// Tasks that take no time pass on what set them off, so they are looked through.
Foresight foresee(const Script& script, const WorkCost& cost) {
  Foresight it{.first_dependent = static_cast<int>(script.size())};
  std::vector<bool> seen(script.size());
  std::vector<int> pending;
  for (int task = 0; at(task) < script.size(); ++task)
    if (script[task].kind == TaskKind::recv_finish) pending.push_back(task);
  while (!pending.empty()) {
    const int task = pending.back();
    pending.pop_back();
    for (const int follower : script.followers(task)) {
      if (seen[at(follower)]) continue;
      seen[at(follower)] = true;
      const TaskKind kind = script[follower].kind;
      const bool computes = kind == TaskKind::compute || kind == TaskKind::copy;
      if (!computes) it.prompt_receives = true;
      it.first_dependent = std::min(it.first_dependent, follower);
      if (computes && cost.flops(script[follower]) == 0) pending.push_back(follower);
    }
  }
  return it;
}

}  // namespace

NetworkRun::NetworkRun(const Outline& outline, const Machine& machine, const SimulateOptions& options)
    : outline_(outline),
      machine_(machine),
      options_(options),
      one_rank_(options.pricing == Pricing::one_rank),
      capacity_(options.capacity == Capacity::limited ? capacity(machine) : 0),
      work_(outline, machine),
      agenda_(outline.ranks),
      recorder_(outline, options.trace) {
  const std::size_t ranks = simulated_ranks(outline, options);
  for (const Script& script : outline.scripts) foresight_.push_back(foresee(script, work_));
  processors_.reserve(ranks);
  for (int rank = 0; at(rank) < ranks; ++rank) processors_.emplace_back(outline.script(rank), rank);
  lookahead_ = least_flight();
}

Simulation NetworkRun::run() {
  for (Processor& p : processors_) begin(p);
  while (!agenda_.empty()) {
    const Agenda::Entry entry = agenda_.pop();
    now_ = entry.time;
    advance(processors_[at(entry.rank)], entry.time, entry.turn);
  }
  check_done();
  Simulation result = std::move(recorder_.result);
  for (const Processor& p : processors_) {
    result.completion = std::max(result.completion, p.finish);
    result.idle_max = std::max(result.idle_max, p.finish - p.busy);
  }
  return result;
}

const Foresight& NetworkRun::foresight(const Processor& p) const {
  return foresight_[foresight_.size() == 1 ? 0 : at(p.rank)];
}

void NetworkRun::begin(Processor& p) {
  p.left = p.script->size();
  for (const OutlineTask& task : p.script->tasks())
    if (task.kind == TaskKind::recv_finish) ++p.unposted;
  for (int task = 0; at(task) < p.script->size(); ++task)
    if (p.script->after(task).empty()) make_ready(p, task, 0);
  agenda_.no_later_than(p.rank, 0);
}

void NetworkRun::advance(Processor& p, double time, int turn) {
  for (;;) {
    end_task(p, time);
    if (needs_turns(p)) {
      if (take_turn(p, time, turn)) return;
    } else {
      act(p, time);
    }
    if (capacity_ == 0 && p.unposted > 0) run_prefix(p);
    const double next = next_event(p);
    if (next == never) return;
    const bool alone = p.unposted == 0 || (lookahead_ > 0 && next < agenda_.earliest() + lookahead_);
    if (capacity_ > 0 || !alone) {
      agenda_.no_later_than(p.rank, next);
      return;
    }
    time = next;
  }
}

// Messages that take no time may still come at this very time; so may places, which matter where a processor could
// send instead of doing something else.
bool NetworkRun::needs_turns(const Processor& p) {
  if (lookahead_ == 0) return capacity_ > 0 || p.unposted > 0;
  return capacity_ > 0 && send_needs_processor();
}

// Where what others do at this very time may matter: everybody sends, then everybody receives, and when no message
// moves any more everybody computes. True if this rank's next turn is at the same time.
bool NetworkRun::take_turn(Processor& p, double time, int turn) {
  if (turn == 0) {
    depart(p, time);
    send(p, time);
  } else if (turn == 1 && receive(p, time)) {
    turn = -1;
  } else if (turn == 2) {
    if (p.idle() && !p.ready.empty()) start_compute(p, time);
    return false;
  }
  agenda_.no_later_than(p.rank, time, turn + 1);
  return true;
}

// Tasks that come before all that a message can lead to, where taking messages needs no processor.
void NetworkRun::run_prefix(Processor& p) {
  const int limit = foresight(p).prompt_receives || recv_needs_processor() ? 0 : foresight(p).first_dependent;
  while (!p.idle() && p.running < limit && (*p.script)[p.running].kind != TaskKind::recv_finish) {
    const double time = p.free_at;
    end_task(p, time);
    send(p, time);
    if (p.idle() && !p.ready.empty() && p.ready.lowest() < limit) start_compute(p, time);
  }
}

void NetworkRun::depart(Processor& p, double time) {
  while (!p.departures.empty() && p.departures.top().time <= time) {
    const auto departure = p.departures.pop();
    complete(p, departure.task, departure.time);
  }
}

// Everything that can be done at this time, in order of preference.
void NetworkRun::act(Processor& p, double time) {
  depart(p, time);
  do send(p, time);
  while (receive(p, time));
  if (p.idle() && !p.ready.empty()) start_compute(p, time);
}

void NetworkRun::occupy(Processor& p, int task, double time, double duration) {
  p.running = task;
  p.free_at = time + duration;
  p.busy += duration;
}

void NetworkRun::start_compute(Processor& p, double time) {
  const int task = p.ready.lowest();
  p.ready.erase(task);
  const double duration = work_.time((*p.script)[task]);
  occupy(p, task, time, duration);
  recorder_.note(p.rank, task, (*p.script)[task], time, time + duration);
}

void NetworkRun::end_task(Processor& p, double time) {
  if (p.idle() || p.free_at > time) return;
  const int task = p.running;
  p.running = -1;
  complete(p, task, p.free_at);
}

void NetworkRun::complete(Processor& p, int task, double time) {
  --p.left;
  p.finish = std::max(p.finish, time);
  for (const int follower : p.script->followers(task))
    if (--p.unmet[at(follower)] == 0) make_ready(p, follower, time);
}

void NetworkRun::make_ready(Processor& p, int id, double time) {
  const OutlineTask& task = (*p.script)[id];
  switch (task.kind) {
    case TaskKind::compute:
    case TaskKind::copy:
      if (work_.flops(task) > 0) {
        p.ready.insert(id);
      } else {
        recorder_.note(p.rank, id, task, time, time);
        complete(p, id, time);
      }
      break;
    case TaskKind::send_start:
      p.outgoing.push_back({time, id});
      break;
    case TaskKind::recv_start:
      complete(p, id, time);
      break;
    case TaskKind::send_finish:  // when the link is free again; nobody waits for most of them
      if (p.script->followers(id).empty())
        --p.left;
      else
        p.departures.push({time + std::max(0.0, price(task.words).send_gap - price(task.words).send_busy), id});
      break;
    case TaskKind::recv_finish:
      accept_unexpected(p, id, time);
      break;
  }
}

double NetworkRun::next_event(Processor& p) {
  double next = p.idle() ? never : p.free_at;
  if (p.idle() && !p.ready.empty()) next = p.free_at;
  if (!p.departures.empty()) next = std::min(next, p.departures.top().time);
  if (!p.inbox.empty() && (p.idle() || receives_while_busy(p)))
    next = std::min(next, std::max(p.inbox.top().arrival, p.last_taken + price(p.inbox.top().words).recv_gap));
  if (p.first_outgoing < p.outgoing.size() && !p.is_held) {
    const Outgoing& out = p.outgoing[p.first_outgoing];
    if (p.idle() || price((*p.script)[out.task].words).send_busy == 0)
      next = std::min(next, std::max(out.ready, p.next_send));
  }
  return p.idle() ? std::max(next, p.free_at) : next;
}

void NetworkRun::check_done() const {
  for (const Processor& p : processors_) {
    if (p.left == 0) continue;
    int task = 0;
    while (at(task) < p.unmet.size() && p.unmet[at(task)] == 0) ++task;
    fail(
        "the schedule {} comes to a standstill: rank {} has {} tasks left, among them {} (a {}), and {} messages to "
        "it were never sent",
        outline_.name, p.rank, p.left, task, at(task) < p.unmet.size() ? name((*p.script)[task].kind) : "message",
        p.unposted);
  }
}

Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options) {
  return NetworkRun(outline, machine, options).run();
}

}  // namespace kallima
