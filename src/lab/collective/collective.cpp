// The table of collectives, the sizes they work on, and the schedules of all ranks. To add one: a function that emits a
// rank's tasks, and a row here.

#include "kallima/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.hpp"
#include "lab/collective/collective_tasks.hpp"

namespace kallima {

namespace {

enum class Ranks { any, powers_of_two };

struct CollectiveRow {
  std::string_view name;
  CollectiveAlgorithm* emit;
  Meaning meaning;
  Ranks ranks;
  std::string_view summary;
};

constexpr Ranks any = Ranks::any, powers = Ranks::powers_of_two;

constexpr CollectiveRow rows[] = {
    {"broadcast-binary", broadcast_binary, Meaning::broadcast, any, "down a complete binary tree, left child first"},
    {"broadcast-binomial", broadcast_binomial, Meaning::broadcast, any,
     "all that have it send it on, ceil(log2 P) rounds"},
    {"broadcast-ring", broadcast_ring, Meaning::broadcast, any,
     "a segment to every rank, then segments go round a ring"},
    {"broadcast-butterfly", broadcast_butterfly, Meaning::broadcast, powers, "scatter, then allgather"},
    {"broadcast-pipelined", broadcast_pipelined, Meaning::broadcast, any, "packets down a complete binary tree"},
    {"broadcast-double", broadcast_double, Meaning::broadcast, any,
     "packets down two trees, a leaf of one is inside the other"},
    {"scatter", scatter, Meaning::scatter, any, "halves of what is left, down a binomial tree"},
    {"gather", gather, Meaning::gather, any, "scatter backwards"},
    {"allgather", allgather, Meaning::allgather, powers, "butterfly, blocks double (recursive doubling)"},
    {"reduce-scatter", reduce_scatter, Meaning::reduce_scatter, powers, "butterfly, blocks halve (recursive halving)"},
    {"reduce", reduce, Meaning::reduce, powers, "reduce-scatter, then gather"},
    {"allreduce", allreduce, Meaning::allreduce, powers, "reduce-scatter, then allgather"},
    {"scan", scan, Meaning::scan, powers, "butterfly of whole vectors: inclusive prefix sums over ranks"},
    {"alltoall-direct", alltoall_direct, Meaning::alltoall, any, "straight to the targets: i+1, i+2, ..."},
    {"alltoall-pairwise", alltoall_pairwise, Meaning::alltoall, powers,
     "straight to the targets: i xor 1, i xor 2, ..."},
    {"alltoall-bruck", alltoall_bruck, Meaning::alltoall, any, "butterfly: ceil(log2 P) rounds of half the data"}};

const CollectiveRow& row_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (const CollectiveRow& row : rows) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  fail("there is no collective '{}': use one of {}", name, fmt::join(names, ", "));
}

const CollectiveRow& checked_row(const Collective& c) {
  const CollectiveRow& row = row_named(c.name);
  require(c.ranks >= 1, "{} on {} ranks is impossible (somebody must do it) use at least 1", c.name, c.ranks);
  require(c.words >= 0 && c.words <= Index{1} << 59, "{} of {} words is impossible: use 0 to 2^59", c.name, c.words);
  require(c.packet >= 0, "packets of {} words make no sense: use 1 or more, or 0 to let Kallima choose", c.packet);
  require(c.startup >= 0, "a message cannot start at the cost of {} words: use 0 or more", c.startup);
  require(row.ranks == Ranks::any || std::has_single_bit(static_cast<unsigned>(c.ranks)),
          "{} does not go on {} ranks (its butterfly needs a power of two) use {} or {} ranks", c.name, c.ranks,
          std::bit_floor(static_cast<unsigned>(c.ranks)), std::bit_ceil(static_cast<unsigned>(c.ranks)));
  return row;
}

Index own_part(const Collective& c, int rank) { return collective_part(c, rank + 1) - collective_part(c, rank); }

RankSchedule emit(const CollectiveRow& row, const Collective& c, int rank) {
  CollectiveTasks tasks(c, rank);
  row.emit(tasks);
  return tasks.take();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> collective_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const CollectiveRow& row : rows) names.emplace_back(row.name, row.summary);
  return names;
}

Meaning collective_meaning(const std::string& name) { return row_named(name).meaning; }

Index collective_part(const Collective& c, int rank) {
  return c.words / c.ranks * rank + c.words % c.ranks * rank / c.ranks;
}

Index collective_in(const Collective& c, int rank) {
  switch (checked_row(c).meaning) {
    case Meaning::broadcast:
    case Meaning::scatter:
      return rank == 0 ? c.words : 0;
    case Meaning::gather:
    case Meaning::allgather:
      return own_part(c, rank);
    default:
      return c.words;
  }
}

Index collective_out(const Collective& c, int rank) {
  switch (checked_row(c).meaning) {
    case Meaning::scatter:
    case Meaning::reduce_scatter:
      return own_part(c, rank);
    case Meaning::gather:
    case Meaning::reduce:
      return rank == 0 ? c.words : 0;
    case Meaning::alltoall:
      return c.ranks * own_part(c, rank);
    default:
      return c.words;
  }
}

Index best_packet(const Collective& c) {
  const double height = std::max(1.0, std::log2(c.ranks)) * (c.name == "broadcast-double" ? 2 : 1);
  const double best = std::sqrt(static_cast<double>(c.words) / height * c.startup);
  return std::clamp(static_cast<Index>(std::lround(best)), Index{1}, std::max<Index>(1, c.words));
}

RankSchedule collective_schedule(const Collective& c, int rank) {
  const CollectiveRow& row = checked_row(c);
  require(rank >= 0 && rank < c.ranks, "there is no rank {} among {}", rank, c.ranks);
  return emit(row, c, rank);
}

Schedule collective_schedule(const Collective& c) {
  const CollectiveRow& row = checked_row(c);
  Schedule all{.name = c.name, .exchanges = c.ranks > 1 ? 1 : 0};
  for (int rank = 0; rank < c.ranks; ++rank) all.ranks.push_back(emit(row, c, rank));
  return all;
}

}  // namespace kallima
