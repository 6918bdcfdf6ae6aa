// Cyclic to cyclic for more ranks than the square root of the points, in t exchanges (Inda and Bisseling, Parallel
// Computing 27, 2001; Bisseling, Parallel Scientific Computation, section 3.4). A rank that holds m = n/p points can
// combine at most m ranks' worth of them, so the cycle of the distribution grows by a factor of m per exchange, from 1
// (blocks) to p (cyclic): t is the least number with m^t >= p. The bit reversal of the processors that turns the
// cyclic input into blocks costs nothing: every rank does its partner's work, and the first exchange puts that right.

#include "plan/routes/group_cyclic.hpp"

#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "plan/routes/around.hpp"

namespace kallima {
namespace {

class GroupCyclicPlan : public Plan {
 public:
  GroupCyclicPlan(GroupCyclic g, Problem problem, PlanOptions options, Layout layout, std::string explanation)
      : Plan(std::move(problem), std::move(options), layout, layout, g.last(), std::move(explanation)),
        g_(std::move(g)) {}

  RankSchedule rank_schedule(int rank, Direction) const override { return group_cyclic_tasks(g_, options(), rank); }

 private:
  GroupCyclic g_;
};

std::string trouble_with(const Problem& problem, int ranks) {
  if (problem.shape.size() != 1)
    return fmt::format("it is for one axis, and {} has {}", text(problem.shape), problem.shape.size());
  const Index n = problem.shape[0];
  if (power_of_two(n) && power_of_two(ranks) && ranks > 1 && ranks < n) return {};
  std::string why = fmt::format("it needs powers of two with 1 < ranks < points, not {} ranks and {} points", ranks, n);
  const auto most = static_cast<std::uint64_t>(std::min<Index>(ranks, n - 1));
  if (power_of_two(n) && most > 1) why += fmt::format("; {} ranks would do", std::bit_floor(most));
  return why;
}

// The lengths of the transforms, superstep by superstep.
std::vector<Index> radices_of(const GroupCyclic& g) {
  std::vector<Index> radices;
  for (int superstep = 0; superstep <= g.last(); ++superstep) radices.push_back(g.radix(superstep));
  return radices;
}

std::string explain(const GroupCyclic& g) {
  const std::string exchanges = g.last() == 1 ? "one exchange" : fmt::format("{} exchanges", g.last());
  return fmt::format(
      "{}, cyclic to cyclic by cycles {} (each exchange joins at most as many ranks as one has points, "
      "{}, and there are {} ranks)",
      exchanges, fmt::join(g.cycles, ", "), g.m, g.p);
}

}  // namespace

GroupCyclic::GroupCyclic(Index points, Index ranks) : n(points), p(ranks), m(points / ranks) {
  while (cycles.back() < p) cycles.push_back(std::min(cycles.back() * m, p));
}

namespace {

Answer plain_group_cyclic(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (const std::string trouble = trouble_with(problem, ranks); !trouble.empty()) return {.reason = trouble};
  if (asked.alltoall != Alltoall::automatic)
    return {.reason = fmt::format("its exchanges are among groups of ranks, in an order of their own, not {}",
                                  name(asked.alltoall))};
  PlanOptions options = asked;
  options.route = "group-cyclic";
  options.grid = {ranks};
  options.chunks = 1;
  GroupCyclic g(problem.shape[0], ranks);
  options.radices = radices_of(g);
  if (!asked.radices.empty() && asked.radices != options.radices)
    return {.reason = fmt::format("{} points on {} ranks make its radices {}, not {}; leave them out", g.n, g.p,
                                  fmt::join(options.radices, ","), fmt::join(asked.radices, ","))};
  const Layout layout({Distribution::cyclic(g.n, g.p)}, ranks);
  const std::string why = explain(g);
  return {.plan = std::make_unique<GroupCyclicPlan>(std::move(g), problem, options, layout, why)};
}

}  // namespace

Answer consider_group_cyclic(const Problem& problem, int ranks, const PlanOptions& options) {
  return around(plain_group_cyclic, problem, ranks, options);
}

}  // namespace kallima
