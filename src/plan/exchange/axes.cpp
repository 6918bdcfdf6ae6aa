#include "plan/exchange/axes.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr Index cached_elements = 40 * 1024;  // a box of at most this many is taken to stay in a second-level cache

Piece piece(const Corner& corner, const Axis& line, const std::vector<Axis>& loops, Index Axis::*stride) {
  Piece p{.buffer = corner.buffer, .offset = corner.offset, .count = line.extent, .stride = line.*stride};
  p.real = corner.real;
  p.strides = corner.outer;
  for (const Axis& loop : loops) p.strides.push_back(loop.*stride);
  return p;
}

// A pass along axes[k] over all the others; the loop over nearest neighbours goes last.
Step pass_along(std::size_t k, const Corner& from, const Corner& to, const std::vector<Axis>& axes, Action action,
                bool scaled) {
  std::vector<Axis> loops;
  for (std::size_t j = 0; j < axes.size(); ++j)
    if (j != k) loops.push_back(axes[j]);
  Step step;
  step.pass.action = action;
  if (action == Action::transform) step.pass.kind = axes[k].kind;
  step.pass.length = axes[k].extent;
  step.pass.sources = {piece(from, axes[k], loops, &Axis::from)};
  step.pass.targets = {piece(to, axes[k], loops, &Axis::to)};
  for (const Axis& loop : loops) step.pass.loops.push_back(loop.extent);
  step.pass.scaled = scaled;
  return step;
}

Index volume(const std::vector<Axis>& axes) {
  Index count = 1;
  for (const Axis& axis : axes) count *= axis.extent;
  return count;
}

// A Fourier transform of one point leaves it alone; a cosine or sine transform may not.
bool does_something(const Axis& a) { return a.transform && (a.extent > 1 || a.kind != Kind::fourier); }

void settle(std::vector<Axis>& axes) {
  for (Axis& axis : axes) axis.from = axis.to;
}

// One axis after another, fastest first: all of it stays in a cache, slicing would leave single lines, or there is only
// one to transform, and nothing to find in a cache later.
void small_box(std::vector<Step>& steps, Corner from, const Corner& to, std::vector<Axis> axes, Scaling scaling) {
  const auto first = std::find_if(axes.begin(), axes.end(), [](const Axis& a) { return a.transform; });
  for (std::size_t k = axes.size(); k-- > 0;) {
    if (!axes[k].transform) continue;
    const bool last = axes.begin() + static_cast<std::ptrdiff_t>(k) == first;
    steps.push_back(pass_along(k, from, to, axes, Action::transform, last && scaling == Scaling::last_pass));
    from = to;
    settle(axes);
  }
}

void slice_by_slice(std::vector<Step>& steps, Corner from, Corner to, std::vector<Axis> axes, Scaling scaling) {
  const Axis slowest = axes.front();
  axes.erase(axes.begin());
  Step slices{.repeat = slowest.extent};
  from.outer.push_back(slowest.from);
  to.outer.push_back(slowest.to);
  transform_axes(slices.body, from, to, std::move(axes), scaling);
  if (!slices.body.empty()) steps.push_back(std::move(slices));
}

}  // namespace

bool any_transform(const std::vector<Axis>& axes) { return std::any_of(axes.begin(), axes.end(), does_something); }

void transform_axes(std::vector<Step>& steps, const Corner& from, const Corner& to, std::vector<Axis> axes,
                    Scaling scaling) {
  std::erase_if(axes, [](const Axis& a) { return a.extent == 1 && !does_something(a); });
  if (!any_transform(axes)) {
    if (from == to) return;
    if (axes.empty()) axes.push_back({});
    steps.push_back(pass_along(axes.size() - 1, from, to, axes, Action::move, scaling == Scaling::last_pass));
    return;
  }
  const bool only_one = std::ranges::count_if(axes, &Axis::transform) == 1;
  if (axes.size() <= 2 || only_one || volume(axes) <= cached_elements) return small_box(steps, from, to, axes, scaling);
  if (!axes.front().transform) return slice_by_slice(steps, from, to, axes, scaling);
  std::vector<Axis> rest(axes.begin() + 1, axes.end());
  const bool more = any_transform(rest);
  steps.push_back(pass_along(0, from, to, axes, Action::transform, !more && scaling == Scaling::last_pass));
  if (!more) return;
  settle(axes);
  slice_by_slice(steps, to, to, axes, scaling);
}

std::vector<Index> row_major(const Shape& shape) {
  std::vector<Index> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  return strides;
}

Index divisor_at_most(Index n, Index limit) {
  Index best = 1;
  for (Index d = 1; d * d <= n; ++d) {
    if (n % d != 0) continue;
    if (d <= limit) best = std::max(best, d);
    if (n / d <= limit) best = std::max(best, n / d);
  }
  return best;
}

}  // namespace kallima
