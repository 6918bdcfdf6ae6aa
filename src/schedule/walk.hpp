#pragma once
// Ways to walk over what passes touch. Steps are walked either once per pass, for what does not depend on the
// iteration, or once per execution of it. The elements of a piece are walked as runs of consecutive ones, lowest stride
// innermost, whatever the order of the loops: that makes most pieces a few long runs instead of millions of elements.

#include <algorithm>
#include <span>

#include "kallima/schedule.hpp"

namespace kallima {

// A chirp whose products are added to what is there.
inline bool adds(const Pass& pass) { return pass.action == Action::chirp && pass.sources.size() == 2; }

// How long a pass's lines are at both ends. Encoded lines are as long as there is room for them.
inline Index elements_read(const Pass& pass) {
  if (pass.action == Action::decode && !pass.sources.empty()) return pass.sources[0].count;
  if (pass.action == Action::fill) return 0;
  if (pass.action == Action::multiply || adds(pass)) return 2 * pass.length;
  return pass.action == Action::transform && pass.kind == Kind::half_to_real ? pass.length / 2 + 1 : pass.length;
}

inline Index elements_written(const Pass& pass) {
  if (pass.action == Action::sum) return 1;
  if (pass.action == Action::encode && !pass.targets.empty()) return pass.targets[0].count;
  return pass.action == Action::transform && pass.kind == Kind::real_to_half ? pass.length / 2 + 1 : pass.length;
}

// What a line takes at one end, in reals, of which a complex number has two.
inline Index reals_of(const Piece& piece) { return piece.real ? piece.count : 2 * piece.count; }
inline Index reals_of(const std::vector<Piece>& pieces) {
  Index reals = 0;
  for (const Piece& piece : pieces) reals += reals_of(piece);
  return reals;
}

namespace checks {

struct LoopAxis {
  Index size = 1;
  Index stride = 0;
};

// Calls visit(pass) for each pass under the steps, which it may change.
void visit_passes(auto& steps, const auto& visit) {
  for (auto& step : steps) {
    if (step.body.empty()) visit(step.pass);
    visit_passes(step.body, visit);
  }
}

// Calls visit(recv_finish) for each block that steps read; it may give that task another number.
void for_each_received(auto& steps, const auto& visit) {
  visit_passes(steps, [&](auto& pass) {
    for (auto& source : pass.sources)
      if (source.recv >= 0) visit(source.recv);
  });
}

// Calls visit(pass, repeats) for each pass under the steps, `repeats` being the extents of the loops around it.
void for_each_pass(const std::vector<Step>& steps, std::vector<Index>& repeats, const auto& visit) {
  for (const Step& step : steps) {
    if (step.body.empty()) {
      visit(step, std::span<const Index>(repeats));
    } else {
      repeats.push_back(step.repeat);
      for_each_pass(step.body, repeats, visit);
      repeats.pop_back();
    }
  }
}

// Calls visit(pass, indices) for each execution of a pass, in order, with the indices of the loops around it.
void for_each_execution(const std::vector<Step>& steps, std::vector<Index>& indices, const auto& visit) {
  for (const Step& step : steps) {
    if (step.body.empty()) visit(step.pass, std::span<const Index>(indices));
    for (Index i = 0; i < step.repeat && !step.body.empty(); ++i) {
      indices.push_back(i);
      for_each_execution(step.body, indices, visit);
      indices.pop_back();
    }
  }
}

// The axes sorted by stride, made positive, with those that continue one another joined; moves `offset` to the lowest
// element. Axes that do not move are left out. A contiguous array becomes one run, a column of a matrix stays a loop.
inline std::vector<LoopAxis> joined(std::vector<LoopAxis> axes, Index& offset) {
  std::erase_if(axes, [](const LoopAxis& a) { return a.size == 1 || a.stride == 0; });
  for (LoopAxis& a : axes)
    if (a.stride < 0) {
      offset += (a.size - 1) * a.stride;
      a.stride = -a.stride;
    }
  std::ranges::sort(axes, {}, &LoopAxis::stride);
  std::vector<LoopAxis> all;
  for (const LoopAxis& a : axes) {
    if (!all.empty() && all.back().stride * all.back().size == a.stride)
      all.back().size *= a.size;
    else
      all.push_back(a);
  }
  return all;
}

// Calls visit(begin, end) for runs that make up all elements offset + sum of i_k stride_k.
void for_each_run(Index offset, const std::vector<LoopAxis>& given, const auto& visit) {
  std::vector<LoopAxis> axes = joined(given, offset);
  Index length = 1;
  if (!axes.empty() && axes.front().stride == 1) {
    length = axes.front().size;
    axes.erase(axes.begin());
  }
  std::vector<Index> place(axes.size(), 0);
  std::size_t k = 0;
  do {
    visit(offset, offset + length);
    for (k = 0; k < axes.size(); ++k) {
      offset += axes[k].stride;
      if (++place[k] < axes[k].size) break;
      offset -= axes[k].stride * axes[k].size;
      place[k] = 0;
    }
  } while (k < axes.size());
}

// The piece's own axis and those of the pass's loops, for one execution; `offset` is moved to that execution's.
inline std::vector<LoopAxis> axes_of(const Piece& piece, const Pass& pass, std::span<const Index> indices,
                                     Index& offset) {
  for (std::size_t k = 0; k < indices.size(); ++k) offset += indices[k] * piece.strides[k];
  std::vector<LoopAxis> axes{{piece.count, piece.stride}};
  for (std::size_t k = 0; k < pass.loops.size(); ++k)
    axes.push_back({pass.loops[k], piece.strides[indices.size() + k]});
  return axes;
}

}  // namespace checks
}  // namespace kallima
