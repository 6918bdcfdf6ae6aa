// Blocks of any kind: each axis is transformed in a layout that holds it whole, and exchanges lead from one to the
// next. Slabs, pencils and bricks are cases of it, and so are all kinds of data and transforms, sizes and layouts at
// either end; which layouts in between is for the search to say.

#include <algorithm>

#include "base/check.hpp"
#include "plan/around.hpp"
#include "plan/search.hpp"

namespace kallima {
namespace {

constexpr Index most_parts = 8;
constexpr Index least_message = 2048;  // words of a part, if that leaves several

// What both layouts deal out alike can be cut and exchanged part by part; then the slowest of the others.
std::size_t cut_dimension(const Layout& from, const Layout& to) {
  if (from.is_grid() && to.is_grid())
    for (std::size_t k = 0; k < from.shape().size(); ++k)
      if (from.dims()[k] == to.dims()[k] && from.shape()[k] / from.dims()[k].parts() > 1) return k;
  const Shape& shape = from.shape();
  return static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
}

}  // namespace

Parts exchange_parts(const Holding& from, const Layout& to, const PlanOptions& options) {
  Parts parts{.dim = cut_dimension(from.layout, to), .count = options.chunks};
  if (options.chunks == 0) {
    const Index to_one = words(from.layout.local_size(0), from.data) / std::max(1, from.layout.ranks());
    const bool overlaps = options.exchange == Exchange::messages && options.overlap != Overlap::off;
    parts.count = overlaps ? std::clamp<Index>(to_one / least_message, 1, most_parts) : 1;
  }
  return parts;
}

namespace {

// The caller's storage is at the two ends.
Links links_of(const Way& way, const Problem& problem, const PlanOptions& options) {
  Links links;
  Parts parts;
  Holding now{way.stops[0].holding.layout, problem.data, problem.storage_in};
  for (std::size_t i = 0; i < way.stops.size(); ++i) {
    const std::vector<AxisKind>& axes = way.stops[i].axes;
    const bool more = i + 1 < way.stops.size();
    const Holding made = after_axes({now.layout, now.data}, axes);
    const auto cut_along = [&](const AxisKind& a) { return a.axis == parts.dim; };
    const bool in_the_way = i == 0 || std::any_of(axes.begin(), axes.end(), cut_along);
    const Parts next = more ? exchange_parts(made, way.stops[i + 1].holding.layout, options) : Parts{};
    if (!axes.empty()) {
      links.push_back(local_link(now, axes, more ? Storage{} : problem.storage_out, in_the_way ? next : parts));
      now = links.back()->out();
    }
    if (!more) break;
    const bool last = i + 2 == way.stops.size() && way.stops[i + 1].axes.empty();
    const Holding to{way.stops[i + 1].holding.layout, now.data, last ? problem.storage_out : Storage{}};
    links.push_back(exchange_link(now, to, parts = next, options.exchange));
    now = to;
  }
  return links;
}

}  // namespace

std::string explanation(const Links& links, int ranks) {
  int exchanges = 0;
  std::string steps;
  for (const auto& link : links) {
    exchanges += link->exchanges();
    steps += fmt::format("{}{}", steps.empty() ? "" : "; ", link->text());
  }
  const int active = links.front()->in().layout.active_ranks();
  const std::string idle = active < ranks ? fmt::format(" (uses {} of {} ranks)", active, ranks) : "";
  return fmt::format("{} exchange{}: {}{}", exchanges, exchanges == 1 ? "" : "s", steps, idle);
}

Answer consider_pencil(const Problem& asked, int ranks, const PlanOptions& wanted) {
  Problem problem = asked;
  PlanOptions options = wanted;
  options.route = "pencil";
  if (options.alltoall == Alltoall::pairwise || options.alltoall == Alltoall::bruck)
    return {.reason = fmt::format("its blocks may differ in size and go straight to ranks i+1, i+2, ..., not {}",
                                  name(options.alltoall))};
  if (!options.grid.empty() && !problem.in) problem.in = Layout::blocks(problem.shape, options.grid, ranks);
  const Way way = cheapest_way(problem, ranks);
  Links links = links_of(way, problem, options);
  if (links.empty()) return {.reason = "there is nothing to do"};
  std::string why = explanation(links, ranks);
  return {.plan = chain_plan(std::move(links), asked, options, std::move(why)), .cost = way.cost};
}

}  // namespace kallima
