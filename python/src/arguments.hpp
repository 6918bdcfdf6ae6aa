#pragma once
// What a caller of Plan or predict() gives, as a dictionary whose names are those of Plan's arguments.

#include "python/src/bind.hpp"

namespace kallima::python {

struct PlanArguments {
  Problem problem;
  FftOptions options;
};

PlanArguments plan_arguments(const py::dict& given, int ranks);

}  // namespace kallima::python
