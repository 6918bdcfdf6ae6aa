#pragma once
// How often and for how long a rank polled its messages while it computed, for the trace. Seconds of a steady clock.

#include <algorithm>

#include "kallima/trace.hpp"

namespace kallima {

class Polls {
 public:
  void start(double time) { *this = Polls(time); }
  void add(double begin, double end) {
    ++count_;
    spent_ += end - begin;
    longest_gap_ = std::max(longest_gap_, begin - last_);
    last_ = end;
  }
  void write(Event& event) const {
    event.polls = count_;
    event.polling = spent_;
    event.longest_gap = std::max(longest_gap_, event.end - last_);
  }

  explicit Polls(double time = 0) : last_(time) {}

 private:
  int count_ = 0;
  double spent_ = 0;
  double last_;
  double longest_gap_ = 0;
};

}  // namespace kallima
