// The tasks of one rank of a cyclic plan. Phase I makes blocks in one pass over memory, slice after slice, each sent
// while the next is being made; or it splits the data into residue classes first, by one or several radices, and
// finishes block after block, the rank's own last. Where several radices are given and destinations go first, a node
// of the tree of classes is split only when its first block is due (Sahay's depth-first order).

#include <algorithm>

#include "plan/exchange/axes.hpp"
#include "plan/routes/cyclic_rank.hpp"
#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

constexpr Index chunks_in_flight = 3;  // landing room for messages; later ones land where sent blocks were

class Emitter {
 public:
  Emitter(CyclicRank rank, Order order)
      : r_(std::move(rank)),
        order_(order),
        landing_(r_.messages ? r_.c.early + std::min(r_.c.chunks, chunks_in_flight) : 0),
        tasks_(r_.me, {r_.elements, r_.elements, r_.own_in_out ? remote_elements() : r_.elements, inbox(landing_)}),
        leaf_split_(index(r_.lead().p * r_.c.chunks), -1) {
    const std::vector<int> per_rank(index(r_.ranks), -1);
    send_start_.assign(index(r_.messages_per_peer()), per_rank);
    send_finish_ = recv_start_ = recv_finish_ = send_start_;
    own_ready_.resize(index(r_.c.chunks));
  }

  RankSchedule run();

 private:
  static std::size_t index(Index i) { return static_cast<std::size_t>(i); }
  Twiddle twiddle(Index divisor, const std::vector<Loop>& loops) const;
  Index remote_elements() const { return (r_.ranks - 1) * r_.c.chunks * r_.per_chunk * r_.lead().S * r_.rest; }
  Index inbox(Index message) const;  // where it lands

  void post_receives(Index message);
  void send(int destination, Index message, std::vector<int> after);
  void block_done(int destination, Index chunk, int task);
  void all_slices();
  int slice(Index number, std::vector<Step> before);
  Piece slice_target(Index number, Index owner_class, Index chunk, const std::vector<Loop>& loops) const;
  std::vector<Loop> slice_loops(Index number) const;
  void send_slices(const std::vector<int>& slices);
  std::vector<Step> transform_other_dims(Buffer& from) const;
  void split(Index residue, std::size_t level, Index divisor, Index extent, Index offset, int after);
  void all_children(int done);
  void split_children(Index residue, std::size_t level, Index divisor, Index v, Index offset, int done);
  void make_block(int destination, Index chunk);
  void blocks_by_chunk();
  void finish_chunk(Index chunk);

  const CyclicRank r_;
  const Order order_;
  const Index landing_;  // messages of a peer that have landing room of their own
  TaskList tasks_;
  std::vector<int> leaf_split_;               // [residue]: the split that made it
  std::vector<std::vector<int>> send_start_;  // [message][rank], like the others
  std::vector<std::vector<int>> send_finish_;
  std::vector<std::vector<int>> recv_start_;
  std::vector<std::vector<int>> recv_finish_;
  std::vector<std::vector<int>> own_ready_;  // [chunk]: what makes the rank's own block
};

RankSchedule Emitter::run() {
  const Index early = r_.messages ? landing_ : r_.messages_per_peer();
  for (Index message = 0; message < early; ++message) post_receives(message);
  if (r_.c.radices.empty()) {
    all_slices();
  } else {
    split(0, 0, 1, r_.lead().m, 0, -1);
    if (order_ == Order::chunk_first) blocks_by_chunk();
  }
  for (Index chunk = 0; chunk < r_.c.chunks; ++chunk) {
    if (r_.c.early + chunk >= early) post_receives(r_.c.early + chunk);
    finish_chunk(chunk);
  }
  for (std::size_t message = 0; message < send_start_.size(); ++message)
    for (int step = 0; step < r_.ranks - 1; ++step)  // in the order of sending, which is everybody's own
      if (const std::size_t to = index(r_.destination(step)); send_finish_[message][to] < 0)
        tasks_.finish(send_start_[message][to]);
  return tasks_.take();
}

// omega_(n/divisor)^(k (s + p v)): what a level of phase I multiplies its outputs k by.
Twiddle Emitter::twiddle(Index divisor, const std::vector<Loop>& loops) const {
  return {.modulus = r_.lead().n / divisor, .shift = r_.at[r_.c.lead], .step = r_.lead().p, .loop = index_of_v(loops)};
}

Index Emitter::inbox(Index message) const {
  Index elements = 0;
  for (Index m = 0; m < message; ++m) elements += r_.message_elements(m);
  return (r_.ranks - 1) * elements;
}

void Emitter::post_receives(Index message) {
  const Index elements = r_.message_elements(message);
  for (int step = r_.ranks - 2; step >= 0; --step) {
    const int from = r_.destination(step);
    Range landing{.buffer = Buffer::inbox};
    std::vector<int> after;
    if (message < landing_) {
      landing = {Buffer::inbox, inbox(message) + r_.peer_index(from) * elements, elements};
    } else if (r_.messages) {
      const Index sent = message - landing_ + r_.c.early;  // as many chunks earlier as have landing room
      landing = {Buffer::work, r_.message_place(from, sent), elements};
      after = {send_finish_[index(sent)][index(from)] = tasks_.finish(send_start_[index(sent)][index(from)])};
    }
    const int tag = static_cast<int>(message);
    recv_start_[index(message)][index(from)] = tasks_.recv_start(from, tag, tag, elements, landing, std::move(after));
  }
}

void Emitter::send(int destination, Index message, std::vector<int> after) {
  const Range range{Buffer::work, r_.message_place(destination, message), r_.message_elements(message)};
  const int tag = static_cast<int>(message);
  send_start_[index(message)][index(destination)] = tasks_.send_start(destination, tag, tag, range, std::move(after));
}

void Emitter::block_done(int destination, Index chunk, int task) {
  if (destination == r_.me)
    own_ready_[index(chunk)] = {task};
  else
    send(destination, r_.c.early + chunk, {task});
}

// The distributed dimensions besides the leading one are transformed where they stand, in `out` from the first on.
std::vector<Step> Emitter::transform_other_dims(Buffer& from) const {
  std::vector<Step> steps;
  for (std::size_t k = 0; k < r_.c.dims.size(); ++k) {
    const CyclicDim& d = r_.c.dims[k];
    if (k == r_.c.lead || !d.distributed()) continue;
    std::vector<Loop> loops;
    for (std::size_t j = 0; j < r_.c.dims.size(); ++j)
      if (j != k) loops.push_back({.extent = r_.c.dims[j].m, .local = r_.strides[j]});
    Step step;
    step.pass.length = d.m;
    step.pass.sources = {line(from, 0, d.m, r_.strides[k], loops, &Loop::local)};
    step.pass.targets = {line(Buffer::out, 0, d.m, r_.strides[k], loops, &Loop::local)};
    step.pass.loops = extents(loops);
    step.pass.twiddle = {.modulus = d.n, .shift = r_.at[k]};
    steps.push_back(step);
    from = Buffer::out;
  }
  return steps;
}

// Loops over the lines of a slice; the strides in blocks are those of the part it belongs to.
std::vector<Loop> Emitter::slice_loops(Index number) const {
  const CyclicDim& lead = r_.lead();
  const Index extent = r_.slice_begin(number + 1) - r_.slice_begin(number);
  std::vector<Loop> loops;
  if (lead.S > 1)
    loops.push_back({.extent = r_.slices_v() ? extent : lead.S,
                     .local = r_.lead_stride(),
                     .block = r_.v_stride(r_.part_of(number)),
                     .own = lead.R / lead.p * r_.lead_stride(),
                     .over_v = true});
  for (std::size_t k = 0; k < r_.c.dims.size(); ++k) {
    const CyclicDim& d = r_.c.dims[k];
    if (k == r_.c.lead) continue;
    if (d.distributed())
      loops.push_back({.extent = d.p, .local = r_.strides[k], .block = r_.grid_strides[k] * r_.chunk_elements(0)});
    const Index all = d.m / d.p;
    loops.push_back({k == r_.c.sliced ? extent : all, d.p * r_.strides[k], r_.block_strides[k], r_.strides[k]});
  }
  slowest_first(loops, &Loop::local);
  return loops;
}

// Where a slice's outputs for one destination and chunk go.
Piece Emitter::slice_target(Index number, Index a, Index chunk, const std::vector<Loop>& loops) const {
  const CyclicDim& lead = r_.lead();
  const int owner = static_cast<int>(a * r_.grid_strides[r_.c.lead]);
  const Index part = r_.part_of(number);
  const Index begin = r_.slice_begin(number);
  Piece piece;
  if (r_.own_in_out && owner == r_.me) {
    const Index step = r_.slices_v() ? lead.R / lead.p * r_.lead_stride() : r_.strides[r_.c.sliced];
    piece = line(Buffer::out, r_.first_class(chunk) * r_.lead_stride() + begin * step, r_.per_chunk,
                 r_.every_class() * r_.lead_stride(), loops, &Loop::own);
  } else {
    const Index step = r_.slices_v() ? r_.v_stride(part) : r_.block_strides[r_.c.sliced];
    piece = line(Buffer::work, r_.slot(owner, part, chunk) + (begin - r_.part_begin(part)) * step, r_.per_chunk,
                 r_.class_stride(part), loops, &Loop::block);
  }
  piece.first = a + lead.p * r_.first_class(chunk);
  piece.every = lead.p * r_.every_class();
  return piece;
}

// Phase I of one slice, for all destinations and chunks.
int Emitter::slice(Index number, std::vector<Step> before) {
  const CyclicDim& lead = r_.lead();
  const Buffer from = before.empty() ? r_.data() : Buffer::out;
  const Index begin = r_.slice_begin(number);
  const std::vector<Loop> loops = slice_loops(number);
  Step step;
  step.pass.length = lead.R;
  step.pass.sources = {
      line(from, begin * r_.strides[r_.c.sliced], lead.R, lead.S * r_.lead_stride(), loops, &Loop::local)};
  step.pass.loops = extents(loops);
  step.pass.twiddle = twiddle(1, loops);
  if (r_.slices_v()) step.pass.twiddle.shift += lead.p * begin;
  for (Index chunk = 0; chunk < r_.c.chunks; ++chunk)
    for (Index a = 0; a < lead.p; ++a) step.pass.targets.push_back(slice_target(number, a, chunk, loops));
  before.push_back(std::move(step));
  return tasks_.compute("phase I", static_cast<int>(number), std::move(before), {});
}

void Emitter::all_slices() {
  std::vector<int> slices;
  for (Index number = 0; number < r_.c.slices; ++number) {
    Buffer from = r_.data();
    slices.push_back(slice(number, transform_other_dims(from)));
    for (int step = 0; number < r_.c.early && step < r_.ranks - 1; ++step)
      send(r_.destination(step), number, {slices.back()});
  }
  send_slices(slices);
  own_ready_.assign(index(r_.c.chunks), slices);
}

// What the late slices have made.
void Emitter::send_slices(const std::vector<int>& slices) {
  const std::vector<int> late(slices.begin() + r_.c.early, slices.end());
  const bool by_chunk = order_ == Order::chunk_first;
  const Index outer = by_chunk ? r_.c.chunks : r_.ranks - 1;
  const Index inner = by_chunk ? r_.ranks - 1 : r_.c.chunks;
  for (Index i = 0; i < outer; ++i)
    for (Index j = 0; j < inner; ++j)
      send(r_.destination(static_cast<int>(by_chunk ? j : i)), r_.c.early + (by_chunk ? i : j), late);
}

// Splits the class `residue` modulo `divisor`, `extent` values of v at `offset`, into its children. The root reads the
// rank's data, other nodes are split in place; a single split delivers straight to the blocks.
void Emitter::split(Index residue, std::size_t level, Index divisor, Index extent, Index offset, int after) {
  const Index radix = r_.c.radices[level];
  const Index v = extent / radix;
  const bool root = level == 0;
  std::vector<Loop> loops = r_.other_loops(r_.sliced_extent);
  loops.push_back({v, r_.lead_stride(), r_.rest, r_.c.chunks * r_.lead_stride(), true});
  slowest_first(loops, root ? &Loop::local : &Loop::block);

  Step step;
  step.pass.length = radix;
  step.pass.sources = {root ? line(r_.data(), 0, radix, v * r_.lead_stride(), loops, &Loop::local)
                            : line(Buffer::work, offset, radix, v * r_.rest, loops, &Loop::block)};
  step.pass.loops = extents(loops);
  step.pass.twiddle = twiddle(divisor, loops);
  for (Index j = 0; j < radix; ++j) {
    const Index child = residue + divisor * j;
    const int owner = static_cast<int>(child % r_.lead().p);
    const Index chunk = child / r_.lead().p;
    const bool to_blocks = r_.c.radices.size() == 1;
    Piece piece = to_blocks && r_.own_in_out && owner == r_.me
                      ? line(Buffer::out, chunk * r_.lead_stride(), 1, 1, loops, &Loop::own)
                      : line(Buffer::work, to_blocks ? r_.slot(owner, 0, chunk) : offset + j * v * r_.rest, 1, 1, loops,
                             &Loop::block);
    piece.first = j;
    step.pass.targets.push_back(piece);
  }
  const int done = tasks_.compute("split", static_cast<int>(residue), {step},
                                  after < 0 ? std::vector<int>{} : std::vector<int>{after});
  split_children(residue, level, divisor, v, offset, done);
}

void Emitter::split_children(Index residue, std::size_t level, Index divisor, Index v, Index offset, int done) {
  const Index radix = r_.c.radices[level];
  if (r_.alltoall != Alltoall::automatic && r_.c.radices.size() == 1) return all_children(done);
  for (Index step = 0; step < radix; ++step) {
    const Index j = (r_.me / divisor + 1 + step) % radix;  // digit by digit, a Latin order that ends with the own block
    const Index child = residue + divisor * j;
    if (level + 1 < r_.c.radices.size()) {
      split(child, level + 1, divisor * radix, v, offset + j * v * r_.rest, done);
      continue;
    }
    leaf_split_[index(child)] = done;
    if (order_ == Order::destination_first) make_block(static_cast<int>(child % r_.lead().p), child / r_.lead().p);
  }
}

// Of a single split, in the order that was asked for.
void Emitter::all_children(int done) {
  std::fill(leaf_split_.begin(), leaf_split_.end(), done);
  if (order_ != Order::destination_first) return;
  for (int step = 0; step < r_.ranks; ++step)
    for (Index chunk = 0; chunk < r_.c.chunks; ++chunk) make_block(r_.destination(step), chunk);
}

// The part of phase I that a block needs after the splits.
void Emitter::make_block(int destination, Index chunk) {
  const CyclicDim& lead = r_.lead();
  const int split_task = leaf_split_[index(destination + lead.p * chunk)];
  if (r_.per_chunk == 1) return block_done(destination, chunk, split_task);
  std::vector<Loop> loops = r_.other_loops(r_.sliced_extent);
  if (lead.S > 1) loops.push_back({.extent = lead.S, .block = r_.rest, .over_v = true});
  const bool mine = r_.own_in_out && destination == r_.me;
  slowest_first(loops, mine ? &Loop::own : &Loop::block);
  Step step;
  step.pass.length = r_.per_chunk;
  step.pass.sources = {
      mine
          ? line(Buffer::out, chunk * r_.lead_stride(), r_.per_chunk, r_.c.chunks * r_.lead_stride(), loops, &Loop::own)
          : line(Buffer::work, r_.slot(destination, 0, chunk), r_.per_chunk, lead.S * r_.rest, loops, &Loop::block)};
  step.pass.targets = step.pass.sources;
  step.pass.loops = extents(loops);
  step.pass.twiddle = twiddle(lead.p * r_.c.chunks, loops);
  block_done(destination, chunk, tasks_.compute("phase I", static_cast<int>(chunk), {step}, {split_task}));
}

void Emitter::blocks_by_chunk() {
  for (Index chunk = 0; chunk < r_.c.chunks; ++chunk)
    for (int step = 0; step < r_.ranks; ++step) make_block(r_.destination(step), chunk);
}

void Emitter::finish_chunk(Index chunk) {
  std::vector<int> after = own_ready_[index(chunk)];
  const auto finish = [&](Index message) {
    for (int step = r_.ranks - 2; step >= 0; --step) {
      const std::size_t from = index(r_.destination(step));
      int& task = recv_finish_[index(message)][from];
      if (task < 0) task = tasks_.finish(recv_start_[index(message)][from]);
      after.push_back(task);
    }
  };
  for (Index message = 0; message < r_.c.early; ++message) finish(message);
  finish(r_.c.early + chunk);
  tasks_.compute("phase II", static_cast<int>(chunk), cyclic_phase_two(r_, chunk, recv_finish_), std::move(after));
}

}  // namespace

RankSchedule cyclic_tasks(const CyclicParameters& parameters, const Layout& layout, const PlanOptions& options,
                          int rank) {
  if (rank >= layout.active_ranks()) return {.rank = rank};
  return Emitter(CyclicRank(parameters, layout, options, rank), options.order).run();
}

}  // namespace kallima
