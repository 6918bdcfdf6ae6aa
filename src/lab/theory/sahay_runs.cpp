#include "lab/theory/sahay_runs.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/bits.hpp"
#include "base/check.hpp"

namespace kallima::theory::sahay {
namespace {

Index whole(double time) {
  require(time == std::floor(time), "a time that should be a whole number of nodes is {}", time);
  return static_cast<Index>(time);
}

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

const Outline& Runs::outline(NodeSchedule schedule, PhaseTwo phase_two) {
  const auto key = std::pair(schedule, phase_two);
  auto found = outlines_.find(key);
  if (found == outlines_.end()) found = outlines_.emplace(key, butterfly_outline({n_, P_, schedule, phase_two})).first;
  return found->second;
}

Trace Runs::traced(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine, Pricing pricing) {
  return simulate(outline(schedule, phase_two), machine, {.pricing = pricing, .trace = true}).trace;
}

// Phase I's nodes of the output-driven schedule in the order of their ends.
std::vector<Runs::MadeNode> Runs::made_nodes() {
  const std::vector<ButterflyNode> nodes = butterfly_nodes({n_, P_}, 0);
  std::vector<MadeNode> made;
  for (const Event& event : traced(NodeSchedule::output_driven, PhaseTwo::waiting, Logp{}, Pricing::one_rank).events)
    if (event.kind == TaskKind::compute && event.label == "phase I")
      made.push_back({nodes[at(event.task)].column, whole(event.end)});
  return made;
}

const std::vector<Index>& Runs::output_times() {
  if (!output_times_.empty()) return output_times_;
  const int last_column = log2_of(n_ / P_);
  for (const MadeNode& node : made_nodes())
    if (node.column == last_column) output_times_.push_back(node.end);
  return output_times_;
}

std::vector<int> Runs::columns_in_order() {
  std::vector<int> columns;
  for (const MadeNode& node : made_nodes()) columns.push_back(node.column);
  return columns;
}

std::vector<Index> Runs::sends(NodeSchedule schedule, const Machine& machine) {
  std::vector<Index> times;
  for (const Flight& flight : traced(schedule, PhaseTwo::waiting, machine, Pricing::one_rank).flights)
    times.push_back(whole(flight.sent));
  return times;
}

// Inputs are handed to the script one by one, the local ones first and the others in the order in which they are sent;
// each enables the nodes of phase II all of whose predecessors it completes.
std::vector<Index> Runs::enabled() {
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
    const bool is_output = computes(task, "phase I") && std::ranges::any_of(script.followers(task), [&](int follower) {
                             return computes(follower, "phase II");
                           });
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

Runs::Arrivals Runs::input_driven(Index g, Index L) {
  const Logp machine{.L = static_cast<double>(L), .g = static_cast<double>(g)};
  const Outline& all = outline(NodeSchedule::output_driven, PhaseTwo::input_driven);
  const Simulation run = simulate(all, machine, {.pricing = Pricing::one_rank, .trace = true});
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

bool Runs::is_symmetric() {
  const Logp machine{.L = 2, .g = 3};
  std::map<double, std::set<std::pair<int, int>>> sent;
  for (const Flight& flight :
       traced(NodeSchedule::output_driven, PhaseTwo::waiting, machine, Pricing::all_ranks).flights)
    sent[flight.sent].insert({flight.from, flight.to});
  for (const auto& [time, pairs] : sent)
    for (const auto& [i, j] : pairs)
      for (int k = 0; k < P_; ++k)
        if (!pairs.contains({k, k ^ i ^ j})) return false;
  return true;
}

}  // namespace kallima::theory::sahay
