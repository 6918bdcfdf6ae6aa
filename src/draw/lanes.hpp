#pragma once
// A trace as a timeline wants it: for every rank what its processor did and when its messages were being sent, each as
// stretches that follow one another, with times from 0. Sending is hidden while the processor computes and exposed
// otherwise. Also the shares of all time, over all ranks that were recorded.

#include <string>
#include <vector>

#include "kallima/trace.hpp"

namespace kallima {

struct Stretch {
  double begin = 0;
  double end = 0;
  int what = 0;
  bool operator==(const Stretch&) const = default;
};

// What a Stretch shows, other than the number of a stage.
inline constexpr int overhead = -1;
inline constexpr int nothing = -2;
enum Sending { hidden_sending, exposed_sending };

struct Lane {
  int rank = 0;
  std::vector<Stretch> work = {};     // stages and overhead
  std::vector<Stretch> sending = {};  // hidden_sending and exposed_sending
};

struct Lanes {
  double completion = 0;
  std::vector<Lane> all = {};  // ranks of which anything was recorded
  double computing = 0;        // shares of all processors' time, from 0 to 1
  double posting = 0;
  double sent = 0;    // time that messages were being sent, of all ranks
  double hidden = 0;  // how much of it was hidden
  double idle() const { return 1 - computing - posting; }
};

// `stages` numbers the labels.
Lanes lanes_of(const Trace& trace, const std::vector<std::string>& stages);

// The same with no stretch shorter than `grain`: every grain of time shows what it owes most, so that of many short
// stretches each kind gets its share. Bounds the size of a picture whatever the trace.
std::vector<Stretch> coarsened(const std::vector<Stretch>& stretches, double grain);

double total(const std::vector<Stretch>& stretches, int what);

}  // namespace kallima
