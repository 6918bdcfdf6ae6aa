#include <algorithm>
#include <map>

#include "plan/exchange/axes.hpp"
#include "plan/exchange/writer.hpp"

namespace kallima {
namespace {

// What is combined and then transformed along the last slot while it is in a cache.
constexpr Index first_level_elements = 2048, second_level_elements = 32 * 1024;
constexpr Index lines_in_a_vector = 16;  // of single precision in 64 bytes, half as many of double

Progression all_of(Index n) { return {0, 1, n}; }

// Stretches that have elements of the same lines: their boxes are alike in all slots but the one along the lines.
struct LineGroup {
  Block box;
  std::vector<const Stretch*> members = {};
};

std::vector<LineGroup> groups_of(const std::vector<Stretch>& stretches, std::size_t line, Index length) {
  std::vector<LineGroup> groups;
  std::map<std::vector<Index>, std::size_t> known;
  for (const Stretch& s : stretches) {
    Block box = s.index;
    box[line] = all_of(length);
    std::vector<Index> key;
    for (const Progression& p : box) key.insert(key.end(), {p.first, p.step, p.count});
    const auto [at, is_new] = known.emplace(std::move(key), groups.size());
    if (is_new) groups.push_back({std::move(box)});
    groups[at->second].members.push_back(&s);
  }
  return groups;
}

// Loops over the slots of a box besides the line, the ones that are furthest apart in `by` first.
std::vector<std::size_t> loops_over(const Block& box, std::size_t line, const Strided& by) {
  std::vector<std::size_t> slots;
  for (std::size_t s = 0; s < box.size(); ++s)
    if (s != line && box[s].count > 1) slots.push_back(s);
  std::stable_sort(slots.begin(), slots.end(),
                   [&](std::size_t a, std::size_t b) { return by.strides[a] > by.strides[b]; });
  return slots;
}

Strided within(const Stretch& s, const Block& box) { return place_in(s.index, s.place.strides, box, s.place.offset); }

Piece piece_of(const Stretch& s, const Block& part, std::size_t line, const std::vector<std::size_t>& loops,
               std::optional<std::size_t> along) {
  const Strided place = within(s, part);
  Piece piece{.buffer = s.buffer, .recv = s.recv, .offset = place.offset, .first = part[line].first};
  piece.count = part[line].count;
  piece.every = part[line].step;
  piece.stride = place.strides[line];
  piece.real = s.real;
  if (along) piece.strides.push_back(s.place.strides[*along]);
  for (const std::size_t slot : loops) piece.strides.push_back(place.strides[slot]);
  return piece;
}

std::vector<Piece> pieces_of(const LineGroup& group, const Block& box, std::size_t line,
                             const std::vector<std::size_t>& loops, std::optional<std::size_t> along) {
  std::vector<Piece> pieces;
  Block part = box;
  for (const Stretch* s : group.members) {
    part[line] = s->index[line];
    pieces.push_back(piece_of(*s, part, line, loops, along));
  }
  return pieces;
}

Twiddle twiddle_of(const Transform& t, const Block& box, const std::vector<std::size_t>& loops) {
  Twiddle twiddle{.modulus = t.modulus};
  for (const auto& [slot, weight] : t.by) {
    twiddle.shift += weight * box[slot].first;
    const auto loop = std::find(loops.begin(), loops.end(), slot);
    if (loop == loops.end()) continue;
    twiddle.step = weight * box[slot].step;
    twiddle.loop = static_cast<int>(loop - loops.begin());
  }
  return twiddle;
}

struct LineExtents {
  std::size_t slot;
  Index read;
  Index written;
};

LineExtents lines_of(const PassStatement& p) {
  const Index half = p.transform.length / 2 + 1;
  return {p.transform.slot, p.transform.kind == Kind::half_to_real ? half : p.transform.length,
          p.transform.kind == Kind::real_to_half ? half : p.transform.length};
}

Pass pass_over(const PassStatement& p, const LineGroup& from, const LineGroup& to, const Block& box,
               const LineExtents& lines, const std::vector<std::size_t>& loops) {
  Pass pass{.kind = p.transform.kind, .length = p.transform.length};
  if (p.transform.modulus > 0) pass.twiddle = twiddle_of(p.transform, box, loops);
  pass.sources = pieces_of(from, box, lines.slot, loops, p.along);
  pass.targets = pieces_of(to, box, lines.slot, loops, p.along);
  for (const std::size_t slot : loops) pass.loops.push_back(box[slot].count);
  pass.scaled = p.scaled;
  return pass;
}

}  // namespace

void append_passes(std::vector<Step>& steps, const PassStatement& p) {
  if (p.sources.empty() || p.targets.empty()) return;
  const LineExtents lines = lines_of(p);
  const std::vector<LineGroup> sources = groups_of(p.sources, lines.slot, lines.read);
  const std::vector<LineGroup> targets = groups_of(p.targets, lines.slot, lines.read);
  for (const LineGroup& from : sources)
    for (const LineGroup& to : targets) {
      const Block box = common(from.box, to.box);
      if (count_of(box) == 0) continue;
      const bool gathers = p.targets.size() == 1;  // then the order of the targets is what counts
      const Stretch& main = gathers ? p.targets.front() : p.sources.front();
      const auto loops = loops_over(box, lines.slot, main.place);
      steps.emplace_back().pass = pass_over(p, from, to, box, lines, loops);
    }
}

namespace {

// How the rows of a box are gone through: one slot, at most, index by index, the others in groups.
struct RowLoops {
  std::vector<std::size_t> slots;  // all of them, the row last
  std::size_t outer = 0;           // how many come one by one: none or one
  Index inner = 1;                 // rows of one of these
  bool later_apart = false;        // what is done later is so along the one, too, and waits for all rows
};

std::optional<RowLoops> row_loops(const Block& box, const PassStatement& p, std::size_t row,
                                  const std::vector<Transform>& later, bool all_at_once) {
  const auto done_later = [&](std::size_t s) {
    return std::any_of(later.begin(), later.end(), [&](const Transform& t) { return t.slot == s; });
  };
  const auto is_whole = [&](std::size_t s) { return box[s].count == p.targets.front().index[s].count; };
  RowLoops loops{.slots = loops_over(box, p.transform.slot, p.targets.front().place)};
  std::erase(loops.slots, row);
  bool grouped = true;  // all but the first slot are gone through later, and then row by row of that one
  for (std::size_t s = 0; s < box.size(); ++s) {
    const bool goes_through = s != p.transform.slot && s != row && !done_later(s);
    grouped = grouped && (!goes_through || is_whole(s));
  }
  for (std::size_t i = 1; i < loops.slots.size(); ++i) grouped = grouped && done_later(loops.slots[i]);
  const bool is_first_later = !loops.slots.empty() && done_later(loops.slots[0]);
  if (!grouped && (!is_first_later || !is_whole(loops.slots[0]))) return std::nullopt;
  loops.later_apart = !grouped;
  loops.outer = !loops.slots.empty() && !all_at_once && (!grouped || !is_first_later) ? 1 : 0;
  for (std::size_t i = loops.outer; i < loops.slots.size(); ++i) loops.inner *= box[loops.slots[i]].count;
  loops.slots.push_back(row);
  return loops;
}

// Turns loops over neighbours into one over `group` elements at a time; false where they are no neighbours.
bool take_groups(Piece& piece, const RowLoops& loops, const Block& box, Index group) {
  Index next = 1;
  for (std::size_t i = loops.slots.size(); i-- > loops.outer; next *= box[loops.slots[i]].count)
    if (piece.strides[i] != next) return false;
  piece.strides = {loops.outer > 0 ? piece.strides[0] : 0, group, 1};
  return true;
}

// Of `all` rows, `each` of which is made of so many elements: what a first-level cache holds, but as many as fill
// vectors as long as a second-level cache holds them. 0: not even half as many.
Index rows_together(Index all, Index each) {
  const Index vector = each * lines_in_a_vector <= second_level_elements ? lines_in_a_vector : lines_in_a_vector / 2;
  if (each * vector > second_level_elements) return 0;
  return std::min(all, std::max(vector, first_level_elements / each / vector * vector));
}

std::optional<RowSteps> row_steps(const PassStatement& p, const Transform& rows, const std::vector<Transform>& later,
                                  bool scaled, bool all_at_once) {
  if (p.targets.size() != 1 || p.sources.empty()) return std::nullopt;
  const LineExtents lines = lines_of(p);
  const Stretch& target = p.targets.front();
  if (rows.slot == lines.slot || target.place.strides[rows.slot] != 1 || target.index[rows.slot].count != rows.length)
    return std::nullopt;
  for (const Stretch& s : p.sources)
    if (s.index[lines.slot].count != 1 || s.index[rows.slot].count != rows.length) return std::nullopt;
  RowSteps result;
  const LineGroup all{target.index, {&target}};
  const std::vector<LineGroup> groups = groups_of(p.sources, lines.slot, lines.read);
  for (const LineGroup& group : groups) {
    const Block& box = group.box;
    const auto loops = row_loops(box, p, rows.slot, later, all_at_once);
    if (!loops || (&group != &groups.front() && loops->later_apart != result.later_apart)) return std::nullopt;
    result.later_apart = loops->later_apart;
    const Index n = rows.length, together = rows_together(loops->inner, n * lines.read);
    if (together == 0) return std::nullopt;
    const Pass combine = pass_over(p, group, all, box, lines, loops->slots);
    const Strided place = within(target, box);
    result.stride = loops->outer > 0 ? place.strides[loops->slots[0]] : 0;
    result.each.repeat = loops->outer > 0 ? box[loops->slots[0]].count : 1;
    for (Index done = 0, count = together; done < loops->inner; done += count * result.each.body.back().repeat) {
      count = std::min(together, loops->inner - done);
      Step some{.repeat = (loops->inner - done) / count};
      some.body.resize(2);
      some.body[0].pass = combine;
      for (std::vector<Piece>* pieces : {&some.body[0].pass.sources, &some.body[0].pass.targets})
        for (Piece& piece : *pieces) {
          piece.offset += done * n;
          if (!take_groups(piece, *loops, box, count * n)) return std::nullopt;
        }
      some.body[0].pass.loops = {count * n};
      Pass& along = some.body[1].pass;
      along = {.kind = rows.kind, .length = n, .scaled = scaled};
      Piece line{.buffer = target.buffer, .offset = place.offset + done * n, .count = n, .real = target.real};
      line.strides = {result.stride, count * n, place.strides[lines.slot], n};
      along.sources = along.targets = {line};
      along.loops = {lines.written, count};
      result.each.body.push_back(std::move(some));
    }
  }
  return result;
}

}  // namespace

// Where nothing is done later, rows of all indices may be neighbours: in two dimensions one index alone has too few
// lines to fill a vector.
std::optional<RowSteps> passes_with_rows(const PassStatement& p, const Transform& rows,
                                         const std::vector<Transform>& later, bool scaled) {
  if (later.empty())
    if (auto steps = row_steps(p, rows, later, scaled, true)) return steps;
  return row_steps(p, rows, later, scaled, false);
}

}  // namespace kallima
