// Everybody has something for everybody. Direct sends every part straight to its target, in an order in which all send
// to different ranks: to i+1, i+2, ..., or pairwise to i xor 1, i xor 2, .... Bruck et al. (IEEE TPDS 8, 1997) send
// through others: a part that has j ranks to go travels in the rounds of j's binary digits, by 1, 2, 4, ... ranks, so
// that there are only log2 P messages, but each of half the data.

#include "lab/collective/collective_tasks.hpp"
#include "plan/rewrite/bruck.hpp"

namespace kallima {
namespace {

template <class Peer>
void direct(CollectiveTasks& t, const Peer& peer) {
  const Part mine = t.mine();
  Image image(t, {0, t.ranks() > 1 ? t.words() : 0});
  const int loaded = t.move({{{Buffer::in}, image.at({}), t.ranks() > 1 ? t.words() : 0},
                             {{Buffer::in, mine.begin}, {Buffer::out, t.rank() * mine.count}, mine.count}},
                            {});
  for (int step = 1; step < t.ranks(); ++step, t.next_step()) {
    const auto [to, from] = peer(step);
    image.send(to, t.part(to), {loaded});
    const int arrived = t.receive(from, mine.count);
    t.move({{received(arrived), {Buffer::out, from * mine.count}, mine.count}}, {arrived});
  }
}

class Bruck {
 public:
  explicit Bruck(CollectiveTasks& tasks) : t(tasks), rounds_(bruck::rounds(tasks.ranks())) {}

  void run() {
    for (int round = 0; round < rounds_; ++round, t.next_step()) {
      const Index packed = t.reserve(size(t.rank(), round));
      const int ready = t.move(moves_of_round(round, packed), arrived_);
      t.send((t.rank() + (1 << round)) % t.ranks(), packed, size(t.rank(), round), {ready});
      arrived_.push_back(t.receive(ahead(-(1 << round)), size(ahead(-(1 << round)), round)));
    }
    std::vector<Move> moves;
    const Index mine = t.mine().count;
    for (int j = 0; j < t.ranks(); ++j) moves.push_back({found(j, rounds_), {Buffer::out, ahead(-j) * mine}, mine});
    t.move(moves, arrived_);
  }

 private:
  int ahead(int by) const { return ((t.rank() + by) % t.ranks() + t.ranks()) % t.ranks(); }

  // How much of a part with j ranks to go is sent by `sender` in this round: it is bound for whoever is as far away as
  // the digits of j that are left.
  Index count(int sender, int j, int round) const { return t.part((sender + (j >> round << round)) % t.ranks()).count; }

  // Calls visit(j, offset in the message) for the parts that `sender` sends in this round; returns their size.
  template <class F>
  Index for_each_part(int sender, int round, const F& visit) const {
    Index offset = 0;
    for (int j = 1; j < t.ranks(); ++j) {
      if (!bruck::travels(j, round)) continue;
      visit(j, offset);
      offset += count(sender, j, round);
    }
    return offset;
  }
  Index size(int sender, int round) const {
    return for_each_part(sender, round, [](int, Index) {});
  }

  // Where this rank has a part of which it is the holder before `round`: in what it received last, or in its input.
  Place found(int j, int round) const {
    const int travelled = round == rounds_ ? j : j & ((1 << round) - 1);
    if (travelled == 0) return {Buffer::in, t.part(ahead(j)).begin};
    const int last = bruck::last_round(travelled);
    Place place = received(arrived_[static_cast<std::size_t>(last)]);
    for_each_part(ahead(-(1 << last)), last, [&](int other, Index offset) {
      if (other == j) place.offset = offset;
    });
    return place;
  }

  std::vector<Move> moves_of_round(int round, Index packed) const {
    std::vector<Move> moves;
    for_each_part(t.rank(), round, [&](int j, Index offset) {
      moves.push_back({found(j, round), {Buffer::work, packed + offset}, count(t.rank(), j, round)});
    });
    return moves;
  }

  CollectiveTasks& t;
  const int rounds_;
  std::vector<int> arrived_;  // by round
};

}  // namespace

void alltoall_direct(CollectiveTasks& t) {
  const int me = t.rank(), p = t.ranks();
  direct(t, [=](int step) { return std::pair((me + step) % p, (me - step + p) % p); });
}

void alltoall_pairwise(CollectiveTasks& t) {
  const int me = t.rank();
  direct(t, [=](int step) { return std::pair(me ^ step, me ^ step); });
}

void alltoall_bruck(CollectiveTasks& t) { Bruck(t).run(); }

}  // namespace kallima
