// A broadcast of long messages that sends each word about twice (van de Geijn's ring): the root deals out segments, one
// to every rank, and then all pass segments on to their right neighbours. The farthest rank is dealt to first, so that
// nobody is sent two segments at once; the root has everything and is sent nothing.

#include "lab/collective/collective_tasks.hpp"

namespace kallima {
namespace {

class Ring {
 public:
  explicit Ring(CollectiveTasks& tasks)
      : t(tasks), me(tasks.rank()), last(tasks.ranks() - 1), image(tasks.room(tasks.words())) {}

  void root() {
    const int loaded = t.copy(
        {{{Buffer::in}, {Buffer::work, image}, last > 0 ? t.words() : 0}, {{Buffer::in}, {Buffer::out}, t.words()}},
        {});
    for (int to = last; to > 0; --to) send(to, to, loaded);
    for (int step = 0; step < last; ++step) send(1, (last + 1 - step) % (last + 1), loaded);
  }

  // My own segment from the root, then from the left what it is dealt and what it is passed.
  void others() {
    pass_on(me, take(0, me));
    for (int step = 1; step <= last; ++step) {
      const int segment = (me - step + last + 1) % (last + 1);
      t.next_step();
      pass_on(segment, take(me - 1, segment));
    }
  }

 private:
  void send(int to, int segment, int after) {
    t.send(to, image + t.part(segment).begin, t.part(segment).count, {after});
  }
  void pass_on(int segment, int after) {
    if (me < last && segment != me + 1) send(me + 1, segment, after);
  }
  int take(int from, int segment) {
    const Part p = t.part(segment);
    const int arrived = t.receive(from, p.count);
    return t.copy({{received(arrived), {Buffer::work, image + p.begin}, me < last ? p.count : 0},
                   {received(arrived), {Buffer::out, p.begin}, p.count}},
                  {arrived});
  }

  CollectiveTasks& t;
  const int me, last;
  const Index image;
};

}  // namespace

void broadcast_ring(CollectiveTasks& t) {
  Ring ring(t);
  t.rank() == 0 ? ring.root() : ring.others();
}

}  // namespace kallima
