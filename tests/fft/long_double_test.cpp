// Transforms of long doubles are more precise than those of doubles, where long doubles are.

#include <gtest/gtest.h>

#include "fft_suite.hpp"

namespace kallima {
namespace {

constexpr bool is_wider = std::numeric_limits<long double>::digits > std::numeric_limits<double>::digits;
constexpr double bound = is_wider ? 1e-17 : 1e-14;

const FftOptions estimated{.effort = Effort::estimate};

// The largest error of forward and backward, with every norm.
double worst_error(const Comm& comm, const Case& c) {
  Fft<long double> fft(c.problem, comm, estimated);
  Array<std::complex<long double>> x(fft.local_size_in()), y(fft.local_size_out()), back(fft.local_size_in());
  fill(fft.layout_in(), comm.rank(), c.x, x.data());
  double worst = 0;
  fft.forward(x.span(), y.span());
  worst = std::max(worst, error(fft.layout_out(), comm.rank(), c.forward, y.data(), 1));
  fft.backward(y.span(), back.span(), Norm::full);
  worst = std::max(worst, error(fft.layout_in(), comm.rank(), c.x, back.data(), 1));
  fft.forward(x.span(), y.span(), Norm::ortho);
  fft.backward(y.span(), back.span(), Norm::ortho);
  return std::max(worst, error(fft.layout_in(), comm.rank(), c.x, back.data(), 1));
}

TEST(FftOfLongDoubles, is_right_beyond_double_precision) {
  for (const Shape& shape : {Shape{1}, {31}, {64}, {101}, {360}, {576}, {36, 16}, {13, 8, 5}}) {
    const Case c({.shape = shape});
    EXPECT_LT(worst_error(Comm(), c), bound) << text(shape);
    for (const int ranks : {2, 3, 4})
      run_threads(ranks, [&](Comm comm) { EXPECT_LT(worst_error(comm, c), bound) << text(shape) << " on " << ranks; });
  }
}

TEST(FftOfLongDoubles, says_its_precision) {
  EXPECT_EQ(Fft<long double>({.shape = {8}}, Comm(), estimated).plan().problem().precision, Precision::long_double);
}

}  // namespace
}  // namespace kallima
