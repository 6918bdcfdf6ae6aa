#include <algorithm>

#include "base/check.hpp"
#include "plan/exchange/exchange.hpp"

namespace kallima {
namespace {

std::optional<AxisKind> inverse(const std::optional<AxisKind>& a) {
  if (!a) return a;
  return AxisKind{a->axis, kallima::inverse(a->kind)};
}

class ExchangeLink : public Link {
 public:
  explicit ExchangeLink(const Crossing& crossing)
      : Link(crossing.before, crossing.after, 1), forward_(crossing), backward_(reversed(crossing)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    return exchange_tasks(direction == Direction::forward ? forward_ : backward_, rank);
  }

  std::string text() const override {
    std::string all;
    if (forward_.front) all += fmt::format("transform axis {}; ", forward_.front->axis);
    all += fmt::format("exchange to {}", forward_.to.layout.text());
    if (forward_.back) all += fmt::format("; transform axis {}", forward_.back->axis);
    return all;
  }

 private:
  Crossing forward_;
  Crossing backward_;
};

// Whether the layouts differ in just two dimensions, `whole` in the first and another one in the second.
bool only_turns(const Layout& from, const Layout& to, std::size_t whole) {
  if (!from.is_grid() || !to.is_grid() || !holds_whole(from, whole)) return false;
  int changed = 0;
  for (std::size_t k = 0; k < from.shape().size(); ++k) {
    if (k == whole || from.dims()[k] == to.dims()[k]) continue;
    if (!holds_whole(to, k)) return false;
    ++changed;
  }
  return changed == 1 && !holds_whole(to, whole);
}

}  // namespace

// A part of a line is of no use to a transform: cut the other axis that changes hands.
Crossing reversed(const Crossing& c) {
  Crossing back{.before = c.after,
                .front = inverse(c.back),
                .from = c.to,
                .to = c.from,
                .back = inverse(c.front),
                .after = c.before,
                .parts = c.parts,
                .exchange = c.exchange};
  if (back.back && back.back->axis == back.parts.dim)
    for (std::size_t k = 0; k < c.from.layout.shape().size(); ++k)
      if (k != c.parts.dim && c.from.layout.dims()[k] != c.to.layout.dims()[k]) back.parts.dim = k;
  return back;
}

bool can_lead(const AxisKind& a, const Layout& from, const Layout& to) { return only_turns(from, to, a.axis); }

bool can_follow(const AxisKind& a, const Layout& from, const Layout& to) { return only_turns(to, from, a.axis); }

std::shared_ptr<const Link> exchange_link(const Crossing& crossing) { return std::make_shared<ExchangeLink>(crossing); }

std::shared_ptr<const Link> exchange_link(const Holding& in, const Holding& to, const Parts& parts, Exchange exchange) {
  return exchange_link({.before = in, .from = in, .to = to, .after = to, .parts = parts, .exchange = exchange});
}

}  // namespace kallima
