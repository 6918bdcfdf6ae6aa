#include "network/node_levels.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace kallima {
namespace {

constexpr Index first_cache_bytes = 40 * 1024;  // of 32 KB and more, most of it

}  // namespace

// About as many each time.
int NodeLevels::first_levels(Index length) const {
  const int all = log2_of(length), most = std::min(most_levels, node_.most_levels);
  const int times = std::max(1, (all + most - 1) / most);
  return (all + times - 1) / times;
}

NodeRun NodeLevels::run_of(const TileRows& rows, Index length, int levels) const {
  NodeRun run{.distance = (length >> levels) * rows.row_step, .step = rows.step, .count = rows.count, .levels = levels};
  run.level = all_levels_ - levels - log2_of(run.distance);
  return run;
}

// Sections of `length` rows each, one after the other. Those that do not fit the first cache come one by one.
void NodeLevels::run(const TileRows& rows, Index begin, Index length, Index sections, const Done& done) const {
  if (length == 1) return done(begin, sections);
  run_round(rows, begin, length, sections);
  const Index radix = Index{1} << first_levels(length), part = length / radix;
  if (rows.place(length * sections) <= first_cache_bytes) return run(rows, begin, part, sections * radix, done);
  for (Index q = 0; q < radix * sections; ++q) run(rows, begin + q * part, part, 1, done);
}

// One call takes neighbouring rows of a section, or, where a node has all of these, many sections.
void NodeLevels::run_round(const TileRows& rows, Index begin, Index length, Index sections) const {
  const int levels = first_levels(length);
  const Index radix = Index{1} << levels, part = length / radix;
  const bool across = part == 1 && (rows.extra == 0 || length % TileRows::group == 0);
  const Index at_once = rows.extra == 0 ? part : std::min(part, TileRows::group);
  NodeRun run = run_of(rows, length, levels);
  std::byte* of_node[1 << most_levels];
  NodeRows where{.from = of_node, .to = of_node};
  where.times = across ? sections : at_once;
  where.to_step = where.from_step = rows.place(across ? length : 1);
  where.far = (across ? length : 1) * rows.row_step;
  for (Index s = 0; s < (across ? 1 : sections); ++s)
    for (Index j = begin + s * length; j < begin + s * length + part; j += at_once) {
      run.position = rows.number + j * rows.row_step;
      for (Index q = 0; q < radix; ++q) of_node[q] = rows.row(j + q * part);
      node_.run(run, where);
    }
}

void NodeLevels::run_first(const TileRows& rows, Index j, Index times, const std::byte* const* from,
                           Index from_step) const {
  const int levels = first_levels(rows.all);
  NodeRun run = run_of(rows, rows.all, levels);
  run.position = rows.number + j * rows.row_step;
  std::byte* of_node[1 << most_levels];
  for (Index q = 0; q < 1 << levels; ++q) of_node[q] = rows.row(j + q * (rows.all >> levels));
  node_.run(run, {.from = from,
                  .to = of_node,
                  .times = times,
                  .from_step = from_step,
                  .to_step = rows.pitch,
                  .far = rows.row_step});
}

void NodeLevels::run_after_first(const TileRows& rows, const Done& done) const {
  const Index radix = Index{1} << first_levels(rows.all), part = rows.all / radix;
  const bool few = rows.place(rows.all) <= first_cache_bytes;
  if (few) return run(rows, 0, part, radix, done);
  for (Index q = 0; q < radix; ++q) run(rows, q * part, part, 1, done);
}

void NodeLevels::run_neighbours(const TileRows& rows, Index first, Index count, std::byte* line,
                                Index value_bytes) const {
  constexpr Index n = TileRows::group;
  NodeRun run{.distance = rows.step, .step = rows.row_step, .count = n, .levels = most_levels};
  run.level = all_levels_ - most_levels - log2_of(run.distance);
  run.position = rows.number + first * rows.row_step;
  const std::byte* from[n];
  std::byte* to[n];
  for (Index i = 0; i < n; ++i) from[i] = rows.row(first + i), to[i] = line + (first + i) * n * value_bytes;
  node_.run_neighbours(run, {.from = from,
                             .to = to,
                             .times = count / n,
                             .from_step = rows.place(n),
                             .to_step = n * n * value_bytes,
                             .far = n * rows.row_step});
}

}  // namespace kallima
