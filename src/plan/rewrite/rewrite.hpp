#pragma once
// From schedule to schedule. What comes out is validated, priced, drawn and run like any other.

#include <functional>

#include "kallima/plan.hpp"

namespace kallima {

// A schedule that was planned for separate arrays, run in place, and the other way round: what the caller's array
// cannot hold at once is copied to the rank's own memory, by tasks like any other.
RankSchedule placed(RankSchedule schedule, Placement planned, Placement wanted);

// Half of what a schedule does, to learn how long it takes alone. Tasks keep their numbers and who waits for whom;
// those that are left out do nothing. Without the exchange, blocks are read where they would have landed or, where they
// would have been views, from the rank's own memory: the answer is wrong, the work the same.
RankSchedule without(RankSchedule schedule, Only part);

// One after the other, as one. What the first leaves in `out` the second finds in `in`: behind the first one's work
// buffer. A task of the second waits for those of the first that write what it reads, and is done as early as these
// allow.
RankSchedule joined(RankSchedule first, RankSchedule second);

// The same work with every block sent through others in ceil(log2 ranks) rounds. The schedule's messages of one tag are
// an exchange between all pairs of ranks 0 .. ranks-1, sent before any of it is read, of blocks as long as whom they
// are for decides; who gets nothing is sent nothing.
RankSchedule relayed(RankSchedule schedule, int ranks);

// Messages in fewer bytes: each block is encoded by a task before it is sent, and decoded by another to where it was to
// land. Of a schedule that exchanges by messages, whose reals have so many bytes. With views the receiver needs no
// memory for what is encoded. A wire of format same changes nothing.
enum class EncodedLanding { inbox, view };
RankSchedule encoded(RankSchedule schedule, const Wire& wire, std::size_t real_bytes, EncodedLanding landing);

// What a rank sends in one run of a schedule, and what that would be if nothing were encoded, in reals.
struct RealsSent {
  Index plain = 0;
  Index sent = 0;
};
RealsSent reals_sent(const RankSchedule& schedule);

// Forward, a function of the caller's on the spectrum, and backward, as one: the function is applied to each part of
// the spectrum by the task that was the last to write it, and backward's tasks wait for just the parts they read. Of a
// plan that is not for work in place.
struct AppliedSchedule {
  RankSchedule tasks;  // of a forward schedule, in place too where in and out are one; of backward's passes the
                       // direction is turned round
  Index spectrum = 0;  // where the spectrum begins in the work buffer, in complex numbers
};
enum class ApplyBy { function, factors };  // factors: complex ones, as many as the spectrum has elements, are `kept`
AppliedSchedule applied_schedule(const Plan& plan, int rank, ApplyBy by = ApplyBy::function);

// All that a rank does as one task, where it exchanges nothing: for a backend that has better ways for several passes
// together than for one after the other.
RankSchedule in_one_task(RankSchedule schedule);

// Has nothing written to `out` before all of `in` is read, so that both may be one array. Tasks may then wait for later
// ones: see in_order().
void read_before_writing(RankSchedule& schedule);

// Has received blocks read in the rank's own memory, where `block_of` their recv_finish says that they stand.
void read_in_memory(std::vector<Step>& steps, const std::function<Range(int recv)>& block_of);

}  // namespace kallima
