#include <algorithm>
#include <cmath>

#include "kallima/rates.hpp"

namespace kallima {

bool alike(const Correction& a, const Correction& b) {
  return a.route == b.route && a.work == b.work && a.line == b.line && a.uneven == b.uneven && a.several == b.several &&
         (!a.several || a.joined == b.joined);
}

// Weights fall as a bell does, so that single factors, which differ by a twentieth from what their neighbours say, do
// not decide alone. Counted from the nearest, one of them is always left.
std::optional<Correction> corrected(const std::vector<Correction>& known, const Correction& like) {
  constexpr double width = 1;  // of the bell, in the logarithm of points
  const auto away = [&](const Correction& c) { return std::abs(std::log(c.points / like.points)) / width; };
  std::optional<double> nearest;
  for (const Correction& c : known)
    if (alike(c, like)) nearest = std::min(away(c), nearest.value_or(away(c)));
  if (!nearest) return std::nullopt;
  Correction result = like;
  double sum = 0, weights = 0;
  for (const Correction& c : known) {
    if (!alike(c, like)) continue;
    const double weight = std::exp((*nearest * *nearest - away(c) * away(c)) / 2);
    sum += weight * std::log(c.factor);
    weights += weight;
    result.error = std::max(result.error, c.error);
  }
  result.factor = std::exp(sum / weights);
  return result;
}

std::optional<Correction> corrected_however_joined(const std::vector<Correction>& known, Correction like) {
  const Joined asked = like.joined;
  std::optional<Correction> found = corrected(known, like);
  for (const Joined other : {Joined::views, Joined::threads, Joined::node, Joined::hosts}) {
    like.joined = other;
    if (!found) found = corrected(known, like);
  }
  if (found || !like.uneven) return found;
  like.uneven = false;
  like.joined = asked;
  return corrected_however_joined(known, like);
}

}  // namespace kallima
