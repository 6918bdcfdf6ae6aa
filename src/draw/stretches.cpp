// All stretches of one colour in a row are one path, a third of the bytes of as many rectangles. A row with more of
// them than can be told apart is coarsened first, so that a picture stays small however long the trace.

#include "draw/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kallima {
namespace {

constexpr double grain = 0.4;        // of a pixel: the least that a crowded row shows
constexpr std::size_t crowd = 2000;  // stretches from which on a row is crowded

std::string outline_of(const Ruler& time, const Row& row, const Stretch& s) {
  const double from = time.place(std::max(s.begin, time.low));
  const std::string width = coordinate(time.place(std::min(s.end, time.high)) - from);
  return fmt::format("M{} {}h{}v{}h-{}z", coordinate(from), coordinate(row.y), width, coordinate(row.height), width);
}

}  // namespace

void draw_stretches(Svg& svg, const Ruler& time, const Row& row, const std::vector<Stretch>& stretches,
                    const std::function<Look(int what)>& look) {
  const bool crowded = stretches.size() > crowd;
  const double shortest = grain * (time.high - time.low) / (time.to - time.from);
  const std::vector<Stretch> shown = crowded ? coarsened(stretches, shortest) : stretches;
  std::set<int> kinds;
  for (const Stretch& s : shown) kinds.insert(s.what);
  for (const int what : kinds) {
    std::string path;
    for (const Stretch& s : shown)
      if (s.what == what && s.begin < time.high) path += outline_of(time, row, s);
    const Look as = look(what);
    svg.path(path, as.classes, as.tooltip);
  }
}

}  // namespace kallima
