#pragma once
// `kallima simulate --trace run.json`: a run that was recorded, on another machine. Every rank does what it did, in the
// order in which it did it, and computes for as long; messages take what the machine says. Where the machine of the run
// is known, too, computing takes as much longer or shorter as its flops do there. What was waiting is left out: how
// long ranks wait now follows from the messages.

#include <string>

#include "kallima/outline.hpp"
#include "kallima/trace.hpp"

namespace kallima::cli {

// A second of computing becomes so many flops. Throws Error where messages have no other end.
Outline outline_of_run(const Trace& run, double flops_per_s);

struct ReplayFlags {
  std::string trace;    // the file
  std::string machine;  // to replay it on
  std::string from;     // the machine of the run; empty: computing takes as long as it did
  std::string svg;      // both, on one axis
  bool draw = false;    // as text
};

struct Replayed {
  Trace run, replay;
  std::string machine;
};

Replayed replayed(const ReplayFlags& flags);
std::string replay_svg(const Replayed& both);

}  // namespace kallima::cli
