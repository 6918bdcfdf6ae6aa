// The price in BSP. A task belongs to the superstep that follows as many exchanges as the longest chain of messages
// before it; a superstep costs the most that any rank computes, and the most that any sends or receives, with a
// synchronisation after each unless nobody does any.

#include <algorithm>

#include "base/check.hpp"
#include "simulate/network.hpp"
#include "simulate/work.hpp"

namespace kallima {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
  struct Place {
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
      const Place place = ready_.back();
      ready_.pop_back();
      finish(place);
    }
    require(left == 0, "the schedule {} comes to a standstill with {} tasks left", outline_.name, left);
    for (std::vector<SuperstepShare>& share : shares_) share.resize(count_);
  }

  void finish(const Place& place) {
    const Script& script = outline_.script(place.rank);
    const OutlineTask& task = script[place.task];
    const int step = step_[at(place.rank)][at(place.task)];
    SuperstepShare& share = share_of(place.rank, step);
    if (task.peer < 0) share.flops += work_.flops(task);
    if (task.kind == TaskKind::send_start) send(place, task, step);
    for (const int follower : script.followers(place.task)) meet({place.rank, follower}, step);
  }

  void send(const Place& place, const OutlineTask& task, int step) {
    const int to = one_rank_ ? 0 : outline_.peer_of(place.rank, task.peer);
    ++messages_;
    words_ += task.words;
    share_of(place.rank, step).sent += task.words;
    share_of(to, step).received += task.words;
    meet({to, task.match}, step + 1);
  }

  void meet(const Place& place, int step) {
    int& own = step_[at(place.rank)][at(place.task)];
    own = std::max(own, step);
    if (--unmet_[at(place.rank)][at(place.task)] == 0) ready_.push_back(place);
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
  std::vector<Place> ready_;
  std::size_t count_ = 0;
  Index messages_ = 0;
  Index words_ = 0;
};

void note(Trace& trace, int rank, TaskKind kind, std::size_t step, double begin, double duration) {
  if (duration <= 0) return;
  Event event{.rank = rank, .task = static_cast<int>(trace.events.size()), .kind = kind};
  event.label = kind == TaskKind::compute ? fmt::format("computation {}", step) : "synchronisation";
  event.begin = begin;
  event.end = begin + duration;
  trace.events.push_back(std::move(event));
}

// Who sends what to whom does not matter here, only when the rank's link is taken.
void note_exchange(Trace& trace, int rank, const SuperstepShare& share, double begin, double duration, double end) {
  Flight flight{.from = rank, .to = rank, .words = share.sent, .sent = begin};
  flight.departed = begin + duration;
  flight.arrived = flight.taken = end;
  trace.flights.push_back(flight);
}

// Works through the supersteps and keeps the clock.
class Clock {
 public:
  Clock(const Bsp& machine, const SimulateOptions& options, std::size_t ranks)
      : machine_(machine), options_(options), busy_(ranks, 0.0) {}

  void pass(const std::vector<std::vector<SuperstepShare>>& shares, std::size_t step) {
    const auto work = [&](const SuperstepShare& s) { return s.flops; };
    const auto traffic = [&](const SuperstepShare& s) {
      return 2 * machine_.g * static_cast<double>(std::max(s.sent, s.received));
    };
    const auto any = [&](const SuperstepShare& s) { return s.sent + s.received > 0; };
    pass_one(shares, step, TaskKind::compute, work, [&](const SuperstepShare& s) { return s.flops > 0; });
    bool exchanges = false;
    for (const auto& rank : shares) exchanges = exchanges || any(rank[step]);
    if (exchanges) result.last_send = result.completion;
    pass_one(shares, step, TaskKind::send_start, traffic, any);
  }

  Simulation finish() {
    for (const double busy : busy_) result.idle_max = std::max(result.idle_max, result.completion - busy);
    return std::move(result);
  }

  Simulation result;

 private:
  template <class Cost, class Counts>
  void pass_one(const std::vector<std::vector<SuperstepShare>>& shares, std::size_t step, TaskKind kind, Cost cost,
                Counts counts) {
    double longest = 0;
    bool empty = true;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
      const SuperstepShare& share = shares[rank][step];
      if (!counts(share)) continue;
      empty = false;
      const double time = cost(share) / machine_.r;
      longest = std::max(longest, time);
      busy_[rank] += time;
    }
    if (empty) return;
    const double begin = result.completion;
    result.completion += longest + machine_.l / machine_.r;
    for (std::size_t rank = 0; options_.trace && rank < shares.size(); ++rank) {
      const SuperstepShare& share = shares[rank][step];
      if (kind == TaskKind::compute)
        note(result.trace, static_cast<int>(rank), kind, step, begin, counts(share) ? cost(share) / machine_.r : 0);
      else if (counts(share))
        note_exchange(result.trace, static_cast<int>(rank), share, begin, cost(share) / machine_.r, result.completion);
      note(result.trace, static_cast<int>(rank), TaskKind::recv_finish, step, begin + longest, machine_.l / machine_.r);
    }
    ++result.supersteps;
  }

  const Bsp& machine_;
  const SimulateOptions& options_;
  std::vector<double> busy_;
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
