// Broadcasts down trees and round a ring. A complete binary tree numbered like a heap, or a binomial tree in which,
// round by round, all ranks that have the message send it to one more each. Pipelined, the message goes in packets, and
// a rank sends a packet on as soon as it has it.
//
// Two trees at once (Sanders, Speck and Traff, Parallel Computing 35, 2009): all ranks but the root form two binary
// trees whose inner nodes are leaves of the other, each carries every other packet, and the root feeds one child per
// tree: then all send and receive one packet at a time, and s words take about s beta.

#include <algorithm>
#include <array>
#include <bit>

#include "lab/collective/collective_tasks.hpp"

namespace kallima {
namespace {

// A tree as one of its nodes sees it.
struct Tree {
  int parent = 0;
  std::vector<int> children = {};  // in the order in which they are served
  int colour = -1;                 // of two trees: that of the edge from the parent
};

Tree binary(int rank, int ranks) {
  Tree tree{.parent = (rank - 1) / 2};
  for (const int child : {2 * rank + 1, 2 * rank + 2})
    if (child < ranks) tree.children.push_back(child);
  return tree;
}

// Rank r joins in round log2 of its highest bit, and is served by whoever has all its other bits.
Tree binomial(int rank, int ranks) {
  const int joined = static_cast<int>(std::bit_floor(static_cast<unsigned>(rank)));
  Tree tree{.parent = rank - joined};
  for (int far = std::max(1, 2 * joined); rank + far < ranks; far *= 2) tree.children.push_back(rank + far);
  return tree;
}

// Both trees of all ranks but the root. A tree is numbered in order, so that odd places are leaves; the second one is
// the first mirrored, or shifted by one, whichever makes odd places even. Who is served first follows from a
// two-colouring of the edges in which no rank sends, or receives, two of a colour.
class TwoTrees {
 public:
  explicit TwoTrees(int ranks) : nodes_(ranks - 1) {
    for (const int which : {0, 1}) {
      trees_[which].resize(at(ranks));
      for (int place = 1; place < ranks; ++place) hang(which, place);
    }
    if (nodes_ > 0) paint(0, trees_[0][0].children[0], 0);
    for (const int which : {0, 1})
      for (int rank = 1; rank < ranks; ++rank)
        if (trees_[which][at(rank)].colour < 0) paint(which, rank, 0);
  }

  // A packet came in at a step of my colour, so the child of the other colour is next.
  Tree tree(int which, int rank) const {
    Tree tree = trees_[which][at(rank)];
    const int colour = rank == 0 ? 1 - which : tree.colour;
    if (tree.children.size() == 2 && trees_[which][at(tree.children[0])].colour == colour)
      std::swap(tree.children[0], tree.children[1]);
    return tree;
  }

 private:
  int rank_at(int which, int place) const {
    if (which == 0 || place == 0) return place;
    return nodes_ % 2 == 0 ? nodes_ + 1 - place : place % nodes_ + 1;
  }

  // A place with h zeros at its end has its parent 2^h to one side: the one with more zeros, if it exists.
  void hang(int which, int place) {
    const int step = place & -place;
    const bool is_right = (place & (2 * step)) != 0 || place + step > nodes_;
    const int rank = rank_at(which, place), parent = rank_at(which, is_right ? place - step : place + step);
    trees_[which][at(rank)].parent = parent;
    trees_[which][at(parent)].children.push_back(rank);
  }

  // Edges out of one rank differ in colour, and so do those into one rank, the root's two included: every edge has at
  // most one neighbour of either kind, so colours alternate along paths and even circles.
  void paint(int first_tree, int first_rank, int first_colour) {
    std::vector<std::array<int, 3>> pending{{first_tree, first_rank, first_colour}};
    while (!pending.empty()) {
      const auto [which, rank, colour] = pending.back();
      pending.pop_back();
      Tree& edge = trees_[which][at(rank)];
      if (edge.colour >= 0) continue;
      edge.colour = colour;
      pending.push_back({1 - which, rank, 1 - colour});
      for (const int sibling : trees_[which][at(edge.parent)].children)
        if (sibling != rank) pending.push_back({which, sibling, 1 - colour});
      if (edge.parent == 0) pending.push_back({1 - which, trees_[1 - which][0].children[0], 1 - colour});
    }
  }

  int nodes_;
  std::vector<Tree> trees_[2];  // [which][rank]
};

// From rank 0 to all, in packets; where there are several trees, packets take turns.
void broadcast(CollectiveTasks& t, const std::vector<Tree>& trees, Index packet) {
  const bool root = t.rank() == 0;
  const bool forwards = std::ranges::any_of(trees, [](const Tree& tree) { return !tree.children.empty(); });
  Image image(t, {0, forwards ? t.words() : 0});
  if (root) image.pass({Buffer::in}, t.whole(), forwards);
  Index number = 0;
  for (Index at = 0; at < t.words(); at += packet, ++number, t.next_step()) {
    const Tree& tree = trees[static_cast<std::size_t>(number) % trees.size()];
    const Part part{at, std::min(packet, t.words() - at)};
    if (!root) image.pass(t.receive(tree.parent, part.count), part, !tree.children.empty());
    for (const int child : tree.children) image.send(child, part);
  }
}

// In packets as asked for, or the best.
Index packet_of(const Collective& c) { return c.packet > 0 ? c.packet : best_packet(c); }
Index in_one(const CollectiveTasks& t) { return std::max<Index>(1, t.words()); }

}  // namespace

void broadcast_binary(CollectiveTasks& t) { broadcast(t, {binary(t.rank(), t.ranks())}, in_one(t)); }
void broadcast_binomial(CollectiveTasks& t) { broadcast(t, {binomial(t.rank(), t.ranks())}, in_one(t)); }
void broadcast_pipelined(CollectiveTasks& t) { broadcast(t, {binary(t.rank(), t.ranks())}, packet_of(t.collective())); }
void broadcast_double(CollectiveTasks& t) {
  const TwoTrees trees(t.ranks());
  broadcast(t, {trees.tree(0, t.rank()), trees.tree(1, t.rank())}, packet_of(t.collective()));
}

// Long messages, each word sent about twice (van de Geijn's ring): the root deals out segments, one to every rank, and
// then all pass segments on to their right neighbours. The farthest rank is dealt to first, so that nobody is sent two
// segments at once; the root has everything and is sent nothing. All others take their own segment from the root, then
// from the left what it is dealt and what it is passed.
void broadcast_ring(CollectiveTasks& t) {
  const int me = t.rank(), P = t.ranks();
  Image image(t, t.whole());
  if (me == 0) {
    image.pass({Buffer::in}, t.whole(), P > 1);
    for (int to = P - 1; to > 0; --to) image.send(to, t.part(to));
    for (int step = 0; step < P - 1; ++step) image.send(1, t.part((P - step) % P));
    return;
  }
  const bool last = me == P - 1;
  for (int step = 0; step < P; ++step, t.next_step()) {
    const int segment = (me - step + P) % P;
    image.pass(t.receive(step == 0 ? 0 : me - 1, t.part(segment).count), t.part(segment), !last);
    if (!last && segment != me + 1) image.send(me + 1, t.part(segment));
  }
}

}  // namespace kallima
