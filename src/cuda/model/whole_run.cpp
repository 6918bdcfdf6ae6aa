#include "cuda/model/whole_run.hpp"

#include <algorithm>
#include <set>

namespace kallima::cuda {
namespace {

struct ArrayAxis {
  Index extent, stride;
};

bool is_plain(const Pass& pass) {
  const auto plain = [](const std::vector<Piece>& pieces) {
    return pieces.size() == 1 && pieces[0].recv < 0 && pieces[0].every == 1 && pieces[0].first == 0;
  };
  return pass.action == Action::transform && pass.twiddle.modulus == 0 && !pass.conjugated && plain(pass.sources) &&
         plain(pass.targets);
}

// The axes of the array that a pass goes over, the slowest first; none where it has gaps.
std::vector<ArrayAxis> axes_of(const Pass& pass, const Piece& piece) {
  std::vector<ArrayAxis> axes{{piece.count, piece.stride}};
  for (std::size_t l = 0; l < pass.loops.size(); ++l) axes.push_back({pass.loops[l], piece.strides[l]});
  std::erase_if(axes, [](const ArrayAxis& a) { return a.extent == 1; });
  std::ranges::sort(axes, [](const ArrayAxis& a, const ArrayAxis& b) { return a.stride > b.stride; });
  Index next = 1;
  for (std::size_t i = axes.size(); i-- > 0; next *= axes[i].extent)
    if (axes[i].stride != next) return {};
  return axes;
}

Index size_of(const std::vector<ArrayAxis>& axes) { return axes.empty() ? 0 : axes[0].extent * axes[0].stride; }

bool same_place(const Piece& a, const Piece& b) {
  return a.buffer == b.buffer && a.offset == b.offset && a.stride == b.stride && a.strides == b.strides &&
         a.real == b.real;
}

// Reals stand as the half spectrum does, but for the length of the last axis.
bool halves(const Pass& pass) {
  const Piece &from = pass.sources[0], &to = pass.targets[0];
  if (!from.real || to.real || from.stride != 1 || to.stride != 1) return false;
  for (std::size_t l = 0; l < pass.loops.size(); ++l)
    if (from.strides[l] * to.count != to.strides[l] * from.count) return false;
  return true;
}

bool begins(const Pass& pass) {
  if (pass.kind == Kind::real_to_half) return halves(pass);
  const Piece &from = pass.sources[0], &to = pass.targets[0];
  return pass.kind == Kind::fourier && !from.real && from.stride == to.stride && from.strides == to.strides;
}

bool goes_on(const Pass& first, const Pass& pass) {
  return pass.kind == Kind::fourier && same_place(pass.sources[0], pass.targets[0]) &&
         pass.targets[0].buffer == first.targets[0].buffer && pass.targets[0].offset == first.targets[0].offset &&
         pass.reversed == first.reversed;
}

// Fills in shape and axes from what all the passes say; false where they do not fit together.
bool describe(std::span<const Pass> passes, WholeProblem& problem) {
  std::set<Index> ends{1};  // strides at which an axis begins or ends
  const Index size = size_of(axes_of(passes[0], passes[0].targets[0]));
  for (const Pass& pass : passes) {
    const std::vector<ArrayAxis> axes = axes_of(pass, pass.targets[0]);
    if (axes.empty() || size_of(axes) != size || pass.length == 1) return false;
    for (const ArrayAxis& a : axes) ends.insert({a.stride, a.stride * a.extent});
  }
  std::vector<Index> strides(ends.rbegin(), ends.rend());  // the whole size first
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    if (strides[d] % strides[d + 1] != 0) return false;
    problem.shape.push_back(strides[d] / strides[d + 1]);
  }
  for (const Pass& pass : passes) {
    const Piece& line = pass.targets[0];
    const auto at_stride = std::ranges::find(strides, line.stride);
    const auto axis = static_cast<std::size_t>(at_stride - strides.begin()) - 1;
    if (problem.shape[axis] != line.count) return false;  // another pass cuts it into two
    if (std::ranges::find(problem.axes, static_cast<int>(axis)) != problem.axes.end()) return false;
    problem.axes.push_back(static_cast<int>(axis));
  }
  return true;
}

}  // namespace

WholeRun whole_run(std::span<const Pass> passes, Precision precision, Direction direction) {
  WholeRun best;
  if (passes.empty() || !is_plain(passes[0]) || !begins(passes[0]) || passes[0].scaled) return best;
  const Pass& first = passes[0];
  for (std::size_t count = 2; count <= passes.size(); ++count) {
    const Pass& last = passes[count - 1];
    if (!is_plain(last) || !goes_on(first, last)) break;
    WholeRun run{.passes = count, .from = first.sources[0], .to = first.targets[0], .scaled = last.scaled};
    run.problem.precision = precision;
    if (!describe(passes.first(count), run.problem)) break;
    const bool forward = (direction == Direction::forward) != first.reversed;
    run.problem.sign = forward ? -1 : 1;
    if (first.kind == Kind::real_to_half) {
      run.problem.kind = TransformKind::r2c;
      run.problem.shape.back() = first.length;
      if (!forward) break;
    }
    std::ranges::sort(run.problem.axes);  // the halved one, where there is one, is the last
    best = run;
    if (last.scaled) break;
  }
  return best;
}

}  // namespace kallima::cuda
