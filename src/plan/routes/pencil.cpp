// Blocks of any kind: each axis is transformed in a layout that holds it whole, and exchanges lead from one to the
// next. Slabs, pencils and bricks are cases of it, and so are all kinds of data and transforms, sizes and layouts at
// either end; which layouts in between is for the search to say, or, where slabs are asked for, two of blocks of one
// axis.

#include <algorithm>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

Path path_of(const Itinerary& way, const Problem& problem) {
  LaidOut now = way.stays.front().array;
  Path path{.stops = {}, .out = {Spread(now.layout), now.data}};
  for (const Itinerary::Stay& stay : way.stays) {
    now = {stay.array.layout, now.data};
    Stop& stop = path.stops.emplace_back(Stop{.held = {Spread(now.layout), now.data}, .name = now.layout.text()});
    for (const AxisKind& a : stay.axes) {
      const Index length = a.kind == Kind::real_to_half ? problem.shape[a.axis] : now.layout.shape()[a.axis];
      stop.transforms.push_back({.slot = a.axis, .kind = a.kind, .length = length});
    }
    now = after_axes(now, stay.axes);
  }
  path.stops.front().held.storage = problem.storage_in;
  path.out = {Spread(now.layout), now.data, problem.storage_out};
  return path;
}

std::string alltoall_trouble(const PlanOptions& options) {
  if (options.alltoall != Alltoall::pairwise && options.alltoall != Alltoall::bruck) return {};
  return fmt::format("its blocks may differ in size and go straight to ranks i+1, i+2, ..., not {}",
                     name(options.alltoall));
}

Answer answer_of(const Itinerary& way, const Problem& problem, const PlanOptions& options, int ranks, std::string why) {
  Path path = path_of(way, problem);
  int busy = ranks;
  for (const Itinerary::Stay& stay : way.stays)
    if (!stay.axes.empty()) busy = std::min(busy, stay.array.layout.active_ranks());
  const Itinerary::Stay& last = way.stays.back();
  const Layout out = after_axes({last.array.layout, last.array.data}, last.axes).layout;
  if (why.empty()) why = explanation(path, ranks);
  Path back = reversed(path);
  return {
      .plan = path_plan(
          {problem, options, way.stays.front().array.layout, out, {std::move(path), std::move(back)}, std::move(why)}),
      .cost = way.cost,
      .busy = busy};
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

Answer consider_pencil(const Problem& asked, int ranks, const PlanOptions& wanted) {
  Problem problem = asked;
  PlanOptions options = wanted;
  options.route = "pencil";
  if (const std::string trouble = alltoall_trouble(options); !trouble.empty()) return {.reason = trouble};
  if (!options.grid.empty() && !problem.in) problem.in = Layout::blocks(problem.shape, options.grid, ranks);
  return answer_of(cheapest_itinerary(problem, ranks), asked, options, ranks, {});
}

// Whoever wants the result in the layout the data came in takes a second exchange.
Answer consider_slab(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (!plain(problem)) return {.reason = "it takes complex numbers in layouts of its own choice"};
  PlanOptions options = asked;
  options.route = "slab";
  const AxisPair pair = choose_pair(problem, ranks, options.grid);
  if (pair.ranks < 2)
    return {.reason = fmt::format("it needs two axes of extent 2 or more, one of them transformed, in {}, and 2 ranks",
                                  text(problem.shape))};
  if (const std::string trouble = alltoall_trouble(options); !trouble.empty()) return {.reason = trouble};
  const auto cut = [&](std::size_t axis) {
    Shape grid(problem.shape.size(), 1);
    grid[axis] = pair.ranks;
    return Layout::blocks(problem.shape, grid, ranks);
  };
  options.grid.assign(problem.shape.size(), 1);
  options.grid[pair.first] = pair.ranks;
  const bool back = problem.output == Output::same;
  Itinerary way{.stays = {{{cut(pair.first)}, {}}, {{cut(pair.second)}, {{pair.first}}}}};
  for (const int axis : problem.axes)
    if (static_cast<std::size_t>(axis) != pair.first) way.stays[0].axes.push_back({static_cast<std::size_t>(axis)});
  if (back) way.stays.push_back({{cut(pair.first)}, {}});
  std::string why = fmt::format("{}, blocks of axis {} to blocks of axis {}{}", back ? "two exchanges" : "one exchange",
                                pair.first, pair.second, back ? " and back" : "");
  if (pair.ranks < ranks) why += fmt::format(" (uses {} of {} ranks)", pair.ranks, ranks);
  return answer_of(way, problem, options, ranks, std::move(why));
}

}  // namespace kallima
