#pragma once
// A trace as a timeline wants it: for every rank what its processor did and when its messages were being sent, each as
// segments that follow one another, with times from 0. Sending is hidden while the processor computes and exposed
// otherwise. Also the shares of all time, over all ranks that were recorded, and a letter for every stage.

#include <span>

#include "trace/moments.hpp"

namespace kallima {

struct Segment {
  double begin = 0, end = 0;
  int what = 0;
  bool operator==(const Segment&) const = default;
};

// What a Segment shows, other than the number of a stage.
inline constexpr int overhead = -1;
inline constexpr int nothing = -2;
enum Sending { hidden_sending, exposed_sending };

struct RankTimeline {
  int rank = 0;
  std::vector<Segment> work = {};     // stages and overhead
  std::vector<Segment> sending = {};  // hidden_sending and exposed_sending
};

struct Timelines {
  double completion = 0;
  std::vector<RankTimeline> all = {};  // ranks of which anything was recorded
  double computing = 0;                // shares of all processors' time, from 0 to 1
  double posting = 0;
  double sent = 0;    // time that messages were being sent, of all ranks
  double hidden = 0;  // how much of it was hidden
  double idle() const { return 1 - computing - posting; }
};

// `stages` numbers the labels.
Timelines timelines_of(const Trace& trace, const std::vector<std::string>& stages);

// The same with no segment shorter than `grain`: every grain of time shows what it owes most, so that of many short
// segments each kind gets its share. Bounds the size of a picture whatever the trace.
std::vector<Segment> coarsened(const std::vector<Segment>& segments, double grain);

double total(const std::vector<Segment>& segments, int what);

// The stages that occur in a trace, in the order in which they begin, each with a letter of its own.
using StageLetters = std::vector<std::pair<std::string, char>>;
StageLetters stage_letters(const Trace& trace);

// What a timeline shows, in sentences: the shares of one panel, and how each further trace compares with the first.
std::string panel_title(const Trace& trace, std::size_t number);
std::string shares_text(const Timelines& timelines, const Trace& trace, std::size_t shown);
std::vector<std::string> comparison_lines(std::span<const Trace> traces);

}  // namespace kallima
