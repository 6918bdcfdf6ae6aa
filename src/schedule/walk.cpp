// Sorting and joining axes: three loops over a contiguous array become one run, a column of a matrix stays a loop.

#include "schedule/walk.hpp"

namespace kallima::checks {

std::vector<LoopAxis> joined(std::vector<LoopAxis> axes, Index& offset) {
  std::erase_if(axes, [](const LoopAxis& a) { return a.size == 1 || a.stride == 0; });
  for (LoopAxis& a : axes)
    if (a.stride < 0) {
      offset += (a.size - 1) * a.stride;
      a.stride = -a.stride;
    }
  std::sort(axes.begin(), axes.end(), [](const LoopAxis& a, const LoopAxis& b) { return a.stride < b.stride; });
  std::vector<LoopAxis> all;
  for (const LoopAxis& a : axes) {
    if (!all.empty() && all.back().stride * all.back().size == a.stride)
      all.back().size *= a.size;
    else
      all.push_back(a);
  }
  return all;
}

std::vector<LoopAxis> axes_of(const Piece& piece, const Pass& pass, std::span<const Index> indices, Index& offset) {
  for (std::size_t k = 0; k < indices.size(); ++k) offset += indices[k] * piece.strides[k];
  std::vector<LoopAxis> axes{{piece.count, piece.stride}};
  for (std::size_t k = 0; k < pass.loops.size(); ++k)
    axes.push_back({pass.loops[k], piece.strides[indices.size() + k]});
  return axes;
}

}  // namespace kallima::checks
