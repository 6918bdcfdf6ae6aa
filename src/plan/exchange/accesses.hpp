#pragma once
// What tasks have touched of one allocation, to be found by where that was.

#include <functional>
#include <map>

#include "plan/exchange/region.hpp"

namespace kallima {

struct TaskAccess {
  int task = -1;  // which is over when the access is
  int stage = 0;
  bool writes = false;
  Footprint region = {};  // of the buffer, in reals
};

class Accesses {
 public:
  using Visit = std::function<void(const TaskAccess&, bool meets)>;  // or may not

  void note(TaskAccess access);
  void each_near(const Footprint& region, const Visit& visit) const;  // all that meet it, and some that do not
  void clear() { groups_.clear(); }

 private:
  // Accesses that are to be looked for together: those with steps have a modulus in common, reach about as far in that,
  // and are about as long and in about the same place. Lengths are in bits.
  struct Whereabouts {
    Index modulus = 0;  // 0: no steps, and the reach is all of it
    int reach = 0;
    int length = 0;
    Index place = 0;
    auto operator<=>(const Whereabouts&) const = default;
  };
  using Group = std::multimap<Index, TaskAccess>;  // by their first real, modulo what is said there

  static void each_run(const Group& runs, Index longest, const Footprint& region, const Visit& visit);
  static void each_stepped(const Group& group, const Whereabouts& kind, const Footprint& region, const Visit& visit);

  std::map<Whereabouts, Group> groups_;
};

}  // namespace kallima
