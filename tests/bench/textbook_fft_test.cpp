// What others are compared with is right itself, for primes that are summed up and for those that are convolved.

#include "bench/textbook_fft.hpp"

#include <gtest/gtest.h>

#include "reference.hpp"

namespace kallima::cli {
namespace {

template <class Real>
long double error_of(const std::vector<Exact>& x, const std::vector<Exact>& expected) {
  const ValuesOf<Real> in(x.begin(), x.end());
  ValuesOf<Real> out(in.size());
  TextbookWork<Real> work;
  const auto n = static_cast<Index>(x.size());
  textbook_fft<Real>(in.data(), 1, out.data(), n, roots_of<Real>(n), work);
  long double difference = 0, norm = 0;
  for (std::size_t k = 0; k < out.size(); ++k) {
    difference += std::norm(Exact(out[k]) - expected[k]);
    norm += std::norm(expected[k]);
  }
  return std::sqrt(difference / norm);
}

TEST(TextbookFft, equals_the_definition_for_short_and_long_primes_and_their_products) {
  for (const Index n : {1, 2, 8, 61, 67, 211, 4 * 67, 3 * 211}) {
    const std::vector<Exact> x = random_values(n, 5);
    const std::vector<Exact> expected = reference_dft({.shape = {n}}, x, Direction::forward);
    EXPECT_LT(error_of<double>(x, expected), 2e-15L) << n;
    EXPECT_LT(error_of<long double>(x, expected), 2e-18L) << n;
  }
}

}  // namespace
}  // namespace kallima::cli
