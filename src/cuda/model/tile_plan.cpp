// Digits of an axis that are done stand, as frequencies, below those that are not: so the last pass finds and leaves
// every element at the same place, and two passes out of place need no workspace.

#include "cuda/model/tile_plan.hpp"

#include <algorithm>
#include <limits>

#include "cuda/model/tiles.hpp"
#include "kallima/problem.hpp"

namespace kallima::cuda {
namespace {

constexpr std::array<const Tile*, tile_ids> tiles = {
    &Rows256::tile,    &Columns256::tile,  &CrowdedColumns256::tile, &Rows512::tile,     &WideRows512::tile,
    &Columns512::tile, &RealRows256::tile, &Rows1024::tile,          &Middle1024::tile,  &Columns1024::tile,
    &HighHalf24::tile, &LowHalf24::tile,   &Rows8192::tile,          &Columns8192::tile, &Lines256::tile};

// The strides of a tile's axis on either side, and how many of its bits earlier passes have done.
struct TileAxis {
  Index time = 0, frequency = 0;
  int done = 0;
};

TileAxis straight(Index stride, int done = 0) { return {stride, stride, done}; }

// The bits of an axis that a pass transforms: how many, and up to where.
struct BitsDone {
  int count = 0, top = 0;
};

BitsDone bits_done(const Tile& tile, int axis) {
  BitsDone bits;
  for (int d = 0; d < tile.digits; ++d) {
    const Digit& digit = tile.digit[at(d)];
    if (digit.axis != axis || digit.step < 0) continue;
    bits.count += digit.bits;
    bits.top = std::max(bits.top, digit.low + digit.bits);
  }
  return bits;
}

TilePass pass_of(TileId id, const std::array<TileAxis, most_axes>& axes) {
  const Tile& tile = tile_of(id);
  TilePass pass{.id = id, .call = {}};
  for (int d = 0; d < tile.digits; ++d) {
    const auto [axis, low, bits, step] = tile.digit[at(d)];
    const auto [time, frequency, done] = axes[at(axis)];
    const int above = step < 0 ? low : bits_done(tile, axis).top - low - bits;
    pass.call.time.digit[d] = static_cast<int>(time << (low + done));
    pass.call.frequency.digit[d] = static_cast<int>(frequency << (above + done));
  }
  return pass;
}

void loop_over(TilePass& pass, int loop, Index count, Index time, Index frequency) {
  pass.call.tiles[loop] = static_cast<unsigned>(count);
  pass.call.time.loop[loop] = time;
  pass.call.frequency.loop[loop] = frequency;
}

Index width_of(TileId id, int lanes) { return lanes * (Index{1} << tile_of(id).digit[0].bits); }

// A three-dimensional array whose middle axis is split between two passes. Rows of reals, two by two complex numbers,
// become rows of n/2+1, which between the passes are shifted by up to a line, and longer.
struct SplitTransform {
  TileId rows, columns;
  Index nz, ny, nx, spectrum_nx;
  int lanes;  // complex numbers in an element
  Index batch;

  int high_bits() const { return bits_done(tile_of(rows), 1).count; }  // of y, done with the rows
  bool real() const { return nx != spectrum_nx; }
  Index width() const { return width_of(columns, lanes); }
  Index between_nx() const { return real() ? (spectrum_nx + 2 * width() - 2) / width() * width() : nx; }
  Index volume(Index row) const { return nz * ny * row; }

  TilePass rows_pass() const {
    const Index planes = lanes * (real() ? 2 : 1), between = between_nx();  // of a tile
    auto pass = pass_of(rows, {straight(1), TileAxis{nx, between}, TileAxis{ny * nx * lanes, ny * between * lanes}});
    loop_over(pass, 0, ny >> high_bits(), nx, between << high_bits());
    loop_over(pass, 1, nz / planes, ny * nx * planes, ny * between * planes);
    loop_over(pass, 2, batch, volume(nx), volume(between));
    pass.call.time.pair = ny * nx;
    pass.call.frequency.pair = ny * between;
    pass.call.row_shift = real() ? static_cast<int>(width()) - 1 : 0;
    pass.rounds_ahead = nx > 256 ? 0.5 : 1;  // as measured, like those below
    return pass;
  }

  TilePass columns_pass() const {
    const Index between = between_nx();
    auto pass = pass_of(columns, {straight(lanes), TileAxis{between, spectrum_nx, high_bits()},
                                  TileAxis{ny * between, ny * spectrum_nx}});
    loop_over(pass, 0, between / width(), width(), width());
    loop_over(pass, 1, Index{1} << high_bits(), between, spectrum_nx);
    loop_over(pass, 2, batch, volume(between), volume(spectrum_nx));
    pass.mode = real() ? TileMode::halved : TileMode::forward;
    pass.call.row_shift = real() ? static_cast<int>(width()) - 1 : 0;
    pass.call.row_length = static_cast<int>(spectrum_nx);
    pass.rounds_ahead = 0.5;
    return pass;
  }
};

int lanes_of(Precision precision) { return precision == Precision::double_ ? 1 : 2; }

bool takes_all_axes(const WholeProblem& problem) {
  const auto all = problem.shape.size();
  return problem.axes.empty() || (problem.axes.size() == all && (problem.kind == TransformKind::c2c ||
                                                                 problem.axes.back() == static_cast<int>(all) - 1));
}

// nz is 0 where there is none.
SplitTransform split_of(const WholeProblem& problem, TileId columns256 = TileId::columns256) {
  const int lanes = lanes_of(problem.precision);
  const auto& batch = problem.batch;
  if (problem.kind != TransformKind::c2c && problem.shape == Shape{256, 256, 256})
    return {TileId::real_rows256, columns256, 256, 256, 128, 129, lanes, batch};
  if (problem.kind != TransformKind::c2c) return {};
  if (problem.shape == Shape{256, 256, 256}) return {TileId::rows256, columns256, 256, 256, 256, 256, lanes, batch};
  const auto rows512 = lanes == 1 ? TileId::wide_rows512 : TileId::rows512;
  if (problem.shape == Shape{512, 512, 512}) return {rows512, TileId::columns512, 512, 512, 512, 512, lanes, batch};
  return {};
}

void conjugate(TileCall& call, int sign) { call.conjugate_in = call.conjugate_out = sign < 0 ? 0 : 0x80000000U; }

TilePlan split_plan(const WholeProblem& problem, const SplitTransform& split) {
  const bool apart = split.real() || problem.in_place;
  TilePlan plan{{split.rows_pass(), split.columns_pass()}, 0};
  if (problem.kind == TransformKind::c2r) {
    std::swap(plan.passes[0], plan.passes[1]);
    plan.passes[0].mode = TileMode::from_halved;
    plan.passes[1].mode = TileMode::mirrored;
  }
  if (apart) plan.workspace = split.volume(split.between_nx()) * split.batch;
  plan.passes[0].to = plan.passes[1].from = apart ? PassBuffer::workspace : PassBuffer::out;
  return plan;
}

// Three passes: x and some of y, the rest of y and some of z, the rest of z.
TilePlan cube1024_plan() {
  const Index n = 1024, plane = n * n;
  const int lanes = 1;
  const int y_done = bits_done(tile_of(TileId::rows1024), 1).count,
            z_done = bits_done(tile_of(TileId::middle1024), 2).count;
  auto rows = pass_of(TileId::rows1024, {straight(1), straight(n), {}});
  loop_over(rows, 0, n >> y_done, n, n << y_done);
  loop_over(rows, 1, n / lanes, plane * lanes, plane * lanes);
  rows.call.time.pair = rows.call.frequency.pair = plane;
  rows.rounds_ahead = 1;
  const Index width = width_of(TileId::middle1024, lanes);
  auto middle = pass_of(TileId::middle1024, {straight(lanes), straight(n, y_done), straight(plane)});
  loop_over(middle, 0, n / width, width, width);
  loop_over(middle, 1, Index{1} << y_done, n, n);
  loop_over(middle, 2, n >> z_done, plane, plane << z_done);
  auto columns = pass_of(TileId::columns1024, {straight(lanes), {}, straight(plane, z_done)});
  loop_over(columns, 0, n / width, width, width);
  loop_over(columns, 1, n, n, n);
  loop_over(columns, 2, Index{1} << z_done, plane, plane);
  rows.to = middle.from = PassBuffer::workspace;
  middle.to = columns.from = PassBuffer::out;
  return {{rows, middle, columns}, n * plane};
}

// The high half of the bits, everything staying where it is, then the low half, which turns the array round.
TilePlan line24_plan(const WholeProblem& problem) {
  const Index n = Index{1} << 24, half = 4096;
  auto high = pass_of(TileId::high_half24, {straight(1), {}, {}});
  for (int d = 1; d < tile_of(high.id).digits; ++d) high.call.frequency.digit[d] *= static_cast<int>(half);
  loop_over(high, 0, half / 8, 8, 8);
  loop_over(high, 1, problem.batch, n, n);
  auto low = pass_of(TileId::low_half24, {TileAxis{1, half}, TileAxis{half, 1}, {}});
  loop_over(low, 0, half / 8, 8 * half, 8);
  loop_over(low, 1, problem.batch, n, n);
  high.to = low.from = PassBuffer::workspace;
  low.rounds_ahead = 0.5;
  return {{high, low}, n * problem.batch};
}

TilePlan square8192_plan(const WholeProblem& problem) {
  const Index n = 8192;
  const int done = bits_done(tile_of(TileId::rows8192), 1).count;
  auto rows = pass_of(TileId::rows8192, {straight(1), straight(n), {}});
  loop_over(rows, 0, n >> done, n, n << done);
  loop_over(rows, 2, problem.batch, n * n, n * n);
  const Index width = width_of(TileId::columns8192, 1);
  auto columns = pass_of(TileId::columns8192, {straight(1), straight(n, done), {}});
  loop_over(columns, 0, n / width, width, width);
  loop_over(columns, 1, Index{1} << done, n, n);
  loop_over(columns, 2, problem.batch, n * n, n * n);
  rows.to = columns.from = problem.in_place ? PassBuffer::workspace : PassBuffer::out;
  return {{rows, columns}, problem.in_place ? n * n * problem.batch : 0};
}

// Lines of 256 one behind the other: one pass, which writes in each tile what it has read there.
TilePlan lines256_plan(const WholeProblem& problem) {
  const auto last = static_cast<int>(problem.shape.size()) - 1;
  const bool along_last = problem.axes == std::vector<int>{last} || (problem.axes.empty() && last == 0);
  if (problem.shape.back() != 256 || !along_last || problem.kind != TransformKind::c2c) return {};
  const Index n = 256, lanes = lanes_of(problem.precision);
  const Index in_tile = lanes << tile_of(TileId::lines256).digit[2].bits;
  const Index lines = element_count(problem.shape) / n * problem.batch;
  if (lines % in_tile != 0 || lines / in_tile > std::numeric_limits<int>::max()) return {};
  auto pass = pass_of(TileId::lines256, {straight(1), straight(n * lanes), {}});
  loop_over(pass, 0, lines / in_tile, n * in_tile, n * in_tile);
  pass.call.time.pair = pass.call.frequency.pair = n;
  pass.rounds_ahead = 1;
  return {{pass}, 0};
}

TilePlan unsigned_plan(const WholeProblem& problem) {
  if (problem.precision == Precision::long_double) return {};
  if (auto lines = lines256_plan(problem); !lines.passes.empty()) return lines;
  if (problem.batch > 65535 || !takes_all_axes(problem)) return {};
  const bool crowded = problem.precision == Precision::single_;  // doubles have too many registers for that
  const auto split = split_of(problem, crowded ? TileId::crowded_columns256 : TileId::columns256);
  if (split.nz > 0) return split_plan(problem, split);
  if (problem.kind != TransformKind::c2c) return {};
  if (problem.precision != Precision::double_) return {};
  if (problem.shape == Shape{1024, 1024, 1024} && problem.batch == 1) return cube1024_plan();
  if (problem.shape == Shape{1 << 24}) return line24_plan(problem);
  if (problem.shape == Shape{8192, 8192}) return square8192_plan(problem);
  return {};
}

}  // namespace

const Tile& tile_of(TileId id) { return *tiles[at(id)]; }

TilePlan plan_tiles(const WholeProblem& problem) {
  auto plan = unsigned_plan(problem);
  for (auto& pass : plan.passes) conjugate(pass.call, problem.sign);
  if (!plan.passes.empty()) plan.passes.back().call.scale = problem.scale;
  return plan;
}

TilePlan plan_tiles_of_apply(const WholeProblem& forward, FactorKind factor) {
  const auto split = split_of(forward);
  if (split.nz == 0 || forward.kind != TransformKind::c2c || !takes_all_axes(forward) || forward.batch > 65535 ||
      forward.precision == Precision::long_double)
    return {};
  TilePlan plan{{split.rows_pass(), split.columns_pass(), split.rows_pass()}, split.volume(split.nx) * split.batch};
  for (auto& pass : plan.passes) conjugate(pass.call, forward.sign);
  auto& middle = plan.passes[1];
  middle.mode = TileMode::apply;
  if (split.nx == 256) middle.rounds_ahead = 0.25;
  plan.passes[2].rounds_ahead = 0.5;
  middle.call.real_factors = factor == FactorKind::real_array;
  middle.call.factors = middle.call.frequency;
  middle.call.factors.loop[2] = 0;  // all arrays of a batch share them
  middle.call.conjugate_out ^= 0x80000000U;
  plan.passes[0].to = middle.from = middle.to = plan.passes[2].from = PassBuffer::workspace;
  plan.passes[2].mode = TileMode::mirrored;
  conjugate(plan.passes[2].call, -forward.sign);
  plan.passes[2].call.scale = forward.scale;
  return plan;
}

std::vector<Index> root_exponents(int bits) {
  std::vector<Index> exponents;
  const Index all = Index{1} << bits, block = Index{1} << short_root_bits;
  for (Index e = 0; e < std::min(all, block); ++e) exponents.push_back(e);
  for (Index e = 0; bits > short_root_bits && e < all; e += block) exponents.push_back(e);
  return exponents;
}

}  // namespace kallima::cuda
