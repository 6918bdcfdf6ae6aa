#pragma once
// What one rank did when: for each kind of doing, the set of moments at which it was done.

#include <functional>
#include <vector>

#include "kallima/trace.hpp"
#include "trace/intervals.hpp"

namespace kallima {

struct Moments {
  std::vector<Interval> computing;
  std::vector<Interval> copying;
  std::vector<Interval> posting;
  std::vector<Interval> waiting;
  std::vector<Interval> under_way;  // at least one message of this rank was
  std::vector<Interval> idle;       // while a message is under way it is not hidden
};

Moments moments_of(const Trace& trace, int rank);

Interval whole(const Trace& trace);  // from the first begin to the last end

inline bool waits(const Event& e) { return e.task < 0; }
inline bool computes(const Event& e) { return !waits(e) && e.kind == TaskKind::compute; }
inline bool copies(const Event& e) { return !waits(e) && e.kind == TaskKind::copy; }
inline bool works(const Event& e) { return computes(e) || copies(e); }
inline bool posts(const Event& e) { return !waits(e) && !works(e); }

}  // namespace kallima
