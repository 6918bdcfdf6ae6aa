// The price in BSP. A task belongs to the superstep that follows as many exchanges as the longest chain of messages
// before it; a superstep costs the most that any rank computes, and the most that any sends or receives, with a
// synchronisation after each unless nobody does any.

#include <algorithm>

#include "base/check.hpp"
#include "simulate/common.hpp"

namespace kallima {
namespace {

struct SuperstepShare {  // of one rank in one superstep
  double flops = 0;
  Index sent = 0, received = 0;
};

class Supersteps {
 public:
  Supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options)
      : outline_(outline), machine_(machine), options_(options), shares_(simulated_ranks(outline, options)) {}

  Simulation run() {
    deal_out();
    for (std::size_t step = 0; step < count_; ++step) pass(step);
    for (const double busy : busy_) result_.idle_max = std::max(result_.idle_max, result_.completion - busy);
    return std::move(result_);
  }

 private:
  struct TaskOfRank {
    int rank, task;
  };

  // Finds the superstep of every task.
  void deal_out() {
    Index left = 0;
    for (int rank = 0; at(rank) < shares_.size(); ++rank) {
      const Script& script = outline_.script(rank);
      left += static_cast<Index>(script.size());
      step_.emplace_back(script.size(), 0);
      std::vector<std::uint32_t>& unmet = unmet_.emplace_back(script.size());
      for (int task = 0; at(task) < script.size(); ++task) {
        unmet[at(task)] = static_cast<std::uint32_t>(script.after(task).size());
        if (script[task].kind == TaskKind::recv_finish) ++unmet[at(task)];  // the message itself
        if (unmet[at(task)] == 0) ready_.push_back({rank, task});
      }
    }
    for (; !ready_.empty(); --left) {
      const TaskOfRank it = ready_.back();
      ready_.pop_back();
      finish(it);
    }
    require(left == 0, "the schedule {} comes to a standstill with {} tasks left", outline_.name, left);
    for (std::vector<SuperstepShare>& share : shares_) share.resize(count_);
  }

  void finish(const TaskOfRank& it) {
    const Script& script = outline_.script(it.rank);
    const OutlineTask& task = script[it.task];
    const int step = step_[at(it.rank)][at(it.task)];
    SuperstepShare& share = share_of(it.rank, step);
    if (task.peer < 0) share.flops += work_.flops(task);
    if (task.kind == TaskKind::send_start) send(it, task, step);
    for (const int follower : script.followers(it.task)) meet({it.rank, follower}, step);
  }

  void send(const TaskOfRank& it, const OutlineTask& task, int step) {
    const int to = shares_.size() == 1 ? 0 : outline_.peer_of(it.rank, task.peer);
    ++result_.messages;
    result_.words += task.words;
    share_of(it.rank, step).sent += task.words;
    share_of(to, step).received += task.words;
    meet({to, task.match}, step + 1);
  }

  void meet(const TaskOfRank& it, int step) {
    int& own = step_[at(it.rank)][at(it.task)];
    own = std::max(own, step);
    if (--unmet_[at(it.rank)][at(it.task)] == 0) ready_.push_back(it);
  }

  SuperstepShare& share_of(int rank, int step) {
    count_ = std::max(count_, at(step) + 1);
    std::vector<SuperstepShare>& shares = shares_[at(rank)];
    if (shares.size() <= at(step)) shares.resize(at(step) + 1);
    return shares[at(step)];
  }

  // From here on the clock runs.
  void pass(std::size_t step) {
    const auto compute = [](const SuperstepShare& s) { return s.flops > 0 ? s.flops : -1; };
    const auto exchange = [this](const SuperstepShare& s) {
      return s.sent + s.received > 0 ? 2 * machine_.g * static_cast<double>(std::max(s.sent, s.received)) : -1;
    };
    if (pass_one(step, compute))
      for (std::size_t rank = 0; rank < shares_.size(); ++rank)
        note(rank, TaskKind::compute, fmt::format("computation {}", step), begin_, times_[rank]);
    if (!pass_one(step, exchange)) return;
    result_.last_send = begin_;
    // Who sends what to whom does not matter here, only when the rank's link is taken.
    for (std::size_t rank = 0; options_.trace && rank < shares_.size(); ++rank) {
      const int self = static_cast<int>(rank);
      const double end = result_.completion, sent = begin_ + times_[rank];
      if (times_[rank] >= 0)
        result_.trace.flights.push_back({self, self, shares_[rank][step].sent, begin_, sent, end, end});
    }
  }

  // One superstep, unless nobody takes part: operations_of() is negative for a rank that does not.
  bool pass_one(std::size_t step, const auto& operations_of) {
    times_.clear();
    for (const auto& share : shares_) times_.push_back(operations_of(share[step]) / machine_.r);
    const double longest = *std::ranges::max_element(times_);
    if (longest < 0) return false;
    begin_ = result_.completion;
    result_.completion += longest + machine_.l / machine_.r;
    ++result_.supersteps;
    for (std::size_t rank = 0; rank < shares_.size(); ++rank) {
      busy_[rank] += std::max(0.0, times_[rank]);
      note(rank, TaskKind::recv_finish, "synchronisation", begin_ + longest, machine_.l / machine_.r);
    }
    return true;
  }

  void note(std::size_t rank, TaskKind kind, const std::string& label, double begin, double duration) {
    if (!options_.trace || duration <= 0) return;
    const int task = static_cast<int>(result_.trace.events.size());
    result_.trace.events.push_back({static_cast<int>(rank), task, kind, label, 0, -1, begin, begin + duration});
  }

  const Outline& outline_;
  const Bsp& machine_;
  const SimulateOptions& options_;
  const WorkCost work_{outline_, machine_};
  std::vector<std::vector<std::uint32_t>> unmet_;
  std::vector<std::vector<int>> step_;
  std::vector<std::vector<SuperstepShare>> shares_;  // [rank][superstep]
  std::vector<TaskOfRank> ready_;
  std::size_t count_ = 0;                                        // of supersteps
  std::vector<double> busy_ = std::vector(shares_.size(), 0.0);  // by rank
  std::vector<double> times_;                                    // of the superstep that began last, by rank
  double begin_ = 0;
  Simulation result_;
};

}  // namespace

Simulation simulate_supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options) {
  return Supersteps(outline, machine, options).run();
}

}  // namespace kallima
