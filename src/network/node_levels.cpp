#include "network/node_levels.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace kallima {
namespace {

constexpr Index first_cache_bytes = 40 * 1024;  // of 32 KB and more, most of it

}  // namespace

// About as many each time.
int NodeLevels::first_levels(const NodeTile& tile, Index length) const {
  const int all = log2_of(length), most = std::min(tile.is_one_line() ? 3 : most_levels, node_.most_levels);
  const int times = std::max(1, (all + most - 1) / most);
  return (all + times - 1) / times;
}

NodeRun NodeLevels::run_of(const NodeTile& tile, Index length, int levels) const {
  NodeRun run{.distance = (length >> levels) * tile.row_step, .step = tile.step, .count = tile.count, .levels = levels};
  run.level = all_levels_ - levels - log2_of(run.distance);
  return run;
}

// Sections of `length` rows each, one after the other.
void NodeLevels::run(const NodeTile& tile, Index begin, Index length, Index sections, const Done& done) const {
  if (length == 1) return done(begin, sections);
  run_round(tile, begin, length, sections);
  run_parts(tile, begin, length, sections, done);
}

// What is left after a round: parts of each section. Those that do not fit the first cache come one by one.
void NodeLevels::run_parts(const NodeTile& tile, Index begin, Index length, Index sections, const Done& done) const {
  const Index radix = Index{1} << first_levels(tile, length), part = length / radix;
  if (length * sections * tile.pitch <= first_cache_bytes) return run(tile, begin, part, sections * radix, done);
  for (Index q = 0; q < radix * sections; ++q) run(tile, begin + q * part, part, 1, done);
}

// One call takes neighbouring rows of a section, or, where a node has all of these, many sections.
void NodeLevels::run_round(const NodeTile& tile, Index begin, Index length, Index sections) const {
  const int levels = first_levels(tile, length);
  const Index radix = Index{1} << levels, part = length / radix;
  if (part == 1 && tile.to != nullptr) return run_last_round(tile, begin, length, sections);
  const bool across = part == 1, joined = !across && tile.is_one_line();
  NodeRun run = run_of(tile, length, levels);
  run.count *= joined ? part : 1;
  std::byte* of_node[1 << most_levels];
  NodeRows where{.from = of_node, .to = of_node};
  where.times = across ? sections : joined ? 1 : part;
  where.to_step = where.from_step = (across ? length : 1) * tile.pitch;
  where.far = (across ? length : 1) * tile.row_step;
  for (Index s = 0; s < (across ? 1 : sections); ++s) {
    const Index first = begin + s * length;
    run.position = tile.number + first * tile.row_step;
    for (Index q = 0; q < radix; ++q) of_node[q] = tile.row(first + q * part);
    node_.run(run, where);
  }
}

void NodeLevels::run_last_round(const NodeTile& tile, Index begin, Index length, Index sections) const {
  NodeRun run = run_of(tile, length, log2_of(length));
  const std::byte* from[1 << most_levels];
  for (Index first = begin; first < begin + sections * length; first += length) {
    run.position = tile.number + first * tile.row_step;
    for (Index q = 0; q < length; ++q) from[q] = tile.row(first + q);
    node_.run(run, {.from = from, .to = tile.to + first});
  }
}

void NodeLevels::run_from(const NodeTile& line, const Find& find, const Done& done) const {
  const int levels = first_levels(line, line.all);
  const Index radix = Index{1} << levels, part = line.all / radix * line.count;
  NodeRun run = run_of(line, line.all, levels);
  const std::byte* from[1 << most_levels];
  std::byte* to[1 << most_levels];
  for (Index j = 0; j < part; j += run.count) {
    run.count = part - j;
    for (Index q = 0; q < radix; ++q) {
      const Source source = find(q * part + j);
      from[q] = source.values;
      to[q] = line.values + (q * part + j) * line.value_bytes;
      run.count = std::min(run.count, source.count);
    }
    run.position = line.number + j * line.step;
    node_.run(run, {.from = from, .to = to});
  }
  run_parts(line, 0, line.all, 1, done);
}

void NodeLevels::run_neighbours(const NodeTile& rows, Index first, Index count) const {
  NodeRun run{.distance = rows.step, .step = rows.row_step, .count = neighbours, .levels = most_levels};
  run.level = all_levels_ - most_levels - log2_of(run.distance);
  run.position = rows.number + first * rows.row_step;
  std::byte* of_node[neighbours];
  for (Index i = 0; i < neighbours; ++i) of_node[i] = rows.row(first + i);
  node_.run_neighbours(run, {.from = of_node,
                             .to = of_node,
                             .times = count / neighbours,
                             .from_step = neighbours * rows.pitch,
                             .to_step = neighbours * rows.pitch,
                             .far = neighbours * rows.row_step});
}

}  // namespace kallima
