#pragma once
// Sets of moments, as sorted disjoint intervals of time: what is needed to say for how long something was the case when
// several things overlap.

#include <vector>

namespace kallima {

struct Interval {
  double begin = 0;
  double end = 0;
  bool operator==(const Interval&) const = default;
};

std::vector<Interval> united(std::vector<Interval> intervals);
std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b);  // of two united ones
std::vector<Interval> gaps(const std::vector<Interval>& united_ones, const Interval& whole);   // what they leave of it
double length(const std::vector<Interval>& intervals);

}  // namespace kallima
