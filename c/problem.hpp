#pragma once
// A kallima_problem as what the library calls a Problem and FftOptions.

#include "c/calls.hpp"

namespace kallima::c {

Problem problem_of(const kallima_problem& asked, int ranks);
Norm norm_named(kallima_norm norm);
FftOptions options_of(const kallima_problem& asked);

}  // namespace kallima::c
