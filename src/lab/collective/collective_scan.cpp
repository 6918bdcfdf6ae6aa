// Inclusive prefix sums over ranks by a butterfly of whole vectors (Hillis and Steele's recursive doubling on a
// hypercube). In round k a rank knows the sum of all ranks that agree with it from bit k upwards, and of those among
// them up to itself; it exchanges the first with its partner, adds it to that, and to the second if the partner is
// lower. The last round needs to go upwards only.

#include "lab/collective/collective_tasks.hpp"

namespace kallima {

void scan(CollectiveTasks& t) {
  const Index s = t.words();
  Place total{Buffer::work, t.ranks() > 1 ? t.room(s) : 0};
  int ready = t.copy({{{Buffer::in}, total, t.ranks() > 1 ? s : 0}, {{Buffer::in}, {Buffer::out}, s}}, {});
  for (int d = 1; d < t.ranks(); d *= 2, t.next_step()) {
    const int partner = t.rank() ^ d;
    const bool lower = partner < t.rank(), last = 2 * d == t.ranks();
    if (!last || !lower) t.send(partner, total.offset, s, {ready});
    if (last && !lower) continue;
    const int arrived = t.receive(partner, s);
    const Place next{Buffer::work, last ? 0 : t.room(s)};  // the old total may still be read by the partner
    ready = t.sum({{received(arrived), total, next, last ? 0 : s},
                   {received(arrived), {Buffer::out}, {Buffer::out}, lower ? s : 0}},
                  {ready, arrived});
    total = next;
  }
}

}  // namespace kallima
