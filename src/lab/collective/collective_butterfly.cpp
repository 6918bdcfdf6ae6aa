// Collectives of a butterfly. In round k a rank exchanges with the one whose number differs in bit k: blocks that
// double (allgather), blocks that halve and are added up (reduce-scatter). Half a butterfly is a binomial tree, which
// scatters and, backwards, gathers. Broadcast, reduce and allreduce are two of these in a row (Solomonik 2015; Thakur,
// Rabenseifner and Gropp, IJHPCA 19, 2005). A scan exchanges whole vectors. And the all-to-alls.

#include <bit>

#include "lab/collective/collective_tasks.hpp"

namespace kallima {
namespace {

// The ranks of my subtree of the binomial tree, in numbers: I am the first of them.
int subtree(const CollectiveTasks& t) {
  return t.rank() == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(t.ranks()))) : t.rank() & -t.rank();
}

// The parts of all ranks that have their numbers from bit `distance` upwards in common with this one.
Part group(const CollectiveTasks& t, int rank, int distance) { return t.parts(rank & -distance, distance); }

Image scattered(CollectiveTasks& t) {
  const int span = subtree(t);
  const Part held = t.parts(t.rank(), span);
  Image image(t, held);
  if (t.rank() == 0) image.load(t.whole(), {Buffer::in});
  if (t.rank() > 0) image.receive(t.rank() & (t.rank() - 1), held);
  for (int d = span / 2; d > 0; d /= 2, t.next_step())
    if (t.rank() + d < t.ranks()) image.send(t.rank() + d, t.parts(t.rank() + d, d));
  return image;
}

Image reduced_and_scattered(CollectiveTasks& t) {
  Image image(t, t.whole());
  image.load(t.whole(), {Buffer::in});
  for (int d = t.ranks() / 2; d > 0; d /= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    image.send(partner, group(t, partner, d));
    image.add(partner, group(t, t.rank(), d));
  }
  return image;
}

// The second half of many: every rank has its part somewhere.
void gather_on_root(CollectiveTasks& t, const Location& mine) {
  const int span = subtree(t);
  const Part held = t.parts(t.rank(), span);
  Image image(t, held);
  image.load(t.mine(), mine);
  for (int d = 1; d < span; d *= 2, t.next_step())
    if (t.rank() + d < t.ranks()) image.receive(t.rank() + d, t.parts(t.rank() + d, d));
  if (t.rank() > 0) image.send(t.rank() & (t.rank() - 1), held);
  if (t.rank() == 0) image.deliver(t.whole());
}

void gather_on_all(CollectiveTasks& t, const Location& mine) {
  Image image(t, t.whole());
  image.load(t.mine(), mine);
  for (int d = 1; d < t.ranks(); d *= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    image.send(partner, group(t, t.rank(), d));
    image.receive(partner, group(t, partner, d));
  }
  image.deliver(t.whole());
}

}  // namespace

void scatter(CollectiveTasks& t) { scattered(t).deliver(t.mine()); }
void gather(CollectiveTasks& t) { gather_on_root(t, {Buffer::in}); }
void allgather(CollectiveTasks& t) { gather_on_all(t, {Buffer::in}); }
void reduce_scatter(CollectiveTasks& t) { reduced_and_scattered(t).deliver(t.mine()); }
void reduce(CollectiveTasks& t) { gather_on_root(t, reduced_and_scattered(t).at(t.mine())); }
void allreduce(CollectiveTasks& t) { gather_on_all(t, reduced_and_scattered(t).at(t.mine())); }
void broadcast_butterfly(CollectiveTasks& t) { gather_on_all(t, scattered(t).at(t.mine())); }

// Inclusive prefix sums over ranks (Hillis and Steele's recursive doubling on a hypercube). In round k a rank knows the
// sum of all ranks that agree with it from bit k upwards, and of those among them up to itself; it exchanges the first
// with its partner, adds it to that, and to the second if the partner is lower. The last round goes upwards only.
void scan(CollectiveTasks& t) {
  const Index s = t.words(), kept = t.ranks() > 1 ? s : 0;
  Location total = t.reserve(kept);
  t.move({{{Buffer::in}, total, kept}, {{Buffer::in}, {Buffer::out}, s}});
  for (int d = 1; d < t.ranks(); d *= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    const bool lower = partner < t.rank(), last = 2 * d == t.ranks();
    if (!last || !lower) t.send(partner, total, s);
    if (last && !lower) continue;
    const Location arrived = t.receive(partner, s);
    const Location next = t.reserve(last ? 0 : s);  // the old total may still be read by the partner
    t.move({{arrived, next, last ? 0 : s, total}, {arrived, {Buffer::out}, lower ? s : 0, Location{Buffer::out}}});
    total = next;
  }
}

// Everybody has something for everybody, and sends every part straight to its target, in an order in which all send to
// different ranks: to i+1, i+2, ..., or pairwise to i xor 1, i xor 2, ....
void direct(CollectiveTasks& t, const auto& peer) {
  const Part mine = t.mine();
  const Index sent = t.ranks() > 1 ? t.words() : 0;
  Image image(t, {0, sent});
  t.move({{{Buffer::in}, image.at({}), sent},
          {{Buffer::in, mine.begin}, {Buffer::out, t.rank() * mine.count}, mine.count}});
  for (int step = 1; step < t.ranks(); ++step, t.next_step()) {
    const auto [to, from] = peer(step);
    image.send(to, t.part(to));
    t.move({{t.receive(from, mine.count), {Buffer::out, from * mine.count}, mine.count}});
  }
}

void alltoall_direct(CollectiveTasks& t) {
  const int me = t.rank(), p = t.ranks();
  direct(t, [=](int step) { return std::pair((me + step) % p, (me - step + p) % p); });
}

void alltoall_pairwise(CollectiveTasks& t) {
  direct(t, [me = t.rank()](int step) { return std::pair(me ^ step, me ^ step); });
}

// Straight to everybody, for others to be put between (relayed): log2 P messages, but each of half the data.
void alltoall_bruck(CollectiveTasks& t) {
  const Index mine = t.mine().count;
  std::vector<Move> moves{{{Buffer::in, t.mine().begin}, {Buffer::out, t.rank() * mine}, mine}};
  for (int step = 1; step < t.ranks(); ++step) {
    const int to = (t.rank() + step) % t.ranks();
    t.send(to, {Buffer::in, t.part(to).begin}, t.part(to).count);
  }
  for (int step = 1; step < t.ranks(); ++step) {
    const int from = (t.rank() - step + t.ranks()) % t.ranks();
    moves.push_back({t.receive(from, mine), {Buffer::out, from * mine}, mine});
  }
  t.move(moves);
}

}  // namespace kallima
