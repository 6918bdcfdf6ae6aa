#include "kernel/radices.hpp"

#include <map>

namespace kallima::kernel {
namespace {

// About what a point costs in a round of each radix, in nanoseconds measured on a Neoverse V1: in the last round, and
// what multiplying adds in the others.
struct RadixCost {
  Index radix;
  double last, other;
};
constexpr RadixCost costs[] = {{1, .2, .5},     {2, .30, .55},    {3, .45, .75},    {4, .40, .68},   {5, .68, .98},
                               {6, .65, .95},   {7, .90, 1.20},   {8, .66, .98},    {9, 1.05, 1.37}, {10, .95, 1.25},
                               {11, 1.3, 1.6},  {12, .92, 1.20},  {13, 1.45, 1.75}, {14, 1.3, 1.6},  {15, 1.25, 1.5},
                               {16, .95, 1.20}, {20, 1.37, 1.65}, {25, 1.65, 2.05}, {32, 1.50, 2.20}};

constexpr Index any_radix = largest_prime;
constexpr Index rows_in_cache = 1024;  // of a cache line each: as large as a first-level cache

// Larger primes are summed up term by term.
std::vector<RadixCost> costs_of(Index n) {
  std::vector<RadixCost> all(std::begin(costs), std::end(costs));
  for (Index p = 17; p <= largest_prime; p += 2)
    if (n % p == 0 && is_prime(p))
      all.push_back({p, .5 + .12 * static_cast<double>(p), .8 + .12 * static_cast<double>(p)});
  return all;
}

struct Factorization {
  double cost = 1e9;
  std::vector<Index> radices;
};

// The cheapest rounds of n points, of radices that there are codelets for. Rows that meet and are more than a cache
// holds are taken in short rounds until what is left fits half of it, and the longest rounds come last: 4096 points by
// 4, 4, 16 and 16 take three quarters of the time of 4, 16, 16 and 4.
template <class T>
class Rounds {
 public:
  explicit Rounds(bool large) : large_(large) {}

  // The first and the last round are of radices up to these.
  Factorization of(Index n, Index most_first, Index most_last) {
    Factorization best;
    for (const RadixCost& c : costs_of(n)) {
      const bool last = n == c.radix;
      if (n % c.radix != 0 || c.radix > most_first || (last && c.radix > most_last) || (c.radix == 1 && n > 1))
        continue;
      if (!codelet_of<T>(c.radix)) continue;
      Factorization mine{large_ ? c.other : c.last, {}};
      if (!last) {
        mine = after_first(n / c.radix, most_last);
        mine.cost += c.other;
      }
      if (mine.cost >= best.cost) continue;
      mine.radices.insert(mine.radices.begin(), c.radix);
      best = std::move(mine);
    }
    return best;
  }

 private:
  const Factorization& after_first(Index n, Index most_last) {
    const auto known = known_.find({n, most_last});
    if (known != known_.end()) return known->second;
    return known_[{n, most_last}] = of(n, large_ && 2 * n > rows_in_cache ? few : any_radix, most_last);
  }
  bool large_;
  std::map<std::pair<Index, Index>, Factorization> known_;
};

}  // namespace

bool is_prime(Index n) {
  for (Index d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

bool has_small_factors(Index n) {
  for (Index r = 2; r <= largest_prime; ++r)
    while (n % r == 0 && n > 1) n /= r;
  return n == 1;
}

template <class T>
ButterflyCodelet<T> codelet_of(Index radix) {
  const ButterflyCodelet<T> found = codelets<T>().butterflies(radix);
  return found == nullptr && radix > 13 && is_prime(radix) ? codelets<T>().prime : found;
}

// Rows that all fall into the same sets of a cache drive each other out before a cache line is used up, unless they are
// few: rounds that read or write such rows are short.
template <class T>
std::vector<Index> radices_of(Index n, const RowsThatMeet& meet, Index most_last) {
  const bool large = n > rows_in_cache && (meet.sources || meet.targets);
  Factorization best;
  if (n > 32)
    best =
        Rounds<T>(large).of(n, meet.sources || large ? few : any_radix, meet.targets && !large ? most_last : any_radix);
  if (best.radices.empty()) best = Rounds<T>(false).of(n, any_radix, any_radix);
  return best.radices;
}

template ButterflyCodelet<float> codelet_of(Index);
template std::vector<Index> radices_of<float>(Index, const RowsThatMeet&, Index);
template ButterflyCodelet<double> codelet_of(Index);
template std::vector<Index> radices_of<double>(Index, const RowsThatMeet&, Index);
template ButterflyCodelet<long double> codelet_of(Index);
template std::vector<Index> radices_of<long double>(Index, const RowsThatMeet&, Index);

}  // namespace kallima::kernel
