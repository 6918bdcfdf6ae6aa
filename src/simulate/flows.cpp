// The simulation of messages as flows that share links. Between two events every flow has a rate (fair_share.hpp); it
// is over when its words have passed, and a latency later the message is in the receiver's inbox. All ranks are
// simulated, and whenever a flow begins or ends the rates are found anew. By the same rules as elsewhere: who is free
// prefers to send, then to receive, then the task with the lowest number; a rank has `window` messages under way.

#include <deque>
#include <map>

#include "simulate/fair_share.hpp"
#include "simulate/ranks.hpp"

namespace kallima {
namespace {

struct MovingMessage {
  int from = 0, task = 0;
  double words = 0, left = 0;
  bool same_node = false;
  Mail mail = {};
  std::vector<Passage> path = {};
};

class FlowRun : public SimulatedRanks {
 public:
  FlowRun(const Outline& outline, const Machine& machine, const SimulateOptions& options)
      : SimulatedRanks(outline, machine, options), links_(machine, outline.ranks), share_(links_) {
    under_way_.resize(processors_.size());
    gone_.resize(processors_.size());
    for (std::size_t rank = 0; rank < processors_.size(); ++rank) gone_[rank].resize(processors_[rank].script->size());
  }

  Simulation run() {
    for (Processor& p : processors_) begin(p);
    for (;;) {
      const double next = std::min(agenda_.earliest(), next_end_);
      if (next == never) break;
      pass_to(next);
      end_flows();
      while (!agenda_.empty() && agenda_.earliest() <= now_) act(processors_[at(agenda_.pop().rank)]);
      if (changed_) find_rates();
    }
    return finished();
  }

 private:
  void pass_to(double time) {
    for (MovingMessage& flow : flows_) flow.left -= rates_now(flow) * (time - now_);
    now_ = time;
  }
  double rates_now(const MovingMessage& flow) const { return rate_[at(&flow - flows_.data())]; }

  // What is left over by rounding is nothing.
  void end_flows() {
    for (std::size_t i = 0; i < flows_.size();) {
      if (flows_[i].left > 1e-9 * flows_[i].words) {
        ++i;
        continue;
      }
      arrive(flows_[i]);
      if (i + 1 < flows_.size()) {
        flows_[i] = std::move(flows_.back());
        if (i < rate_.size() && flows_.size() - 1 < rate_.size()) rate_[i] = rate_[flows_.size() - 1];
      }
      flows_.pop_back();
      if (rate_.size() > flows_.size()) rate_.resize(flows_.size());
      changed_ = true;
    }
  }

  void arrive(MovingMessage& flow) {
    Processor& from = processors_[at(flow.from)];
    const int to = outline_.peer_of(flow.from, (*from.script)[flow.task].peer);
    const MessageCost cost = cost_of(flow.from, to, 0);  // it has been copied meanwhile
    --under_way_[at(flow.from)];
    gone_[at(flow.from)][at(flow.task)] = true;
    release(from, flow.task);
    flow.mail.arrival = now_ + cost.flight;
    if (flow.mail.flight >= 0) {
      Flight& flight = result_.trace.flights[at(flow.mail.flight)];
      flight.departed = now_;
      flight.arrived = flow.mail.arrival;
    }
    processors_[at(to)].inbox.push(flow.mail);
    agenda_.no_later_than(to, std::max(now_, flow.mail.arrival));
    agenda_.no_later_than(flow.from, now_);
  }

  // Sends whose data have left let go of those that wait for it.
  void release(Processor& p, int start) {
    const auto waiting = waiting_.find({p.rank, start});
    if (waiting == waiting_.end()) return;
    complete(p, waiting->second, now_);
    waiting_.erase(waiting);
  }
  void await_departure(Processor& p, int id, double time) override {
    const int start = (*p.script)[id].match;
    if (start < 0 || gone_[at(p.rank)][at(start)]) return complete(p, id, time);
    waiting_[{p.rank, start}] = id;
  }

  MessageCost cost_of(int from, int to, Index words) const {  // without the time on the links
    const bool same_node = links_.same_node(from, to);
    MessageCost cost = shared_cost(machine_, same_node, 0, 0, links_.hops(from, to));
    const double copying = kallima::machine_words(outline_, machine_, words) * overhead_per_word(machine_, same_node);
    cost.send_busy += copying;
    cost.recv_busy += copying;
    return cost;
  }

  void act(Processor& p) {
    if (!p.idle() && p.free_at <= now_) {
      const int task = p.running;
      p.running = -1;
      complete(p, task, p.free_at);
    }
    do send(p);
    while (receive(p));
    if (p.idle() && !p.ready.empty()) compute(p);
    wake(p);
  }

  void send(Processor& p) {
    while (p.first_outgoing < p.outgoing.size() && under_way_[at(p.rank)] < machine_.topology.window &&
           p.next_send <= now_) {
      const int id = p.outgoing[p.first_outgoing].task;
      const OutlineTask& task = (*p.script)[id];
      const int to = outline_.peer_of(p.rank, task.peer);
      const MessageCost cost = cost_of(p.rank, to, task.words);
      if (cost.send_busy > 0 && !p.idle()) return;
      if (++p.first_outgoing == p.outgoing.size()) {
        p.outgoing.clear();
        p.first_outgoing = 0;
      }
      p.next_send = now_ + cost.send_gap;
      start_flow(p, id, to);
      note(p, id, now_, now_ + cost.send_busy);
      if (cost.send_busy > 0) return occupy(p, id, now_, cost.send_busy);
      complete(p, id, now_);
    }
  }

  void start_flow(Processor& p, int id, int to) {
    const OutlineTask& task = (*p.script)[id];
    MovingMessage flow{.from = p.rank, .task = id, .words = kallima::machine_words(outline_, machine_, task.words)};
    flow.left = flow.words;
    flow.mail = {.sender = p.rank, .task = task.match};
    links_.path(p.rank, to, between(p.rank, to), flow.path);
    ++under_way_[at(p.rank)];
    --processors_[at(to)].unposted;
    result_.last_send = std::max(result_.last_send, now_);
    ++result_.messages;
    result_.words += task.words;
    if (options_.trace) {
      flow.mail.flight = static_cast<int>(result_.trace.flights.size());
      result_.trace.flights.push_back({p.rank, to, task.words, now_});
    }
    flows_.push_back(std::move(flow));
    changed_ = true;
  }

  float between(int from, int to) const {
    if (!links_.has_groups() || links_.group(from) == links_.group(to)) return 1;
    GroupTraffic traffic{1, 1};
    for (const MovingMessage& flow : flows_) {
      const int other = outline_.peer_of(flow.from, (*processors_[at(flow.from)].script)[flow.task].peer);
      if (links_.group(flow.from) != links_.group(from) || links_.group(other) == links_.group(from)) continue;
      ++traffic.out;
      if (links_.group(other) == links_.group(to)) ++traffic.there;
    }
    return links_.group_share(traffic);
  }

  bool receive(Processor& p) {
    bool taken = false;
    while (!p.inbox.empty()) {
      const Mail mail = p.inbox.top();
      const MessageCost cost = cost_of(mail.sender, p.rank, (*p.script)[mail.task].words);
      if (std::max(mail.arrival, p.last_taken + cost.recv_gap) > now_) return taken;
      if (p.unmet[at(mail.task)] > 0) {
        p.unexpected.push_back(p.inbox.pop());
        continue;
      }
      if (cost.recv_busy > 0 && !p.idle()) return taken;
      p.inbox.pop();
      p.last_taken = now_;
      if (mail.flight >= 0) result_.trace.flights[at(mail.flight)].taken = now_;
      note(p, mail.task, now_, now_ + cost.recv_busy);
      taken = true;
      if (cost.recv_busy > 0)
        occupy(p, mail.task, now_, cost.recv_busy);
      else
        complete(p, mail.task, now_);
    }
    return taken;
  }

  void compute(Processor& p) {
    const int task = p.ready.lowest();
    p.ready.toggle(task);
    const double duration = work_.time((*p.script)[task]);
    occupy(p, task, now_, duration);
    note(p, task, now_, now_ + duration);
  }

  // When something may happen on this rank again; flows wake it by themselves.
  void wake(Processor& p) {
    if (!p.idle()) agenda_.no_later_than(p.rank, p.free_at);
    if (p.first_outgoing < p.outgoing.size() && p.next_send > now_) agenda_.no_later_than(p.rank, p.next_send);
    if (p.inbox.empty()) return;
    const Mail& mail = p.inbox.top();
    const double due = std::max(mail.arrival, p.last_taken + cost_of(mail.sender, p.rank, 0).recv_gap);
    if (due > now_) agenda_.no_later_than(p.rank, due);
  }

  void find_rates() {
    paths_.clear();
    for (const MovingMessage& flow : flows_) paths_.emplace_back(flow.path);
    rate_ = share_.rates(paths_);
    next_end_ = never;
    for (std::size_t i = 0; i < flows_.size(); ++i)
      next_end_ = std::min(next_end_, now_ + (flows_[i].left <= 0 ? 0 : flows_[i].left / rate_[i]));
    changed_ = false;
  }

  const LinkMap links_;
  FairShare share_;
  std::vector<MovingMessage> flows_;
  std::vector<double> rate_;  // by flow
  std::vector<std::span<const Passage>> paths_;
  std::vector<int> under_way_;                  // by rank
  std::vector<std::vector<bool>> gone_;         // by rank and send_start: whether its words have left
  std::map<std::pair<int, int>, int> waiting_;  // send_finish tasks, by rank and send_start
  double next_end_ = never;
  bool changed_ = false;
};

}  // namespace

Simulation simulate_flows(const Outline& outline, const Machine& machine, const SimulateOptions& options) {
  return FlowRun(outline, machine, options).run();
}

}  // namespace kallima
