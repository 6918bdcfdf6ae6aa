#pragma once
// What a timeline shows, said in words: the shares of one panel, and by how much the panels differ.

#include <span>
#include <string>
#include <vector>

#include "draw/lanes.hpp"

namespace kallima {

std::string panel_title(const Trace& trace, std::size_t number);
std::string shares_words(const Lanes& lanes, const Trace& trace, std::size_t shown);

// One line for every trace after the first, which it is compared with; none where there is one trace only.
std::vector<std::string> comparison_words(std::span<const Trace> traces);

}  // namespace kallima
