#include "exact/mersenne_check.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace kallima {

std::uint64_t mersenne_sum(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;  // below 2^62
  return sum >= mersenne_prime ? sum - mersenne_prime : sum;
}

std::uint64_t mersenne_product(std::uint64_t a, std::uint64_t b) {
  const Uint128 product = Uint128{a} * b;
  return mersenne_sum(static_cast<std::uint64_t>(product) & mersenne_prime, static_cast<std::uint64_t>(product >> 61));
}

// Halves of words are added, of which 2^32 fit a sum: there are not more words than 2^37.
std::uint64_t mersenne_residue(std::span<const std::uint64_t> words, Index first) {
  constexpr std::size_t period = 61;
  std::uint64_t low[period] = {}, high[period] = {};
  for (std::size_t begin = 0; begin < words.size(); begin += period) {
    const std::size_t count = std::min(period, words.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      low[i] += words[begin + i] & 0xffffffff;
      high[i] += words[begin + i] >> 32;
    }
  }
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < period; ++i) {
    const std::uint64_t power = std::uint64_t{1} << 3 * (i + at(first)) % period;
    const std::uint64_t both =
        mersenne_sum(low[i] % mersenne_prime, mersenne_product(high[i] % mersenne_prime, std::uint64_t{1} << 32));
    sum = mersenne_sum(sum, mersenne_product(both, power));
  }
  return sum;
}

}  // namespace kallima
