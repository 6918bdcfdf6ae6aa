#pragma once
// What passes take on a processor. A pass has a class (what it does to lines that stand how), for which lengths were
// timed with all data in a core's own cache. Elsewhere it takes more, by what is measured of a few lengths: it depends
// on how long ago the data was touched, in bytes touched since, on how many cores want theirs at once, on whether the
// result takes the place of what was read, on how far apart rows stand, and on whether each begins a cache line. Seconds are of one core.

#include <optional>
#include <span>

#include "kallima/schedule.hpp"

namespace kallima {

// Neighbours in memory belong to different lines, to one line, or to these at one end and to those at the other.
enum class Stance { across, along, turned };

// halved: from reals to half a spectrum, or back. twiddled: with factors that differ by line. dealt: to or from several
// places. shifted: that, with factors that are the same for all lines. chirp: multiplied by one. product: one line by
// another.
enum class LineWork { move, complex_, twiddled, halved, cosine, dealt, shifted, chirp, product };
inline bool is_transform(LineWork work) {
  return work != LineWork::move && work != LineWork::chirp && work != LineWork::product;
}

struct PassClass {
  Stance stance = Stance::across;
  LineWork work = LineWork::complex_;
  Precision precision = Precision::double_;
  auto operator<=>(const PassClass&) const = default;
};

// Seconds per byte read or written, in cache: in place, but from reals to half a spectrum, where lines turn, and where
// they are only moved. Lines longer than a cache are timed alone.
struct PassRate {
  PassClass of;
  Index length = 1;
  double s_per_byte = 0;
  double error = 0;  // of it, relative: half of what 90 of 100 measurements were apart
  bool operator==(const PassRate&) const = default;
};

// Where a pass finds its data, and what is around it.
struct Surroundings {
  Stance stance = Stance::across;
  LineWork work = LineWork::complex_;
  bool in_place = true;
  bool meets = false;   // rows stand so far apart that they fall into the same sets of a cache
  int cores = 1;        // at work
  bool uneven = false;  // rows begin anywhere in a cache line, so that vectors lie across two
  auto operator<=>(const Surroundings&) const = default;
};

// What a byte takes more there than in cache and in place, `footprint` bytes of a core having been touched since.
struct MemoryRate {
  Surroundings where;
  Index length = 1;
  double footprint = 0;
  double s_per_byte = 0;  // may be less than nothing
  bool operator==(const MemoryRate&) const = default;
};

// What it takes more to read or write a row of few lines side by side that stands apart from the next than the same
// bytes in a row: a line's elements, `length` of them, are so many rows.
struct RowRate {
  Index length = 1;
  bool meets = false;
  double read_s = 0, write_s = 0;
  bool operator==(const RowRate&) const = default;
};

// How two ranks are joined: threads of a process; processes of a node that read each other's memory, or exchange
// messages; processes of different nodes.
enum class Joined { threads, views, node, hosts };
std::string_view name(Joined joined);

// How much longer whole transforms took than their passes, over a few that were run: by route, by what is transformed,
// along one axis or several, of even rows or not, on one rank or several, by size.
struct Correction {
  std::string route;
  LineWork work = LineWork::complex_;  // complex, halved or cosine
  bool line = false;
  bool uneven = false;  // rows of odd length; an odd number of reals goes as complex ones
  bool several = false;
  Joined joined = Joined::threads;  // where they are several; what others say where nobody has tried it so
  double points = 1;                // of a rank
  double factor = 1;
  double error = 0;  // relative
  bool operator==(const Correction&) const = default;
};

struct Rates {
  int cores = 1;                          // of a node
  double call_s = 0;                      // of a pass, however short
  double group_s = 0, moved_group_s = 0;  // of a run of lines side by side, the pass's innermost loop, however short
  double calm_s = 0;  // what a small transform took at best that tells whether a core is shared; 0: not known
  std::vector<PassRate> passes = {};
  std::vector<MemoryRate> memory = {};
  std::vector<RowRate> rows = {};
  std::vector<Correction> corrections = {};
  bool operator==(const Rates&) const = default;
};

bool alike(const Correction& a, const Correction& b);  // but for what they say, and of how many points

// What is known of others like it (but for its points), the nearest of them most, over the logarithm of the points;
// nothing where there are none.
std::optional<Correction> corrected(const std::vector<Correction>& known, const Correction& like);

// Or else what is known of ranks that are joined otherwise, or else of even rows.
std::optional<Correction> corrected_however_joined(const std::vector<Correction>& known, Correction like);

std::string_view name(Stance stance);
std::string_view name(LineWork work);
std::string to_json(const Rates& rates);
Rates rates_from_json(const std::string& json);  // throws Error naming what is wrong

// How many transforms of two, three, ... points a transform of a point is worth, in those of two: what lengths that
// were not timed are compared with others by.
double radix_levels(Index length);

// The seconds that compute tasks of a rank take, one after the other, `busy` ranks of its node being at work; 0 for
// other tasks.
std::vector<double> task_seconds(const RankSchedule& schedule, const Rates& rates, Precision precision, int busy = 1);

// The schedule with these seconds in the place of operations, `flops_per_s` of which make one, and no traffic: what
// simulate() then takes for computing is what was measured.
RankSchedule priced(RankSchedule schedule, const Rates& rates, Precision precision, int busy, double flops_per_s);

}  // namespace kallima
