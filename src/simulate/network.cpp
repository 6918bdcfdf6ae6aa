// One rank at a time, the one whose next event is earliest. A rank may run ahead of the others where nothing they can
// still do would change what it does: while it works on tasks that no message can precede, when every message to it has
// been sent, or within the least time a message takes. That keeps its state in cache; results do not depend on it.

#include "simulate/network.hpp"

#include "base/check.hpp"
#include "simulate/processor.hpp"

namespace kallima {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A number in (0, 1] that depends on nothing but its arguments (splitmix64 over them).
double random_fraction(std::uint64_t seed, int rank, int task) {
  std::uint64_t z = seed ^ (static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(task));
  for (int round = 0; round < 2; ++round) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
  }
  return static_cast<double>((z >> 11) + 1) * 0x1p-53;
}

// What scripts say about how far a rank may run ahead.
struct Foresight {
  int first_dependent = 0;       // lower compute tasks do not wait for messages; 0 where a message may set off a send
  bool prompt_receives = false;  // whether a receive may set off a send
};

// Tasks that take no time pass on what set them off, so they are looked through.
Foresight foresee(const Script& script) {
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
      if (computes && script[follower].flops == 0) pending.push_back(follower);
    }
  }
  return it;
}

template <class M>
class Network {
 public:
  Network(const Outline& outline, const M& machine, const SimulateOptions& options, bool one_rank)
      : outline_(outline),
        machine_(machine),
        options_(options),
        one_rank_(one_rank),
        capacity_(options.capacity == Capacity::limited ? capacity(Machine(machine)) : 0),
        time_per_flop_(1 / machine.r),
        agenda_(outline.ranks) {
    const int ranks = one_rank ? 1 : outline.ranks;
    for (const Script& script : outline.scripts) foresight_.push_back(foresee(script));
    processors_.reserve(at(ranks));
    for (int rank = 0; rank < ranks; ++rank) processors_.emplace_back(outline.script(rank), rank);
    lookahead_ = least_flight();
  }

  Simulation operator()() {
    for (Processor& p : processors_) begin(p);
    while (!agenda_.empty()) {
      const Agenda::Entry entry = agenda_.pop();
      now_ = entry.time;
      run(processors_[at(entry.rank)], entry.time, entry.turn);
    }
    check_done();
    return result();
  }

 private:
  const Foresight& foresight(const Processor& p) const { return foresight_[foresight_.size() == 1 ? 0 : at(p.rank)]; }

  const MessageCost& price(Index words) {
    if (words != priced_words_) {
      priced_words_ = words;
      price_ = message_cost(machine_, words);
    }
    return price_;
  }

  double least_flight() {
    double least = never;
    for (const Script& script : outline_.scripts)
      for (const OutlineTask& task : script.tasks())
        if (task.kind == TaskKind::send_start) {
          const MessageCost& cost = price(task.words);
          least = std::min(least, cost.flight - (options_.latency == Latency::random ? cost.latency : 0));
        }
    return least;
  }

  void begin(Processor& p) {
    p.left = p.script->size();
    for (const OutlineTask& task : p.script->tasks())
      if (task.kind == TaskKind::recv_finish) ++p.unposted;
    for (int task = 0; at(task) < p.script->size(); ++task)
      if (p.script->after(task).empty()) make_ready(p, task, 0);
    agenda_.no_later_than(p.rank, 0);
  }

  void run(Processor& p, double time, int turn) {
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
  bool needs_turns(const Processor& p) {
    if (lookahead_ == 0) return capacity_ > 0 || p.unposted > 0;
    return capacity_ > 0 && send_needs_processor();
  }

  // Where what others do at this very time may matter: everybody sends, then everybody receives, and when no message
  // moves any more everybody computes. True if this rank's next turn is at the same time.
  bool take_turn(Processor& p, double time, int turn) {
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
  void run_prefix(Processor& p) {
    const int limit = foresight(p).prompt_receives || recv_needs_processor() ? 0 : foresight(p).first_dependent;
    while (!p.idle() && p.running < limit && (*p.script)[p.running].kind != TaskKind::recv_finish) {
      const double time = p.free_at;
      end_task(p, time);
      send(p, time);
      if (p.idle() && !p.ready.empty() && p.ready.lowest() < limit) start_compute(p, time);
    }
  }

  bool recv_needs_processor() { return price(1).recv_busy > 0; }
  bool send_needs_processor() { return price(1).send_busy > 0; }

  void depart(Processor& p, double time) {
    while (!p.departures.empty() && p.departures.top().time <= time) {
      const auto departure = p.departures.pop();
      complete(p, departure.task, departure.time);
    }
  }

  // Everything that can be done at this time, in order of preference.
  void act(Processor& p, double time) {
    depart(p, time);
    do send(p, time);
    while (receive(p, time));
    if (p.idle() && !p.ready.empty()) start_compute(p, time);
  }

  void occupy(Processor& p, int task, double time, double duration) {
    p.running = task;
    p.free_at = time + duration;
    p.busy += duration;
  }

  void start_compute(Processor& p, double time) {
    const int task = p.ready.lowest();
    p.ready.erase(task);
    const double duration = (*p.script)[task].flops * time_per_flop_;
    occupy(p, task, time, duration);
    note(p, task, time, time + duration);
  }

  void end_task(Processor& p, double time) {
    if (p.idle() || p.free_at > time) return;
    const int task = p.running;
    p.running = -1;
    complete(p, task, p.free_at);
  }

  void complete(Processor& p, int task, double time) {
    --p.left;
    p.finish = std::max(p.finish, time);
    for (const int follower : p.script->followers(task))
      if (--p.unmet[at(follower)] == 0) make_ready(p, follower, time);
  }

  void make_ready(Processor& p, int id, double time) {
    const OutlineTask& task = (*p.script)[id];
    switch (task.kind) {
      case TaskKind::compute:
      case TaskKind::copy:
        if (task.flops > 0) {
          p.ready.insert(id);
        } else {
          note(p, id, time, time);
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

  void accept_unexpected(Processor& p, int task, double time) {
    const auto found =
        std::find_if(p.unexpected.begin(), p.unexpected.end(), [&](const Mail& mail) { return mail.task == task; });
    if (found == p.unexpected.end()) return;
    Mail mail = *found;
    p.unexpected.erase(found);
    mail.arrival = std::max(mail.arrival, time);
    p.inbox.push(mail);
  }

  void send(Processor& p, double time) {
    while (p.first_outgoing < p.outgoing.size()) {
      const Outgoing out = p.outgoing[p.first_outgoing];
      const OutlineTask& task = (*p.script)[out.task];
      const MessageCost cost = price(task.words);
      double start = std::max(out.ready, p.next_send);
      if (cost.send_busy > 0 || capacity_ > 0) {
        if (start > time || (cost.send_busy > 0 && !p.idle())) return;
        if (capacity_ > 0 && !has_place(p, task, start)) return;
        start = cost.send_busy > 0 ? time : std::max(start, p.has_place ? p.place_since : start);
        p.has_place = false;
      }
      if (++p.first_outgoing == p.outgoing.size()) {
        p.outgoing.clear();
        p.first_outgoing = 0;
      }
      post(p, out.task, start, cost);
      if (cost.send_busy > 0) return;
    }
  }

  // Whether the message may leave; if not, it stands in the receiver's queue from the first time it was refused.
  bool has_place(Processor& p, const OutlineTask& task, double time) {
    if (p.has_place) return true;
    if (p.is_held) return false;
    Processor& to = receiver(p, task.peer);
    if (to.under_way < capacity_) {
      ++to.under_way;
      return true;
    }
    to.held.push({time, p.rank});
    p.is_held = true;
    return false;
  }

  // A message was taken: its place goes to whoever has waited longest.
  void give_place(Processor& p, double time) {
    --p.under_way;
    if (p.held.empty()) return;
    Processor& sender = processors_[at(p.held.pop().sender)];
    ++p.under_way;
    sender.is_held = false;
    sender.has_place = true;
    sender.place_since = time;
    agenda_.no_later_than(sender.rank, time);
  }

  Processor& receiver(Processor& p, int peer) {
    return one_rank_ ? p : processors_[at(outline_.peer_of(p.rank, peer))];
  }

  // How the receiver knows the sender; where one rank stands for all, by the relation in which they stand.
  int sender_of(const Processor& p, int peer) const {
    if (!one_rank_) return p.rank;
    return outline_.peers == Peers::ring ? (outline_.ranks - peer) % outline_.ranks : peer;
  }

  void post(Processor& p, int id, double time, const MessageCost& cost) {
    const OutlineTask& task = (*p.script)[id];
    double flight = cost.flight;
    if (options_.latency == Latency::random) flight -= cost.latency * (1 - random_fraction(options_.seed, p.rank, id));
    p.next_send = time + cost.send_gap;
    last_send_ = std::max(last_send_, time);
    ++messages_;
    words_ += task.words;
    Mail mail{.arrival = time + flight, .sender = sender_of(p, task.peer), .task = task.match, .words = task.words};
    if (options_.trace) mail.flight = note_flight(p, task, time, cost, mail.arrival);
    note(p, id, time, time + cost.send_busy);
    deliver(receiver(p, task.peer), mail, p);
    if (cost.send_busy > 0)
      occupy(p, id, time, cost.send_busy);
    else if (p.script->followers(id).empty())
      complete(p, id, time);
    else
      p.departures.push({time, id});
  }

  void deliver(Processor& to, const Mail& mail, const Processor& from) {
    to.inbox.push(mail);
    --to.unposted;
    if (&to != &from) agenda_.no_later_than(to.rank, std::max(next_event(to), now_));
  }

  // True if something was taken, which may have made a send ready.
  bool receive(Processor& p, double time) {
    bool taken = false;
    while (!p.inbox.empty()) {
      const Mail mail = p.inbox.top();
      const MessageCost& cost = price(mail.words);
      const double start = std::max(mail.arrival, p.last_taken + cost.recv_gap);
      if (start > time) return taken;
      if (p.unmet[at(mail.task)] > 0) {
        p.unexpected.push_back(p.inbox.pop());
        continue;
      }
      if (cost.recv_busy > 0 && !p.idle()) return taken;
      p.inbox.pop();
      take(p, mail, cost.recv_busy > 0 ? time : start, cost.recv_busy);
      taken = true;
    }
    return taken;
  }

  void take(Processor& p, const Mail& mail, double time, double overhead) {
    p.last_taken = time;
    if (mail.flight >= 0) trace_.flights[at(mail.flight)].taken = time;
    note(p, mail.task, time, time + overhead);
    if (capacity_ > 0) give_place(p, time);
    if (overhead > 0)
      occupy(p, mail.task, time, overhead);
    else
      complete(p, mail.task, time);
  }

  // Otherwise it is soon enough to look at the inbox when the processor is free.
  bool receives_while_busy(const Processor& p) {
    return !recv_needs_processor() && (capacity_ > 0 || foresight(p).prompt_receives);
  }

  double next_event(Processor& p) {
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

  void note(const Processor& p, int id, double begin, double end) {
    if (!options_.trace) return;
    const OutlineTask& task = (*p.script)[id];
    Event event{.rank = p.rank, .task = id, .kind = task.kind, .label = outline_.stages[task.stage]};
    event.peer = task.peer < 0 ? -1 : outline_.peer_of(p.rank, task.peer);
    event.begin = begin;
    event.end = end;
    event.elements = task.words;
    trace_.events.push_back(std::move(event));
  }

  int note_flight(const Processor& p, const OutlineTask& task, double time, const MessageCost& cost, double arrival) {
    Flight flight{.from = p.rank, .to = outline_.peer_of(p.rank, task.peer), .words = task.words, .sent = time};
    flight.departed = time + std::max(cost.send_gap, cost.send_busy);
    flight.arrived = arrival;
    trace_.flights.push_back(flight);
    return static_cast<int>(trace_.flights.size()) - 1;
  }

  void check_done() const {
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

  Simulation result() {
    Simulation all;
    for (const Processor& p : processors_) {
      all.completion = std::max(all.completion, p.finish);
      all.idle_max = std::max(all.idle_max, p.finish - p.busy);
      all.tasks += static_cast<Index>(p.script->size());
    }
    const Index factor = one_rank_ ? outline_.ranks : 1;
    all.last_send = last_send_;
    all.messages = messages_ * factor;
    all.words = words_ * factor;
    all.simulated_ranks = static_cast<int>(processors_.size());
    all.trace = std::move(trace_);
    return all;
  }

  const Outline& outline_;
  const M& machine_;
  const SimulateOptions& options_;
  const bool one_rank_;
  const Index capacity_;
  const double time_per_flop_;
  double lookahead_ = 0;
  std::vector<Foresight> foresight_;
  std::vector<Processor> processors_;
  Agenda agenda_;
  double now_ = 0;  // nobody is behind this time
  Index priced_words_ = -1;
  MessageCost price_;
  double last_send_ = 0;
  Index messages_ = 0;
  Index words_ = 0;
  Trace trace_;
};

}  // namespace

Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options) {
  const bool one_rank = options.pricing == Pricing::one_rank ||
                        (options.pricing == Pricing::automatic && outline.symmetric() && outline.ranks > 1 &&
                         !options.trace && options.latency == Latency::full && options.capacity == Capacity::unlimited);
  return std::visit(
      [&]<class M>(const M& m) -> Simulation {
        if constexpr (std::is_same_v<M, Bsp>)
          fail("a BSP machine prices supersteps, not messages");
        else
          return Network<M>(outline, m, options, one_rank)();
      },
      machine);
}

}  // namespace kallima
