// Blocks of any kind: each axis is transformed in a layout that holds it whole, and exchanges lead from one to the
// next. Slabs, pencils and bricks are cases of it, and so are all kinds of data and transforms, sizes and layouts at
// either end; which layouts in between is for the search to say.

#include <algorithm>

#include "base/check.hpp"
#include "plan/routes/around.hpp"
#include "plan/exchange/exchange.hpp"
#include "plan/choose/search.hpp"

namespace kallima {
namespace {

constexpr Index most_parts = 8;
constexpr Index least_message = 2048;  // words of a part, if that leaves several

// What both layouts deal out alike can be cut and exchanged part by part; then what only the second deals out, whose
// lines are complete at the beginning; then the longest.
std::size_t cut_dimension(const Layout& from, const Layout& to) {
  if (from.is_grid() && to.is_grid()) {
    for (std::size_t k = 0; k < from.shape().size(); ++k)
      if (from.dims()[k] == to.dims()[k] && from.shape()[k] / from.dims()[k].parts() > 1) return k;
    for (std::size_t k = 0; k < from.shape().size(); ++k)
      if (from.dims()[k].parts() == 1 && to.dims()[k].parts() > 1) return k;
  }
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

using Axes = std::vector<AxisKind>;

bool halves(const AxisKind& a) { return a.kind == Kind::real_to_half; }

// Takes from the axes of a stop one that can be transformed while the blocks of the next exchange are made. What must
// not come last: an axis of reals before the one that is halved, and that one before others.
std::optional<AxisKind> take_front(Axes& axes, const Layout& from, const Layout& to) {
  const auto halved = std::find_if(axes.begin(), axes.end(), halves);
  for (std::size_t i = axes.size(); i-- > 0;) {
    const bool may =
        halved == axes.end() || i + 1 == axes.size() || axes.begin() + static_cast<std::ptrdiff_t>(i) > halved;
    if (!may || !can_lead(axes[i], from, to)) continue;
    const AxisKind taken = axes[i];
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }
  return std::nullopt;
}

// One that can be transformed while its lines are put together: the first, or any if nothing is halved here.
std::optional<AxisKind> take_back(Axes& axes, const Layout& from, const Layout& to) {
  const bool free_order = std::none_of(axes.begin(), axes.end(), halves);
  for (std::size_t i = 0; i < (free_order ? axes.size() : std::min<std::size_t>(1, axes.size())); ++i) {
    if (!can_follow(axes[i], from, to)) continue;
    const AxisKind taken = axes[i];
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    return taken;
  }
  return std::nullopt;
}

// Makes the links of a way, from stop to stop. The caller's storage is at the two ends.
class Builder {
 public:
  Builder(const Way& way, const Problem& problem, const PlanOptions& options)
      : problem_(problem), options_(options), now_{way.stops[0].holding.layout, problem.data, problem.storage_in} {
    for (const Way::Stop& stop : way.stops) {
      layouts_.push_back(stop.holding.layout);
      axes_.push_back(stop.axes);
    }
  }

  Links run() {
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const bool more = i + 1 < axes_.size();
      const Holding made = after_axes({now_.layout, now_.data}, axes_[i]);
      const Parts next = more ? exchange_parts(made, layouts_[i + 1], options_) : Parts{};
      const std::optional<AxisKind> front = more ? take_front(axes_[i], made.layout, layouts_[i + 1]) : std::nullopt;
      if (!axes_[i].empty()) transform(i, more ? Storage{} : problem_.storage_out, next);
      if (more) cross(i, front, next);
    }
    return std::move(links_);
  }

 private:
  void transform(std::size_t i, const Storage& storage, const Parts& next) {
    const auto cut_along = [&](const AxisKind& a) { return a.axis == parts_.dim; };
    const bool in_the_way = i == 0 || std::any_of(axes_[i].begin(), axes_[i].end(), cut_along);
    links_.push_back(local_link(now_, axes_[i], storage, in_the_way ? next : parts_));
    now_ = links_.back()->out();
  }

  void cross(std::size_t i, const std::optional<AxisKind>& front, const Parts& parts) {
    const Layout& layout = layouts_[i + 1];
    const Holding from = front ? after_axes({now_.layout, now_.data}, {*front}) : now_;
    const std::optional<AxisKind> back = take_back(axes_[i + 1], from.layout, layout);
    const bool last = i + 2 == axes_.size() && axes_[i + 1].empty();
    Holding to{layout, from.data, last && !back ? problem_.storage_out : Storage{}};
    Holding after = back ? after_axes({to.layout, to.data}, {*back}) : to;
    if (last) after.storage = problem_.storage_out;
    links_.push_back(exchange_link({now_, front, from, to, back, after, parts, options_.exchange}));
    now_ = after;
    parts_ = parts;
  }

  const Problem& problem_;
  const PlanOptions& options_;
  Holding now_;
  Parts parts_;
  std::vector<Layout> layouts_;
  std::vector<Axes> axes_;
  Links links_;
};

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
  Links links = Builder(way, problem, options).run();
  if (links.empty()) return {.reason = "there is nothing to do"};
  std::string why = explanation(links, ranks);
  int busy = ranks;
  for (const Way::Stop& stop : way.stops)
    if (!stop.axes.empty()) busy = std::min(busy, stop.holding.layout.active_ranks());
  return {.plan = chain_plan(std::move(links), asked, options, std::move(why)), .cost = way.cost, .busy = busy};
}

}  // namespace kallima
