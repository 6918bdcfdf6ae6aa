// Collectives of a butterfly. In round k a rank exchanges with the one whose number differs in bit k: blocks that
// double (allgather), blocks that halve and are added up (reduce-scatter). Half a butterfly is a binomial tree, which
// scatters and, backwards, gathers. Broadcast, reduce and allreduce are two of these in a row (Solomonik 2015; Thakur,
// Rabenseifner and Gropp, IJHPCA 19, 2005). A scan exchanges whole vectors.

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

void scatter(Image& image) {
  CollectiveTasks& t = image.t;
  const int span = subtree(t);
  if (t.rank() > 0) image.receive(t.rank() & (t.rank() - 1), t.parts(t.rank(), span));
  for (int d = span / 2; d > 0; d /= 2, t.next_step())
    if (t.rank() + d < t.ranks()) image.send(t.rank() + d, t.parts(t.rank() + d, d));
}

void gather(Image& image) {
  CollectiveTasks& t = image.t;
  const int span = subtree(t);
  for (int d = 1; d < span; d *= 2, t.next_step())
    if (t.rank() + d < t.ranks()) image.receive(t.rank() + d, t.parts(t.rank() + d, d));
  if (t.rank() > 0) image.send(t.rank() & (t.rank() - 1), t.parts(t.rank(), span));
}

void allgather(Image& image) {
  CollectiveTasks& t = image.t;
  for (int d = 1; d < t.ranks(); d *= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    image.send(partner, group(t, t.rank(), d));
    image.receive(partner, group(t, partner, d));
  }
}

void reduce_scatter(Image& image) {
  CollectiveTasks& t = image.t;
  for (int d = t.ranks() / 2; d > 0; d /= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    image.send(partner, group(t, partner, d));
    image.receive_and_add(partner, group(t, t.rank(), d));
  }
}

Image reduced_and_scattered(CollectiveTasks& t) {
  Image image(t, t.whole());
  image.load(t.whole(), {Buffer::in});
  reduce_scatter(image);
  return image;
}

Image scattered(CollectiveTasks& t) {
  Image image(t, t.parts(t.rank(), subtree(t)));
  if (t.rank() == 0) image.load(t.whole(), {Buffer::in});
  scatter(image);
  return image;
}

// The second half of many: every rank has its part in `parts`, or else as its input.
void gather_on_root(CollectiveTasks& t, const std::optional<Image>& parts = {}) {
  Image image(t, t.parts(t.rank(), subtree(t)));
  image.load_mine(parts);
  gather(image);
  if (t.rank() == 0) image.deliver(t.whole());
}

void gather_on_all(CollectiveTasks& t, const std::optional<Image>& parts = {}) {
  Image image(t, t.whole());
  image.load_mine(parts);
  allgather(image);
  image.deliver(t.whole());
}

}  // namespace

void scatter(CollectiveTasks& t) { scattered(t).deliver(t.mine()); }

void gather(CollectiveTasks& t) { gather_on_root(t); }

void allgather(CollectiveTasks& t) { gather_on_all(t); }

void reduce_scatter(CollectiveTasks& t) { reduced_and_scattered(t).deliver(t.mine()); }

void reduce(CollectiveTasks& t) { gather_on_root(t, reduced_and_scattered(t)); }

void allreduce(CollectiveTasks& t) { gather_on_all(t, reduced_and_scattered(t)); }

void broadcast_butterfly(CollectiveTasks& t) { gather_on_all(t, scattered(t)); }

// Inclusive prefix sums over ranks (Hillis and Steele's recursive doubling on a hypercube). In round k a rank knows the
// sum of all ranks that agree with it from bit k upwards, and of those among them up to itself; it exchanges the first
// with its partner, adds it to that, and to the second if the partner is lower. The last round needs to go upwards
// only.
void scan(CollectiveTasks& t) {
  const Index s = t.words();
  Place total{Buffer::work, t.ranks() > 1 ? t.reserve(s) : 0};
  int ready = t.move({{{Buffer::in}, total, t.ranks() > 1 ? s : 0}, {{Buffer::in}, {Buffer::out}, s}}, {});
  for (int d = 1; d < t.ranks(); d *= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    const bool lower = partner < t.rank(), last = 2 * d == t.ranks();
    if (!last || !lower) t.send(partner, total.offset, s, {ready});
    if (last && !lower) continue;
    const int arrived = t.receive(partner, s);
    const Place next{Buffer::work, last ? 0 : t.reserve(s)};  // the old total may still be read by the partner
    ready = t.move({{received(arrived), next, last ? 0 : s, total},
                    {received(arrived), {Buffer::out}, lower ? s : 0, Place{Buffer::out}}},
                   {ready, arrived});
    total = next;
  }
}

}  // namespace kallima
