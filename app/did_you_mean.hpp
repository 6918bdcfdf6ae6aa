#pragma once
// What somebody may have meant by a word that is not known: the known one that takes the fewest changes.

#include <string>
#include <vector>

namespace kallima::cli {

// The nearest of `known` by letters changed, left out, added or swapped with their neighbour; empty where nothing is
// near.
std::string nearest_word(const std::string& word, const std::vector<std::string>& known);

// " (did you mean --ranks?)" or nothing.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace kallima::cli
