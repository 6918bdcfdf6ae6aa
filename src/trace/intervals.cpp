// Union by sorting and joining, intersection by walking along both at once, gaps by walking along one.

#include "trace/intervals.hpp"

#include <algorithm>

namespace kallima {

std::vector<Interval> united(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return !(i.begin < i.end); });
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> all;
  for (const Interval& i : intervals) {
    if (!all.empty() && i.begin <= all.back().end)
      all.back().end = std::max(all.back().end, i.end);
    else
      all.push_back(i);
  }
  return all;
}

std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> all;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end(); x->end < y->end ? ++x : ++y) {
    const Interval both{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    if (both.begin < both.end) all.push_back(both);
  }
  return all;
}

std::vector<Interval> gaps(const std::vector<Interval>& united_ones, const Interval& whole) {
  std::vector<Interval> all;
  double from = whole.begin;
  for (const Interval& i : united_ones) {
    if (from < std::min(i.begin, whole.end)) all.push_back({from, std::min(i.begin, whole.end)});
    from = std::max(from, i.end);
  }
  if (from < whole.end) all.push_back({from, whole.end});
  return all;
}

double length(const std::vector<Interval>& intervals) {
  double sum = 0;
  for (const Interval& i : intervals) sum += i.end - i.begin;
  return sum;
}

}  // namespace kallima
