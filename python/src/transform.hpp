#pragma once
// A transform of whole arrays of one shape and type: a StridedFft and its three scales. Of reals whose whole spectrum
// is wanted it makes one half and fills in the other, which is the conjugate at the opposite indices. An orthogonal
// cosine or sine transform has its first or last coefficients weighed, before or after.

#include "python/src/bind.hpp"

namespace kallima::python {

enum class Whole { no, yes, conjugated };  // conjugated: the other direction's

struct Edges {  // which ends of the transformed axes are weighed
  bool first = false, last = false;
};

struct Transform {
  StridedFft fft;
  std::size_t alignment;
  long double scales[3];  // 1, 1/sqrt(N), 1/N, in the precision that is enough for all
  Whole whole;
  Precision precision;
  Shape shape;
  std::vector<Index> strides;     // of the result
  std::vector<bool> is_mirrored;  // dimensions that are transformed
  std::size_t halved;             // of these the one that half is made of
  std::vector<Index> strides_in;
  bool is_complex;      // what is weighed
  Edges before, after;  // by sqrt(2), in the input itself, which the caller gives away; by its inverse

  Transform(const Shape& shape, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
            const std::string& type, bool backward, const std::vector<Index>& strides_in,
            const std::vector<Index>& strides_out, int workers, Whole whole, bool orthogonal);

  void run(const void* from, void* to, int norm) const;
  bool weighs_input() const { return before.first || before.last; }
  bool is_aligned(const void* array) const { return reinterpret_cast<std::uintptr_t>(array) % alignment == 0; }
};

}  // namespace kallima::python
