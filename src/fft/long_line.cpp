// A line of n = R Q points that does not fit a cache (plan/routes/four_step.hpp): with j = w Q + i and k = a + R b,
// R-point transforms over w, twiddle factors, Q-point transforms over i. Reals are n/2 pairs, transformed as if they
// were complex numbers; what makes of it the spectrum of reals is done with the last transforms, or with the first on
// the way back (kernel/mirrored_lanes.hpp), so that these, too, are two sweeps over memory.

#include "fft/sweep_builder.hpp"
#include "kernel/mirrored_lanes.hpp"
#include "plan/routes/four_step.hpp"

namespace kallima {
namespace {

using kernel::MirroredLanes;

struct FourSteps {
  Index n, columns, rows;  // n = R Q, of complex numbers or pairs
  Index in, out;           // strides
};

// Measured on two Neoverse V1 cores: columns of 1024, and of 2048 for more than a million reals on the way to their
// spectrum. Without a divisor near enough there is no use in splitting.
Index columns_of(Index points, bool to_half) {
  const Index wanted = to_half && points > 8 * usual_rows ? 2048 : 1024;
  const Index columns = divisor_at_most(points, std::min(wanted, points / 32));
  return points / columns > 16 * usual_rows && columns < shortest_columns ? points : columns;
}

void add_across(SweepBuilder& builder, const FourSteps& l, const StridedView& in, const StridedView& work) {
  Pass across = SweepBuilder::pass(l.columns, Kind::fourier, in, l.in * l.rows, work, l.rows, {{l.rows, l.in, 1}});
  across.twiddle = {.modulus = l.n, .shift = 0, .step = 1, .loop = 0};
  across.scaled = true;
  builder.add_lines(across);
}

Pass along(const FourSteps& l, const StridedView& work, const StridedView& out) {
  return SweepBuilder::pass(l.rows, Kind::fourier, work, 1, out, l.out * l.columns, {{l.columns, l.rows, l.out}});
}

void add_complex(SweepBuilder& builder, const FourSteps& l, const StridedView& in, const StridedView& out) {
  const StridedView work = builder.work({l.n});
  add_across(builder, l, in, work);
  builder.add_lines(along(l, work, out));
}

// Threads share lanes 1, ..., period/2 and their mirrored ones; whoever is first does lane 0, too.
void add_mirrored(SweepBuilder& builder, MirroredLanes lanes, const Pass& lane_zero) {
  const Index all = lanes.period / 2, fewest = kernel::fewest_mirrored_lanes(builder.precision());
  const Index threads = std::clamp<Index>(all / std::max<Index>(fewest, 8), 1, builder.threads());
  Sweep sweep;
  for (Index t = 0, begin = 0; t < threads; ++t) {
    const Index end = t + 1 == threads ? all : all * (t + 1) / threads / fewest * fewest;
    lanes.first = 1 + begin;
    lanes.count = end - begin;
    sweep.parts.push_back({.kernels = {builder.mirrored(lanes)}});
    begin = end;
  }
  sweep.parts.front().kernels.push_back(builder.compiled(lane_zero));
  builder.add(std::move(sweep));
}

// The same array, taken as twice as many reals.
StridedView as_reals(StridedView view) {
  view.real = true;
  view.offset *= 2;
  return view;
}

// Where pairs of reals stand: in the caller's array, if they are neighbours there, or in memory of our own behind that
// which is worked in.
StridedView pairs_of(SweepBuilder& builder, const FourSteps& l, const StridedView& reals, Index stride) {
  StridedView pairs = stride == 1 ? reals : builder.work({2 * l.n});
  pairs.real = false;
  pairs.offset = stride == 1 ? 0 : l.n;
  return pairs;
}

void add_move(SweepBuilder& builder, const FourSteps& l, const StridedView& from, Index in, const StridedView& to,
              Index out) {
  const Index count = 2 * l.rows;
  Pass move = SweepBuilder::pass(count, Kind::fourier, from, in, to, out, {{l.columns, count * in, count * out}});
  move.action = Action::move;
  builder.add_lines(move);
}

void add_real_to_half(SweepBuilder& builder, FourSteps l, const StridedView& in, const StridedView& out) {
  const StridedView work = builder.work({l.n}), pairs = pairs_of(builder, l, in, l.in);
  if (l.in != 1) add_move(builder, l, in, l.in, as_reals(pairs), 1);
  l.in = 1;
  add_across(builder, l, pairs, work);
  const Pass zero = SweepBuilder::pass(2 * l.rows, Kind::real_to_half, as_reals(work), 1, out, l.columns * l.out, {});
  add_mirrored(builder, {.length = l.rows, .period = l.columns, .stride = l.out}, zero);
}

void add_half_to_real(SweepBuilder& builder, FourSteps l, const StridedView& in, const StridedView& out) {
  const StridedView work = builder.work({l.n}), pairs = pairs_of(builder, l, out, l.out);
  const Index stride = std::exchange(l.out, 1);
  Pass zero = SweepBuilder::pass(2 * l.columns, Kind::half_to_real, in, l.rows * l.in, as_reals(work), 2 * l.rows, {});
  zero.targets[0].count = l.columns;
  zero.targets[0].every = 2;
  zero.targets.push_back(zero.targets[0]);
  zero.targets[1].first = zero.targets[1].offset = 1;
  add_mirrored(builder, {.length = l.columns, .period = l.rows, .stride = l.in}, zero);
  Pass last = along(l, work, pairs);
  last.scaled = true;
  builder.add_lines(last);
  if (stride != 1) add_move(builder, l, as_reals(pairs), 1, out, stride);
}

}  // namespace

bool add_long_line(SweepBuilder& builder, const Problem& problem, const StridedView& in, const StridedView& out) {
  const Index n = element_count(problem.shape);
  if (n <= longest_line || problem.axes.size() != 1) return false;
  const auto axis = at(problem.axes[0]);
  const bool halves = in.real != out.real;
  if (problem.shape[axis] != n || problem.kinds[0] != Kind::fourier || (halves && n % 2 != 0)) return false;
  const Index points = halves ? n / 2 : n, columns = columns_of(points, halves && !out.real);
  const FourSteps line{points, columns, points / columns, in.strides[axis], out.strides[axis]};
  const Index fewest = halves ? 2 * kernel::fewest_mirrored_lanes(problem.precision) : 2;
  if (std::min(line.columns, line.rows) < fewest) return false;
  if (!halves) add_complex(builder, line, in, out);
  if (halves) (in.real ? add_real_to_half : add_half_to_real)(builder, line, in, out);
  return true;
}

}  // namespace kallima
