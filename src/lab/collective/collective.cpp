// The table of collectives, the sizes they work on, and the schedules of all ranks. To add one: a function that emits a
// rank's tasks, and a row in collectives.def.

#include "kallima/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/check.hpp"
#include "lab/collective/collective_tasks.hpp"

namespace kallima {

#define KALLIMA_COLLECTIVE(name, function, meaning, ranks, summary) void function(CollectiveTasks&);
#include "lab/collective/collectives.def"
#undef KALLIMA_COLLECTIVE

namespace {

enum class Ranks { any, powers_of_two };

struct Row {
  std::string_view name;
  std::string_view summary;
  Meaning meaning;
  Ranks ranks;
  void (*emit)(CollectiveTasks&);
};

constexpr Row rows[] = {
#define KALLIMA_COLLECTIVE(name, function, meaning, ranks, summary) \
  {name, summary, Meaning::meaning, Ranks::ranks, function},
#include "lab/collective/collectives.def"
#undef KALLIMA_COLLECTIVE
};

const Row& row_named(const std::string& name) {
  const auto found = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name; });
  if (found == std::end(rows)) {
    std::string names;
    for (const Row& r : rows) names += fmt::format("{}{}", names.empty() ? "" : ", ", r.name);
    fail("there is no collective '{}': use one of {}", name, names);
  }
  return *found;
}

const Row& checked_row(const Collective& c) {
  const Row& row = row_named(c.name);
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

RankSchedule emit(const Row& row, const Collective& c, int rank) {
  CollectiveTasks tasks(c, rank);
  row.emit(tasks);
  return tasks.take();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> collective_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Row& row : rows) names.emplace_back(row.name, row.summary);
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
  const Row& row = checked_row(c);
  require(rank >= 0 && rank < c.ranks, "there is no rank {} among {}", rank, c.ranks);
  return emit(row, c, rank);
}

Schedule collective_schedule(const Collective& c) {
  const Row& row = checked_row(c);
  Schedule all{.name = c.name, .exchanges = c.ranks > 1 ? 1 : 0};
  for (int rank = 0; rank < c.ranks; ++rank) all.ranks.push_back(emit(row, c, rank));
  return all;
}

}  // namespace kallima
