#include <algorithm>
#include <cmath>
#include <numeric>

#include "plan/choose/search.hpp"

namespace kallima {
namespace {

constexpr double large_primes = 3;  // times as much as small ones, on top of these: they take longer transforms

// Ranks of a product are much alike.
std::vector<int> sampled(bool product, int p) {
  if (p > 16 && product) return {0, 1, p / 2, p - 1};
  std::vector<int> all(static_cast<std::size_t>(p));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double factor(Data data) { return data == Data::real_ ? 0.5 : 1; }

}  // namespace

double exchange_seconds(const Charges& charges, const Held& from, const Held& to) {
  Index most = 0;
  for (const int rank : sampled(from.spread.is_product() && to.spread.is_product(), to.spread.ranks())) {
    const Block had = from.spread.owned(rank), wanted = to.spread.owned(rank);
    most = std::max(most, std::max(count_of(had), count_of(wanted)) - count_of(common(had, wanted)));
  }
  const Index peers = to.spread.owner_count(from.spread.owned(0));
  return charges.exchange + charges.message * static_cast<double>(peers) +
         charges.word * static_cast<double>(most) * factor(from.data);
}

double transform_levels(Index length) {
  Index rest = length;
  for (const Index prime : {2, 3, 5, 7, 11, 13})
    while (rest % prime == 0) rest /= prime;
  return std::log2(static_cast<double>(length)) + large_primes * std::log2(static_cast<double>(rest));
}

double transform_seconds(const Charges& charges, Index length, Index elements, Data data) {
  return charges.level * std::max(1.0, transform_levels(length)) * static_cast<double>(elements) * factor(data);
}

double transform_seconds(const Charges& charges, const Held& held, const std::vector<Transform>& transforms) {
  Index most = 0;
  for (const int rank : sampled(held.spread.is_product(), held.spread.ranks()))
    most = std::max(most, count_of(held.spread.owned(rank)));
  double seconds = 0;
  for (const Transform& t : transforms) seconds += transform_seconds(charges, t.length, most, held.data);
  return seconds;
}

}  // namespace kallima
