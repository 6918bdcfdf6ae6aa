#pragma once
// Lines of one length, transformed by one kernel of Kallima's or by one plan of FFTW's, on one core: the innermost step
// of every transform, by itself.

#include <functional>
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

struct LineSteps {
  Index along, across;  // from a point to the next of its line, and to the same one of the next line
};

// One run of FFTW's plan; the arrays are of the batch's precision.
std::function<void()> plan_fftw_lines(const LineBatch& batch, const LineSteps& steps, void* in, void* out);

// Kallima's, then FFTW's, where it is in this build, both from the same array to the same other one.
std::vector<std::unique_ptr<Rival>> make_line_rivals(const LineBatch& batch);

}  // namespace kallima::cli
