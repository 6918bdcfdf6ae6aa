#pragma once
// What trying has taught: how long transforms took by each of the routes that were tried, by machine and problem. Plans
// of Effort::measure or more, of several ranks that leave the route open, are made by it: what is known is not tried
// again. It is kept in wisdom.json, beside what kallima calibrate keeps.

#include <map>

#include "kallima/plan.hpp"

namespace kallima {

// All that this process knows, as JSON, and more of it: of a problem that both know, the shorter times stay. Import
// throws Error where it is not understood, and changes nothing then.
std::string export_wisdom();
void import_wisdom(const std::string& json);
void forget_wisdom();  // in this process; the file stays

// Seconds by route; empty where nothing is known.
std::map<std::string, double> wisdom_of(const Problem& problem, int ranks, const PlanOptions& options);

}  // namespace kallima
