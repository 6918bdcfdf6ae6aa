#include "plan/routes/twisted.hpp"

#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

// One exchange, and before it the transform along the dimension that is whole, with factors by the other's index.
Path twisted_path(const Layout& from, const Layout& to, std::size_t first, Index n, LineNumbers line_numbers) {
  const std::size_t second = 1 - first;
  Path path{.stops = {{.held = {Spread(from)}}, {.held = {Spread(to)}, .name = to.text()}}, .out = {Spread(to)}};
  path.stops[0].transforms.push_back(
      {.slot = first, .length = from.shape()[first], .modulus = n, .by = {{second, Index{1}}}});
  Transform last{.slot = second, .length = from.shape()[second]};
  if (line_numbers == LineNumbers::yes) {
    last.modulus = 2 * n;
    last.by = {{first, Index{1}}};
  }
  path.stops[1].transforms.push_back(last);
  return path;
}

}  // namespace

std::unique_ptr<Plan> plan_twisted(const TwistedShape& shape, int ranks, const PlanOptions& asked,
                                   LineNumbers line_numbers) {
  // Eight, and not what keeps to three times a rank's data: many thin chunks take twice the time.
  constexpr Index usual_chunks = 8;
  PlanOptions options = asked;
  options.route = "twisted";
  if (options.chunks == 0) options.chunks = usual_chunks;
  const Layout columns = shape.columns(ranks), rows = shape.rows(ranks);
  Paths paths{twisted_path(columns, rows, 0, shape.points(), line_numbers),
              twisted_path(rows, columns, 1, shape.points(), line_numbers)};
  std::string why = explanation(paths.forward, ranks);
  const Problem problem = checked({.shape = {shape.R, shape.Q}, .in = columns, .out = rows});
  return path_plan({problem, options, columns, rows, std::move(paths), std::move(why)});
}

}  // namespace kallima
