#pragma once
// An exchange and what is transformed on the way: one axis while its lines are cut into blocks, another while its lines
// are put together from blocks. Both save a pass over memory.

#include <optional>

#include "plan/exchange/link.hpp"

namespace kallima {

// From `before` by `front` to `from`, by the exchange to `to`, by `back` to `after`; without a transform the two are
// the same. With `front`, the axes that the two layouts deal out differently are front's, whole in `from`, and one that
// is whole in `to`; with `back`, accordingly.
struct Crossing {
  Holding before;
  std::optional<AxisKind> front = {};
  Holding from;
  Holding to;
  std::optional<AxisKind> back = {};
  Holding after;
  Parts parts = {};
  Exchange exchange = Exchange::views;
};

Crossing reversed(const Crossing& crossing);

// Whether an axis can be the front or the back of an exchange between these layouts.
bool can_lead(const AxisKind& a, const Layout& from, const Layout& to);
bool can_follow(const AxisKind& a, const Layout& from, const Layout& to);

std::shared_ptr<const Link> exchange_link(const Crossing& crossing);

RankSchedule exchange_tasks(const Crossing& crossing, int rank);

}  // namespace kallima
