// One exchange, cyclic to cyclic (Bisseling; in n dimensions Koopman and Bisseling, SIAM J. Sci. Comput. 45, 2023).
// With n = R*Q points over p ranks, p dividing R and Q, rank s holds x[s + p*t]. Phase I transforms across its part to
// outputs a = 0..R-1, rank r needs those with a = r mod p, and phase II finishes X[a + R*q] there: cyclic again. Phase
// I makes the blocks of different destinations one after another (Sahay's output-driven order), phase II takes chunks
// as they arrive.

#include "plan/routes/cyclic.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/check.hpp"
#include "plan/routes/around.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/routes/four_step.hpp"
#include "plan/rewrite/relay.hpp"

namespace kallima {
namespace {

constexpr Index fewest_chunks = 8;
constexpr Index most_chunks = 32;
constexpr Index usual_message = 32768;  // elements: what a message should have at least, if that takes many chunks
constexpr Index usual_slices = 8;

bool divides_twice(Index p, Index n) { return p <= n && n % p == 0 && n / p % p == 0; }

// All grids of `ranks` over the transformed axes; the one with fewest distributed dimensions wins, then the one that
// distributes the slowest dimensions, since blocks are then long runs of memory.
struct GridSearch {
  const Problem& problem;
  Shape grid = Shape(problem.shape.size(), 1);
  Shape best = {};
  int best_dims = 0;

  void search(std::size_t axis, Index ranks, int used) {
    if (ranks == 1) {
      if (best.empty() || used < best_dims || (used == best_dims && grid > best)) {
        best = grid;
        best_dims = used;
      }
      return;
    }
    if (axis == problem.axes.size()) return;
    const auto k = static_cast<std::size_t>(problem.axes[axis]);
    for (Index p = ranks; p >= 1; --p) {
      if (ranks % p != 0 || !divides_twice(p, problem.shape[k])) continue;
      grid[k] = p;
      search(axis + 1, ranks / p, used + (p > 1 ? 1 : 0));
    }
    grid[k] = 1;
  }
};

// A grid of as many of the ranks as possible; all ones when only one rank can be used.
Shape choose_grid(const Problem& problem, int ranks) {
  for (Index used = ranks; used > 1; --used) {
    GridSearch search{problem};
    search.search(0, used, 0);
    if (!search.best.empty()) return search.best;
  }
  return Shape(problem.shape.size(), 1);
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

bool overlaps(const PlanOptions& options) {
  return options.exchange == Exchange::messages && options.overlap != Overlap::off;
}

CyclicParameters dimensions(const Problem& problem, const PlanOptions& options) {
  const Shape& grid = options.grid;
  const Index rows = overlaps(options) ? short_rows : usual_rows;
  CyclicParameters c;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    CyclicDim d{.n = problem.shape[k], .p = grid[k], .m = problem.shape[k] / grid[k]};
    d.transform = transforms(problem, k);
    if (d.distributed() && c.distributed_dims++ == 0) c.lead = k;
    c.dims.push_back(d);
  }
  for (CyclicDim& d : c.dims) {
    d.R = !d.distributed() ? 1 : c.distributed_dims == 1 ? column_length(d.n, d.p, rows) : d.m;
    d.S = d.m / d.R;
    d.Q = d.n / d.R;
  }
  return c;
}

// Chunks are residue classes of a/p, so their number divides R/p.
Index choose_chunks(const CyclicParameters& c, const PlanOptions& options) {
  const CyclicDim& lead = c.dims[c.lead];
  const Index classes = lead.R / lead.p;
  if (options.chunks > 0) return divisor_at_most(classes, options.chunks);
  if (options.exchange == Exchange::views) return 1;
  Index to_one_peer = 1;
  for (const CyclicDim& d : c.dims) to_one_peer *= d.m / d.p;
  return divisor_at_most(classes, std::clamp(to_one_peer / usual_message, fewest_chunks, most_chunks));
}

// Along the slowest of the other dimensions, whose parts are long runs of memory, or along v where there is no other.
// Three in eight slices are early: at the balance of computing and exchanging they travel while the others are
// computed, and chunks arrive from then on.
void choose_slices(CyclicParameters& c, const PlanOptions& options) {
  c.sliced = c.lead;
  for (std::size_t k = c.dims.size(); k-- > 0;)
    if (k != c.lead && c.dims[k].m / c.dims[k].p > 1) c.sliced = k;
  if (!overlaps(options) || !c.radices.empty() || c.distributed_dims > 1 || options.alltoall == Alltoall::bruck) return;
  const CyclicDim& cut = c.dims[c.sliced];
  c.slices = std::min(options.slices > 0 ? options.slices : usual_slices, c.sliced == c.lead ? cut.S : cut.m / cut.p);
  c.early = 3 * c.slices / 8;
}

std::string choose_radices(CyclicParameters& c, const PlanOptions& options) {
  const CyclicDim& lead = c.dims[c.lead];
  const Index classes = lead.p * c.chunks;
  if (options.radices.empty()) return {};
  const Index product = std::accumulate(options.radices.begin(), options.radices.end(), Index{1},
                                        [](Index a, Index b) { return a > (Index{1} << 40) / b ? -1 : a * b; });
  if (options.radices.size() == 1 && product == lead.R) return {};
  if (product != classes)
    return fmt::format(
        "the radices multiply to {}, but must give the {} classes of {} ranks and {} chunks, or be {} "
        "alone to do phase I in one pass",
        product, classes, lead.p, c.chunks, lead.R);
  if (c.distributed_dims > 1) return "a grid with several distributed dimensions does phase I in one pass";
  c.radices = options.radices;
  return {};
}

std::string alltoall_trouble(const CyclicParameters& c, const PlanOptions& options, Index ranks) {
  const Alltoall how = options.alltoall;
  if (how == Alltoall::pairwise && !std::has_single_bit(static_cast<std::uint64_t>(ranks)))
    return fmt::format("a pairwise all-to-all needs a power of two, not {} ranks", ranks);
  const bool own_order = options.order == Order::destination_first && c.radices.size() > 1;
  if (own_order && (how == Alltoall::direct || how == Alltoall::pairwise))
    return fmt::format(
        "a tree of {} levels with destinations first has an order of its own, not that of a {} all-to-all",
        c.radices.size(), name(how));
  return {};
}

class CyclicPlan : public Plan {
 public:
  CyclicPlan(CyclicParameters parameters, Problem problem, PlanOptions options, Layout layout, std::string explanation)
      : Plan(std::move(problem), std::move(options), layout, layout, 1, std::move(explanation)),
        parameters_(std::move(parameters)) {}

  RankSchedule rank_schedule(int rank, Direction) const override {
    RankSchedule schedule = cyclic_tasks(parameters_, layout_in(), options(), rank);
    return options().alltoall == Alltoall::bruck ? relayed(std::move(schedule), layout_in().active_ranks()) : schedule;
  }

 private:
  CyclicParameters parameters_;
};

Answer plain_cyclic(const Problem& problem, int ranks, const PlanOptions& asked) {
  PlanOptions options = asked;
  options.route = "cyclic";
  if (options.grid.empty()) options.grid = choose_grid(problem, ranks);
  if (const std::string trouble = grid_trouble(problem, options.grid); !trouble.empty()) return {.reason = trouble};
  const Index active = element_count(options.grid);
  if (active == 1)
    return {.reason = fmt::format("it needs 2 or more ranks p with p*p dividing an extent of {}", text(problem.shape))};

  CyclicParameters c = dimensions(problem, options);
  c.chunks = choose_chunks(c, options);
  if (const std::string trouble = choose_radices(c, options); !trouble.empty()) return {.reason = trouble};
  choose_slices(c, options);
  if (const std::string trouble = alltoall_trouble(c, options, active); !trouble.empty()) return {.reason = trouble};
  options.chunks = c.chunks;
  options.slices = c.slices;
  options.radices = c.radices.empty() ? std::vector<Index>{c.dims[c.lead].R} : c.radices;

  std::vector<Distribution> dims;
  for (const CyclicDim& d : c.dims) dims.push_back(Distribution::cyclic(d.n, d.p));
  std::string why = fmt::format("one exchange, cyclic to cyclic on a {} grid, {} chunk{}", text(options.grid), c.chunks,
                                c.chunks == 1 ? "" : "s");
  if (c.slices > 1) why += fmt::format(" after {} slices", c.slices);
  if (options.alltoall != Alltoall::automatic) why += fmt::format(", all-to-all {}", name(options.alltoall));
  if (active < ranks) why += fmt::format(" (uses {} of {} ranks)", active, ranks);
  return {.plan = std::make_unique<CyclicPlan>(std::move(c), problem, options, Layout(dims, ranks), why)};
}

}  // namespace

Answer consider_cyclic(const Problem& problem, int ranks, const PlanOptions& options) {
  return around(plain_cyclic, problem, ranks, options);
}

}  // namespace kallima
