#pragma once
// What a timeline shows, in sentences: the shares of one panel, and by how much the panels differ.

#include <span>
#include <string>
#include <vector>

#include "draw/timelines.hpp"

namespace kallima {

std::string panel_title(const Trace& trace, std::size_t number);
std::string shares_text(const Timelines& timelines, const Trace& trace, std::size_t shown);

// One line for every trace after the first, which it is compared with; none where there is one trace only.
std::vector<std::string> comparison_lines(std::span<const Trace> traces);

}  // namespace kallima
