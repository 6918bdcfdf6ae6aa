#pragma once
// Phase I by residue classes: the data is split by one radix after another, and blocks are finished one by one.

#include "plan/exchange/assembler.hpp"
#include "plan/exchange/messages.hpp"

namespace kallima {

struct TreeStatement {
  const std::vector<Index>& radices;
  const PlanOptions& options;
  int rank;
  Buffer from;                   // the array,
  const Held& held;              // as it stands there
  const Transform& line;         // along the first of two slots of one axis
  Buffer memory;                 // of the blocks
  std::vector<Bundle>& bundles;  // one for each chunk, all in one allocation
  Assembler& assembler;
};

// Lists the tasks that make all blocks, and calls `send` for every message that is made.
void split_tree(const TreeStatement& statement, const std::function<void(Bundle&, BlockMessage&)>& send);

}  // namespace kallima
