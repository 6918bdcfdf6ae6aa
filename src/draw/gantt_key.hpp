#pragma once
// What the colours of a timeline mean, for painting and for the legend.

#include <string>
#include <vector>

#include "draw/legend.hpp"
#include "draw/stretches.hpp"

namespace kallima {

std::vector<std::string> stages_of(std::span<const Trace> traces);  // of all, so that they share colours
Look work_look(int what, const std::vector<std::string>& stages);
Look sending_look(int what);

// Entries for what occurs in any of the panels.
std::vector<LegendEntry> key_entries(const std::vector<Lanes>& panels, const std::vector<std::string>& stages);

}  // namespace kallima
