// Phase II of the cyclic route, one chunk: lines of length Q = p*S are gathered from the blocks of all ranks (element
// s + p*v of a line is element v of rank s's block), transformed and put where the outputs belong; then the dimensions
// that are not distributed are transformed, while the chunk is in cache as far as possible. Where v is sliced, a line
// is gathered from all parts; where another dimension is, parts hold different lines and are combined one by one.

#include <algorithm>

#include "plan/exchange/axes.hpp"
#include "plan/routes/cyclic_rank.hpp"

namespace kallima {
namespace {

constexpr Index cached_row_elements = 2048;  // outputs that are combined and then transformed along the last dimension

Index output_stride(const CyclicRank& r) { return r.lead().R / r.lead().p * r.lead_stride(); }  // of q

using Loops = std::vector<Loop>;
using Received = std::vector<std::vector<int>>;  // [message][rank]

class Combiner {
 public:
  Combiner(const CyclicRank& rank, Index chunk, const Received& received)
      : r_(rank), chunk_(chunk), received_(received) {}

  std::vector<Step> everything() const;
  std::vector<Step> with_rows() const;

 private:
  Index parts() const { return r_.c.early + 1; }
  Index class_step() const { return r_.every_class() * r_.lead_stride(); }
  Index chunk_offset() const { return r_.first_class(chunk_) * r_.lead_stride(); }
  Index sliced_offset(Index part) const { return r_.slices_v() ? 0 : r_.part_begin(part) * r_.strides[r_.c.sliced]; }
  Loops loops_of(Index part) const;
  Piece source(int from, Index s, Index part, const Loops& loops) const;
  Piece own_output(Index s, Index part, const Loops& loops) const;
  Pass combine(const Shape& place, Index part, const Loops& loops, Index first_row) const;
  void add_places(std::vector<Step>& steps, Index part, bool scaled) const;
  void add_row_groups(std::vector<Step>& steps, Index part, bool scaled) const;
  Step along_rows(Index rows, Index part, bool scaled) const;

  const CyclicRank& r_;
  const Index chunk_;
  const Received& received_;
};

// Loops over the classes of a chunk and everything else in a part.
Loops Combiner::loops_of(Index part) const {
  Loops loops = r_.other_loops(r_.part_extent(part));
  loops.push_back({.extent = r_.per_chunk, .local = class_step(), .block = r_.class_stride(part), .own = class_step()});
  slowest_first(loops, &Loop::local);
  return loops;
}

// The elements of a line that rank `from`, place s of the line, has sent in a part.
Piece Combiner::source(int from, Index s, Index part, const Loops& loops) const {
  const CyclicDim& lead = r_.lead();
  Piece piece =
      line(Buffer::work, 0, r_.slices_v() ? r_.part_extent(part) : lead.S, r_.v_stride(part), loops, &Loop::block);
  if (from == r_.me) {
    piece.offset = r_.slot(from, part, chunk_);
  } else {
    const Index message = part < r_.c.early ? part : r_.c.early + chunk_;
    piece.recv = received_[static_cast<std::size_t>(message)][static_cast<std::size_t>(from)];
    piece.offset = part < r_.c.early ? chunk_ * r_.chunk_elements(part) : 0;
  }
  piece.first = s + (r_.slices_v() ? lead.p * r_.part_begin(part) : 0);
  piece.every = lead.p;
  return piece;
}

Piece Combiner::own_output(Index s, Index part, const Loops& loops) const {
  Piece piece =
      line(Buffer::out, chunk_offset() + sliced_offset(part), r_.lead().S, output_stride(r_), loops, &Loop::own);
  piece.first = s;
  piece.every = r_.lead().p;
  return piece;
}

// The pass that combines what the ranks at `place` (in all but the leading dimension) have sent: a part, or all of
// them where v is sliced. `loops` start with those of enclosing repeats.
Pass Combiner::combine(const Shape& place, Index part, const Loops& loops, Index enclosing) const {
  Pass pass;
  pass.length = r_.lead().Q;
  pass.loops = extents({loops.begin() + enclosing, loops.end()});
  int first_rank = 0;
  Index offset = chunk_offset() + sliced_offset(part);
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (k == r_.c.lead) continue;
    first_rank += static_cast<int>(place[k] * r_.grid_strides[k]);
    offset += place[k] * (r_.c.dims[k].m / r_.c.dims[k].p) * r_.strides[k];
  }
  for (Index s = 0; s < r_.lead().p; ++s) {
    const int from = first_rank + static_cast<int>(s * r_.grid_strides[r_.c.lead]);
    if (from == r_.me && r_.own_in_out) {
      pass.sources.push_back(own_output(s, part, loops));
      continue;
    }
    if (!r_.slices_v()) pass.sources.push_back(source(from, s, part, loops));
    for (Index p = 0; r_.slices_v() && p < parts(); ++p) pass.sources.push_back(source(from, s, p, loops_of(p)));
  }
  pass.targets = {line(Buffer::out, offset, r_.lead().Q, output_stride(r_), loops, &Loop::local)};
  return pass;
}

// What is still to be transformed once the leading dimension is done, `classes` of it at a time; `skip` is done too.
std::vector<Axis> remaining_axes(const CyclicRank& r, Index classes, std::size_t skip) {
  const auto axis = [](Index extent, Index stride, bool transform) { return Axis{extent, stride, stride, transform}; };
  std::vector<Axis> axes{axis(classes, r.every_class() * r.lead_stride(), false),
                         axis(r.lead().Q, output_stride(r), false)};
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

// Transforms `rows` rows of each of the Q outputs of a class, at a time; strides for class and group enclose it.
Step Combiner::along_rows(Index rows, Index part, bool scaled) const {
  const Index n = r_.c.dims.back().n;
  Step step;
  Piece row{.buffer = Buffer::out, .offset = chunk_offset() + sliced_offset(part), .count = n, .stride = 1};
  row.strides = {class_step(), rows * n, output_stride(r_), n};
  step.pass.length = n;
  step.pass.sources = step.pass.targets = {row};
  step.pass.loops = {r_.lead().Q, rows};
  step.pass.scaled = scaled;
  return step;
}

// A part's rows, group by group: combined, and transformed along the row unless rows are cut by the parts themselves.
void Combiner::add_row_groups(std::vector<Step>& steps, Index part, bool scaled) const {
  const Index n = r_.c.dims.back().n;
  const bool whole_rows = r_.c.sliced != r_.c.dims.size() - 1 || parts() == 1;
  const Index row = whole_rows ? n : r_.part_extent(part);
  const Index rows = r_.class_stride(part) / row;
  const Index together = divisor_at_most(rows, std::max<Index>(1, cached_row_elements / (n * r_.lead().Q)));
  // Enclosing repeats (class, group of rows), then the pass's own loop over the elements of a group.
  const Index group = together * row;
  const Loops loops{
      {.extent = r_.per_chunk, .local = class_step(), .block = r_.class_stride(part), .own = class_step()},
      {.extent = rows / together, .local = group, .block = group, .own = group},
      {.extent = group, .local = 1, .block = 1, .own = 1}};
  Step groups{.repeat = rows / together};
  groups.body.emplace_back().pass = combine(Shape(r_.c.dims.size(), 0), part, loops, 2);
  if (whole_rows) groups.body.push_back(along_rows(together, part, scaled));
  steps.push_back(std::move(groups));
}

std::vector<Step> Combiner::with_rows() const {
  const std::size_t last = r_.c.dims.size() - 1;
  const std::vector<Axis> axes = remaining_axes(r_, 1, last);
  const bool more = any_transform(axes);
  Step classes{.repeat = r_.per_chunk};
  for (Index part = 0; part < parts(); ++part)
    if (r_.part_extent(part) > 0) add_row_groups(classes.body, part, !more);
  if (r_.c.sliced == last && parts() > 1) {  // two dimensions: one row for each output
    Step row{.repeat = 1};
    row.body.push_back(along_rows(1, 0, !more));
    classes.body.push_back(std::move(row));
  }
  const Corner corner{.buffer = Buffer::out, .offset = chunk_offset(), .outer = {class_step()}};
  transform_axes(classes.body, corner, corner, axes, Scaling::last_pass);
  return {classes};
}

void Combiner::add_places(std::vector<Step>& steps, Index part, bool scaled) const {
  Shape place(r_.c.dims.size(), 0);
  while (true) {  // all places in the grid, the leading dimension apart
    Step& step = steps.emplace_back();
    step.pass = combine(place, part, loops_of(part), 0);
    step.pass.scaled = scaled;
    std::size_t k = 0;
    while (k < place.size() && (k == r_.c.lead || ++place[k] == r_.grid[k])) place[k++] = 0;
    if (k == place.size()) return;
  }
}

std::vector<Step> Combiner::everything() const {
  const std::vector<Axis> axes = remaining_axes(r_, r_.per_chunk, r_.c.lead);
  std::vector<Step> steps;
  for (Index part = 0; part < (r_.slices_v() ? 1 : parts()); ++part) add_places(steps, part, !any_transform(axes));
  const Corner corner{.buffer = Buffer::out, .offset = chunk_offset()};
  transform_axes(steps, corner, corner, axes, Scaling::last_pass);
  return steps;
}

}  // namespace

std::vector<Step> cyclic_phase_two(const CyclicRank& r, Index chunk, const std::vector<std::vector<int>>& recv_finish) {
  const Combiner combiner(r, chunk, recv_finish);
  return rows_follow(r) ? combiner.with_rows() : combiner.everything();
}

}  // namespace kallima
