#pragma once
// What ran where, from when to when. An executor or a simulator makes one; drawings and statistics read it.

#include <optional>

#include "kallima/schedule.hpp"

namespace kallima {

struct Event {
  int rank = 0;
  int task = -1;  // -1: waiting, nothing could run
  TaskKind kind = TaskKind::compute;
  std::string label = {};
  int chunk = 0;
  int peer = -1;
  double begin = 0;  // in the trace's unit, since its start
  double end = 0;
  Index elements = 0;
  int start = -1;         // finish tasks: the task number of the start they belong to
  int tag = -1;           // messages: the same at both ends; -1: not known
  bool in_place = false;  // receives: read where the sender has it, so that nothing travels

  // Computing that was measured, where the rank itself moves messages on:
  int polls = 0;           // how often it looked at them meanwhile,
  double polling = 0;      // for how long,
  double longest_gap = 0;  // and how long it once did not
};

// The way of one message of a simulation, from the start of its sending until the receiver took it.
struct Flight {
  int from = 0, to = 0;
  Index words = 0;
  double sent = 0;
  double departed = 0;  // when the sender's link was free for the next
  double arrived = 0;
  double taken = 0;
};

struct Trace {
  int ranks = 0;
  std::string unit = "s";  // of all times: "s", or what a simulation counts in ("node", "flop")
  std::string title = {};
  std::vector<Event> events;
  std::vector<Flight> flights = {};                                // simulations only
  std::vector<std::pair<std::string, std::string>> settings = {};  // how it was run, for people: name and value
  Index element_bytes = 0;                                         // 0: not known
};

// Times of one rank in the trace's unit. Communication is the time during which at least one message of this rank was
// under way, from its sending (by whichever rank) until one of its ends knew that it was over; exposed is the part of
// it in which the rank neither computed nor copied, and what looking at messages took from that. Posting is the time
// spent in starting and finishing messages. In a simulation a rank waits whenever it does nothing.
struct RankTimes {
  double computing = 0, copying = 0, posting = 0, waiting = 0;
  double communication = 0, exposed = 0;
  double hidden_share = 1;  // 1 - exposed/communication, between 0 and 1; 1 where nothing was sent or received
};

// What "hidden" means wherever a share is given: of all the time that ranks' messages were under way, the part in which
// these ranks worked, 1 - the sum of exposed/the sum of communication. Nothing where nothing was sent: no message, or
// all of them read in place.
std::optional<double> hidden_share(const Trace& trace);

double makespan(const Trace& trace);  // from the first begin to the last end; 0 without events
RankTimes rank_times(const Trace& trace, int rank);

// Opens in ui.perfetto.dev and chrome://tracing, whose clocks know seconds only: of another unit, one is shown as 1 us.
std::string to_perfetto_json(const Trace& trace);
// Reads that back, but for the labels of waiting events; throws Error saying where and what is wrong.
Trace trace_from_perfetto_json(const std::string& text);

}  // namespace kallima
