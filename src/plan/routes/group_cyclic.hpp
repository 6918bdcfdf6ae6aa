#pragma once
// The numbers that describe a group-cyclic plan, shared by the choice of the route (group_cyclic.cpp) and the tasks
// that follow from it (group_cyclic_tasks.cpp).

#include <vector>

#include "kallima/plan.hpp"

namespace kallima {

// n points over p ranks, m = n/p each. In superstep s the data is dealt out group-cyclically with cycle cycles[s]:
// 1, m, m^2, ... and p at last.
struct GroupCyclic {
  GroupCyclic(Index points, Index ranks);

  int last() const { return static_cast<int>(cycles.size()) - 1; }  // superstep, and the number of exchanges
  Index cycle(int superstep) const { return cycles[static_cast<std::size_t>(superstep)]; }
  Index radix(int superstep) const { return superstep == 0 ? m : cycle(superstep) / cycle(superstep - 1); }

  Index n;
  Index p;
  Index m;
  std::vector<Index> cycles{1};
};

RankSchedule group_cyclic_tasks(const GroupCyclic& g, const PlanOptions& options, int rank);

}  // namespace kallima
