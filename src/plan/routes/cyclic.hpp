#pragma once
// The numbers that describe a cyclic plan, shared by the choice of them (cyclic.cpp) and the tasks that follow from
// them (cyclic_tasks.cpp).

#include <vector>

#include "kallima/plan.hpp"

namespace kallima {

// One dimension: n points over p ranks, each holding every p-th, m = n/p of them. Index t of a rank's line is
// v + S*w, and n = R*Q, m = R*S, Q = p*S: phase I transforms over w (length R), phase II over what is left (length Q).
// A dimension that is not distributed is left to phase II entirely.
struct CyclicDim {
  Index n = 1;
  Index p = 1;
  Index m = 1;
  Index R = 1;
  Index S = 1;
  Index Q = 1;
  bool transform = false;
  bool distributed() const { return p > 1; }
};

struct CyclicParameters {
  std::vector<CyclicDim> dims;
  std::size_t lead = 0;  // the first distributed dimension: chunks are classes of its outputs
  int distributed_dims = 0;
  Index chunks = 1;
  std::vector<Index> radices;  // of the split of the leading dimension; empty: not split, slices do phase I
  // Phase I is done slice by slice of a dimension it leaves alone (of v, if that is the leading one). What the first
  // `early` slices make is sent at once, all chunks together; what the others make, chunk by chunk.
  std::size_t sliced = 0;
  Index slices = 1;
  Index early = 0;
};

RankSchedule cyclic_tasks(const CyclicParameters& parameters, const Layout& layout, const PlanOptions& options,
                          int rank);

}  // namespace kallima
