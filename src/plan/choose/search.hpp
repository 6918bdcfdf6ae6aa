#pragma once
// Finding the cheapest way through layouts in which every axis is held whole at some time. A state is where the array
// is and which axes are done; all axes that are whole are transformed at once, and an exchange leads to another layout.
// Dijkstra's algorithm on these few states finds the cheapest chain, whatever layouts the caller wants at its ends.

#include "plan/exchange/link.hpp"

namespace kallima {

// A way: layouts one after the other, each with the axes that are transformed in it.
struct Way {
  struct Stop {
    Holding holding;             // as the array comes in
    std::vector<AxisKind> axes;  // transformed here, in this order
  };
  std::vector<Stop> stops;
  double cost = 0;  // in words moved by the busiest rank, or as long as that takes
};

// For a checked problem; `in` and `out` where they are given, else what is cheapest (Output::same: what came in).
Way cheapest_way(const Problem& problem, int ranks);

// What the output's layout must be, if that is known before planning: `out`, or for Output::same what `in` is like.
std::optional<Layout> wanted_out(const Problem& problem);

// The axes of `axes` that can be transformed in this layout, in an order that works: reals as long as they are real,
// then the one that is halved, then the others. `done` says, by dimension, which have been.
std::vector<AxisKind> possible_here(const Problem& problem, const Holding& holding, const std::vector<bool>& done);

Holding after_axes(Holding holding, const std::vector<AxisKind>& axes);

double exchange_cost(const Holding& from, const Layout& to);
double transform_cost(const Holding& holding, const std::vector<AxisKind>& axes);

}  // namespace kallima
