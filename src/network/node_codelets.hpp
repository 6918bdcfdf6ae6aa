#pragma once
// The loops of the nodes that are shipped, for one type of numbers and one instruction set: plain functions, because
// what is compiled for an instruction set must not share code with the rest.

#include "kallima/node.hpp"

namespace kallima {

struct NodeCodelet {
  using Run = void (*)(const NodeRun& run, const NodeRows& rows);
  Run run, run_neighbours;
};

struct NodeCodelets {
  NodeCodelet hadamard, zeta, moebius, bitonic_merge;
};

struct ShippedNodes {
  NodeCodelets of_double, of_float, of_int64, of_int32;
};

}  // namespace kallima
