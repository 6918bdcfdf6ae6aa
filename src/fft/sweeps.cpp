// Which sweeps there are. Axes that together with all that stands inside of them fit a cache are done block by block
// in one sweep, the others in a sweep each. Where reals become complex numbers that axis goes first, and last where
// they come back, with an array of our own in between. A line that is all there is, and too long for a cache, is done
// in four steps (plan/routes/four_step.hpp), which also give threads something to share.

#include "fft/sweeps.hpp"

#include <algorithm>
#include <numeric>

#include "base/check.hpp"
#include "plan/routes/four_step.hpp"

namespace kallima {
namespace {

constexpr Index block_bytes = 1024 * 1024;   // of a second-level cache
constexpr Index fewest_for_threads = 16384;  // elements: fewer are done before others have woken up
constexpr Index lines_in_a_vector = 8;       // threads share lines in whole vectors where they can
constexpr std::size_t placed_by = 2;         // repeats around a pass, whose indices say where it begins

// A loop over lines: how many, and how far apart.
struct LineLoop {
  Index count, source, target;
};

class SweepMaker {
 public:
  SweepMaker(const Problem& problem, Direction direction, int threads)
      : problem_(problem), direction_(direction), backend_(cpu_backend(problem.precision)) {
    threads_ = element_count(problem.shape) < fewest_for_threads ? 1 : std::max(1, threads);
  }

  Sweeps made(const StridedView& in, const StridedView& out) {
    const int halved = halved_axis(problem_);
    const StridedView& spectrum = direction_ == Direction::forward ? out : in;
    std::vector<std::size_t> axes;
    for (const int axis : problem_.axes)
      if (axis != halved) axes.push_back(at(axis));
    sort_dims(halved >= 0 ? spectrum : out);
    from_ = in;
    if (halved < 0) {
      if (!made_in_four_steps(axes, in, out)) add_axes(axes, out);
    } else if (direction_ == Direction::forward) {
      std::vector<std::size_t> all = axes;
      all.push_back(at(halved));
      add_axes(all, out);
    } else {
      const StridedView between = axes.empty() ? in : work(spectrum.shape);
      add_axes_to_reals(axes, between, at(halved), out);
    }
    return std::move(sweeps_);
  }

 private:
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
    Index bytes = static_cast<Index>(backend_->element().bytes), blocks = element_count(shape);
    std::size_t first = dims_.size();
    while (first > 0 && bytes * shape[dims_[first - 1]] <= block_bytes) {
      bytes *= shape[dims_[--first]];
      blocks /= shape[dims_[first]];
    }
    while (first < dims_.size() && threads_ > 1 && blocks < threads_) blocks *= shape[dims_[first++]];
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
    if (axes.empty()) add_copy(out);
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

  Pass pass(Index length, Kind kind, const StridedView& from, Index stride_in, const StridedView& to, Index stride_out,
            const std::vector<LineLoop>& loops) const {
    Pass pass{.kind = kind, .length = length};
    Piece source{.buffer = from.buffer, .count = length, .stride = stride_in, .strides = {1, 0}, .real = from.real};
    Piece target{.buffer = to.buffer, .count = length, .stride = stride_out, .strides = {0, 1}, .real = to.real};
    if (kind == Kind::real_to_half) target.count = length / 2 + 1;
    if (kind == Kind::half_to_real) source.count = length / 2 + 1;
    if (from.buffer == to.buffer) target.strides = {1, 0};  // for a kernel to see that it is in place
    for (const LineLoop& loop : loops) {
      pass.loops.push_back(loop.count);
      source.strides.push_back(loop.source);
      target.strides.push_back(loop.target);
    }
    pass.sources = {source};
    pass.targets = {target};
    return pass;
  }

  SweepKernel compiled(Pass pass) {
    pass.scaled = !scaled_;
    std::shared_ptr<const Kernel> kernel = backend_->compile(pass, placed_by, direction_, Effort::estimate);
    sweeps_.tile_bytes = std::max(sweeps_.tile_bytes, kernel->tile_bytes());
    return {.kernel = std::move(kernel)};
  }

  Pass axis_pass(std::size_t axis, const StridedView& to, const std::vector<LineLoop>& loops) const {
    return pass(problem_.shape[axis], kind(axis, from_, to), from_, from_.strides[axis], to, to.strides[axis], loops);
  }

  // ---- sweeps -------------------------------------------------------------------------------------------------------

  void add_line_sweep(std::size_t axis, const StridedView& to) {
    add_lines(axis_pass(axis, to, {}), loops(dims_, axis, from_, to));
    from_ = to;
  }

  // Threads share the longest loop but the last, which fills vectors, unless that is the only one long enough.
  void add_lines(const Pass& alike, std::vector<LineLoop> all) {
    std::size_t shared = all.size();
    for (std::size_t d = 0; d + 1 < all.size(); ++d)
      if (all[d].count >= threads_ && (shared == all.size() || all[d].count > all[shared].count)) shared = d;
    if (shared == all.size() && !all.empty()) shared = all.size() - 1;
    const Index count = all.empty() ? 1 : all[shared].count;
    const Index whole = count >= lines_in_a_vector * threads_ ? lines_in_a_vector : 1;
    Sweep sweep;
    for (Index t = 0, begin = 0; t < threads_; ++t) {
      const Index end = t + 1 == threads_ ? count : count * (t + 1) / threads_ / whole * whole;
      if (end > begin) sweep.parts.push_back(lines_of(alike, all, shared, begin, end));
      begin = std::max(begin, end);
    }
    scaled_ = true;
    sweeps_.all.push_back(std::move(sweep));
  }

  SweepPart lines_of(Pass pass, std::vector<LineLoop> all, std::size_t shared, Index begin, Index end) {
    Index source = 0, target = 0;
    if (shared < all.size()) {
      source = begin * all[shared].source;
      target = begin * all[shared].target;
      all[shared].count = end - begin;
    }
    for (const LineLoop& loop : all) {
      pass.loops.push_back(loop.count);
      pass.sources[0].strides.push_back(loop.source);
      pass.targets[0].strides.push_back(loop.target);
    }
    if (pass.twiddle.modulus > 0) pass.twiddle.shift = begin;
    SweepKernel kernel = compiled(std::move(pass));
    kernel.source_offset = source;
    kernel.target_offset = target;
    return {.kernels = {std::move(kernel)}};
  }

  void add_block_sweep(const std::vector<std::size_t>& axes, const std::vector<std::size_t>& block,
                       const std::vector<const StridedView*>& targets) {
    SweepPart part;
    std::vector<std::size_t> outer;
    for (const std::size_t dim : dims_)
      if (!contains(block, dim)) outer.push_back(dim);
    for (const std::size_t dim : outer) part.outer.push_back(targets[0]->shape[dim]);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      SweepKernel kernel = compiled(axis_pass(axes[i], *targets[i], loops(block, axes[i], from_, *targets[i])));
      scaled_ = true;
      for (const std::size_t dim : outer) {
        kernel.source_strides.push_back(from_.strides[dim]);
        kernel.target_strides.push_back(targets[i]->strides[dim]);
      }
      part.kernels.push_back(std::move(kernel));
      from_ = *targets[i];
    }
    share(part);
  }

  void share(SweepPart& all) {
    const Index blocks = element_count(all.outer);
    Sweep sweep;
    for (Index t = 0; t < threads_; ++t) {
      all.begin = blocks * t / threads_;
      all.end = blocks * (t + 1) / threads_;
      if (all.end > all.begin) sweep.parts.push_back(all);
    }
    sweeps_.all.push_back(std::move(sweep));
  }

  // Nothing is transformed.
  void add_copy(const StridedView& out) {
    const std::size_t last = dims_.back();
    Pass copy = axis_pass(last, out, {});
    copy.action = Action::move;
    add_lines(copy, loops(dims_, last, from_, out));
  }

  StridedView work(const Shape& shape) {
    StridedView view{.buffer = Buffer::work, .shape = shape, .strides = strides_of({}, shape)};
    sweeps_.work_bytes = static_cast<std::size_t>(element_count(shape)) * backend_->element().bytes;
    return view;
  }

  // n = R Q: R-point transforms across, twiddle factors, Q-point transforms along, whose results stand R apart.
  bool made_in_four_steps(const std::vector<std::size_t>& axes, const StridedView& in, const StridedView& out) {
    const Index n = element_count(out.shape);
    const bool one_line = axes.size() == 1 && out.shape[axes[0]] == n && !out.real;
    if (!one_line || kind_of(problem_, axes[0]) != Kind::fourier || n <= longest_line) return false;
    const Index columns = column_length(n, 1), rows = n / columns;
    if (columns == n || columns == 1) return false;
    const std::size_t axis = axes[0];
    const StridedView between = work({n});
    const Index step_in = in.strides[axis], step_out = out.strides[axis];
    Pass across = pass(columns, Kind::fourier, in, step_in * rows, between, rows, {});
    across.twiddle = {.modulus = n, .shift = 0, .step = 1, .loop = 0};
    add_lines(across, {{rows, step_in, 1}});
    add_lines(pass(rows, Kind::fourier, between, 1, out, step_out * columns, {}), {{columns, rows, step_out}});
    return true;
  }

  const Problem& problem_;
  Direction direction_;
  std::shared_ptr<const Backend> backend_;
  Index threads_ = 1;
  std::vector<std::size_t> dims_ = {};
  StridedView from_ = {};  // what the next pass reads
  bool scaled_ = false;
  Sweeps sweeps_ = {};
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
