#pragma once
// Rewriting the exchange of a finished schedule.

#include "kallima/schedule.hpp"

namespace kallima {

// The same work with every block sent through others in ceil(log2 ranks) rounds. The schedule's messages of one tag are
// an exchange of equal blocks between all pairs of ranks 0 .. ranks-1, sent before any of it is read.
RankSchedule relayed(RankSchedule schedule, int ranks);

}  // namespace kallima
