#pragma once
// The ranks of a simulated network between two events: what each waits for, what is ready on it, and when it is to be
// looked at next. A task that is done makes others ready, which takes no time.

#include <cmath>

#include "base/check.hpp"
#include "simulate/common.hpp"
#include "simulate/prices.hpp"
#include "simulate/processor.hpp"

namespace kallima {

// How far a rank may run ahead of the others is in its script: while nothing a message leads to could have come first.
struct Foresight {
  int first_dependent = 0;       // lower compute tasks do not wait for messages
  bool prompt_receives = false;  // whether a receive may set off a send
};

// Tasks that take no time pass on what set them off, so they are looked through.
inline Foresight foresee(const Script& script, const WorkCost& cost) {
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

// Nobody asks: simulate() has others count supersteps.
inline MessageCost message_cost(const Bsp&, Index) { fail("a BSP machine prices supersteps, not messages"); }

class SimulatedRanks {
 public:
  SimulatedRanks(const Outline& outline, const Machine& machine, const SimulateOptions& options,
                 MessagePrices prices = {})
      : outline_(outline), machine_(machine), options_(options), prices_(std::move(prices)) {
    for (const MessageCost& cost : prices_.costs) busy_ends_ = busy_ends_ || cost.recv_busy > 0;
    const std::size_t ranks = simulated_ranks(outline, options);
    for (const std::string& stage : outline.stages)
      bus_times_.push_back(stage == "to device" ? machine.bus.up : stage == "from device" ? machine.bus.down : 0);
    for (const Script& script : outline.scripts) foresight_.push_back(foresee(script, work_));
    processors_.reserve(ranks);
    for (int rank = 0; at(rank) < ranks; ++rank) processors_.emplace_back(outline.script(rank), rank);
  }

 protected:
  ~SimulatedRanks() = default;

  void begin(Processor& p) {
    p.left = p.script->size();
    p.unposted = std::ranges::count(p.script->tasks(), TaskKind::recv_finish, &OutlineTask::kind);
    for (int task = 0; at(task) < p.script->size(); ++task)
      if (p.script->after(task).empty()) make_ready(p, task, 0);
    agenda_.no_later_than(p.rank, 0);
  }

  // When nothing happens any more: everything must have been done.
  Simulation finished() {
    for (const Processor& p : processors_) {
      if (p.left > 0) report_standstill(p);
      result_.completion = std::max(result_.completion, p.finish);
      result_.idle_max = std::max(result_.idle_max, p.finish - p.busy);
    }
    return std::move(result_);
  }

  // Where links are shared, of the message with this number; otherwise of so many words. Remembers the last one: most
  // messages of a schedule are alike.
  const MessageCost& price(Index which) {
    if (machine_.shares_links()) return prices_.costs[at(which)];
    if (which != priced_) price_ = std::visit([&](const auto& m) { return cost_of(m, which); }, machine_.model);
    priced_ = which;
    return price_;
  }
  Index price_of(const Processor& p, int task) const {
    return machine_.shares_links() ? prices_.number[at(p.rank)][at(task)] : (*p.script)[task].words;
  }
  bool recv_needs_processor() { return machine_.shares_links() ? busy_ends_ : price(1).recv_busy > 0; }
  bool send_needs_processor() { return machine_.shares_links() ? busy_ends_ : price(1).send_busy > 0; }

  const Foresight& foresight(const Processor& p) const { return foresight_[foresight_.size() == 1 ? 0 : at(p.rank)]; }

  // Otherwise it is soon enough to look at the inbox when the processor is free.
  bool receives_while_busy(const Processor& p) {
    return !recv_needs_processor() && (capacity_ > 0 || foresight(p).prompt_receives);
  }

  Processor& receiver(Processor& p, int peer) {
    return one_rank_ ? p : processors_[at(outline_.peer_of(p.rank, peer))];
  }

  void note(const Processor& p, int id, double begin, double end) {  // in the trace, where one is wanted
    if (!options_.trace) return;
    const OutlineTask& task = (*p.script)[id];
    const int peer = task.peer < 0 ? -1 : outline_.peer_of(p.rank, task.peer);
    const std::string& label = outline_.stages[task.stage];
    result_.trace.events.push_back({p.rank, id, task.kind, label, 0, peer, begin, end, task.words});
  }

  void occupy(Processor& p, int task, double time, double duration) {
    p.running = task;
    p.free_at = time + duration;
    p.busy += duration;
  }

  void complete(Processor& p, int task, double time) {
    --p.left;
    p.finish = std::max(p.finish, time);
    for (const int follower : p.script->followers(task))
      if (--p.unmet[at(follower)] == 0) make_ready(p, follower, time);
  }

  void make_ready(Processor& p, int id, double time) {
    const OutlineTask& task = (*p.script)[id];
    if (task.kind == TaskKind::send_start) return p.outgoing.push_back({time, id});
    if (task.kind == TaskKind::recv_start) return complete(p, id, time);
    if (task.kind == TaskKind::recv_finish) return accept_unexpected(p, id, time);
    if (task.kind == TaskKind::send_finish) return await_departure(p, id, time);
    if (task.kind == TaskKind::copy && bus_time(task) > 0) return copy_over_bus(p, id, time);
    if (work_.flops(task) > 0) return p.ready.toggle(id);
    note(p, id, time, time);
    complete(p, id, time);
  }

  // When the link is free again; nobody waits for most of them.
  virtual void await_departure(Processor& p, int id, double time) {
    if (p.script->followers(id).empty()) {
      --p.left;
      return;
    }
    const MessageCost& cost = price(price_of(p, id));
    p.departures.push({time + std::max(0.0, cost.send_gap - cost.send_busy), id});
  }

  double bus_time(const OutlineTask& task) const {  // outlines need not name their stages
    return task.stage < bus_times_.size() ? bus_times_[task.stage] : 0;
  }

  // An engine makes one copy after the other, and needs no processor.
  void copy_over_bus(Processor& p, int id, double time) {
    const OutlineTask& task = (*p.script)[id];
    double& free = p.bus_free[outline_.stages[task.stage] == "to device" ? 0 : 1];
    const double begin = std::max(time, free);
    free = begin + machine_words(outline_, machine_, task.words) * bus_time(task);
    note(p, id, begin, free);
    p.departures.push({free, id});
  }

  [[noreturn]] void report_standstill(const Processor& p) const {
    int task = 0;
    while (at(task) < p.unmet.size() && p.unmet[at(task)] == 0) ++task;
    fail(
        "the schedule {} comes to a standstill: rank {} has {} tasks left, among them {} (a {}), and {} messages to "
        "it were never sent",
        outline_.name, p.rank, p.left, task, at(task) < p.unmet.size() ? name((*p.script)[task].kind) : "message",
        p.unposted);
  }

  void accept_unexpected(Processor& p, int task, double time) {
    const auto found = std::ranges::find_if(p.unexpected, [&](const Mail& mail) { return mail.task == task; });
    if (found == p.unexpected.end()) return;
    Mail mail = *found;
    p.unexpected.erase(found);
    mail.arrival = std::max(mail.arrival, time);
    p.inbox.push(mail);
  }

  double next_event(Processor& p) {
    double next = p.idle() ? never : p.free_at;
    if (p.idle() && !p.ready.empty()) next = p.free_at;
    if (!p.departures.empty()) next = std::min(next, p.departures.top().time);
    if (!p.inbox.empty() && (p.idle() || receives_while_busy(p)))
      next = std::min(next, std::max(p.inbox.top().arrival, p.last_taken + price(p.inbox.top().price).recv_gap));
    if (p.first_outgoing < p.outgoing.size() && !p.is_held) {
      const TimedTask& out = p.outgoing[p.first_outgoing];
      if (p.idle() || price(price_of(p, out.task)).send_busy == 0)
        next = std::min(next, std::max(out.time, p.next_send));
    }
    return p.idle() ? std::max(next, p.free_at) : next;
  }

  template <class M>
  MessageCost cost_of(const M& model, Index words) const {
    const double counted = std::ceil(machine_words(outline_, machine_, words));
    return message_cost(model, static_cast<Index>(counted));
  }

  const Outline& outline_;
  const Machine& machine_;
  const SimulateOptions& options_;
  const bool one_rank_ = options_.pricing == Pricing::one_rank;
  const Index capacity_ = options_.capacity == Capacity::limited ? capacity(machine_) : 0;
  const WorkCost work_{outline_, machine_};
  std::vector<double> bus_times_;  // per word, by stage; 0: it does not cross a bus
  std::vector<Foresight> foresight_;
  std::vector<Processor> processors_;
  Agenda agenda_{outline_.ranks};
  double now_ = 0;          // nobody is behind this time
  MessagePrices prices_;    // where links are shared,
  bool busy_ends_ = false;  // and whether any of them takes a processor's time
  Index priced_ = -1;
  MessageCost price_;
  Simulation result_;
};

}  // namespace kallima
