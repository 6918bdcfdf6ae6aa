// Products against GMP's on 1, 2, 3, 4 and 6 threads, a fifth of the pairs on each; with KALLIMA_GMP_RANKS all of them
// on as many as that says.

#include "gmp/random_pairs.hpp"

namespace kallima {
namespace {

TEST(Gmp, products_of_random_pairs_are_equal) {
  if (const char* const ranks = std::getenv("KALLIMA_GMP_RANKS"); ranks != nullptr) {
    run_threads(std::atoi(ranks), [](const Comm& comm) { expect_products(comm, pairs_asked_for(), 1); });
    return;
  }
  std::uint64_t seed = 1;
  for (const int ranks : {1, 2, 3, 4, 6}) {
    run_threads(ranks, [&](const Comm& comm) { expect_products(comm, (pairs_asked_for() + 4) / 5, seed); });
    ++seed;
  }
}

}  // namespace
}  // namespace kallima
