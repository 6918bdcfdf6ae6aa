// Phase II of the cyclic route, one chunk: lines of length Q = p*S are gathered from the blocks of all ranks (element
// s + p*v of a line is element v of rank s's block), transformed and put where the outputs belong; then the dimensions
// that are not distributed are transformed, while the chunk is in cache as far as possible.

#include <algorithm>

#include "plan/axes.hpp"
#include "plan/cyclic_rank.hpp"

namespace kallima {
namespace {

constexpr Index cached_row_elements = 2048;  // outputs that are combined and then transformed along the last dimension

Index output_stride(const CyclicRank& r) { return r.lead().R / r.lead().p * r.lead_stride(); }  // of q

// Loops over the classes of a chunk and everything else in a block.
std::vector<Loop> combine_loops(const CyclicRank& r) {
  std::vector<Loop> loops = r.other_loops();
  const Index step = r.c.chunks * r.lead_stride();
  loops.push_back({.extent = r.per_chunk, .local = step, .block = r.lead().S * r.rest, .own = step});
  slowest_first(loops, &Loop::local);
  return loops;
}

// The pass that combines what the ranks at `place` (in all but the leading dimension) have sent.
Pass combine(const CyclicRank& r, Index chunk, const std::vector<int>& recv_finish, const Shape& place,
             const std::vector<Loop>& loops) {
  Pass pass;
  pass.length = r.lead().Q;
  pass.loops = extents(loops);
  int first_rank = 0;
  Index offset = chunk * r.lead_stride();
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (k == r.c.lead) continue;
    first_rank += static_cast<int>(place[k] * r.grid_strides[k]);
    offset += place[k] * (r.c.dims[k].m / r.c.dims[k].p) * r.strides[k];
  }
  for (Index s = 0; s < r.lead().p; ++s) {
    const int from = first_rank + static_cast<int>(s * r.grid_strides[r.c.lead]);
    Piece piece = line(Buffer::work, 0, r.lead().S, r.rest, loops, &Loop::block);
    if (from != r.me)
      piece.recv = recv_finish[static_cast<std::size_t>(from)];
    else if (r.own_in_out)
      piece = line(Buffer::out, chunk * r.lead_stride(), r.lead().S, output_stride(r), loops, &Loop::own);
    else
      piece.offset = r.slot(r.me, chunk);
    piece.first = s;
    piece.every = r.lead().p;
    pass.sources.push_back(piece);
  }
  pass.targets = {line(Buffer::out, offset, r.lead().Q, output_stride(r), loops, &Loop::local)};
  return pass;
}

// What is still to be transformed once the leading dimension is done, `classes` of it at a time; `skip` is done too.
std::vector<Axis> remaining_axes(const CyclicRank& r, Index classes, std::size_t skip) {
  const auto axis = [](Index extent, Index stride, bool transform) { return Axis{extent, stride, stride, transform}; };
  std::vector<Axis> axes{axis(classes, r.c.chunks * r.lead_stride(), false), axis(r.lead().Q, output_stride(r), false)};
  for (std::size_t k = 0; k < r.c.dims.size(); ++k) {
    const CyclicDim& d = r.c.dims[k];
    if (k == r.c.lead) continue;
    const Index l = d.m / d.p;
    axes.push_back(axis(l, r.strides[k], !d.distributed() && d.transform && k != skip));
    if (d.distributed()) axes.push_back(axis(d.p, l * r.strides[k], true));
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  return axes;
}

// With whole rows after the leading dimension, combining can be followed at once by the transform along the row.
bool rows_follow(const CyclicRank& r) {
  const std::size_t last = r.c.dims.size() - 1;
  if (r.c.distributed_dims > 1 || r.lead().S > 1 || r.c.lead == last) return false;
  for (std::size_t k = 0; k < r.c.lead; ++k)
    if (r.c.dims[k].n > 1) return false;
  return r.c.dims[last].transform && r.c.dims[last].n > 1;
}

std::vector<Step> combine_with_rows(const CyclicRank& r, Index chunk, const std::vector<int>& recv_finish) {
  const std::size_t last = r.c.dims.size() - 1;
  const Index n = r.c.dims[last].n;
  const Index rows = r.rest / n;
  const Index together = divisor_at_most(rows, std::max<Index>(1, cached_row_elements / (n * r.lead().Q)));
  const std::vector<Axis> axes = remaining_axes(r, 1, last);
  const bool more = any_transform(axes);
  const Index class_step = r.c.chunks * r.lead_stride();
  // Enclosing repeats (class, group of rows), then the pass's own loop over the elements of a group.
  std::vector<Loop> loops{
      {.extent = r.per_chunk, .local = class_step, .block = r.rest, .own = class_step},
      {.extent = rows / together, .local = together * n, .block = together * n, .own = together * n},
      {.extent = together * n, .local = 1, .block = 1, .own = 1}};
  Step combined;
  combined.pass = combine(r, chunk, recv_finish, Shape(r.c.dims.size(), 0), loops);
  combined.pass.loops = {together * n};

  Step along_rows;
  Piece row{.buffer = Buffer::out, .offset = chunk * r.lead_stride(), .count = n, .stride = 1};
  row.strides = {class_step, together * n, output_stride(r), n};
  along_rows.pass.length = n;
  along_rows.pass.sources = along_rows.pass.targets = {row};
  along_rows.pass.loops = {r.lead().Q, together};
  along_rows.pass.scaled = !more;

  Step groups{.repeat = rows / together, .body = {combined, along_rows}};
  Step classes{.repeat = r.per_chunk, .body = {groups}};
  const Corner corner{.buffer = Buffer::out, .offset = chunk * r.lead_stride(), .outer = {class_step}};
  transform_axes(classes.body, corner, corner, axes, Scaling::last_pass);
  return {classes};
}

}  // namespace

std::vector<Step> cyclic_phase_two(const CyclicRank& r, Index chunk, const std::vector<int>& recv_finish) {
  if (rows_follow(r)) return combine_with_rows(r, chunk, recv_finish);
  const std::vector<Axis> axes = remaining_axes(r, r.per_chunk, r.c.lead);
  const bool more = any_transform(axes);
  const std::vector<Loop> loops = combine_loops(r);
  std::vector<Step> steps;
  Shape place(r.c.dims.size(), 0);
  while (true) {  // all places in the grid, the leading dimension apart
    Step step;
    step.pass = combine(r, chunk, recv_finish, place, loops);
    step.pass.scaled = !more;
    steps.push_back(step);
    std::size_t k = 0;
    while (k < place.size() && (k == r.c.lead || ++place[k] == r.grid[k])) place[k++] = 0;
    if (k == place.size()) break;
  }
  const Corner corner{.buffer = Buffer::out, .offset = chunk * r.lead_stride()};
  transform_axes(steps, corner, corner, axes, Scaling::last_pass);
  return steps;
}

}  // namespace kallima
