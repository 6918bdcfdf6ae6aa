#pragma once
// What the claims of Sahay 1993 are held against: the schedules, simulated. Nothing here knows a formula.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "kallima/butterfly.hpp"
#include "kallima/simulate.hpp"

namespace kallima::theory::sahay {

// The runs of one n on P processors. Outlines are kept; simulations of the same machine are run once.
class Runs {
 public:
  Runs(Index n, int P) : n_(n), P_(P) {}

  // Phase I's nodes of the output-driven schedule without overhead, in the order of their ends.
  struct MadeNode {
    int column;
    Index end;
  };
  const std::vector<MadeNode>& made_nodes() {
    if (!made_.empty()) return made_;
    const std::vector<ButterflyNode> nodes = butterfly_nodes({n_, P_}, 0);
    for (const Event& event : traced(NodeSchedule::output_driven, Logp{}).events)
      if (event.kind == TaskKind::compute && event.label == "phase I")
        made_.push_back({nodes[at(event.task)].column, whole(event.end)});
    return made_;
  }

  // t_a, when each of the m outputs is made.
  std::vector<Index> output_times() {
    std::vector<Index> times;
    for (const MadeNode& node : made_nodes())
      if (node.column == log2_of(n_ / P_)) times.push_back(node.end);
    return times;
  }

  // When messages leave: s_a, where the schedule is output-driven.
  std::vector<Index> send_times(NodeSchedule schedule, const Machine& machine) {
    std::vector<Index> times;
    for (const Flight& flight : traced(schedule, machine).flights) times.push_back(whole(flight.sent));
    return times;
  }

  // delta_i, i = 0..m-1. Inputs are handed to the script one by one, the local ones first and the others in the order
  // in which they are sent; each enables the nodes of phase II all of whose predecessors it completes.
  std::vector<Index> enabled() {
    const Outline& all = outline(NodeSchedule::output_driven, PhaseTwo::input_driven);
    const Script& script = all.script(0);
    const auto computes = [&](int task, std::string_view phase) {
      return script[task].kind == TaskKind::compute && all.stages[script[task].stage] == phase;
    };
    std::vector<std::size_t> unmet;
    std::vector<int> local, inputs;
    for (int task = 0; at(task) < script.size(); ++task) {
      unmet.push_back(script.after(task).size());
      if (script[task].kind == TaskKind::send_start) inputs.push_back(script[task].match);
      const bool is_output =
          computes(task, "phase I") &&
          std::ranges::any_of(script.followers(task), [&](int follower) { return computes(follower, "phase II"); });
      if (is_output) local.push_back(task);
    }
    inputs.insert(inputs.begin(), local.begin(), local.end());
    std::vector<Index> counts;
    for (const int input : inputs) {
      Index& count = counts.emplace_back(0);
      for (std::vector<int> done{input}; !done.empty();) {
        const int task = done.back();
        done.pop_back();
        for (const int follower : script.followers(task)) {
          if (script[follower].kind != TaskKind::compute || --unmet[at(follower)] > 0) continue;
          ++count;
          done.push_back(follower);
        }
      }
    }
    return counts;
  }

  struct Arrivals {
    Index completion = 0;
    std::vector<Index> taken = {};        // by remote input, in order
    std::vector<Index> bottlenecks = {};  // inputs (local ones counted) that the processor waited for
  };

  Arrivals input_driven(const Logp& machine) {
    const Outline& all = outline(NodeSchedule::output_driven, PhaseTwo::input_driven);
    const Simulation run = simulate(all, machine, {.pricing = Pricing::one_rank, .trace = true});
    Arrivals it{.completion = whole(run.completion)};
    for (const Flight& flight : run.trace.flights) it.taken.push_back(whole(flight.taken));
    std::ranges::sort(it.taken);
    const Index local = n_ / P_ / P_;
    double end = 0;
    for (const Event& event : run.trace.events) {
      if (event.kind != TaskKind::compute) continue;
      if (event.begin > end) {  // the input that ended this wait
        const auto input = std::ranges::find(it.taken, whole(event.begin));
        require(input != it.taken.end(), "a processor waited until {} although nothing arrived then", event.begin);
        it.bottlenecks.push_back(local + (input - it.taken.begin()));
      }
      end = event.end;
    }
    return it;
  }

  Index completion(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine,
                   Capacity capacity = Capacity::unlimited) {
    return whole(simulate(outline(schedule, phase_two), machine, {.capacity = capacity}).completion);
  }

  Index messages(NodeSchedule schedule) {
    return simulate(outline(schedule, PhaseTwo::waiting), Logp{.g = 1}).messages;
  }

  // Whenever i sends to j, k sends to k xor i xor j
  bool is_symmetric() {
    std::map<double, std::set<std::pair<int, int>>> sent;
    for (const Flight& flight : traced(NodeSchedule::output_driven, Logp{.L = 2, .g = 3}, Pricing::all_ranks).flights)
      sent[flight.sent].insert({flight.from, flight.to});
    for (const auto& [time, pairs] : sent)
      for (const auto& [i, j] : pairs)
        for (int k = 0; k < P_; ++k)
          if (!pairs.contains({k, k ^ i ^ j})) return false;
    return true;
  }

 private:
  static Index whole(double time) {
    require(time == std::floor(time), "a time that should be a whole number of nodes is {}", time);
    return static_cast<Index>(time);
  }

  const Outline& outline(NodeSchedule schedule, PhaseTwo phase_two) {
    const auto [found, is_new] = outlines_.try_emplace({schedule, phase_two});
    if (is_new) found->second = butterfly_outline({n_, P_, schedule, phase_two});
    return found->second;
  }

  Trace traced(NodeSchedule schedule, const Machine& machine, Pricing pricing = Pricing::one_rank) {
    return simulate(outline(schedule, PhaseTwo::waiting), machine, {.pricing = pricing, .trace = true}).trace;
  }

  Index n_;
  int P_;
  std::map<std::pair<NodeSchedule, PhaseTwo>, Outline> outlines_;
  std::vector<MadeNode> made_;
};

}  // namespace kallima::theory::sahay
