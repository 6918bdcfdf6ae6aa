#include "bench/fftw_build.hpp"

#include <gtest/gtest.h>

namespace kallima::cli {
namespace {

TEST(FftwBuild, vector_instructions_are_read_from_what_fftw_calls_itself) {
  EXPECT_EQ(title(fftw_build("fftw-3.3.10-neon")), "FFTW 3.3.10 with neon");
  EXPECT_EQ(title(fftw_build("fftw-3.3.8-sse2-avx-avx2-avx2_128")), "FFTW 3.3.8 with sse2, avx, avx2, avx2_128");
}

TEST(FftwBuild, one_without_vector_instructions_says_so) {
  EXPECT_EQ(title(fftw_build("fftw-3.3.10")), "FFTW 3.3.10 without vector instructions");
  EXPECT_EQ(title(fftw_build("fftw-3.3.10-fma")), "FFTW 3.3.10 without vector instructions");
}

}  // namespace
}  // namespace kallima::cli
