#pragma once
// Lines of one length, transformed by one kernel of Kallima's or by one plan of FFTW's, on one core: the innermost step
// of every transform, by itself.

#include <memory>
#include <vector>

#include "bench/rival.hpp"

namespace kallima::cli {

// Along the fast axis of an array, or along the slow one: then lines stand side by side, their points far apart.
enum class Access { contiguous, strided };

struct LineBatch {
  Index length = 2;
  Index lines = 1;
  Access access = Access::contiguous;
  Precision precision = Precision::double_;
};

// Kallima's, then FFTW's, both from the same array to the same other one.
std::vector<std::unique_ptr<Rival>> make_line_rivals(const LineBatch& batch);

}  // namespace kallima::cli
