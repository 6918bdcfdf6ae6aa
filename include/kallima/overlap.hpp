#pragma once
// How well a run hid its exchange, and what kept it from the bound max(computation, communication): a Trace, measured
// or simulated, taken apart. Every time is in the trace's unit.

#include <optional>

#include "kallima/trace.hpp"

namespace kallima {

// What one rank did for one stage, which is what its tasks are labelled with. Waiting counts for the stage that it held
// up: that of the next computing or copying, or the exchange where none follows.
struct StageTimes {
  std::string stage = {};
  double computing = 0;  // without polling
  double copying = 0;
  double posting = 0;
  double polling = 0;  // looking at messages in the middle of computing or copying
  double waiting = 0;
  Index words_sent = 0;
};

struct RankOverlap {
  int rank = 0;
  double arrived = 0;  // since the first rank did
  std::vector<StageTimes> stages = {};
  StageTimes all = {};
  double communication = 0;  // as in RankTimes, like the next two
  double exposed = 0;
  double hidden_share = 1;
};

enum class Cause {
  late_rank,         // a rank began after the others
  first_block,       // nothing was under way yet
  idle_network,      // nothing was under way between two messages
  last_chunk,        // work that was left when the last message had come, or waiting for that message
  no_progress,       // nobody looked at the messages
  processor,         // posting and polling
  slower_computing,  // than alone
  slower_messages,   // than alone
  waiting,           // for messages under way, but for the last
  unsent,            // waiting for others to send, or to take what was sent
  between_tasks
};

struct Loss {
  Cause cause = Cause::between_tasks;
  double time = 0;
  std::string text = {};
};

// What the parts of the run take alone, where that was measured.
struct Alone {
  double computation = 0, communication = 0;
};

struct OverlapReport {
  std::string unit = "s";
  Index element_bytes = 0;
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::vector<RankOverlap> ranks = {};  // those that did anything
  bool measured_alone = false;          // the next two are; otherwise they are the largest of any rank in this trace
  double computation = 0, communication = 0;
  double bound = 0;                         // the larger of them
  double time = 0;                          // from the first rank's arrival to the last one's end
  double ratio = 1;                         // time/bound
  std::optional<double> hidden_share = {};  // as hidden_share() says; nothing where nothing was sent
  std::vector<Loss> losses = {};            // of the rank that ended last, largest first; together about time - bound
  std::string limiter = {};                 // the largest loss or, where none matters, what the bound is made of
};

OverlapReport overlap_report(const Trace& trace, const std::optional<Alone>& alone = {});

std::string_view name(Cause cause);
std::string text(const OverlapReport& report);  // a table, and the losses in words

}  // namespace kallima
