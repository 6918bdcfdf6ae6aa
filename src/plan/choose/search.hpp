#pragma once
// Finding the fastest way through layouts in which every axis is held whole at some time. A state is where the array
// is and which axes are done; all axes that are whole are transformed at once, and an exchange leads to another layout.
// Dijkstra's algorithm on these few states finds the fastest chain, whatever layouts the caller wants at its ends.

#include "kallima/route.hpp"
#include "plan/exchange/path.hpp"
#include "plan/forecast/charges.hpp"

namespace kallima {

// Seconds that exchanges and transforms take the busiest rank.
double exchange_seconds(const Charges& charges, const Held& from, const Held& to);
double transform_levels(Index length);  // as many as a power of two would have that takes as long
double transform_seconds(const Charges& charges, Index length, Index elements, Data data);
double transform_seconds(const Charges& charges, const Held& held, const std::vector<Transform>& transforms);

// An array and where it is.
struct LaidOut {
  Layout layout;
  Data data = Data::complex_;
  Held held() const { return {Spread(layout), data}; }
};

// For a checked problem; `in` and `out` where they are given, else what is fastest (Output::same: what came in).
std::vector<Stage> fastest_stages(const Problem& problem, int ranks, const PlanOptions& options);

// What the output's layout must be, if that is known before planning: `out`, or for Output::same what `in` is like.
std::optional<Layout> wanted_out(const Problem& problem);

// The transforms that can be done in this layout, in an order that works: reals as long as they are real, then the axis
// that is halved, then the others. `done` says, by dimension, which have been.
std::vector<Transform> possible_here(const Problem& problem, const LaidOut& array, const std::vector<bool>& done);

}  // namespace kallima
