// A line of n = R Q points that does not fit a cache (plan/routes/four_step.hpp): with j = w Q + i and k = a + R b,
// R-point transforms over w, twiddle factors, Q-point transforms over i. Of reals the first have R/2+1 results, and the
// rows a = 0, ..., R/2 hold the spectrum at a + R b and, in their second halves, the conjugates of what stands at
// R - a + R (Q-1-b): these are moved to their places while a block of rows is in a cache, or from them on the way back.

#include "fft/sweep_builder.hpp"
#include "plan/routes/four_step.hpp"

namespace kallima {
namespace {

struct FourSteps {
  Index n, columns, rows;  // n = R Q
  Index in, out;           // strides
};

// Rows that are transformed before their conjugates are moved: those are to be found in a cache, and neighbours in the
// spectrum to be written together. Measured.
constexpr Index block_elements = 32768;
constexpr Index fewest_rows = 16;

Index rows_in_block(Index rows, Index length, int threads) {
  const Index wanted = std::max(fewest_rows, block_elements / length);
  return divisor_at_most(rows, std::clamp<Index>(rows / (2 * threads), 1, wanted));
}

Twiddle twiddle_of(const FourSteps& line) { return {.modulus = line.n, .shift = 0, .step = 1, .loop = 0}; }

void add_complex(SweepBuilder& builder, const FourSteps& l, const StridedView& in, const StridedView& out) {
  const StridedView work = builder.work({l.n});
  Pass across = SweepBuilder::pass(l.columns, Kind::fourier, in, l.in * l.rows, work, l.rows, {{l.rows, l.in, 1}});
  across.twiddle = twiddle_of(l);
  across.scaled = true;
  builder.add_lines(across);
  builder.add_lines(
      SweepBuilder::pass(l.rows, Kind::fourier, work, 1, out, l.out * l.columns, {{l.columns, l.rows, l.out}}));
}

// Between the second halves of the first `count` rows of `work` and where their conjugates stand in half of a spectrum.
// Those of row 0 stand where its first half does, too, but for the one at n/2.
Pass conjugates(const FourSteps& l, const StridedView& work, Index count, const StridedView& spectrum, Index stride,
                bool from_work) {
  const Index half = l.rows / 2;
  const Index begin_work = half;
  const Index begin_spectrum = (l.n - l.columns * half) * stride;
  Pass move =
      from_work
          ? SweepBuilder::pass(half, Kind::fourier, work, 1, spectrum, -l.columns * stride, {{count, l.rows, -stride}})
          : SweepBuilder::pass(half, Kind::fourier, spectrum, -l.columns * stride, work, 1, {{count, -stride, l.rows}});
  move.action = Action::move;
  move.conjugated = true;
  move.sources[0].offset = from_work ? begin_work : begin_spectrum;
  move.targets[0].offset = from_work ? begin_spectrum : begin_work;
  return move;
}

// A row in two halves: one where the spectrum stands, one in `work`.
std::vector<Piece> halves(const FourSteps& l, Piece row, Buffer spectrum, Index stride) {
  Piece first = row, second = row;
  first.buffer = spectrum;
  first.count = second.count = second.first = l.rows / 2;
  first.stride = l.columns * stride;
  first.strides.back() = stride;
  std::swap(first.strides[0], first.strides[1]);  // it moves with the spectrum, not with `work`
  second.offset = l.rows / 2;
  return {first, second};
}

void add_real_to_half(SweepBuilder& builder, const FourSteps& l, const StridedView& in, const StridedView& out) {
  const Index half = l.columns / 2;
  const StridedView work = builder.work({(half + 1) * l.rows});
  Pass across = SweepBuilder::pass(l.columns, Kind::real_to_half, in, l.in * l.rows, work, l.rows, {{l.rows, l.in, 1}});
  across.twiddle = twiddle_of(l);
  across.scaled = true;
  builder.add_lines(across);
  // Rows 0, ..., R/2-1 block by block, each with its conjugates; of the last row the first half is all there is to
  // know.
  const auto along = [&](Index first, Index count) {
    Pass pass = SweepBuilder::pass(l.rows, Kind::fourier, work, 1, work, 1, {{count, l.rows, l.rows}});
    pass.targets = halves(l, pass.targets[0], Buffer::out, l.out);
    pass.sources[0].offset += first * l.rows;
    pass.targets[0].offset += first * l.out;
    pass.targets[1].offset += first * l.rows;
    return pass;
  };
  const Index block = rows_in_block(half, l.rows, builder.threads());
  builder.add_blocks(half / block, {{along(0, block), block * l.rows, block * l.out},
                                    {conjugates(l, work, block, out, l.out, true), block * l.rows, -block * l.out}});
  builder.add_lines(along(half, 1));
}

void add_half_to_real(SweepBuilder& builder, const FourSteps& l, const StridedView& in, const StridedView& out) {
  const Index half = l.columns / 2;
  const StridedView work = builder.work({(half + 1) * l.rows});
  builder.add_lines(conjugates(l, work, half + 1, in, l.in, false));
  Pass along = SweepBuilder::pass(l.rows, Kind::fourier, work, 1, work, 1, {{half + 1, l.rows, l.rows}});
  along.sources = halves(l, along.sources[0], Buffer::in, l.in);
  along.twiddle = twiddle_of(l);
  along.scaled = true;
  builder.add_lines(along);
  builder.add_lines(
      SweepBuilder::pass(l.columns, Kind::half_to_real, work, l.rows, out, l.out * l.rows, {{l.rows, 1, l.out}}));
}

}  // namespace

bool add_long_line(SweepBuilder& builder, const Problem& problem, const StridedView& in, const StridedView& out) {
  const Index n = element_count(problem.shape);
  if (n <= longest_line || problem.axes.size() != 1) return false;
  const auto axis = at(problem.axes[0]);
  const bool halves = in.real != out.real;
  if (problem.shape[axis] != n || problem.kinds[0] != Kind::fourier) return false;
  const Index columns = column_length(halves ? n / 2 : n, 1) * (halves ? 2 : 1);
  const FourSteps line{n, columns, n / columns, in.strides[axis], out.strides[axis]};
  if (line.columns < 2 || line.rows < 2) return false;
  if (!halves) {
    add_complex(builder, line, in, out);
    return true;
  }
  if (n % columns != 0 || line.rows % 2 != 0 || n % 2 != 0) return false;
  in.real ? add_real_to_half(builder, line, in, out) : add_half_to_real(builder, line, in, out);
  return true;
}

}  // namespace kallima
