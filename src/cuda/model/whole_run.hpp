#pragma once
// Passes that follow one another along several axes of one array are a transform of that array, for which a device has
// better ways than axis by axis. Here such passes are recognised by where their lines stand.

#include <span>

#include "cuda/whole/whole_transform.hpp"
#include "kallima/schedule.hpp"

namespace kallima::cuda {

struct WholeRun {
  std::size_t passes = 0;  // that it is made of: 0 where the first of them begin no such transform
  WholeProblem problem = {};
  Piece from = {}, to = {};  // where the array begins, at both ends
  bool scaled = false;
};

// The longest run that begins with the first pass, from an array to another of the same shape, to half a spectrum, or
// in place, without gaps: of several passes, of one over many lines that stand one behind the other, or of the two that
// a long line is done in.
WholeRun whole_run(std::span<const Pass> passes, Precision precision, Direction direction);

// A transform of a whole complex array, its spectrum times factors, and the way back: one after the other, the spectrum
// being nobody else's.
struct WholeProduct {
  std::size_t passes = 0;     // 0: the first of them begin none
  WholeProblem problem = {};  // the way there
  Piece from = {}, factors = {}, to = {};
  bool scaled = false;
};
WholeProduct whole_product(std::span<const Pass> passes, Precision precision, Direction direction);

}  // namespace kallima::cuda
