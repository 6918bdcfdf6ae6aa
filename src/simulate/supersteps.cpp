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
  Index sent = 0;
  Index received = 0;
};

class Supersteps {
 public:
  Supersteps(const Outline& outline, const Bsp& machine, bool one_rank)
      : outline_(outline), work_(outline, machine), one_rank_(one_rank) {
    const int ranks = one_rank ? 1 : outline.ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      const Script& script = outline.script(rank);
      std::vector<std::uint32_t>& unmet = unmet_.emplace_back(script.size());
      for (std::size_t i = 0; i < script.size(); ++i) {
        unmet[i] = static_cast<std::uint32_t>(script.after(static_cast<int>(i)).size());
        if (script[static_cast<int>(i)].kind == TaskKind::recv_finish) ++unmet[i];  // the message itself
      }
      step_.emplace_back(script.size(), 0);
    }
    shares_.resize(at(ranks));
    run();
  }

  const std::vector<std::vector<SuperstepShare>>& shares() const { return shares_; }  // [rank][superstep]
  std::size_t count() const { return count_; }
  Index messages() const { return messages_; }
  Index words() const { return words_; }

 private:
  struct TaskOfRank {
    int rank;
    int task;
  };

  void run() {
    Index left = 0;
    for (std::size_t rank = 0; rank < unmet_.size(); ++rank) {
      left += static_cast<Index>(unmet_[rank].size());
      for (std::size_t task = 0; task < unmet_[rank].size(); ++task)
        if (unmet_[rank][task] == 0) ready_.push_back({static_cast<int>(rank), static_cast<int>(task)});
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
    const int to = one_rank_ ? 0 : outline_.peer_of(it.rank, task.peer);
    ++messages_;
    words_ += task.words;
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

  const Outline& outline_;
  const WorkCost work_;
  const bool one_rank_;
  std::vector<std::vector<std::uint32_t>> unmet_;
  std::vector<std::vector<int>> step_;
  std::vector<std::vector<SuperstepShare>> shares_;
  std::vector<TaskOfRank> ready_;
  std::size_t count_ = 0;
  Index messages_ = 0;
  Index words_ = 0;
};

void note(Trace& trace, std::size_t rank, TaskKind kind, const std::string& label, double begin, double duration) {
  if (duration <= 0) return;
  Event event{.rank = static_cast<int>(rank), .task = static_cast<int>(trace.events.size()), .kind = kind};
  event.label = label;
  event.begin = begin;
  event.end = begin + duration;
  trace.events.push_back(std::move(event));
}

// Works through the supersteps and keeps the clock.
class Clock {
 public:
  Clock(const Bsp& machine, const SimulateOptions& options, std::size_t ranks)
      : machine_(machine), options_(options), busy_(ranks, 0.0) {}

  void pass(const std::vector<std::vector<SuperstepShare>>& shares, std::size_t step) {
    const auto compute = [](const SuperstepShare& s) { return s.flops > 0 ? s.flops : -1; };
    const auto exchange = [this](const SuperstepShare& s) {
      return s.sent + s.received > 0 ? 2 * machine_.g * static_cast<double>(std::max(s.sent, s.received)) : -1;
    };
    if (pass_one(shares, step, compute) && options_.trace)
      for (std::size_t rank = 0; rank < shares.size(); ++rank)
        note(result.trace, rank, TaskKind::compute, fmt::format("computation {}", step), begin_, times_[rank]);
    if (!pass_one(shares, step, exchange)) return;
    result.last_send = begin_;
    // Who sends what to whom does not matter here, only when the rank's link is taken.
    for (std::size_t rank = 0; options_.trace && rank < shares.size(); ++rank) {
      const int self = static_cast<int>(rank);
      const double end = result.completion;
      if (times_[rank] >= 0)
        result.trace.flights.push_back({self, self, shares[rank][step].sent, begin_, begin_ + times_[rank], end, end});
    }
  }

  Simulation finish() {
    for (const double busy : busy_) result.idle_max = std::max(result.idle_max, result.completion - busy);
    return std::move(result);
  }

  Simulation result;

 private:
  // One superstep, unless nobody takes part: operations_of() is negative for a rank that does not.
  template <class Operations>
  bool pass_one(const std::vector<std::vector<SuperstepShare>>& shares, std::size_t step, Operations operations_of) {
    times_.clear();
    for (const auto& share : shares) times_.push_back(operations_of(share[step]) / machine_.r);
    const double longest = *std::max_element(times_.begin(), times_.end());
    if (longest < 0) return false;
    begin_ = result.completion;
    result.completion += longest + machine_.l / machine_.r;
    ++result.supersteps;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      busy_[rank] += std::max(0.0, times_[rank]);
      if (options_.trace)
        note(result.trace, rank, TaskKind::recv_finish, "synchronisation", begin_ + longest, machine_.l / machine_.r);
    }
    return true;
  }

  const Bsp& machine_;
  const SimulateOptions& options_;
  std::vector<double> busy_;
  std::vector<double> times_;  // of the superstep that began last, by rank
  double begin_ = 0;
};

}  // namespace

Simulation simulate_supersteps(const Outline& outline, const Bsp& machine, const SimulateOptions& options) {
  const bool one_rank = options.pricing == Pricing::one_rank ||
                        (options.pricing == Pricing::automatic && outline.symmetric() && !options.trace);
  const Supersteps steps(outline, machine, one_rank);
  Clock clock(machine, options, steps.shares().size());
  for (std::size_t step = 0; step < steps.count(); ++step) clock.pass(steps.shares(), step);
  Simulation result = clock.finish();
  const Index factor = one_rank ? outline.ranks : 1;
  result.messages = steps.messages() * factor;
  result.words = steps.words() * factor;
  result.simulated_ranks = one_rank ? 1 : outline.ranks;
  result.tasks = one_rank ? static_cast<Index>(outline.scripts[0].size()) : outline.task_count();
  return result;
}

}  // namespace kallima
