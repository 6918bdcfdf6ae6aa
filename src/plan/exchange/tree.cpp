// Residue classes form a tree: splitting by radices r1, r2, ... makes classes modulo r1, r1 r2, ..., of which the last
// are the blocks. A node is split only when its first block is due (Sahay's depth-first order) where destinations go
// first. All nodes are split in place, so a node's children fill its memory.

#include "plan/exchange/tree.hpp"

#include <algorithm>

namespace kallima {
namespace {

// A loop of a pass with its steps in the rank's array and in a block.
struct Loop {
  Index extent = 1;
  Index in_array = 0;
  Index in_block = 0;
  bool over_rest = false;  // over what is left of the line: twiddle factors depend on it
};

class ClassTree {
 public:
  ClassTree(const TreeStatement& s, const std::function<void(Bundle&, BlockMessage&)>& send)
      : s_(s), send_(send), line_(s.line) {
    const std::size_t row = line_.slot, column = line_.by.front().first;
    const Block mine = s.held.spread.owned(s.rank);
    const Strided place = place_in(s.held, s.rank, mine);
    parts_ = mine[column].count > 0 ? line_.modulus / (line_.length * mine[column].count) : 1;
    place_ = mine[column].first;
    stride_ = place.strides[column];
    columns_ = mine[column].count;
    for (std::size_t k = mine.size(); k-- > 0;) {
      if (k == row || k == column) continue;
      others_.insert(others_.begin(), {mine[k].count, place.strides[k], rest_});
      rest_ *= mine[k].count;
    }
    const auto chunks = static_cast<Index>(s.bundles.size());
    blocks_ = parts_ * chunks;
    per_chunk_ = line_.length / blocks_;
    const Index block = per_chunk_ * columns_ * rest_;
    for (Index c = 0; c < chunks; ++c) {
      Bundle& b = s.bundles[at(c)];
      for (BlockMessage& m : b.sent) m.at = position(m.peer + parts_ * c) * block;
      if (b.kept) b.kept->at = position(place_ + parts_ * c) * block;
    }
  }

  void run() {
    split(0, 0, 1, line_.length * columns_, 0);
    if (s_.options.order == Order::destination_first) return;
    for (Index chunk = 0; chunk < blocks_ / parts_; ++chunk) {
      for (const BlockMessage& m : s_.bundles[at(chunk)].sent) make_block(m.peer, chunk);
      make_block(place_, chunk);
    }
  }

 private:
  // Of a leaf: its digits, first split first.
  Index position(Index residue) const {
    Index number = 0;
    for (const Index radix : s_.radices) {
      number = number * radix + residue % radix;
      residue /= radix;
    }
    return number;
  }

  std::vector<Loop> loops_with(const Loop& line, Index Loop::*slowest) const {
    std::vector<Loop> loops = others_;
    if (line.extent > 1) loops.push_back(line);
    std::stable_sort(loops.begin(), loops.end(), [=](const Loop& a, const Loop& b) { return a.*slowest > b.*slowest; });
    return loops;
  }

  Piece piece(Buffer buffer, Index offset, Index count, Index stride, const std::vector<Loop>& loops,
              Index Loop::*step) const {
    Piece p{.buffer = buffer, .offset = offset, .count = count, .stride = stride};
    for (const Loop& loop : loops) p.strides.push_back(loop.*step);
    return p;
  }

  // omega_(n/divisor)^(k (s + p v)): what a level multiplies its outputs k by.
  Twiddle twiddle(Index divisor, const std::vector<Loop>& loops) const {
    Twiddle t{.modulus = line_.modulus / divisor, .shift = place_, .step = parts_};
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (loops[i].over_rest) t.loop = static_cast<int>(i);
    return t;
  }

  void compute(const char* label, Index chunk, Pass pass) {
    s_.assembler.set_stage(stage_--);  // each waits for those before it
    Step step;
    step.pass = std::move(pass);
    s_.assembler.compute(label, static_cast<int>(chunk), {std::move(step)});
  }

  void split(Index residue, std::size_t level, Index divisor, Index extent, Index offset) {
    const std::vector<Index>& radices = s_.radices;
    const Index radix = radices[level], v = extent / radix;
    const bool root = level == 0;
    const std::vector<Loop> loops = loops_with({v, stride_, rest_, true}, root ? &Loop::in_array : &Loop::in_block);
    Pass pass{.length = radix};
    pass.sources = {root ? piece(s_.from, 0, radix, v * stride_, loops, &Loop::in_array)
                         : piece(s_.memory, offset, radix, v * rest_, loops, &Loop::in_block)};
    for (const Loop& loop : loops) pass.loops.push_back(loop.extent);
    pass.twiddle = twiddle(divisor, loops);
    for (Index j = 0; j < radix; ++j) {
      pass.targets.push_back(piece(s_.memory, offset + j * v * rest_, 1, 1, loops, &Loop::in_block));
      pass.targets.back().first = j;
    }
    compute("split", residue, std::move(pass));
    const bool in_order = s_.options.alltoall == Alltoall::automatic || radices.size() > 1;
    if (!in_order) return all_blocks();
    for (Index step = 0; step < radix; ++step) {
      const Index j =
          (place_ / divisor + 1 + step) % radix;  // digit by digit, a Latin order that ends with the own block
      const Index child = residue + divisor * j;
      if (level + 1 < radices.size())
        split(child, level + 1, divisor * radix, v, offset + j * v * rest_);
      else if (s_.options.order == Order::destination_first)
        make_block(child % parts_, child / parts_);
    }
  }

  // Of a single split, in the order that was asked for.
  void all_blocks() {
    if (s_.options.order != Order::destination_first) return;
    for (const BlockMessage& m : s_.bundles.front().sent)
      for (Index chunk = 0; chunk < blocks_ / parts_; ++chunk) make_block(m.peer, chunk);
    for (Index chunk = 0; chunk < blocks_ / parts_; ++chunk) make_block(place_, chunk);
  }

  // What a block needs after the splits.
  void make_block(Index destination, Index chunk) {
    Bundle& b = s_.bundles[at(chunk)];
    if (per_chunk_ > 1) {
      const std::vector<Loop> loops = loops_with({columns_, 0, rest_, true}, &Loop::in_block);
      const Index offset = position(destination + parts_ * chunk) * per_chunk_ * columns_ * rest_;
      Pass pass{.length = per_chunk_};
      pass.sources = pass.targets = {piece(s_.memory, offset, per_chunk_, columns_ * rest_, loops, &Loop::in_block)};
      for (const Loop& loop : loops) pass.loops.push_back(loop.extent);
      pass.twiddle = twiddle(blocks_, loops);
      compute("phase I", chunk, std::move(pass));
    }
    for (BlockMessage& m : b.sent)
      if (m.peer == destination) send_(b, m);
  }

  const TreeStatement& s_;
  const std::function<void(Bundle&, BlockMessage&)>& send_;
  const Transform& line_;
  std::vector<Loop> others_;
  Index parts_ = 1;      // ranks along the axis
  Index place_ = 0;      // of this one
  Index stride_ = 1;     // of neighbours of the axis in the array
  Index columns_ = 1;    // of the second slot that the rank has
  Index rest_ = 1;       // elements of a block for one index of the axis
  Index per_chunk_ = 1;  // classes
  Index blocks_ = 1;
  int stage_ = -1;
};

}  // namespace

void split_tree(const TreeStatement& statement, const std::function<void(Bundle&, BlockMessage&)>& send) {
  ClassTree(statement, send).run();
}

}  // namespace kallima
