#pragma once
// What a pass is to the device, found out without one: loops that continue one another are joined, transforms of reals
// become Fourier transforms of lines that are put together while they are read, and lengths are taken apart into the
// radices there are kernels for.

#include <optional>

#include "cuda/line_params.hpp"
#include "kallima/schedule.hpp"

namespace kallima::cuda {

// The same pass with as few loops as possible, around which there are `depth` repeats. Cosine and sine transforms of
// complex numbers become such of reals, twice as many.
Pass simplified(Pass pass, std::size_t depth);

struct LinePlan {
  LineKind kind = LineKind::plain;
  int length = 1;  // of the Fourier transform
  double sign = -1;
  Trigonometric trigonometric = {};
};
LinePlan line_plan(const Pass& pass, Direction direction);

// Largest first; none where another prime than 2, 3, 5, 7, 11 and 13 divides the length.
std::optional<std::vector<int>> radices_of(int length);

// The elements of a line, piece by piece.
std::vector<ElementRow> rows_of(const std::vector<Piece>& pieces);

// Lines that a block of threads does at once.
int lines_together(int length, Index lines, int pieces);

}  // namespace kallima::cuda
