// No exchange at all: every rank transforms lines it holds entirely. An axis that is not transformed is dealt out in
// blocks; where all axes are transformed, or none is long enough to give every rank something, rank 0 does the work.
// This is also the route of a single rank, and the last resort for shapes that no other route can split.

#include <algorithm>

#include "base/check.hpp"
#include "plan/routes/around.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/routes/four_step.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

// A single long line: across, twiddle, along, through the work buffer.
std::vector<Step> four_step(Buffer from, Index n, Index columns) {
  const Index rows = n / columns;
  Step across;
  across.pass.length = columns;
  across.pass.sources = {{.buffer = from, .count = columns, .stride = rows, .strides = {1}}};
  across.pass.targets = {{.buffer = Buffer::work, .count = columns, .stride = rows, .strides = {1}}};
  across.pass.loops = {rows};
  across.pass.twiddle = {.modulus = n, .shift = 0, .step = 1, .loop = 0};
  Step along;
  along.pass.length = rows;
  along.pass.sources = {{.buffer = Buffer::work, .count = rows, .stride = 1, .strides = {rows}}};
  along.pass.targets = {{.buffer = Buffer::out, .count = rows, .stride = columns, .strides = {1}}};
  along.pass.loops = {columns};
  along.pass.scaled = true;
  return {across, along};
}

class LocalPlan : public Plan {
 public:
  using Plan::Plan;

  RankSchedule rank_schedule(int rank, Direction) const override {
    const Shape shape = layout_in().local_shape(rank);
    const Index count = layout_in().local_size(rank);
    const Index n = count > 0 ? single_line(shape) : 0;
    const Index columns = n > longest_line ? column_length(n, 1) : n;
    TaskList tasks(rank, {count, count, columns < n ? count : 0, 0});
    if (count > 0) tasks.compute("local", 0, columns < n ? four_step(source(), n, columns) : box(shape), {});
    return tasks.take();
  }

 private:
  Buffer source() const { return options().placement == Placement::in_place ? Buffer::out : Buffer::in; }

  // The length of the line when the box is nothing else, and 0 otherwise.
  Index single_line(const Shape& shape) const {
    Index n = 1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      if (shape[k] == 1) continue;
      if (n > 1 || !transforms(problem(), k)) return 0;
      n = shape[k];
    }
    return n;
  }

  std::vector<Step> box(const Shape& shape) const {
    const std::vector<Index> strides = row_major(shape);
    std::vector<Axis> axes;
    for (std::size_t k = 0; k < shape.size(); ++k)
      axes.push_back({.extent = shape[k], .from = strides[k], .to = strides[k], .transform = transforms(problem(), k)});
    std::vector<Step> steps;
    transform_axes(steps, {.buffer = source()}, {.buffer = Buffer::out}, axes, Scaling::last_pass);
    return steps;
  }
};

}  // namespace

Answer consider_local(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (!plain(problem)) return {.reason = "it takes complex numbers in layouts of its own choice"};
  PlanOptions options = asked;
  options.route = "local";
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
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < problem.shape.size(); ++k)
    dims.push_back(Distribution::block(problem.shape[k], options.grid[k]));
  const Layout layout(dims, ranks);
  std::string why = active > 1 ? fmt::format("no exchange: {} ranks each transform lines they hold whole", active)
                               : std::string("no exchange: one rank holds all the data");
  if (active < ranks) why += fmt::format(" (uses {} of {} ranks)", active, ranks);
  return {.plan = std::make_unique<LocalPlan>(problem, options, layout, layout, 0, why)};
}

}  // namespace kallima
