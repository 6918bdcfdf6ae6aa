#pragma once
// What exchanges and transforms cost, in words moved by the busiest rank or as long as that takes.

#include "plan/exchange/path.hpp"

namespace kallima {

inline constexpr double exchange_latency = 2000;
inline constexpr double message_latency = 100;
double exchange_cost(const Held& from, const Held& to, bool same_slots = true);
double transform_cost(Index length, Index elements, Data data);  // elements of the busiest rank
double transform_cost(const Held& held, const std::vector<Transform>& transforms);
double cost_of(const Path& path);

}  // namespace kallima
