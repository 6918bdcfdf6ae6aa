#include "exact/rounding_plan.hpp"

#include <cmath>
#include <numeric>

namespace kallima {
namespace {

constexpr Index fewest_points = 1 << 13;
constexpr double safe_distance = 0.15;  // expected at most; one half is lost

Index digits_in_whole_words(int bits) { return 64 / std::gcd(64, bits); }

bool is_smooth(Index n, std::initializer_list<Index> primes) {
  for (const Index p : primes)
    while (n % p == 0) n /= p;
  return n == 1;
}

// A rank's points, in columns and in rows; the beginning of every run of digits; and what all ranks see of all runs.
double cost(const CoprimeShape& shape, int ranks) {
  constexpr double of_a_run = 32, seen = 0.8;  // in points
  const Index columns = shape.R() * shape.block, rows = (shape.R1 + ranks - 1) / ranks * shape.R2 * shape.Q;
  return static_cast<double>(columns + rows) + static_cast<double>(shape.R()) * (of_a_run + seen * ranks);
}

// Columns are transformed several at a time, so that shorter ones stay in the first cache, and rows by eights, in the
// second: the cheapest shape within limits, which are doubled until it has not many points more than are needed.
CoprimeShape shape_for(Index points, int bits, int ranks) {
  constexpr Index longest_columns = 256, longest_odd = 63, longest_rows = 3072;  // by measurement
  const Index step = digits_in_whole_words(bits);
  for (Index doubled = 1;; doubled *= 2) {
    CoprimeShape best;
    for (Index R1 = 16; R1 <= doubled * longest_columns; R1 *= 2)
      for (Index R2 = 1; R2 <= doubled * longest_odd; R2 += 2) {
        if (!is_smooth(R2, {3, 5, 7})) continue;
        Index Q = (points + R1 * R2 * step - 1) / (R1 * R2 * step) * step;
        while (!is_smooth(Q, {2, 3, 5, 7})) Q += step;
        CoprimeShape shape{.R1 = R1, .R2 = R2, .Q = Q};
        shape.block = ((Q / step + ranks - 1) / ranks) * step;
        const bool fits = Q <= doubled * longest_rows;
        if (fits && (best.Q == 1 || cost(shape, ranks) < cost(best, ranks))) best = shape;
      }
    const bool is_tight = static_cast<double>(best.R() * best.block * ranks) < 1.15 * static_cast<double>(points);
    if (best.Q > 1 && (is_tight || doubled > 16)) return best;
  }
}

}  // namespace

// A coefficient is a sum of n products, of 2^(4b)/144 each in the mean square. A transform's relative error is about
// half a unit in the last place times the root of log2 n, there are three of them, and the largest of n errors is some
// five to six times as large as their root mean square.
double expected_distance(int bits, Index points) {
  const auto n = static_cast<double>(points);
  const double coefficient = std::ldexp(1.0, 2 * bits) / 12 * std::sqrt(n);
  return 6 * coefficient * 0x1p-54 * std::sqrt(3 * std::log2(n));
}

std::optional<RoundingPlan> plan_rounding(Index words_a, Index words_b, int ranks) {
  for (const int bits : {20, 18, 16, 14, 12}) {
    const Index digits = (64 * (words_a + words_b) + bits - 1) / bits + 1;  // one more for what is carried
    const Index points = (digits + 1) / 2;
    if (points < std::max<Index>(fewest_points, 1024 * ranks)) return {};
    if (expected_distance(bits, points) < safe_distance) return RoundingPlan{bits, shape_for(points, bits, ranks)};
  }
  return {};
}

}  // namespace kallima
