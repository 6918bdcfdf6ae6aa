// No exchange at all: every rank transforms lines it holds entirely. An axis that is not transformed is dealt out in
// blocks; where all axes are transformed, or none is long enough to give every rank something, rank 0 does the work.
// This is also the route of a single rank, and the last resort for shapes that no other route can split.

#include <algorithm>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/routes/four_step.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

// The axis of a line that is all a rank has, if that is too long for a cache, and how many points its columns have.
struct LongLine {
  std::size_t axis = 0;
  Index columns = 0;  // 0: there is none
};

LongLine long_line(const Problem& problem, const Layout& layout) {
  LongLine found;
  const Shape shape = layout.local_shape(0);
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k] == 1) continue;
    if (found.columns > 0 || !transforms(problem, k)) return {};
    found = {k, shape[k]};
  }
  const Index n = found.columns;
  found.columns = n > longest_line ? column_length(n, 1) : 0;
  return found.columns < n ? found : LongLine{};
}

// Such a line is transformed in four steps: across, twiddle factors, along, all in slots of its own.
Path path_of(const Problem& problem, const Layout& layout) {
  const LongLine line = long_line(problem, layout);
  std::vector<Slot> slots;
  std::vector<std::vector<std::size_t>> axes;
  std::vector<Transform> todo;
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    const Index n = problem.shape[k], first = static_cast<Index>(slots.size());
    axes.push_back({slots.size()});
    if (line.columns > 0 && k == line.axis) {
      const Index rows = n / line.columns;
      axes.back().push_back(slots.size() + 1);
      todo.push_back({.slot = slots.size(), .length = line.columns, .modulus = n, .by = {{slots.size() + 1, 1}}});
      todo.push_back({.slot = slots.size() + 1, .length = rows});
      slots.push_back({Distribution::block(line.columns, 1)});
      slots.push_back({Distribution::block(rows, 1)});
      continue;
    }
    if (transforms(problem, k)) todo.push_back({.slot = static_cast<std::size_t>(first), .length = n});
    slots.push_back({layout.dims()[k]});
  }
  const std::vector<Index> strides = row_major(layout.grid());
  for (std::size_t k = 0; k < axes.size(); ++k) slots[axes[k].front()].rank_stride = strides[k];
  const Held held{Spread(slots, layout.ranks()), Data::complex_, {}, axes};
  Held out = held;
  for (auto& order : out.axes) std::ranges::reverse(order);
  return {.stops = {{.held = held, .transforms = todo}}, .out = out};
}

}  // namespace

Candidate consider_local(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (!plain(problem)) return {.reason = "it takes complex numbers in layouts of its own choice"};
  PlanOptions options = asked;
  options.chunks = 1;
  if (ranks > 1 && options.alltoall != Alltoall::automatic)
    return {.reason = fmt::format("it exchanges nothing, so there is no {} all-to-all", name(options.alltoall))};
  std::size_t batch = 0;  // the longest axis that is not transformed
  Index extent = 1;
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    if (transforms(problem, k) || problem.shape[k] <= extent) continue;
    batch = k;
    extent = problem.shape[k];
  }
  if (!options.grid.empty()) {
    for (std::size_t k = 0; k < options.grid.size(); ++k)
      if (options.grid[k] > 1 && transforms(problem, k))
        return {.reason = fmt::format("the grid {} splits axis {}, which is transformed", text(options.grid), k)};
  } else {
    options.grid.assign(problem.shape.size(), 1);
    options.grid[batch] = std::min<Index>(ranks, extent);
  }
  const Index active = element_count(options.grid);
  const Layout layout = Layout::blocks(problem.shape, options.grid, ranks);
  std::string why = active > 1 ? fmt::format("no exchange: {} ranks each transform lines they hold whole", active)
                               : std::string("no exchange: one rank holds all the data");
  if (active < ranks) why += fmt::format(" (uses {} of {} ranks)", active, ranks);
  const Path path = path_of(problem, layout);
  return {.plan = path_plan({problem, options, layout, layout, {path, path}, std::move(why)})};
}

}  // namespace kallima
