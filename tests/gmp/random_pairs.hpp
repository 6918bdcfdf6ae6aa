#pragma once
// Products of random pairs of 1 to 10^6 bits against GMP's, on the ranks of any communicator. KALLIMA_GMP_PAIRS says
// how many.

#include <gmp.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "kallima/integer.hpp"

namespace kallima {

using Words = std::vector<std::uint64_t>;
inline constexpr Index most_bits = 1'000'000;

// Of so many bits, in which long runs of ones and zeros are as likely as chance.
inline Words number(std::mt19937_64& random, Index bits) {
  Words x(at((bits + 63) / 64));
  const bool runs = random() % 3 == 0;
  for (std::uint64_t& word : x) word = !runs ? random() : random() % 2 == 0 ? 0 : ~std::uint64_t{0};
  const int top = static_cast<int>((bits - 1) % 64);
  x.back() = (x.back() & ((std::uint64_t{1} << top) - 1)) | std::uint64_t{1} << top;
  return x;
}

inline Words by_gmp(const Words& a, const Words& b) {
  static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));
  Words c(a.size() + b.size());
  const bool ordered = a.size() >= b.size();
  const Words &longer = ordered ? a : b, &shorter = ordered ? b : a;
  const auto limbs = [](const Words& w) { return reinterpret_cast<const mp_limb_t*>(w.data()); };
  mpn_mul(reinterpret_cast<mp_limb_t*>(c.data()), limbs(longer), static_cast<mp_size_t>(longer.size()), limbs(shorter),
          static_cast<mp_size_t>(shorter.size()));
  return c;
}

// Plans serve all factors that are not longer: one for each number of bits up to a power of two.
inline void expect_products(const Comm& comm, int pairs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::unique_ptr<IntegerProduct>> plans(21);
  for (int i = 0; i < pairs; ++i) {
    const auto length = [&] { return 1 + static_cast<Index>(random() % at(most_bits >> random() % 20)); };
    const Words a = number(random, length()), b = number(random, length()), c = by_gmp(a, b);
    const std::size_t size = std::max(a.size(), b.size()), kind = at(std::bit_width(size));
    if (!plans[kind]) {
      const Index words = (Index{1} << kind) - 1;
      plans[kind] = std::make_unique<IntegerProduct>(words, words, comm);
    }
    const auto mine = [&](const Words& all) {
      Words part(at(plans[kind]->local_words()));
      for (std::size_t j = 0, first = at(plans[kind]->first_word()); j < part.size() && first + j < all.size(); ++j)
        part[j] = all[first + j];
      return part;
    };
    Words product(at(plans[kind]->local_words()));
    plans[kind]->multiply(mine(a), mine(b), product);
    ASSERT_EQ(product, mine(c)) << a.size() << " by " << b.size() << " words, pair " << i << " of seed " << seed;
  }
}

inline int pairs_asked_for() {
  const char* const asked = std::getenv("KALLIMA_GMP_PAIRS");
  return asked == nullptr ? 200 : std::atoi(asked);
}

}  // namespace kallima
