#pragma once
// What ran where, from when to when. An executor or a simulator makes one; drawings and statistics read it.

#include <string>
#include <vector>

#include "kallima/schedule.hpp"

namespace kallima {

struct Event {
  int rank = 0;
  int task = -1;  // -1: waiting, nothing could run
  TaskKind kind = TaskKind::compute;
  std::string label;
  int chunk = 0;
  int peer = -1;
  double begin = 0;  // seconds since the trace's start
  double end = 0;
  Index elements = 0;
  int start = -1;  // finish tasks: the task number of the start they belong to
};

struct Trace {
  int ranks = 0;
  std::vector<Event> events;
};

// Times of one rank in seconds. Communication is the time during which at least one message of this rank was under
// way, from its start to its finish; exposed is the part of it in which the rank only waited. Posting is the time
// spent in starting and finishing messages.
struct RankTimes {
  double computing = 0;
  double copying = 0;
  double posting = 0;
  double waiting = 0;
  double communication = 0;
  double exposed = 0;
  double hidden_share = 1;  // 1 - exposed/communication, between 0 and 1; 1 where nothing was sent or received
};

double makespan(const Trace& trace);  // from the first begin to the last end; 0 without events
RankTimes rank_times(const Trace& trace, int rank);
std::string to_perfetto_json(const Trace& trace);  // opens in ui.perfetto.dev and chrome://tracing

}  // namespace kallima
