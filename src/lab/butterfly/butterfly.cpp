// The table of node-grain schedules, and who does what in each.

#include "kallima/butterfly.hpp"

#include "base/check.hpp"
#include "lab/butterfly/butterfly_script.hpp"

namespace kallima {
namespace {

struct NamedSchedule {
  NodeSchedule schedule;
  const char* name;
  const char* summary;
};

constexpr NamedSchedule table[] = {
    {NodeSchedule::all_cyclic, "all-cyclic", "rows dealt out cyclically in all columns: n log P messages"},
    {NodeSchedule::all_blocked, "all-blocked", "rows dealt out in blocks in all columns: n log P messages"},
    {NodeSchedule::simple, "simple", "two phases, column by column; sends after phase I, to i+1, i+2, ..."},
    {NodeSchedule::bad_order, "bad-order", "as simple, but everybody sends to 0, then to 1, ..."},
    {NodeSchedule::output_driven, "output-driven", "phase I makes outputs one by one and sends them at once (Sahay)"},
    {NodeSchedule::identity_order, "identity-order", "as output-driven, but all processors make output 0 first"},
    {NodeSchedule::block_output_driven, "block-output-driven", "as output-driven, with one long message per processor"},
};

// Peers by exclusive or with the own number. Block j of phase I goes to complement(rank) xor j, which is j xor (P-1)
// away.
TwoPhases by_exclusive_or(const ButterflySizes& s, const Butterfly& butterfly) {
  TwoPhases it{.blocks = butterfly.schedule == NodeSchedule::block_output_driven, .phase_two = butterfly.phase_two};
  for (int j = 0; j < s.P; ++j) {
    const int distance = j ^ (s.P - 1);
    it.destinations.push_back(distance == 0 ? TwoPhases::own : distance);
    it.places.push_back(distance - 1);
    it.sources.push_back(j == 0 ? TwoPhases::own : j);
  }
  return it;
}

// Peers by their numbers; block b goes to processor b.
TwoPhases by_number(const ButterflySizes& s, const Butterfly& butterfly, int rank) {
  TwoPhases it{.output_driven = butterfly.schedule == NodeSchedule::identity_order, .phase_two = butterfly.phase_two};
  for (int b = 0; b < s.P; ++b) {
    it.destinations.push_back(b == rank ? TwoPhases::own : b);
    it.places.push_back(rank < b ? rank : rank - 1);
    it.sources.push_back(b == rank ? TwoPhases::own : b);
    if (b == 0) continue;
    const int next = butterfly.schedule == NodeSchedule::bad_order ? (b <= rank ? b - 1 : b) : (rank + b) % s.P;
    it.send_order.push_back(next);
  }
  return it;
}

ButterflyScript script_of(const ButterflySizes& s, const Butterfly& butterfly, int rank) {
  if (!has_two_phases(butterfly.schedule)) return fixed_rows_script(s, butterfly.schedule);
  return two_phase_script(
      s, ranks_alike(butterfly.schedule) ? by_exclusive_or(s, butterfly) : by_number(s, butterfly, rank));
}

// From the processor's own terms to those of the whole butterfly.
ButterflyNode global(const ButterflySizes& s, const Butterfly& butterfly, int rank, const LocalNode& local) {
  if (local.column < 0) return {};
  const bool relative = ranks_alike(butterfly.schedule);
  if (butterfly.schedule == NodeSchedule::all_blocked) return {Index{rank} * s.m + local.row, local.column};
  if (butterfly.schedule == NodeSchedule::all_cyclic) return {Index{local.row} * s.P + rank, local.column};
  if (local.column <= s.log_m) {
    const int block = relative ? (s.P - 1 - rank) * s.l : 0;
    return {Index{local.row ^ block} * s.P + rank, local.column};
  }
  return {Index{rank} * s.m + (relative ? local.row ^ rank : local.row), local.column};
}

}  // namespace

bool has_two_phases(NodeSchedule schedule) {
  return schedule != NodeSchedule::all_cyclic && schedule != NodeSchedule::all_blocked;
}

bool ranks_alike(NodeSchedule schedule) {
  return schedule != NodeSchedule::simple && schedule != NodeSchedule::bad_order &&
         schedule != NodeSchedule::identity_order;
}

Outline butterfly_outline(const Butterfly& butterfly) {
  const ButterflySizes sizes(butterfly);
  const bool symmetric = ranks_alike(butterfly.schedule);
  Outline all{.name = name(butterfly.schedule), .ranks = sizes.P};
  all.peers = symmetric ? Peers::exclusive_or : Peers::absolute;
  all.stages = {"phase I", "phase II", "message"};
  for (int rank = 0; rank < (symmetric ? 1 : sizes.P); ++rank)
    all.scripts.push_back(std::move(script_of(sizes, butterfly, rank).script()));
  return all;
}

std::vector<ButterflyNode> butterfly_nodes(const Butterfly& butterfly, int rank) {
  const ButterflySizes sizes(butterfly);
  const ButterflyScript script = script_of(sizes, butterfly, rank);
  std::vector<ButterflyNode> nodes;
  nodes.reserve(script.nodes().size());
  for (const LocalNode& local : script.nodes()) nodes.push_back(global(sizes, butterfly, rank, local));
  return nodes;
}

std::vector<std::pair<std::string, std::string>> node_schedule_names() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const NamedSchedule& row : table) all.emplace_back(row.name, row.summary);
  return all;
}

NodeSchedule node_schedule_named(const std::string& wanted) {
  std::string names;
  for (const NamedSchedule& row : table) {
    if (wanted == row.name) return row.schedule;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  }
  fail("there is no schedule '{}' of single nodes: use one of {}", wanted, names);
}

std::string name(NodeSchedule schedule) {
  for (const NamedSchedule& row : table)
    if (row.schedule == schedule) return row.name;
  return "?";
}

}  // namespace kallima
