#pragma once
// What was predicted of transforms that were then measured: `kallima bench` adds a line, `kallima predict --review`
// reads them all.

#include <string>
#include <vector>

#include "app/validation.hpp"
#include "kallima/comm.hpp"

namespace kallima::cli {

// Says beforehand, by what is known of this machine, what `measured_s` was then measured of, and remembers both.
ValidationPoint remembered(const Problem& problem, const PlanOptions& plan, const Comm& comm, double measured_s);

std::vector<ValidationPoint> history();
void print_review(std::FILE* to, const std::vector<ValidationPoint>& points);

}  // namespace kallima::cli
