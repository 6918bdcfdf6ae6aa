#pragma once
// Where every rank of a plan does the same up to the names of its peers, one rank's script serves all, and a plan for a
// million ranks can be priced.

#include <functional>
#include <optional>

#include "kallima/outline.hpp"
#include "kallima/plan.hpp"

namespace kallima {

// Nothing where ranks differ. That they do not is checked on a few of them, spread over all.
using WritesRank = std::function<RankSchedule(int rank)>;
std::optional<Outline> shared_outline(const std::string& name, int ranks, const WritesRank& schedule_of);
std::optional<Outline> shared_outline(const Plan& plan, Direction direction);

// One rank as if all did the same, where they do not: what it sends stands for what is sent to it.
Outline outline_as_if_shared(const std::string& name, int ranks, const RankSchedule& own, Peers peers = Peers::ring);

}  // namespace kallima
