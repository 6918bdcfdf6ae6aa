#pragma once
// Transforming several axes of a box that one rank holds, in an order that keeps caches warm: a large box has its
// slowest axis transformed in one sweep, then each of its slices is finished before the next is touched.

#include "kallima/schedule.hpp"

namespace kallima {

// One axis of a box: its extent, and the distance of neighbours where the box is read from and written to.
struct Axis {
  Index extent = 1;
  Index from = 0;
  Index to = 0;
  bool transform = false;
  Kind kind = Kind::fourier;
};

// A corner of a box in a buffer; `outer` has the strides of the repeats that enclose it.
struct Corner {
  Buffer buffer = Buffer::in;
  Index offset = 0;
  std::vector<Index> outer = {};
  bool real = false;  // offset and strides are in reals
  bool operator==(const Corner&) const = default;
};

enum class Scaling { none, last_pass };

// Appends to `steps` what transforms the marked axes (given slowest first) of a box, reading it at `from` and leaving
// it at `to`. The two may be the same place, and then nothing at all is done if no axis is marked.
void transform_axes(std::vector<Step>& steps, const Corner& from, const Corner& to, std::vector<Axis> axes,
                    Scaling scaling);

// Whether any axis is marked whose transform does not leave its one point alone.
bool any_transform(const std::vector<Axis>& axes);

// Row-major strides of a shape.
std::vector<Index> row_major(const Shape& shape);

// The largest divisor of n that is at most `limit` (at least 1).
Index divisor_at_most(Index n, Index limit);

}  // namespace kallima
