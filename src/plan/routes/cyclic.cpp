// One exchange, cyclic to cyclic (Bisseling; in n dimensions Koopman and Bisseling, SIAM J. Sci. Comput. 45, 2023).
// With n = R*Q points over p ranks, p dividing R and Q, rank s holds x[s + p*t]. Phase I transforms across its part to
// outputs a = 0..R-1, rank r needs those with a = r mod p, and phase II finishes X[a + R*q] there: cyclic again. Phase
// I makes the blocks of different destinations one after another (Sahay's output-driven order), phase II takes chunks
// as they arrive.

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.hpp"
#include "layout/grids.hpp"
#include "plan/choose/search.hpp"
#include "plan/routes/four_step.hpp"
#include "plan/routes/twiddled.hpp"

namespace kallima {
namespace {

bool divides_twice(Index p, Index n) { return p <= n && n % p == 0 && n / p % p == 0; }

// A grid of as many of the ranks as possible; of those one with few distributed dimensions, and these slow, since
// blocks are then long runs of memory.
Shape choose_grid(const Problem& problem, int ranks) {
  const std::vector<std::size_t> axes(problem.axes.begin(), problem.axes.end());
  const std::vector<Shape> grids = widest_grids(problem.shape.size(), axes, ranks, [&](std::size_t k, Index parts) {
    return divides_twice(parts, problem.shape[k]);
  });
  const auto worth = [](const Shape& grid) { return std::pair(std::ranges::count(grid, 1), grid); };
  return *std::ranges::max_element(grids, [&](const Shape& a, const Shape& b) { return worth(a) < worth(b); });
}

std::string grid_trouble(const Problem& problem, const Shape& grid) {
  for (std::size_t k = 0; k < grid.size(); ++k) {
    if (grid[k] == 1) continue;
    if (!transforms(problem, k))
      return fmt::format("the grid {} splits axis {}, which is not transformed", text(grid), k);
    if (!divides_twice(grid[k], problem.shape[k]))
      return fmt::format("{} ranks along axis {} need {}*{} to divide its extent {}", grid[k], k, grid[k], grid[k],
                         problem.shape[k]);
  }
  return {};
}

// R and Q for each axis that is dealt out: all of a rank's points are one line where several are, and lines short
// enough for messages to be looked after between two of them where these are to be hidden.
std::vector<FactoredAxis> factored(const Problem& problem, const PlanOptions& options) {
  const bool overlaps = options.exchange == Exchange::messages && options.overlap != Overlap::off;
  const auto several = std::ranges::count_if(options.grid, [](Index p) { return p > 1; }) > 1;
  std::vector<FactoredAxis> axes;
  for (std::size_t k = 0; k < options.grid.size(); ++k) {
    const Index n = problem.shape[k], p = options.grid[k];
    FactoredAxis& axis = axes.emplace_back(FactoredAxis{.factors = {}, .parts = p});
    if (p == 1) continue;
    const Index R = several ? n / p : column_length(n, p, overlaps ? short_rows : usual_rows);
    axis.factors = {R, n / R};
  }
  return axes;
}

// The radices of a tree of classes, if that is asked for; R alone is the same as none.
std::string choose_radices(std::vector<Index>& radices, const FactoredAxis& lead, Index chunks, bool several) {
  const Index classes = lead.parts * chunks, R = lead.factors[0];
  const Index product = std::accumulate(radices.begin(), radices.end(), Index{1},
                                        [](Index a, Index b) { return a > (Index{1} << 40) / b ? -1 : a * b; });
  if (radices.size() == 1 && product == R) radices.clear();
  if (radices.empty()) return {};
  if (product != classes)
    return fmt::format(
        "the radices multiply to {}, but must give the {} classes of {} ranks and {} chunks, or be {} "
        "alone to do phase I in one pass",
        product, classes, lead.parts, chunks, R);
  if (several) return "a grid with several distributed dimensions does phase I in one pass";
  return {};
}

std::string alltoall_trouble(const PlanOptions& options, std::size_t levels, Index ranks) {
  const Alltoall how = options.alltoall;
  if (how == Alltoall::pairwise && !std::has_single_bit(static_cast<std::uint64_t>(ranks)))
    return fmt::format("a pairwise all-to-all needs a power of two, not {} ranks", ranks);
  const bool own_order = options.order == Order::destination_first && levels > 1;
  if (own_order && (how == Alltoall::direct || how == Alltoall::pairwise))
    return fmt::format(
        "a tree of {} levels with destinations first has an order of its own, not that of a {} all-to-all", levels,
        name(how));
  return {};
}

std::string explain(const PlanOptions& options, const Path& path, Index active, int ranks) {
  const Index chunks = path.stops[path.tree_stop + 1].cut.count, slices = path.stops[path.tree_stop].cut.count;
  std::string why = fmt::format("{}, cyclic to cyclic on a {} grid, {} chunk{}",
                                path.exchanges() == 1 ? "one exchange" : fmt::format("{} exchanges", path.exchanges()),
                                text(options.grid), chunks, chunks == 1 ? "" : "s");
  if (slices > 1) why += fmt::format(" after {} slices", slices);
  if (options.alltoall != Alltoall::automatic) why += fmt::format(", all-to-all {}", name(options.alltoall));
  if (active < ranks) why += fmt::format(" (uses {} of {} ranks)", active, ranks);
  return why;
}

}  // namespace

Candidate consider_cyclic(const Problem& problem, int ranks, const PlanOptions& asked) {
  const Problem inner = complex_part(problem);
  if (inner.axes.empty()) return {.reason = "no axis is left for it: reals and cosines need whole lines"};
  PlanOptions options = asked;
  if (options.grid.empty()) options.grid = choose_grid(inner, ranks);
  if (const std::string trouble = grid_trouble(inner, options.grid); !trouble.empty()) return {.reason = trouble};
  const Index active = element_count(options.grid);
  if (active == 1)
    return {.reason = fmt::format("it needs 2 or more ranks p with p*p dividing an extent of {}", text(inner.shape))};
  if (!leaves_whole(problem, options.grid))
    return {.reason = "it deals out an axis of reals or cosines, which need whole lines"};

  const TwiddledStatement statement{problem, factored(inner, options), ranks};
  const Layout cyclic = Layout::cyclic(inner.shape, options.grid, ranks);
  Layout in = cyclic, out = cyclic;
  Paths paths = twiddled_paths(statement, cyclic, in, out);
  if (options.alltoall == Alltoall::bruck && paths.forward.exchanges() > 1)
    return {.reason = "its exchanges to and from other layouts are not between all ranks alike, so none is relayed"};

  const auto dealt = [](const FactoredAxis& a) { return a.parts > 1; };
  const auto lead = std::ranges::find_if(statement.axes, dealt);
  const bool several = std::ranges::count_if(statement.axes, dealt) > 1;
  std::vector<Index> radices = options.radices;
  Index chunks = 1;
  if (!radices.empty()) {
    Path probe = paths.forward;
    settle(probe, options);
    chunks = probe.stops[probe.tree_stop + 1].cut.count;
  }
  if (std::string trouble = choose_radices(radices, *lead, chunks, several); !trouble.empty())
    return {.reason = trouble};
  if (std::string trouble = alltoall_trouble(options, radices.size(), active); !trouble.empty())
    return {.reason = trouble};
  options.radices = radices.empty() ? std::vector<Index>{lead->factors[0]} : radices;
  if (!radices.empty()) options.chunks = chunks;
  paths.forward.radices = paths.backward.radices = radices;
  const auto why = [=](const Path& settled) { return explain(options, settled, active, ranks); };
  return {.plan = path_plan({problem, options, in, out, std::move(paths), {}, why})};
}

}  // namespace kallima
