// Statistics of a Trace. Everything is measured as the length of a set of moments, so events that overlap, as they may
// where a progress thread works beside the rank, are not counted twice.

#include "kallima/trace.hpp"

#include <algorithm>

#include "trace/moments.hpp"

namespace kallima {

double makespan(const Trace& trace) {
  const Interval all = whole(trace);
  return all.end - all.begin;
}

RankTimes rank_times(const Trace& trace, int rank) {
  const Moments m = moments_of(trace, rank);
  RankTimes times{.computing = length(m.computing),
                  .copying = length(m.copying),
                  .posting = length(m.posting),
                  .waiting = length(m.waiting),
                  .communication = length(m.under_way),
                  .exposed = length(common(m.idle, m.under_way))};
  if (times.communication > 0) times.hidden_share = std::clamp(1 - times.exposed / times.communication, 0.0, 1.0);
  return times;
}

}  // namespace kallima
