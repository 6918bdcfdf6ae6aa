// Arrays from the kernel: zeroed, aligned, and an Error with numbers where there is not enough.

#include "kallima/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kallima {
namespace {

TEST(Array, is_zeroed_aligned_and_writable_to_its_last_element) {
  for (const Index count : {1, 3, 511, 512, 513, 100000, 524288, 524289, 3000001}) {
    const Array<double> array(count);
    EXPECT_EQ(array.size(), count);
    EXPECT_TRUE(std::all_of(array.begin(), array.end(), [](double x) { return x == 0; })) << count;
    const std::uintptr_t alignment = count * 8 >= (4 << 20) ? 2 << 20 : 4096;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.data()) % alignment, 0u) << count;
    array[count - 1] = 1;
  }
}

TEST(Array, of_nothing_is_empty) {
  EXPECT_EQ(Array<int>(0).data(), nullptr);
  EXPECT_EQ(Array<int>().size(), 0);
}

TEST(Array, moves_its_elements) {
  Array<int> a(10);
  a[3] = 7;
  const int* at = a.data();
  const Array<int> b = std::move(a);
  EXPECT_EQ(b.data(), at);
  EXPECT_EQ(b[3], 7);
}

TEST(Array, that_no_machine_can_hold_is_an_error_with_the_size) {
  for (const Index count : {Index{1} << 61, Index{1} << 60, Index{-1}, (Index{1} << 60) + 1}) {
    try {
      const Array<std::complex<double>> array(count);
      ADD_FAILURE() << count << " elements were given";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(std::to_string(count)), std::string::npos) << e.what();
    }
  }
  try {
    const Array<std::byte> array(Index{1} << 52);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("4503599627370496 bytes"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace kallima
