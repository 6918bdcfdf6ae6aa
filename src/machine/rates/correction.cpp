#include <algorithm>
#include <cmath>

#include "kallima/rates.hpp"

namespace kallima {

bool alike(const Correction& a, const Correction& b) {
  return a.route == b.route && a.work == b.work && a.line == b.line && a.several == b.several &&
         (!a.several || a.joined == b.joined);
}

// Beyond the smallest and the largest it is theirs.
std::optional<Correction> corrected(const std::vector<Correction>& known, const Correction& like) {
  const Correction *below = nullptr, *above = nullptr;
  for (const Correction& c : known) {
    if (!alike(c, like)) continue;
    if (c.points <= like.points && (below == nullptr || c.points > below->points)) below = &c;
    if (c.points >= like.points && (above == nullptr || c.points < above->points)) above = &c;
  }
  if (below == nullptr) below = above;
  if (above == nullptr) above = below;
  if (below == nullptr) return std::nullopt;
  const double apart = std::log(above->points / below->points);
  const double share = apart > 0 ? std::log(like.points / below->points) / apart : 0;
  Correction result = like;
  result.factor = std::pow(below->factor, 1 - share) * std::pow(above->factor, share);
  result.error = std::max(below->error, above->error);
  return result;
}

std::optional<Correction> corrected_however_joined(const std::vector<Correction>& known, Correction like) {
  std::optional<Correction> found = corrected(known, like);
  for (const Joined other : {Joined::views, Joined::threads, Joined::node, Joined::hosts}) {
    like.joined = other;
    if (!found) found = corrected(known, like);
  }
  return found;
}

}  // namespace kallima
