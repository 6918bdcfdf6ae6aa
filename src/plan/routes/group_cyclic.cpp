// Cyclic to cyclic for more ranks than the square root of the points, in t exchanges (Inda and Bisseling, Parallel
// Computing 27, 2001; Bisseling, Parallel Scientific Computation, section 3.4). A rank that holds m = n/p points can
// combine at most m ranks' worth of them, so the cycle of the distribution grows by a factor of m per exchange, from 1
// (blocks) to p (cyclic): t is the least number with m^t >= p. The bit reversal of the processors that turns the
// cyclic input into blocks costs nothing: every rank does its partner's work, and the first exchange puts that right.

#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/routes/twiddled.hpp"

namespace kallima {
namespace {

// n points over p ranks, m = n/p each: the cycles of the layouts on the way are 1, m, m^2, ... and p at last.
std::vector<Index> cycles_of(Index m, Index p) {
  std::vector<Index> cycles{1};
  while (cycles.back() < p) cycles.push_back(std::min(cycles.back() * m, p));
  return cycles;
}

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
std::vector<Index> radices_of(Index m, const std::vector<Index>& cycles) {
  std::vector<Index> radices{m};
  for (std::size_t i = 1; i < cycles.size(); ++i) radices.push_back(cycles[i] / cycles[i - 1]);
  return radices;
}

std::string explain(Index m, Index p, const std::vector<Index>& cycles) {
  const std::size_t t = cycles.size() - 1;
  return fmt::format(
      "{}, cyclic to cyclic by cycles {} (each exchange joins at most as many ranks as one has points, "
      "{}, and there are {} ranks)",
      t == 1 ? "one exchange" : fmt::format("{} exchanges", t), fmt::join(cycles, ", "), m, p);
}

}  // namespace

Candidate consider_group_cyclic(const Problem& problem, int ranks, const PlanOptions& asked) {
  const Problem inner = complex_part(problem);
  if (inner.axes.empty()) return {.reason = "no axis is left for it: reals and cosines need whole lines"};
  if (const std::string trouble = trouble_with(inner, ranks); !trouble.empty()) return {.reason = trouble};
  if (asked.alltoall != Alltoall::automatic)
    return {.reason = fmt::format("its exchanges are among groups of ranks, in an order of their own, not {}",
                                  name(asked.alltoall))};
  PlanOptions options = asked;
  options.grid = {ranks};
  const Index n = inner.shape[0], m = n / ranks;
  const std::vector<Index> cycles = cycles_of(m, ranks);
  options.radices = radices_of(m, cycles);
  if (!asked.radices.empty() && asked.radices != options.radices)
    return {.reason = fmt::format("{} points on {} ranks make its radices {}, not {}; leave them out", n, ranks,
                                  fmt::join(options.radices, ","), fmt::join(asked.radices, ","))};
  const TwiddledStatement statement{problem, {{options.radices, ranks}}, ranks};
  const Layout cyclic({Distribution::cyclic(n, ranks)}, ranks);
  Layout in = cyclic, out = cyclic;
  Paths paths = twiddled_paths(statement, cyclic, in, out);
  for (Path* path : {&paths.forward, &paths.backward}) path->phase = "superstep";
  return {.plan = path_plan({problem, options, in, out, std::move(paths), explain(m, ranks, cycles)})};
}

}  // namespace kallima
