// The table of collectives, the sizes they work on, the schedules of all ranks, and running one: the rank's own
// schedule is made and executed once, and whatever can fail does so on all ranks together, before any message is under
// way. To add a collective: a function that lists a rank's tasks, and a row here.

#include "kallima/collective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <ranges>

#include "base/check.hpp"
#include "kallima/execute.hpp"
#include "lab/collective/collective_tasks.hpp"
#include "plan/rewrite/rewrite.hpp"

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
  const auto found = std::ranges::find(rows, name, &CollectiveRow::name);
  require(found != std::end(rows), "there is no collective '{}': use one of {}", name,
          fmt::join(rows | std::views::transform(&CollectiveRow::name), ", "));
  return *found;
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

// How much of the vector a rank reads or writes.
enum class Extent { whole, whole_on_root, part, part_of_each };

using enum Extent;
constexpr Extent extents[][2] = {
    {whole_on_root, whole}, {whole_on_root, part}, {part, whole_on_root},   // by Meaning:
    {part, whole},          {whole, part},         {whole, whole_on_root},  // those of in and out
    {whole, whole},         {whole, whole},        {whole, part_of_each}};

Index elements(const Collective& c, std::size_t array, int rank) {
  const Extent extent = extents[at(checked_row(c).meaning)][array];
  const Index mine = collective_part(c, rank + 1) - collective_part(c, rank);
  if (extent == part_of_each) return c.ranks * mine;
  return extent == part ? mine : extent == whole || rank == 0 ? c.words : 0;
}

void agree_on(Transport& transport, const Collective& c) {
  agree(transport, {{"name", c.name},
                    {"words", fmt::to_string(c.words)},
                    {"ranks", fmt::to_string(c.ranks)},
                    {"packet", fmt::to_string(c.packet)},
                    {"startup", fmt::to_string(c.startup)},
                    {"exchange", c.exchange == Exchange::views ? "views" : "messages"}});
}

// Where all ranks have agreed on the collective and every one checks its own arrays.
template <class T>
void check(const Transport& transport, const Collective& c, std::span<const std::complex<T>> in,
           std::span<std::complex<T>> out) {
  require(c.ranks == transport.size(), "the collective is for {} ranks but the communicator has {}: give it the same",
          c.ranks, transport.size());
  const auto needs = [&](const char* name, std::size_t has, Index wants) {
    require(static_cast<Index>(has) == wants,
            "array '{}' has {} elements on rank {}, but {} of {} words needs {} there", name, has, transport.rank(),
            c.name, c.words, wants);
  };
  needs("in", in.size(), collective_in(c, transport.rank()));
  needs("out", out.size(), collective_out(c, transport.rank()));
  require(in.data() >= out.data() + out.size() || out.data() >= in.data() + in.size(),
          "arrays 'in' and 'out' overlap (a collective leaves its input as it was): pass separate ones");
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

Index collective_in(const Collective& c, int rank) { return elements(c, 0, rank); }
Index collective_out(const Collective& c, int rank) { return elements(c, 1, rank); }

Index best_packet(const Collective& c) {
  const double height = std::max(1.0, std::log2(c.ranks)) * (c.name == "broadcast-double" ? 2 : 1);
  const double best = std::sqrt(static_cast<double>(c.words) / height * c.startup);
  return std::clamp(static_cast<Index>(std::lround(best)), Index{1}, std::max<Index>(1, c.words));
}

RankSchedule collective_schedule(const Collective& c, int rank) {
  const CollectiveRow& row = checked_row(c);
  require(rank >= 0 && rank < c.ranks, "there is no rank {} among {}", rank, c.ranks);
  CollectiveTasks tasks(c, rank);
  row.emit(tasks);
  return row.emit == alltoall_bruck ? relayed(tasks.take(), c.ranks) : tasks.take();
}

Schedule collective_schedule(const Collective& c) {
  checked_row(c);
  Schedule all{.name = c.name, .exchanges = c.ranks > 1 ? 1 : 0};
  for (int rank = 0; rank < c.ranks; ++rank) all.ranks.push_back(collective_schedule(c, rank));
  return all;
}

template <class T>
void run_collective(const Comm& comm, const Collective& asked, std::span<const std::complex<T>> in,
                    std::span<std::complex<T>> out, Trace* trace) {
  agree_on(comm.transport(), asked);
  Collective c = asked;
  if (!comm.transport().all_views()) c.exchange = Exchange::messages;
  RankSchedule mine;
  together(comm.transport(), [&] {
    check(comm.transport(), c, in, out);
    mine = collective_schedule(c, comm.rank());
  });
  const Precision precision = std::is_same_v<T, float> ? Precision::single_ : Precision::double_;
  execute(mine, Direction::forward, comm, std::as_bytes(in), std::as_writable_bytes(out),
          {.backend = cpu_backend(precision), .trace = trace});
}

template void run_collective<float>(const Comm&, const Collective&, std::span<const std::complex<float>>,
                                    std::span<std::complex<float>>, Trace*);
template void run_collective<double>(const Comm&, const Collective&, std::span<const std::complex<double>>,
                                     std::span<std::complex<double>>, Trace*);

}  // namespace kallima
