#pragma once
// What the command line says about a run.

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "navier_stokes.hpp"

namespace taylor_green {

extern const char* const usage;

struct Options {
  kallima::Index n = 64, ranks = 2;
  double re = 1600, time = 10, dt = 0, every = 0.1, pictures = 1, checkpoint = 1;
  bool restart = false, check = false;
  Dealiasing dealiasing = Dealiasing::two_thirds;
  std::filesystem::path out = "taylor_green";

  kallima::Index steps(double interval) const { return std::max<kallima::Index>(1, std::llround(interval / dt)); }
  bool due(double interval, kallima::Index step) const { return interval > 0 && step % steps(interval) == 0; }
};

Options options_from(int argc, char** argv);  // throws where they make no sense

}  // namespace taylor_green
