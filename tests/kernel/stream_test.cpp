#include "kernel/cpu/stream.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <vector>

namespace kallima::kernel {
namespace {

template <class T>
class Stream : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Stream, Reals);

TYPED_TEST(Stream, stores_whole_rows_and_nothing_beside_them) {
  using Value = std::complex<TypeParam>;
  constexpr Index room = 96;
  alignas(64) Value stored[room];
  for (Index before = 0; before < 9; ++before)
    for (Index count = 0; count < 70; ++count) {
      std::vector<Value> row;
      for (Index i = 0; i < count; ++i) row.emplace_back(static_cast<TypeParam>(i), static_cast<TypeParam>(before));
      std::fill_n(stored, room, Value(-1));
      stream_row(row.data(), count, stored + before);
      end_streaming();
      std::vector<Value> expected(room, Value(-1));
      std::copy(row.begin(), row.end(), expected.begin() + before);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), stored)) << count << " from " << before;
    }
}

}  // namespace
}  // namespace kallima::kernel
