// Broadcasts down trees. A complete binary tree numbered like a heap, or a binomial tree in which, round by round, all
// ranks that have the message send it to one more each. Pipelined, the message goes in packets, and a rank sends a
// packet on as soon as it has it. With two trees, packets take turns; the trees of Sanders, Speck and Traff (Parallel
// Computing 35, 2009) are in collective_double.cpp.

#include "lab/collective/collective_tree.hpp"

#include <algorithm>
#include <bit>

namespace kallima {
namespace {

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

}  // namespace

void broadcast(CollectiveTasks& t, const std::vector<Tree>& trees, Index packet) {
  const bool root = t.rank() == 0;
  const bool forwards =
      std::any_of(trees.begin(), trees.end(), [](const Tree& tree) { return !tree.children.empty(); });
  const Index image = t.room(forwards ? t.words() : 0);
  const auto moves = [&](Place from, Index at, Index count, bool forward) {
    return std::vector<Move>{{from, {Buffer::work, image + at}, forward ? count : 0}, {from, {Buffer::out, at}, count}};
  };
  const int loaded = root ? t.copy(moves({Buffer::in}, 0, t.words(), forwards), {}) : -1;
  Index number = 0;
  for (Index at = 0; at < t.words(); at += packet, ++number) {
    const Tree& tree = trees[static_cast<std::size_t>(number) % trees.size()];
    const Index count = std::min(packet, t.words() - at);
    int ready = loaded;
    if (!root) {
      const int arrived = t.receive(tree.parent, count);
      ready = t.copy(moves(received(arrived), at, count, !tree.children.empty()), {arrived});
    }
    for (const int child : tree.children) t.send(child, image + at, count, {ready});
    t.next_step();
  }
}

void broadcast_binary(CollectiveTasks& t) {
  broadcast(t, {binary(t.rank(), t.ranks())}, std::max<Index>(1, t.words()));
}

void broadcast_binomial(CollectiveTasks& t) {
  broadcast(t, {binomial(t.rank(), t.ranks())}, std::max<Index>(1, t.words()));
}

void broadcast_pipelined(CollectiveTasks& t) { broadcast(t, {binary(t.rank(), t.ranks())}, packet_of(t.collective())); }

}  // namespace kallima
