#pragma once
// What slab.cpp decides and slab_tasks.cpp writes down.

#include "kallima/plan.hpp"

namespace kallima {

struct SlabParameters {
  Problem problem;
  std::size_t from = 0;  // the axis that is cut at first
  std::size_t to = 0;    // the axis that is cut after the exchange
  Index ranks = 1;
  Index chunks = 1;  // every rank's part of `to` is cut into so many
  bool there_and_back = false;
};

RankSchedule slab_tasks(const SlabParameters& parameters, const PlanOptions& options, int rank);

}  // namespace kallima
