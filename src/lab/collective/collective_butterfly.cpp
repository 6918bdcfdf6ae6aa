// Collectives of a butterfly. In round k a rank exchanges with the one whose number differs in bit k: blocks that
// double (allgather), blocks that halve and are added up (reduce-scatter). Half a butterfly is a binomial tree, which
// scatters and, backwards, gathers. Broadcast, reduce and allreduce are two of these in a row (Solomonik 2015; Thakur,
// Rabenseifner and Gropp, IJHPCA 19, 2005).

#include <bit>

#include "lab/collective/collective_tasks.hpp"

namespace kallima {
namespace {

// A copy of the vector, or of a stretch of it, in the work buffer. Every stage has one of its own: what one stage has
// sent may still be read when the next one receives.
class Image {
 public:
  Image(CollectiveTasks& tasks, Part held) : t(tasks), base_(tasks.room(held.count) - held.begin) {}

  void load(Part part, Place from, const std::vector<int>& after = {}) {
    add(t.copy({{from, at(part), part.count}}, after));
  }
  void load(Part part, const Image& from) { load(part, from.at(part), from.ready_); }
  void receive(int from, Part part) {
    const int arrived = t.receive(from, part.count);
    load(part, received(arrived), {arrived});
  }
  void receive_and_add(int from, Part part) {
    const int arrived = t.receive(from, part.count);
    std::vector<int> after = ready_;
    after.push_back(arrived);
    add(t.sum({{at(part), received(arrived), at(part), part.count}}, after));
  }
  void send(int to, Part part) { t.send(to, base_ + part.begin, part.count, ready_); }
  void deliver(Part part, Index offset) { t.copy({{at(part), {Buffer::out, offset}, part.count}}, ready_); }

  CollectiveTasks& t;

 private:
  Place at(Part part) const { return {Buffer::work, base_ + part.begin}; }
  void add(int task) {
    if (task >= 0) ready_.push_back(task);
  }

  Index base_;
  std::vector<int> ready_;  // the tasks that filled it
};

// The ranks of my subtree of the binomial tree, in numbers: I am the first of them.
int subtree(const CollectiveTasks& t) {
  return t.rank() == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(t.ranks()))) : t.rank() & -t.rank();
}

Part mine(const CollectiveTasks& t) { return t.part(t.rank()); }

Part whole(const CollectiveTasks& t) { return {0, t.words()}; }

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
  Image image(t, whole(t));
  image.load(whole(t), {Buffer::in});
  reduce_scatter(image);
  return image;
}

Image scattered(CollectiveTasks& t) {
  Image image(t, t.parts(t.rank(), subtree(t)));
  if (t.rank() == 0) image.load(whole(t), {Buffer::in});
  scatter(image);
  return image;
}

void gather_all(Image& image) {
  allgather(image);
  image.deliver(whole(image.t), 0);
}

void gather_on_root(Image& image) {
  gather(image);
  if (image.t.rank() == 0) image.deliver(whole(image.t), 0);
}

}  // namespace

void scatter(CollectiveTasks& t) { scattered(t).deliver(mine(t), 0); }

void gather(CollectiveTasks& t) {
  Image image(t, t.parts(t.rank(), subtree(t)));
  image.load(mine(t), {Buffer::in});
  gather_on_root(image);
}

void allgather(CollectiveTasks& t) {
  Image image(t, whole(t));
  image.load(mine(t), {Buffer::in});
  gather_all(image);
}

void reduce_scatter(CollectiveTasks& t) { reduced_and_scattered(t).deliver(mine(t), 0); }

void reduce(CollectiveTasks& t) {
  const Image sums = reduced_and_scattered(t);
  Image image(t, t.parts(t.rank(), subtree(t)));
  image.load(mine(t), sums);
  gather_on_root(image);
}

void allreduce(CollectiveTasks& t) {
  const Image sums = reduced_and_scattered(t);
  Image image(t, whole(t));
  image.load(mine(t), sums);
  gather_all(image);
}

void broadcast_butterfly(CollectiveTasks& t) {
  const Image dealt = scattered(t);
  Image image(t, whole(t));
  image.load(mine(t), dealt);
  gather_all(image);
}

}  // namespace kallima
