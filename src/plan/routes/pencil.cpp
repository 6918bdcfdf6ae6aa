// Stages: each axis is transformed in a layout that holds it whole, and exchanges lead from one to the next. Slabs,
// pencils and bricks are cases of it, and so are all kinds of data and transforms, sizes and layouts at either end;
// which layouts in between is for the search to say, or for a route from elsewhere, or, where slabs are asked for,
// blocks of one axis and then of another.

#include <algorithm>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

// A path that is being made of stages, and where it has come to.
struct Walk {
  const Problem& problem;
  LaidOut now;
  std::vector<bool> done = std::vector<bool>(problem.shape.size());
  std::vector<Stop> stops = {};
  int busy = now.layout.ranks();  // ranks that have something to do at every stage

  std::string add(const Stage& stage);
};

// Says what is wrong with it, if anything is.
std::string Walk::add(const Stage& stage) {
  const Layout& layout = stage.layout;
  const std::string which = fmt::format("stage {}, in {},", stops.size() + 1, layout.text());
  if (layout.shape() != now.layout.shape() || layout.ranks() != now.layout.ranks())
    return fmt::format("{} has {} on {} ranks, but {} on {} come to it", which, text(layout.shape()), layout.ranks(),
                       text(now.layout.shape()), now.layout.ranks());
  now.layout = layout;
  Stop& stop = stops.emplace_back(Stop{.held = now.held(), .name = layout.text()});
  for (const Transform& t : possible_here(problem, now, done))
    if (std::ranges::count(stage.axes, static_cast<int>(t.slot)) > 0) {
      stop.transforms.push_back(t);
      done[t.slot] = true;
      if (t.kind == Kind::real_to_half) now = {with_extent(layout, t.slot, t.length / 2 + 1), Data::complex_};
    }
  if (stop.transforms.size() != stage.axes.size())
    return fmt::format(
        "{} cannot transform axes {} (each must be whole there, complex but for the one that is halved, "
        "and not done before)",
        which, fmt::join(stage.axes, ","));
  if (!stage.axes.empty()) busy = std::min(busy, layout.active_ranks());
  return {};
}

// The pair of axes that keeps most ranks busy, slow axes preferred: the one that is cut first, and the other.
struct AxisPair {
  std::size_t first = 0;
  std::size_t second = 0;
  Index ranks = 0;
};

AxisPair choose_pair(const Problem& problem, int ranks, const Shape& grid) {
  AxisPair best;
  for (std::size_t a = 0; a < problem.shape.size(); ++a) {
    if (!transforms(problem, a) || (!grid.empty() && grid[a] != ranks)) continue;
    for (std::size_t b = 0; b < problem.shape.size(); ++b) {
      const Index used = std::min({static_cast<Index>(ranks), problem.shape[a], problem.shape[b]});
      if (a != b && used > best.ranks) best = {a, b, used};
    }
  }
  return best;
}

}  // namespace

Candidate plan_stages(const Problem& asked, int ranks, const PlanOptions& options, std::vector<Stage> stages) {
  Problem problem = checked(asked);
  if (const std::string trouble = straight_trouble(options); !trouble.empty()) return {.reason = trouble};
  if (stages.empty()) return {.reason = "it has no stages"};
  const Layout in = problem.in.value_or(stages.front().layout);
  if (stages.front().layout != in) stages.insert(stages.begin(), {in});
  Walk walk{problem, {Layout::blocks(problem.shape, Shape(problem.shape.size(), 1), ranks), problem.data}};
  for (const Stage& stage : stages)
    if (std::string trouble = walk.add(stage); !trouble.empty()) return {.reason = std::move(trouble)};
  for (const int axis : problem.axes)
    if (!walk.done[at(axis)]) return {.reason = fmt::format("none of its stages transforms axis {}", axis)};
  problem.in = in;
  const Layout out = wanted_out(problem).value_or(walk.now.layout);
  if (out != walk.now.layout) walk.add({out});
  Path path{.stops = std::move(walk.stops), .out = {Spread(out), walk.now.data, problem.storage_out}};
  path.stops.front().held.storage = problem.storage_in;
  std::string why = explanation(path, ranks);
  Path back = reversed(path);
  return {.plan = path_plan({checked(asked), options, in, out, {std::move(path), std::move(back)}, std::move(why)}),
          .busy = walk.busy};
}

Candidate consider_pencil(const Problem& problem, int ranks, const PlanOptions& options) {
  Problem from = problem;
  if (!options.grid.empty() && !problem.in) from.in = Layout::blocks(problem.shape, options.grid, ranks);
  return plan_stages(problem, ranks, options, fastest_stages(from, ranks, options));
}

// Whoever wants the result in the layout the data came in takes a second exchange.
Candidate consider_slab(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (!plain(problem)) return {.reason = "it takes complex numbers in layouts of its own choice"};
  const AxisPair pair = choose_pair(problem, ranks, asked.grid);
  if (pair.ranks < 2)
    return {.reason = fmt::format("it needs two axes of extent 2 or more, one of them transformed, in {}, and 2 ranks",
                                  text(problem.shape))};
  const auto grid = [&](std::size_t axis) {
    Shape parts(problem.shape.size(), 1);
    parts[axis] = pair.ranks;
    return parts;
  };
  PlanOptions options = asked;
  options.grid = grid(pair.first);
  std::vector<int> others = problem.axes;
  std::erase(others, static_cast<int>(pair.first));
  return plan_stages(problem, ranks, options,
                     {{Layout::blocks(problem.shape, grid(pair.first), ranks), others},
                      {Layout::blocks(problem.shape, grid(pair.second), ranks), {static_cast<int>(pair.first)}}});
}

}  // namespace kallima
