// Two trees at once (Sanders, Speck and Traff, Parallel Computing 35, 2009). All ranks but the root form two binary
// trees whose inner nodes are leaves of the other, each carries every other packet, and the root feeds one child per
// tree: then all send and receive one packet at a time, and s words take about s beta. A tree is numbered in order, so
// that odd places are leaves; the second one is the first mirrored, or shifted by one, whichever makes odd places even.
// Who is served first follows from a two-colouring of the edges in which no rank sends, or receives, two of a colour.

#include <bit>

#include "lab/collective/collective_tree.hpp"

namespace kallima {
namespace {

// Places 1 .. nodes, numbered in order: a place with h zeros at its end has its children 2^(h-1) to either side, the
// right one nearer where the tree ends before that.
class InOrder {
 public:
  explicit InOrder(int nodes) : nodes_(nodes) {}
  int root() const { return static_cast<int>(std::bit_floor(static_cast<unsigned>(nodes_))); }
  int left(int place) const { return place % 2 == 1 ? 0 : place - lowest(place) / 2; }
  int right(int place) const {
    int child = 0;
    for (int step = lowest(place) / 2; step > 0 && child == 0; step /= 2)
      if (place + step <= nodes_) child = place + step;
    return child;
  }

 private:
  static int lowest(int place) { return place & -place; }
  int nodes_;
};

// Both trees with rank numbers in place of places, 0 standing for nobody and, as a parent, for the root.
class TwoTrees {
 public:
  explicit TwoTrees(int ranks);
  Tree tree(int which, int rank) const;

 private:
  struct Edge {  // into a rank, by [which][rank]
    int parent = 0;
    int sibling = 0;  // the parent's other child
    int colour = -1;
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int rank_at(int which, int place) const;
  void hang(int which, const InOrder& shape, int place, int parent, int sibling);
  void paint(int which, int rank, int colour);

  int nodes_;
  std::vector<Edge> edges_[2];
  std::vector<std::vector<int>> children_[2];
};

TwoTrees::TwoTrees(int ranks) : nodes_(ranks - 1) {
  for (const int which : {0, 1}) {
    edges_[which].resize(at(ranks));
    children_[which].resize(at(ranks));
    if (nodes_ > 0) hang(which, InOrder(nodes_), InOrder(nodes_).root(), 0, 0);
  }
  if (nodes_ > 0) paint(0, children_[0][0][0], 0);
  for (const int which : {0, 1})
    for (int rank = 1; rank < ranks; ++rank)
      if (edges_[which][at(rank)].colour < 0) paint(which, rank, 0);
}

int TwoTrees::rank_at(int which, int place) const {
  if (which == 0 || place == 0) return place;
  return nodes_ % 2 == 0 ? nodes_ + 1 - place : place % nodes_ + 1;
}

void TwoTrees::hang(int which, const InOrder& shape, int place, int parent, int sibling) {
  if (place == 0) return;
  const int rank = rank_at(which, place);
  edges_[which][at(rank)] = {.parent = parent, .sibling = rank_at(which, sibling)};
  children_[which][at(parent)].push_back(rank);
  hang(which, shape, shape.left(place), rank, shape.right(place));
  hang(which, shape, shape.right(place), rank, shape.left(place));
}

// Edges out of one rank differ in colour, and so do those into one rank, the root's two included: every edge has at
// most one neighbour of either kind, so colours alternate along paths and even circles.
void TwoTrees::paint(int which, int rank, int colour) {
  struct Pending {
    int which, rank, colour;
  };
  std::vector<Pending> pending{{which, rank, colour}};
  while (!pending.empty()) {
    const Pending p = pending.back();
    pending.pop_back();
    Edge& edge = edges_[p.which][at(p.rank)];
    if (p.rank == 0 || edge.colour >= 0) continue;
    edge.colour = p.colour;
    pending.push_back({1 - p.which, p.rank, 1 - p.colour});
    pending.push_back({p.which, edge.sibling, 1 - p.colour});
    if (edge.parent == 0) pending.push_back({1 - p.which, children_[1 - p.which][0][0], 1 - p.colour});
  }
}

// A packet came in at a step of my colour, so the child of the other colour is next.
Tree TwoTrees::tree(int which, int rank) const {
  Tree tree{.parent = edges_[which][at(rank)].parent, .children = children_[which][at(rank)]};
  const int mine = rank == 0 ? 1 - which : edges_[which][at(rank)].colour;
  if (tree.children.size() == 2 && edges_[which][at(tree.children[0])].colour == mine)
    std::swap(tree.children[0], tree.children[1]);
  return tree;
}

}  // namespace

void broadcast_double(CollectiveTasks& t) {
  const TwoTrees trees(t.ranks());
  broadcast(t, {trees.tree(0, t.rank()), trees.tree(1, t.rank())}, packet_of(t.collective()));
}

}  // namespace kallima
