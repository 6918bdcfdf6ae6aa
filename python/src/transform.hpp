#pragma once
// A transform of whole arrays of one shape and type: a StridedFft and its three scales.

#include "python/src/bind.hpp"

namespace kallima::python {

struct Transform {
  StridedFft fft;
  std::size_t alignment;
  long double scales[3];  // 1, 1/sqrt(N), 1/N, in the precision that is enough for all

  Transform(const Shape& shape, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
            const std::string& precision, bool backward, const std::vector<Index>& strides_in,
            const std::vector<Index>& strides_out, int workers);

  bool is_aligned(const void* array) const { return reinterpret_cast<std::uintptr_t>(array) % alignment == 0; }
};

}  // namespace kallima::python
