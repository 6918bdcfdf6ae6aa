// A route that takes complex numbers in layouts of its own choice, put to work on any problem: an exchange before it if
// the caller's array lies elsewhere, then what has to be done along the axes that it does not know (cosines, sines, the
// axis of real data that is halved), the route itself, and an exchange to where the result shall be.

#include "plan/routes/around.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "plan/choose/search.hpp"

namespace kallima {
namespace {

Problem inner_problem(const Problem& problem) {
  Problem inner{.shape = spectrum_shape(problem), .precision = problem.precision};
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    if (problem.kinds[i] == Kind::fourier && problem.axes[i] != halved_axis(problem))
      inner.axes.push_back(problem.axes[i]);
  inner.kinds.assign(inner.axes.size(), Kind::fourier);
  return inner;
}

std::vector<bool> inner_axes(const Problem& problem, const Problem& inner) {
  std::vector<bool> done(problem.shape.size());
  for (std::size_t k = 0; k < done.size(); ++k) done[k] = transforms(inner, k);
  return done;
}

Layout start_of(const Problem& problem, const Layout& inner) {
  const int halved = halved_axis(problem);
  if (halved < 0) return inner;
  const auto axis = static_cast<std::size_t>(halved);
  return with_extent(inner, axis, problem.shape[axis]);
}

double inner_cost(const Plan& plan) {
  std::vector<AxisKind> axes;
  for (const int axis : plan.problem().axes) axes.push_back({static_cast<std::size_t>(axis)});
  const double share = 1 - 1.0 / plan.layout_in().active_ranks();  // what does not stay
  const double moved = share * static_cast<double>(plan.layout_in().local_size(0));
  return plan.exchanges() * (exchange_cost({plan.layout_in()}, plan.layout_in()) + moved) +
         transform_cost({plan.layout_in()}, axes);
}

// Cut across the lines, along a dimension that nobody has dealt out: that is how phase I is sliced, too.
Parts local_parts(const Layout& layout, const std::vector<AxisKind>& axes, const PlanOptions& options) {
  Parts parts{.dim = 0, .count = options.exchange == Exchange::messages && options.overlap != Overlap::off ? 8 : 1};
  const auto along = [&](std::size_t k) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisKind& a) { return a.axis == k; });
  };
  for (std::size_t k = layout.shape().size(); k-- > 0;)
    if (!along(k) && holds_whole(layout, k) && layout.shape()[k] > 1) parts.dim = k;
  return parts;
}

}  // namespace

bool plain(const Problem& problem) {
  const auto fourier = [](Kind kind) { return kind == Kind::fourier; };
  return problem.data == Data::complex_ && !problem.in && !problem.out && problem.storage_in.is_plain() &&
         problem.storage_out.is_plain() && std::all_of(problem.kinds.begin(), problem.kinds.end(), fourier);
}

Answer around(Consider route, const Problem& problem, int ranks, const PlanOptions& options) {
  if (plain(problem)) return route(problem, ranks, options);
  const Problem inner = inner_problem(problem);
  if (inner.axes.empty()) return {.reason = "no axis is left for it: reals and cosines need whole lines"};
  PlanOptions inside = options;
  inside.placement = Placement::out_of_place;
  Answer core = route(inner, ranks, inside);
  if (!core.plan) return core;
  const PlanOptions chosen = core.plan->options();
  Links links;
  double cost = inner_cost(*core.plan);
  Holding now{problem.in.value_or(start_of(problem, core.plan->layout_in())), problem.data, problem.storage_in};
  const Holding begin{start_of(problem, core.plan->layout_in()), problem.data};
  if (now.layout != begin.layout) {
    links.push_back(exchange_link(now, begin, exchange_parts(now, begin.layout, options), options.exchange));
    cost += exchange_cost(now, begin.layout);
    now = begin;
  }
  const std::vector<AxisKind> axes = possible_here(problem, now, inner_axes(problem, inner));
  if (axes.size() + inner.axes.size() != problem.axes.size())
    return {.reason = "it deals out an axis of reals or cosines, which need whole lines"};
  if (!axes.empty() || !now.storage.is_plain())
    links.push_back(local_link(now, axes, {}, local_parts(now.layout, axes, options)));
  cost += transform_cost(now, axes);
  const Holding result{core.plan->layout_out()};
  links.push_back(plan_link(std::move(core.plan)));
  const Holding end{wanted_out(problem).value_or(result.layout), Data::complex_, problem.storage_out};
  if (end.layout != result.layout) {
    links.push_back(exchange_link(result, end, exchange_parts(result, end.layout, options), options.exchange));
    cost += exchange_cost(result, end.layout);
  } else if (!end.storage.is_plain()) {
    links.push_back(local_link(result, {}, end.storage, local_parts(result.layout, {}, options)));
  }
  std::string why = explanation(links, ranks);
  return {.plan = chain_plan(std::move(links), problem, chosen, std::move(why)), .cost = cost};
}

}  // namespace kallima
