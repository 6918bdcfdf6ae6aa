// The choice is among products of the ranks' square and few small primes. Longer transforms with only twos may be
// faster than shorter ones with other factors.

#include "plan/routes/convolution.hpp"

#include <algorithm>
#include <cmath>

#include "plan/choose/search.hpp"

namespace kallima {
namespace {

constexpr Index most_tried = 64;      // numbers of ranks
constexpr double other_work = 8;      // of a point, in levels of a transform: it is multiplied, and exchanged
constexpr double time_of_odd = 1.15;  // of a level that is not a power of two
constexpr Index most_slices = 4;      // eight take a quarter more time, for an eighth less memory
constexpr Index least_of_slice = Index{1} << 12;  // points on a rank: messages of fewer take as long as those of many
constexpr Index odd_factors[] = {1, 3, 5, 9, 15, 25, 27};

// What a rank has to do.
double work_of(const Convolution& c) {
  Index odd = c.points;
  while (odd % 2 == 0) odd /= 2;
  const double twos = std::log2(static_cast<double>(c.points / odd));
  const double levels = twos + time_of_odd * transform_levels(odd);
  return (levels + other_work) * static_cast<double>(c.points) / static_cast<double>(c.ranks);
}

bool less_work(const Convolution& a, const Convolution& b) { return work_of(a) < work_of(b); }

}  // namespace

// More slices take less memory and, if they are short, more time.
Index slices_of(Index least, Index ranks) {
  Index slices = 1;
  while (slices < most_slices && least / ranks >= 2 * slices * least_of_slice) slices *= 2;
  return slices;
}

Convolution convolution_on(Index least, Index ranks) {
  Convolution best;
  const Index slices = slices_of(least, ranks);
  for (const Index odd : odd_factors) {
    Convolution c{.points = slices * ranks * ranks * odd, .ranks = ranks, .slices = slices};
    while (c.points < least) c.points *= 2;
    if (best.points == 0 || less_work(c, best)) best = c;
  }
  return best;
}

Convolution choose_convolution(Index least, Index ranks) {
  const auto useful = static_cast<Index>(std::sqrt(static_cast<double>(least))) + 1;
  const Index most = std::min(ranks, useful);
  Convolution best = convolution_on(least, most);
  for (Index p = most - 1; p >= std::max<Index>(2, most - most_tried); --p) {
    const Convolution c = convolution_on(least, p);
    if (less_work(c, best)) best = c;
  }
  return best;
}

}  // namespace kallima
