// Transposes between blocks of one axis and blocks of another: any sizes, block layouts, the classical way. All axes
// but the one that is cut are transformed first, blocks are exchanged so that another axis is cut, and the first one
// is transformed last. It is pipelined like the cyclic route: the axis that will be cut is transformed first and dealt
// out to blocks, the remaining ones block by block while earlier blocks travel, and the last axis chunk by chunk as
// they arrive. Returning to the layout the data came in takes a second exchange.

#include "plan/routes/slab.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "plan/routes/around.hpp"
#include "plan/exchange/axes.hpp"

namespace kallima {
namespace {

constexpr Index usual_chunks = 8;

struct Cut {
  std::size_t first = 0;   // the axis cut on input
  std::size_t second = 0;  // the axis cut in between, or on output
  Index ranks = 0;
};

// The pair of axes that keeps most ranks busy, slow axes preferred.
Cut choose_cut(const Problem& problem, int ranks, const Shape& grid) {
  Cut best;
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    if (!transforms(problem, a) || (!grid.empty() && grid[a] != ranks)) continue;
    for (std::size_t b = 0; b < problem.shape.size(); ++b) {
      const Index used = std::min({static_cast<Index>(ranks), problem.shape[a], problem.shape[b]});
      if (a != b && used > best.ranks) best = {a, b, used};
    }
  }
  return best;
}

Layout cut_layout(const Shape& shape, std::size_t axis, Index parts, int ranks) {
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) dims.push_back(Distribution::block(shape[k], k == axis ? parts : 1));
  return {dims, ranks};
}

class SlabPlan : public Plan {
 public:
  SlabPlan(Cut cut, Problem problem, PlanOptions options, Layout in, Layout out, int exchanges, std::string why)
      : Plan(std::move(problem), std::move(options), std::move(in), std::move(out), exchanges, std::move(why)),
        cut_(cut) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    if (rank >= cut_.ranks) return {.rank = rank};
    const bool swapped = direction == Direction::backward && exchanges() == 1;
    return slab_tasks({.problem = problem(),
                       .from = swapped ? cut_.second : cut_.first,
                       .to = swapped ? cut_.first : cut_.second,
                       .ranks = cut_.ranks,
                       .chunks = options().chunks,
                       .there_and_back = exchanges() == 2},
                      options(), rank);
  }

 private:
  Cut cut_;
};

}  // namespace

Answer consider_slab(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (!plain(problem)) return {.reason = "it takes complex numbers in layouts of its own choice"};
  PlanOptions options = asked;
  options.route = "slab";
  const Cut cut = choose_cut(problem, ranks, options.grid);
  if (cut.ranks < 2)
    return {.reason = fmt::format("it needs two axes of extent 2 or more, one of them transformed, in {}, and 2 ranks",
                                  text(problem.shape))};
  if (options.alltoall == Alltoall::pairwise || options.alltoall == Alltoall::bruck)
    return {.reason = fmt::format("its blocks may differ in size and go straight to ranks i+1, i+2, ..., not {}",
                                  name(options.alltoall))};
  options.grid.assign(problem.shape.size(), 1);
  options.grid[cut.first] = cut.ranks;
  if (options.chunks == 0) options.chunks = options.exchange == Exchange::views ? 1 : usual_chunks;
  options.chunks = std::min(options.chunks, problem.shape[cut.second]);
  const bool back = problem.output == Output::same;
  const Layout in = cut_layout(problem.shape, cut.first, cut.ranks, ranks);
  const Layout out = cut_layout(problem.shape, back ? cut.first : cut.second, cut.ranks, ranks);
  std::string why =
      fmt::format("{}, blocks of axis {} to blocks of axis {}{}, {} chunk{}", back ? "two exchanges" : "one exchange",
                  cut.first, cut.second, back ? " and back" : "", options.chunks, options.chunks == 1 ? "" : "s");
  if (cut.ranks < ranks) why += fmt::format(" (uses {} of {} ranks)", cut.ranks, ranks);
  return {.plan = std::make_unique<SlabPlan>(cut, problem, options, in, out, back ? 2 : 1, why)};
}

}  // namespace kallima
