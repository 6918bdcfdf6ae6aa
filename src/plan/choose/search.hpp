#pragma once
// Finding the cheapest way through layouts in which every axis is held whole at some time. A state is where the array
// is and which axes are done; all axes that are whole are transformed at once, and an exchange leads to another layout.
// Dijkstra's algorithm on these few states finds the cheapest chain, whatever layouts the caller wants at its ends.

#include "kallima/route.hpp"
#include "plan/exchange/path.hpp"

namespace kallima {

// What exchanges and transforms cost, in words moved by the busiest rank or as long as that takes.
inline constexpr double exchange_latency = 2000;
inline constexpr double message_latency = 100;
double exchange_cost(const Held& from, const Held& to, bool same_slots = true);
double transform_levels(Index length);  // as many as a power of two would have that takes as long
double transform_cost(Index length, Index elements, Data data);  // elements of the busiest rank
double transform_cost(const Held& held, const std::vector<Transform>& transforms);
double cost_of(const Path& path);

// An array and where it is.
struct LaidOut {
  Layout layout;
  Data data = Data::complex_;
  Held held() const { return {Spread(layout), data}; }
};

// For a checked problem; `in` and `out` where they are given, else what is cheapest (Output::same: what came in).
std::vector<Stage> cheapest_stages(const Problem& problem, int ranks);

// What the output's layout must be, if that is known before planning: `out`, or for Output::same what `in` is like.
std::optional<Layout> wanted_out(const Problem& problem);

// The transforms that can be done in this layout, in an order that works: reals as long as they are real, then the axis
// that is halved, then the others. `done` says, by dimension, which have been.
std::vector<Transform> possible_here(const Problem& problem, const LaidOut& array, const std::vector<bool>& done);

}  // namespace kallima
