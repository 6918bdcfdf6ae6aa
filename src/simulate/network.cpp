// The simulation on machines where every message has a price of its own (alpha-beta, LogP, LogGP). One rank at a time,
// the one whose next event is earliest. A rank may run ahead of the others where nothing they can still do would change
// what it does: while it works on tasks that no message can precede, when every message to it has been sent, or within
// the least time a message takes. That keeps its state in cache; results do not depend on it.

#include "simulate/messages.hpp"

namespace kallima {
namespace {

class NetworkRun : public SimulatedMessages {
 public:
  using SimulatedMessages::SimulatedMessages;

  Simulation run() {
    lookahead_ = least_flight();
    for (Processor& p : processors_) begin(p);
    while (!agenda_.empty()) {
      const Agenda::Appointment entry = agenda_.pop();
      now_ = entry.time;
      advance(processors_[at(entry.rank)], entry.time, entry.turn);
    }
    return finished();
  }

 private:
  void advance(Processor& p, double time, int turn) {
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
      if (capacity_ > 0 || !alone) return agenda_.no_later_than(p.rank, next);
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

  void start_compute(Processor& p, double time) {
    const int task = p.ready.lowest();
    p.ready.toggle(task);
    const double duration = work_.time((*p.script)[task]);
    occupy(p, task, time, duration);
    note(p, task, time, time + duration);
  }

  void end_task(Processor& p, double time) {
    if (p.idle() || p.free_at > time) return;
    const int task = p.running;
    p.running = -1;
    complete(p, task, p.free_at);
  }

  double least_flight() {
    double least = never;
    const auto see = [&](const MessageCost& cost) {
      least = std::min(least, cost.flight - (options_.latency == Latency::random ? cost.latency : 0));
    };
    for (const MessageCost& cost : prices_.costs) see(cost);
    if (!machine_.shares_links())
      for (const Script& script : outline_.scripts)
        for (const OutlineTask& task : script.tasks())
          if (task.kind == TaskKind::send_start) see(price(task.words));
    return least;
  }

  double lookahead_ = 0;
};

}  // namespace

Simulation simulate_network(const Outline& outline, const Machine& machine, const SimulateOptions& options) {
  if (!machine.shares_links()) return NetworkRun(outline, machine, options).run();
  const bool one_rank = options.pricing == Pricing::one_rank;
  MessagePrices prices = one_rank ? price_one_rank(outline, machine) : price_all_ranks(outline, machine);
  return NetworkRun(outline, machine, options, std::move(prices)).run();
}

}  // namespace kallima
