// Which sweeps there are. Axes that together with all that stands inside of them fit a cache are done block by block
// in one sweep, the others in a sweep each. Where reals become complex numbers that axis goes first, and last where
// they come back, with an array of our own in between.

#include "fft/sweeps.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "fft/sweep_builder.hpp"

namespace kallima {
namespace {

constexpr Index block_bytes = 1024 * 1024;   // of a second-level cache
constexpr Index fewest_for_threads = 16384;  // elements: fewer are done before others have woken up

class SweepMaker {
 public:
  SweepMaker(const Problem& problem, Direction direction, int threads)
      : problem_(problem), direction_(direction), builder_(problem, direction, threads_for(problem, threads)) {}

  Sweeps made(const StridedView& in, const StridedView& out) {
    const int halved = halved_axis(problem_);
    const StridedView& spectrum = direction_ == Direction::forward ? out : in;
    std::vector<std::size_t> axes;
    for (const int axis : problem_.axes)
      if (axis != halved) axes.push_back(at(axis));
    sort_dims(halved >= 0 ? spectrum : out);
    from_ = in;
    if (add_long_line(builder_, problem_, in, out)) return builder_.made();
    if (halved < 0) {
      add_axes(axes, out);
    } else if (direction_ == Direction::forward) {
      std::vector<std::size_t> all = axes;
      all.push_back(at(halved));
      add_axes(all, out);
    } else {
      const StridedView between = axes.empty() ? in : builder_.work(spectrum.shape);
      add_axes_to_reals(axes, between, at(halved), out);
    }
    return builder_.made();
  }

 private:
  static int threads_for(const Problem& problem, int threads) {
    return element_count(problem.shape) < fewest_for_threads ? 1 : std::max(1, threads);
  }

  // By distance in memory, farthest first.
  void sort_dims(const StridedView& view) {
    dims_.resize(view.shape.size());
    std::iota(dims_.begin(), dims_.end(), 0);
    std::ranges::stable_sort(
        dims_, [&](std::size_t a, std::size_t b) { return std::abs(view.strides[a]) > std::abs(view.strides[b]); });
  }

  // The dimensions whose extents fit a cache together, from which blocks are made: none where there would be too few
  // blocks for all threads.
  std::vector<std::size_t> block_dims(const Shape& shape) const {
    Index bytes = builder_.element_bytes(), blocks = element_count(shape);
    std::size_t first = dims_.size();
    while (first > 0 && bytes * shape[dims_[first - 1]] <= block_bytes) {
      bytes *= shape[dims_[--first]];
      blocks /= shape[dims_[first]];
    }
    while (first < dims_.size() && builder_.threads() > 1 && blocks < builder_.threads())
      blocks *= shape[dims_[first++]];
    return {dims_.begin() + static_cast<std::ptrdiff_t>(first), dims_.end()};
  }

  // Block by block what blocks have whole, and sweep by sweep the rest; an axis that is halved comes first.
  void add_axes(const std::vector<std::size_t>& axes, const StridedView& out) {
    const std::vector<std::size_t> block = block_dims(out.shape);
    std::vector<std::size_t> inner, outer;
    split(axes, block, inner, outer);
    const bool halves = from_.real != out.real;
    if (halves && !axes.empty() && !contains(inner, axes.back())) {  // its lines do not fit a block
      add_line_sweep(axes.back(), out);
      std::erase(outer, axes.back());
    }
    if (halves && !inner.empty() && inner.back() == axes.back()) std::ranges::rotate(inner, inner.end() - 1);
    if (inner.size() == 1) add_line_sweep(inner[0], out);
    if (inner.size() > 1) add_block_sweep(inner, block, std::vector<const StridedView*>(inner.size(), &out));
    for (const std::size_t axis : outer) add_line_sweep(axis, out);
  }

  // The same backwards: what blocks do not have whole first, the halved axis last.
  void add_axes_to_reals(const std::vector<std::size_t>& axes, const StridedView& between, std::size_t halved,
                         const StridedView& out) {
    const std::vector<std::size_t> block = block_dims(between.shape);
    std::vector<std::size_t> inner, outer;
    split(axes, block, inner, outer);
    for (const std::size_t axis : outer) add_line_sweep(axis, between);
    if (inner.empty() || !contains(block, halved)) {
      for (const std::size_t axis : inner) add_line_sweep(axis, between);
      return add_line_sweep(halved, out);
    }
    std::vector<const StridedView*> targets(inner.size(), &between);
    inner.push_back(halved);
    targets.push_back(&out);
    add_block_sweep(inner, block, targets);
  }

  static bool contains(const std::vector<std::size_t>& list, std::size_t item) {
    return std::ranges::find(list, item) != list.end();
  }

  // Into those that a block has whole, nearest in memory first, and others.
  void split(const std::vector<std::size_t>& axes, const std::vector<std::size_t>& block,
             std::vector<std::size_t>& inner, std::vector<std::size_t>& outer) const {
    for (auto dim = dims_.rbegin(); dim != dims_.rend(); ++dim)
      if (contains(axes, *dim)) (contains(block, *dim) ? inner : outer).push_back(*dim);
    if (!axes.empty() && contains(inner, axes.back())) {  // where it was in the caller's list: a halved one is last
      std::erase(inner, axes.back());
      inner.push_back(axes.back());
    }
  }

  // ---- one pass -----------------------------------------------------------------------------------------------------

  Kind kind(std::size_t axis, const StridedView& from, const StridedView& to) const {
    if (from.real != to.real) return from.real ? Kind::real_to_half : Kind::half_to_real;
    const Kind kind = kind_of(problem_, axis);
    return direction_ == Direction::forward ? kind : inverse(kind);
  }

  // Loops over `dims`, neighbours joined where one goes on where the other ends; the nearest stands last.
  std::vector<LineLoop> loops(const std::vector<std::size_t>& dims, std::size_t axis, const StridedView& from,
                              const StridedView& to) const {
    std::vector<LineLoop> result;
    for (const std::size_t dim : dims) {
      if (dim == axis || to.shape[dim] == 1) continue;
      const LineLoop next{to.shape[dim], from.strides[dim], to.strides[dim]};
      LineLoop* const last = result.empty() ? nullptr : &result.back();
      if (last != nullptr && last->source == next.count * next.source && last->target == next.count * next.target)
        *last = {last->count * next.count, next.source, next.target};
      else
        result.push_back(next);
    }
    return result;
  }

  // The first pass scales.
  Pass axis_pass(std::size_t axis, const StridedView& to, const std::vector<LineLoop>& loops) {
    Pass pass = SweepBuilder::pass(problem_.shape[axis], kind(axis, from_, to), from_, from_.strides[axis], to,
                                   to.strides[axis], loops);
    pass.scaled = !std::exchange(scaled_, true);
    return pass;
  }

  // ---- sweeps -------------------------------------------------------------------------------------------------------

  void add_line_sweep(std::size_t axis, const StridedView& to) {
    builder_.add_lines(axis_pass(axis, to, loops(dims_, axis, from_, to)));
    from_ = to;
  }

  void add_block_sweep(const std::vector<std::size_t>& axes, const std::vector<std::size_t>& block,
                       const std::vector<const StridedView*>& targets) {
    SweepPart part;
    std::vector<std::size_t> outer;
    for (const std::size_t dim : dims_)
      if (!contains(block, dim)) outer.push_back(dim);
    for (const std::size_t dim : outer) part.outer.push_back(targets[0]->shape[dim]);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      SweepKernel kernel =
          builder_.compiled(axis_pass(axes[i], *targets[i], loops(block, axes[i], from_, *targets[i])));
      for (const std::size_t dim : outer) {
        kernel.source_strides.push_back(from_.strides[dim]);
        kernel.target_strides.push_back(targets[i]->strides[dim]);
      }
      part.kernels.push_back(std::move(kernel));
      from_ = *targets[i];
    }
    builder_.share(std::move(part));
  }

  const Problem& problem_;
  Direction direction_;
  SweepBuilder builder_;
  std::vector<std::size_t> dims_ = {};
  StridedView from_ = {};  // what the next pass reads
  bool scaled_ = false;
};

}  // namespace

Sweeps sweeps_of(const Problem& problem, Direction direction, const std::vector<Index>& strides_in,
                 const std::vector<Index>& strides_out, int threads) {
  const bool forward = direction == Direction::forward;
  const StridedView first{.buffer = forward ? Buffer::in : Buffer::out,
                          .real = problem.data == Data::real_,
                          .shape = problem.shape,
                          .strides = forward ? strides_in : strides_out};
  const StridedView second{.buffer = forward ? Buffer::out : Buffer::in,
                           .real = spectrum_data(problem) == Data::real_,
                           .shape = spectrum_shape(problem),
                           .strides = forward ? strides_out : strides_in};
  return SweepMaker(problem, direction, threads).made(forward ? first : second, forward ? second : first);
}

}  // namespace kallima
