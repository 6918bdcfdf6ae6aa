#pragma once
// Finding the cheapest way through layouts in which every axis is held whole at some time. A state is where the array
// is and which axes are done; all axes that are whole are transformed at once, and an exchange leads to another layout.
// Dijkstra's algorithm on these few states finds the cheapest chain, whatever layouts the caller wants at its ends.

#include "plan/exchange/held.hpp"

namespace kallima {

// An array and where it is.
struct LaidOut {
  Layout layout;
  Data data = Data::complex_;
};

// One axis and what is done along it.
struct AxisKind {
  std::size_t axis = 0;
  Kind kind = Kind::fourier;
};

// Layouts one after the other, each with the axes that are transformed in it.
struct Itinerary {
  struct Stay {
    LaidOut array;               // as it comes in
    std::vector<AxisKind> axes;  // transformed here, in this order
  };
  std::vector<Stay> stays;
  double cost = 0;  // in words moved by the busiest rank, or as long as that takes
};

// For a checked problem; `in` and `out` where they are given, else what is cheapest (Output::same: what came in).
Itinerary cheapest_itinerary(const Problem& problem, int ranks);

// What the output's layout must be, if that is known before planning: `out`, or for Output::same what `in` is like.
std::optional<Layout> wanted_out(const Problem& problem);

// The axes that can be transformed in this layout, in an order that works: reals as long as they are real, then the one
// that is halved, then the others. `done` says, by dimension, which have been.
std::vector<AxisKind> possible_here(const Problem& problem, const LaidOut& array, const std::vector<bool>& done);

LaidOut after_axes(LaidOut array, const std::vector<AxisKind>& axes);

inline constexpr double exchange_latency = 2000;  // in words
double exchange_cost(const LaidOut& from, const Layout& to);
double transform_cost(Index length, Index elements, Data data);  // elements of the busiest rank
double transform_cost(const LaidOut& array, const std::vector<AxisKind>& axes);

}  // namespace kallima
