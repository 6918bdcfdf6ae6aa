#include "lab/theory/sahay_runs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/check.hpp"

namespace kallima::theory::sahay {
namespace {

Index whole(double time) {
  require(time == std::floor(time), "a time that should be a whole number of nodes is {}", time);
  return static_cast<Index>(time);
}

bool is_phase_one(const Event& event) { return event.kind == TaskKind::compute && event.label == "phase I"; }

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

const Outline& Runs::outline(NodeSchedule schedule, PhaseTwo phase_two) {
  const auto key = std::pair(schedule, phase_two);
  auto found = outlines_.find(key);
  if (found == outlines_.end()) found = outlines_.emplace(key, butterfly_outline({n_, P_, schedule, phase_two})).first;
  return found->second;
}

Simulation Runs::traced(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine, Pricing pricing) {
  return simulate(outline(schedule, phase_two), machine, {.pricing = pricing, .trace = true});
}

// The last column's nodes, in the order of their ends.
const std::vector<Index>& Runs::output_times() {
  if (!output_times_.empty()) return output_times_;
  const std::vector<Node> nodes = butterfly_nodes({n_, P_, NodeSchedule::output_driven, PhaseTwo::waiting}, 0);
  int last_column = 0;
  const Simulation run = traced(NodeSchedule::output_driven, PhaseTwo::waiting, Logp{}, Pricing::one_rank);
  for (const Event& event : run.trace.events)
    if (is_phase_one(event)) last_column = std::max(last_column, nodes[at(event.task)].column);
  for (const Event& event : run.trace.events)
    if (is_phase_one(event) && nodes[at(event.task)].column == last_column) output_times_.push_back(whole(event.end));
  return output_times_;
}

std::vector<Index> Runs::send_times(Index g) {
  const Logp machine{.g = static_cast<double>(g)};
  const Simulation run = traced(NodeSchedule::output_driven, PhaseTwo::waiting, machine, Pricing::one_rank);
  std::vector<Index> times;
  for (const Flight& flight : run.trace.flights) times.push_back(whole(flight.sent));
  return times;
}

std::vector<int> Runs::columns_in_order() {
  const std::vector<Node> nodes = butterfly_nodes({n_, P_, NodeSchedule::output_driven, PhaseTwo::waiting}, 0);
  const Simulation run = traced(NodeSchedule::output_driven, PhaseTwo::waiting, Logp{}, Pricing::one_rank);
  std::vector<int> columns;
  for (const Event& event : run.trace.events)
    if (is_phase_one(event)) columns.push_back(nodes[at(event.task)].column);
  return columns;
}

// Inputs are handed to the script one by one, the local ones first and the others in the order in which they are sent;
// each enables the nodes of phase II all of whose predecessors it completes.
std::vector<Index> Runs::enabled() {
  const Outline& all = outline(NodeSchedule::output_driven, PhaseTwo::input_driven);
  const Script& script = all.script(0);
  std::vector<std::uint32_t> unmet(script.size());
  for (std::size_t i = 0; i < unmet.size(); ++i)
    unmet[i] = static_cast<std::uint32_t>(script.after(static_cast<int>(i)).size());
  std::vector<int> local;
  std::vector<int> remote;
  for (int task = 0; at(task) < script.size(); ++task) {
    if (script[task].kind == TaskKind::send_start) remote.push_back(script[task].match);
    if (script[task].kind != TaskKind::compute || all.stages[script[task].stage] != "phase I") continue;
    for (const int follower : script.followers(task))
      if (script[follower].kind == TaskKind::compute && all.stages[script[follower].stage] == "phase II") {
        local.push_back(task);
        break;
      }
  }
  std::vector<Index> counts;
  for (const std::vector<int>* inputs : {&local, &remote})
    for (const int input : *inputs) {
      Index count = 0;
      std::vector<int> done{input};
      while (!done.empty()) {
        const int task = done.back();
        done.pop_back();
        for (const int follower : script.followers(task)) {
          if (script[follower].kind != TaskKind::compute || --unmet[at(follower)] > 0) continue;
          ++count;
          done.push_back(follower);
        }
      }
      counts.push_back(count);
    }
  return counts;
}

Runs::Arrivals Runs::input_driven(Index g, Index L) {
  const Logp machine{.L = static_cast<double>(L), .g = static_cast<double>(g)};
  const Simulation run = traced(NodeSchedule::output_driven, PhaseTwo::input_driven, machine, Pricing::one_rank);
  Arrivals it{.completion = whole(run.completion)};
  for (const Flight& flight : run.trace.flights) it.taken.push_back(whole(flight.taken));
  std::sort(it.taken.begin(), it.taken.end());
  const Index local = n_ / P_ / P_;
  double end = 0;
  for (const Event& event : run.trace.events) {
    if (event.kind != TaskKind::compute) continue;
    if (event.begin > end) {  // the input that ended this wait
      const auto input = std::find(it.taken.begin(), it.taken.end(), whole(event.begin));
      require(input != it.taken.end(), "a processor waited until {} although nothing arrived then", event.begin);
      it.bottlenecks.push_back(local + (input - it.taken.begin()));
    }
    end = event.end;
  }
  return it;
}

Index Runs::completion(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine, Capacity capacity) {
  return whole(simulate(outline(schedule, phase_two), machine, {.capacity = capacity}).completion);
}

Index Runs::messages(NodeSchedule schedule) {
  return simulate(outline(schedule, PhaseTwo::waiting), Logp{.g = 1}).messages;
}

std::vector<Index> Runs::block_send_times() {
  const Simulation run = traced(NodeSchedule::block_output_driven, PhaseTwo::waiting, Loggp{}, Pricing::one_rank);
  std::vector<Index> times;
  for (const Flight& flight : run.trace.flights) times.push_back(whole(flight.sent));
  return times;
}

bool Runs::is_symmetric() {
  const Simulation run =
      traced(NodeSchedule::output_driven, PhaseTwo::waiting, Logp{.L = 2, .g = 3}, Pricing::all_ranks);
  std::map<double, std::set<std::pair<int, int>>> sent;
  for (const Flight& flight : run.trace.flights) sent[flight.sent].insert({flight.from, flight.to});
  for (const auto& [time, pairs] : sent)
    for (const auto& [i, j] : pairs)
      for (int k = 0; k < P_; ++k)
        if (!pairs.contains({k, k ^ i ^ j})) return false;
  return true;
}

}  // namespace kallima::theory::sahay
