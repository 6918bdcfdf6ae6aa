#pragma once
// A tree as one of its nodes sees it, and the broadcast along one or two of them.

#include "lab/collective/collective_tasks.hpp"

namespace kallima {

struct Tree {
  int parent = -1;
  std::vector<int> children = {};  // in the order in which they are served
};

// From rank 0 to all, in packets; where there are several trees, packets take turns.
void broadcast(CollectiveTasks& tasks, const std::vector<Tree>& trees, Index packet);

// What is asked for, or the best.
inline Index packet_of(const Collective& c) { return c.packet > 0 ? c.packet : best_packet(c); }

}  // namespace kallima
