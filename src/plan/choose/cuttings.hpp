#pragma once
// Into how many parts a route's work is cut, and whether it is exchanged meanwhile: simulated like the routes
// themselves.

#include <functional>

#include "kallima/forecast.hpp"

namespace kallima {

struct Cutting {
  Index chunks = 0, slices = 0;  // 0: as many as is usual
  Overlap overlap = Overlap::automatic;
  bool operator==(const Cutting&) const = default;
};

PlanOptions with_cutting(PlanOptions options, const Cutting& cutting);

// Whether the caller has left it to us.
bool cutting_is_open(const PlanOptions& options);

// Of a route: what it says to the problem with other options.
using WithOptions = std::function<Candidate(const PlanOptions& options)>;

// A route as it is usually cut, or as it is cut best so far.
struct CutRoute {
  double seconds = 0;
  double memory_words = 0;  // of a rank, in either direction,
  double memory_limit = 0;  // and the most that it should take; 0: that does not count
  Cutting cutting = {};
};

// Everything at once, and then the numbers of slices and chunks around the usual ones, each with the best found so far;
// what is hardly faster is not taken, nor what takes more memory than it should unless all do; what saves as much as it
// should may be slower. Those with very many messages are not simulated.
void try_at_once(CutRoute& best, const PlanOptions& options, const Profile& profile, const WithOptions& route);
void try_parts(CutRoute& best, const PlanOptions& options, const Profile& profile, const WithOptions& route);

// What the ranks that may need most take, arrays and workspace, in words, there or back.
double memory_both_ways(const Plan& plan);

}  // namespace kallima
