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

}  // namespace

void alltoall_direct(CollectiveTasks& t) {
  const int me = t.rank(), p = t.ranks();
  direct(t, [=](int step) { return std::pair((me + step) % p, (me - step + p) % p); });
}

void alltoall_pairwise(CollectiveTasks& t) {
  const int me = t.rank();
  direct(t, [=](int step) { return std::pair(me ^ step, me ^ step); });
}

// In every round the parts whose number of ranks to go has that binary digit change places with those of the rank
// behind; in the end the part that had j to go is from the rank j behind.
void alltoall_bruck(CollectiveTasks& t) {
  const auto ahead = [&](int by) { return ((t.rank() + by) % t.ranks() + t.ranks()) % t.ranks(); };
  std::vector<Place> slots;  // by ranks to go: where this rank has such a part
  for (int j = 0; j < t.ranks(); ++j) slots.push_back({Buffer::in, t.part(ahead(j)).begin});
  std::vector<int> arrived;
  for (int round = 0; round < bruck::rounds(t.ranks()); ++round, t.next_step()) {
    const int step = 1 << round, behind = ahead(-step);
    // A part is bound for whoever is as far from its sender as the digits that are left of j.
    const auto count = [&](int sender, int j) { return t.part((sender + (j >> round << round)) % t.ranks()).count; };
    const Index packed = t.reserve(0);
    Index sent = 0, taken = 0;
    std::vector<Move> moves;
    std::vector<std::pair<int, Index>> offsets;  // of parts in the message from behind
    for (int j = 1; j < t.ranks(); ++j) {
      if (!bruck::travels(j, round)) continue;
      moves.push_back({slots[static_cast<std::size_t>(j)], {Buffer::work, packed + sent}, count(t.rank(), j)});
      sent += moves.back().count;
      offsets.emplace_back(j, taken);
      taken += count(behind, j);
    }
    const int ready = t.move(moves, arrived);
    t.send(ahead(step), t.reserve(sent), sent, {ready});
    arrived.push_back(t.receive(behind, taken));
    for (const auto& [j, offset] : offsets) slots[static_cast<std::size_t>(j)] = received(arrived.back(), offset);
  }
  std::vector<Move> moves;
  const Index mine = t.mine().count;
  for (int j = 0; j < t.ranks(); ++j)
    moves.push_back({slots[static_cast<std::size_t>(j)], {Buffer::out, ahead(-j) * mine}, mine});
  t.move(moves, arrived);
}

}  // namespace kallima
