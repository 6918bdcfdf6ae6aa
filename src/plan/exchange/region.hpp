#pragma once
// Which elements of a buffer something touches: an offset and steps. Whether two such sets meet is found by dividing
// the longest step out of both, not by looking at elements.

#include <span>
#include <vector>

#include "kallima/schedule.hpp"
#include "schedule/walk.hpp"

namespace kallima {

// The reals first + sum of i_k stride_k of a buffer.
struct Footprint {
  Index first = 0;
  Index last = 0;
  std::vector<checks::LoopAxis> axes = {};  // longest stride first
};

Footprint region_of(const Range& range);

// All that a pass touches through a piece; `repeats` are the extents of the loops around it.
Footprint region_of(const Piece& piece, const Pass& pass, std::span<const Index> repeats);

// Modulo `modulus`, all of a set is among the `reach` that follow its first. What is one run has no modulus.
struct Residues {
  Index modulus = 0;
  Index reach = 0;
};
Residues residues_of(const Footprint& region);

// The longest way from one of a set to the next, or more: no run of that length between its ends passes it by.
Index longest_gap(const Footprint& region);
bool is_run(const Footprint& region);

// The least of a set from `place` on, or less than that where steps of different lengths mix; not less than `place`.
Index next_of(const Footprint& region, Index place);

// May say yes to sets that only interleave, if these are very irregular; never no to sets that meet.
bool meet(const Footprint& a, const Footprint& b);

// Calls visit(buffer, region, writes) for all that a task touches while it runs; region() says where that is.
template <class F>
void each_access(const Task& task, const F& visit) {
  const auto range = [&] { return region_of(task.range); };
  if (task.range.count > 0 && task.kind == TaskKind::send_start) visit(task.range.buffer, range, false);
  if (task.range.count > 0 && task.kind == TaskKind::recv_start) visit(task.range.buffer, range, true);
  std::vector<Index> repeats;
  checks::for_each_pass(task.steps, repeats, [&](const Step& step, std::span<const Index> around) {
    const auto region = [&](const Piece& p) { return [&] { return region_of(p, step.pass, around); }; };
    for (const Piece& p : step.pass.sources)
      if (p.recv < 0) visit(p.buffer, region(p), false);
    for (const Piece& p : step.pass.targets) visit(p.buffer, region(p), true);
  });
}

}  // namespace kallima
