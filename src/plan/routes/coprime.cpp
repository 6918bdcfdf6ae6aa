#include "plan/routes/coprime.hpp"

#include "plan/routes/path_plan.hpp"

namespace kallima {

std::unique_ptr<Plan> plan_coprime(const CoprimeShape& shape, int ranks, const PlanOptions& asked) {
  PlanOptions options = asked;
  options.route = "coprime";
  const Layout columns = shape.columns(ranks), rows = shape.rows(ranks);
  const auto between = [](const Layout& from, const Layout& to) {
    return Path{.stops = {{.held = {Spread(from)}}, {.held = {Spread(to)}, .name = to.text()}}, .out = {Spread(to)}};
  };
  Paths paths{between(columns, rows), between(rows, columns)};
  paths.forward.stops[0].transforms = {{.slot = 0, .length = shape.R1}, {.slot = 1, .length = shape.R2}};
  paths.backward.stops[1].transforms = {{.slot = 1, .length = shape.R2}, {.slot = 0, .length = shape.R1}};
  std::string why = explanation(paths.forward, ranks);
  const Problem problem = checked({.shape = {shape.R1, shape.R2, shape.Q}, .in = columns, .out = rows});
  return path_plan({problem, options, columns, rows, std::move(paths), std::move(why)});
}

}  // namespace kallima
