#pragma once
// Sending, receiving, and the network's limited capacity.

#include "simulate/ranks.hpp"

namespace kallima {

// A number in (0, 1] that depends on nothing but its arguments (splitmix64 over them).
inline double random_fraction(std::uint64_t seed, int rank, int task) {
  std::uint64_t z = seed ^ (static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint32_t>(task));
  for (int round = 0; round < 2; ++round) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
  }
  return static_cast<double>((z >> 11) + 1) * 0x1p-53;
}

class SimulatedMessages : public SimulatedRanks {
 protected:
  using SimulatedRanks::SimulatedRanks;

  void send(Processor& p, double time) {
    while (p.first_outgoing < p.outgoing.size()) {
      const TimedTask out = p.outgoing[p.first_outgoing];
      const OutlineTask& task = (*p.script)[out.task];
      const MessageCost cost = price(price_of(p, out.task));
      double start = std::max(out.time, p.next_send);
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
    Processor& sender = processors_[at(p.held.pop().second)];
    ++p.under_way;
    sender.is_held = false;
    sender.has_place = true;
    sender.place_since = time;
    agenda_.no_later_than(sender.rank, time);
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
    Mail mail{
        .arrival = time + flight, .sender = sender_of(p, task.peer), .task = task.match, .price = price_of(p, id)};
    mail.flight = note_sent(p, task, time, cost, mail.arrival);
    note(p, id, time, time + cost.send_busy);
    deliver(receiver(p, task.peer), mail, p);
    if (cost.send_busy > 0) return occupy(p, id, time, cost.send_busy);
    if (p.script->followers(id).empty()) return complete(p, id, time);
    p.departures.push({time, id});
  }

  // Counts a message; returns its number in the trace, where one is wanted.
  int note_sent(const Processor& p, const OutlineTask& task, double time, const MessageCost& cost, double arrival) {
    result_.last_send = std::max(result_.last_send, time);
    ++result_.messages;
    result_.words += task.words;
    if (!options_.trace) return -1;
    const double departed = time + std::max(cost.send_gap, cost.send_busy);
    const int to = outline_.peer_of(p.rank, task.peer);
    result_.trace.flights.push_back({p.rank, to, task.words, time, departed, arrival});
    return static_cast<int>(result_.trace.flights.size()) - 1;
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
      const MessageCost& cost = price(mail.price);
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
    if (mail.flight >= 0) result_.trace.flights[at(mail.flight)].taken = time;
    note(p, mail.task, time, time + overhead);
    if (capacity_ > 0) give_place(p, time);
    if (overhead > 0) return occupy(p, mail.task, time, overhead);
    complete(p, mail.task, time);
  }
};

}  // namespace kallima
