#pragma once
// Wisdom inside of an Fft: what is learnt goes into the process's book, and from there to the file.

#include "kallima/wisdom.hpp"

namespace kallima {

// Adds what was measured, by route, and keeps it.
void learn_wisdom(const Problem& problem, int ranks, const PlanOptions& options,
                  const std::map<std::string, double>& seconds);

}  // namespace kallima
