#pragma once
// Messages in fewer bytes: each block is encoded by a task before it is sent, and decoded by another to where it was to
// land, so that whoever validates, prices, draws or runs the schedule sees both.

#include "kallima/schedule.hpp"

namespace kallima {

// Of a schedule that exchanges by messages, whose reals have so many bytes. With views the receiver needs no room for
// what is encoded. A wire of format same changes nothing.
enum class EncodedLanding { inbox, view };
RankSchedule encoded(RankSchedule schedule, const Wire& wire, std::size_t real_bytes, EncodedLanding landing);

// A piece of a received block that stands in the rank's own memory, read there.
Piece piece_within(const Range& block, Piece piece);

// What a rank sends in one run of a schedule, and what that would be if nothing were encoded, in reals.
struct RealsSent {
  Index plain = 0;
  Index sent = 0;
};
RealsSent reals_sent(const RankSchedule& schedule);

}  // namespace kallima
