// Exchanges alone: from one layout to another, and from part of one array to part of another.

#include "base/check.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/routes/path_plan.hpp"
#include "plan/routes/regrid.hpp"

namespace kallima {

std::unique_ptr<Plan> plan_redistribution(const Layout& from, const Layout& to, Data data, const PlanOptions& asked) {
  require(from.shape() == to.shape(), "cannot redistribute an array of {} as one of {} (the shapes differ)",
          text(from.shape()), text(to.shape()));
  require(from.ranks() == to.ranks(), "cannot redistribute from {} ranks to {} (give both layouts the same)",
          from.ranks(), to.ranks());
  PlanOptions options = asked;
  options.route = "redistribution";
  options.placement = Placement::out_of_place;
  Path path{.stops = {{.held = {Spread(from), data}}, {.held = {Spread(to), data}, .name = to.text()}},
            .out = {Spread(to), data}};
  Path back = reversed(path);
  std::string why = explanation(path, from.ranks());
  const Problem problem{.shape = from.shape(), .data = data, .in = from, .out = to};
  return path_plan({problem, options, from, to, {std::move(path), std::move(back)}, std::move(why)});
}

namespace {

// All combinations of runs that are not empty between what two ranks own.
std::vector<Cell> cells_of(const IndexRuns& runs, Direction direction, const Share& from, const Share& to) {
  struct Moved {
    Block from;
    Block to;
  };
  std::vector<Moved> all{{}};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    std::vector<Moved> longer;
    for (const IndexRun& run : runs[k]) {
      const bool forward = direction == Direction::forward;
      const Index first = forward ? run.from : run.to, shift = forward ? run.to - run.from : run.from - run.to;
      Progression source = intersection(from.taken[k], Progression{first, 1, run.count});
      source.first += shift;
      const Progression target = intersection(source, to.taken[k]);
      if (target.count == 0) continue;
      for (Moved m : all) {
        m.to.push_back(target);
        m.from.push_back({target.first - shift, target.step, target.count});
        longer.push_back(std::move(m));
      }
    }
    all = std::move(longer);
  }
  std::vector<Cell> cells;
  for (const Moved& m : all)
    cells.push_back({.extents = shape_of(m.to),
                     .from = place_in(from.owned, row_major(shape_of(from.owned)), m.from),
                     .to = place_in(to.owned, row_major(shape_of(to.owned)), m.to)});
  return cells;
}

Path regrid_path(const Layout& from, const Layout& to, const IndexRuns& runs, Data data, Direction direction) {
  Path path{.stops = {{.held = {Spread(from), data}}, {.held = {Spread(to), data}}}, .out = {Spread(to), data}};
  path.stops[1].cells = [runs, direction](const Share& a, const Share& b) { return cells_of(runs, direction, a, b); };
  return path;
}

}  // namespace

std::unique_ptr<Plan> plan_regrid(const Layout& from, const Layout& to, IndexRuns runs, Data data,
                                  const PlanOptions& asked) {
  require(from.ranks() == to.ranks(), "cannot copy from {} ranks to {} (give both layouts the same)", from.ranks(),
          to.ranks());
  require(from.shape().size() == to.shape().size() && runs.size() == from.shape().size(),
          "cannot copy an array of {} into one of {} (give both the same number of dimensions)", text(from.shape()),
          text(to.shape()));
  PlanOptions options = asked;
  options.route = "regrid";
  options.placement = Placement::out_of_place;
  options.chunks = 1;
  std::string why =
      fmt::format("1 exchange: {} and {}, {} runs along the first dimension", from.text(), to.text(), runs[0].size());
  const Problem problem{.shape = from.shape(), .data = data};
  return path_plan(
      {problem,
       options,
       from,
       to,
       {regrid_path(from, to, runs, data, Direction::forward), regrid_path(to, from, runs, data, Direction::backward)},
       std::move(why)});
}

}  // namespace kallima
