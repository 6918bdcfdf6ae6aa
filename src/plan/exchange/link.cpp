// What links have in common, and the plan that is a chain of them.

#include "plan/exchange/link.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima {
namespace {

bool is_all(const Progression& p, Index n) { return p.count == n && (n == 1 || (p.first == 0 && p.step == 1)); }

class PlanLink : public Link {
 public:
  explicit PlanLink(std::unique_ptr<Plan> plan)
      : Link({plan->layout_in()}, {plan->layout_out()}, plan->exchanges()), plan_(std::move(plan)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    return plan_->rank_schedule(rank, direction);
  }
  std::string text() const override { return plan_->explanation(); }

 private:
  std::unique_ptr<Plan> plan_;
};

class ChainPlan : public Plan {
 public:
  ChainPlan(Links links, Problem problem, PlanOptions options, int exchanges, std::string explanation)
      : Plan(std::move(problem), std::move(options), links.front()->in().layout, links.back()->out().layout, exchanges,
             std::move(explanation)),
        links_(std::move(links)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override { return compose(links_, rank, direction); }

 private:
  Links links_;
};

}  // namespace

std::shared_ptr<const Link> plan_link(std::unique_ptr<Plan> plan) {
  return std::make_shared<PlanLink>(std::move(plan));
}

bool holds_whole(const Layout& layout, std::size_t dim) {
  if (layout.is_grid()) return layout.dims()[dim].parts() == 1;
  for (int rank = 0; rank < layout.ranks(); ++rank)
    if (layout.local_size(rank) > 0 && !is_all(layout.owned(rank)[dim], layout.shape()[dim])) return false;
  return true;
}

Layout with_extent(const Layout& layout, std::size_t dim, Index n) {
  if (layout.is_grid()) {
    std::vector<Distribution> dims = layout.dims();
    dims[dim] = Distribution::block(n, 1);
    return {dims, layout.ranks()};
  }
  Shape shape = layout.shape();
  shape[dim] = n;
  std::vector<Box> boxes;
  for (int rank = 0; rank < layout.ranks(); ++rank) {
    Box& box = boxes.emplace_back();
    for (const Progression& p : layout.owned(rank)) {
      box.begin.push_back(p.first);
      box.end.push_back(p.first + p.count);
    }
    if (layout.local_size(rank) > 0) box.end[dim] = n;
  }
  return Layout::boxes(shape, std::move(boxes));
}

Index words(Index elements, Data data) { return data == Data::real_ ? (elements + 1) / 2 : elements; }

std::unique_ptr<Plan> chain_plan(Links links, Problem problem, PlanOptions options, std::string explanation) {
  options.placement = Placement::out_of_place;
  int exchanges = 0;
  for (const auto& link : links) exchanges += link->exchanges();
  return std::make_unique<ChainPlan>(std::move(links), std::move(problem), std::move(options), exchanges,
                                     std::move(explanation));
}

}  // namespace kallima
