#pragma once
// Copying part of one distributed array into another of a different shape: along each dimension runs of indices of the
// one are runs of indices of the other, and every combination of them is a box that moves. Spectra are padded and cut
// this way, and arrays are put into larger ones.

#include "kallima/plan.hpp"

namespace kallima {

// The indices from, from + 1, ... of one array are to, to + 1, ... of the other.
struct IndexRun {
  Index from = 0;
  Index to = 0;
  Index count = 0;
  bool operator==(const IndexRun&) const = default;
};

using IndexRuns = std::vector<std::vector<IndexRun>>;  // by dimension

// Forward goes from `from` to `to`, backward the other way. What no run names is left as it was.
std::unique_ptr<Plan> plan_regrid(const Layout& from, const Layout& to, IndexRuns runs, Data data,
                                  const PlanOptions& options = {});

}  // namespace kallima
