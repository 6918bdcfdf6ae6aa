#include "plan/exchange/local_work.hpp"

#include <algorithm>

#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

constexpr Index least_plane = 4096;  // elements: smaller ones stay in a cache together

}  // namespace

// A transform that changes what the array holds, or multiplies it.
void LocalWork::add_special(std::vector<Step>& steps, std::size_t i, Index number, const Transform& t, const Area& from,
                            const Area& to, bool scaled) {
  append_passes(steps, {.transform = t,
                        .sources = {arrays_.stretch(from, arrays_.part(from.held, i, number))},
                        .targets = {arrays_.stretch(to, arrays_.part(to.held, i, number))},
                        .scaled = scaled});
}

// The same in one array, of which the result takes more than what it is made of: rows go by way of memory for a part of
// them, the last part first.
void LocalWork::add_in_array(std::vector<Step>& steps, std::size_t i, const Transform& t, const Area& from,
                             const Area& to) {
  constexpr Index usual_parts = 16;
  const Block before = arrays_.part(from.held, i, everything), done = arrays_.part(to.held, i, everything);
  const std::size_t rows_slot = arrays_.rows_of(from.held);
  const Cut cut{.slot = rows_slot, .count = std::min(before[rows_slot].count, usual_parts)};
  const Area some = arrays_.memory_for(from.held, part_of(before, cut, cut.count - 1, cut.count));
  for (Index number = cut.count; number-- > 0;) {
    const Block rows = part_of(before, cut, number, number + 1);
    const Area there{some.buffer, some.held, rows};
    append_copy(steps, {.buffer = from.buffer, .offset = arrays_.place(from, rows).offset, .real = true},
                {.buffer = some.buffer, .real = true}, count_of(rows));
    append_passes(steps, {.transform = t,
                          .sources = {arrays_.stretch(there, rows)},
                          .targets = {arrays_.stretch(to, part_of(done, cut, number, number + 1))}});
  }
}

// Others, in an order that keeps caches warm. A repeat around them moves by `outer`.
void LocalWork::add_plain(std::vector<Step>& steps, std::size_t i, Index number, std::span<const Transform> some,
                          const Area& from, const Area& to, Scaling scaling, std::optional<Index> outer) {
  const Block mine = arrays_.part(from.held, i, number);
  const Strided source = arrays_.place(from, mine), target = arrays_.place(to, mine);
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    Axis& axis = axes.emplace_back(Axis{mine[k].count, source.strides[k], target.strides[k]});
    if (outer && *outer > 0 && target.strides[k] == *outer) axis.extent = 1;
    for (const Transform& t : some)
      if (t.slot == k) axis.transform = true, axis.kind = t.kind;
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  Corner begin{.buffer = from.buffer, .offset = source.offset}, end{.buffer = to.buffer, .offset = target.offset};
  begin.real = end.real = from.held.data == Data::real_;
  if (outer) begin.outer = end.outer = {*outer};
  transform_axes(steps, begin, end, axes, scaling);
}

// What unpacks an array and all that follows, plane by plane of the slowest slot that nothing is done along.
bool LocalWork::add_planes(std::vector<Step>& steps, std::size_t i, Index number, const PassStatement& back) {
  const std::vector<Transform>& todo = messages_.work()[i].alone;
  const bool is_last = i + 1 == path_.stops.size() && !messages_.work()[i].late;
  const Stretch& to = back.targets.front();
  PassStatement one = back;
  const auto among = [](const std::vector<Stretch>& all, std::size_t s, const Progression& p) {
    return std::ranges::all_of(all, [&](const Stretch& each) { return each.index[s] == p; });
  };
  for (std::size_t s = 0; s < to.index.size(); ++s) {
    const bool used = s == back.transform.slot || std::ranges::count(todo, s, &Transform::slot) > 0;
    const bool slower = !one.along || to.place.strides[s] > to.place.strides[*one.along];
    if (!used && to.index[s].count > 1 && slower && among(back.sources, s, to.index[s])) one.along = s;
  }
  if (!one.along || back.targets.size() > 1 || back.transform.modulus > 0) return false;
  if (count_of(to.index) / to.index[*one.along].count < least_plane) return false;
  for (std::vector<Stretch>* side : {&one.sources, &one.targets})
    for (Stretch& each : *side) each.index[*one.along] = {each.index[*one.along].first, 1, 1};
  Step planes{.repeat = to.index[*one.along].count};
  append_passes(planes.body, one);
  const Area& end = arrays_.ready(i, number);
  add_plain(planes.body, i, number, todo, end, end, is_last ? Scaling::last_pass : Scaling::none,
            to.place.strides[*one.along]);
  steps.push_back(std::move(planes));
  return true;
}

bool LocalWork::add(std::vector<Step>& steps, std::size_t i, Index number, const PassStatement* back) {
  const std::vector<Transform>& todo = messages_.work()[i].alone;
  const bool is_last = i + 1 == path_.stops.size() && !messages_.work()[i].late;
  const Area &begin = arrays_.arrival(i, number), &end = arrays_.ready(i, number);
  const Scaling scaling = is_last ? Scaling::last_pass : Scaling::none;
  const Block mine = arrays_.part(begin.held, i, number);
  if (count_of(mine) == 0) return true;
  if (back != nullptr) {
    if (std::any_of(todo.begin(), todo.end(), is_special)) return false;
    for (std::size_t k = 0; k < todo.size(); ++k) {
      std::vector<Transform> later = todo;
      later.erase(later.begin() + static_cast<std::ptrdiff_t>(k));
      auto rows = passes_with_rows(*back, todo[k], later, is_last && later.empty());
      if (!rows) continue;
      if (!later.empty() && !rows->later_apart)
        add_plain(rows->each.body, i, number, later, end, end, scaling, rows->stride);
      steps.push_back(std::move(rows->each));
      if (rows->later_apart) add_plain(steps, i, number, later, end, end, scaling, {});
      return true;
    }
    return !todo.empty() && add_planes(steps, i, number, *back);
  }
  Area now = begin;
  std::size_t scratches = is_last ? 0 : 1;
  for (std::size_t k = 0; k < todo.size();) {
    std::size_t next = k;
    while (next < todo.size() && !is_special(todo[next])) ++next;
    const bool special = next == k;
    if (special) ++next;
    const bool last = next == todo.size();
    Held held = after(
        now.held, {todo.begin() + static_cast<std::ptrdiff_t>(k), todo.begin() + static_cast<std::ptrdiff_t>(next)});
    held.storage = {};
    const bool in_place = arrays_.may_change(now) && !(special && changes(todo[k]));
    const bool settled = std::none_of(todo.begin() + static_cast<std::ptrdiff_t>(next), todo.end(), changes);
    const bool collides = now.buffer == Buffer::in && arrays_.is_one_array() &&  // which is `out` in another order
                          arrays_.place(now, mine).strides != arrays_.place(end, mine).strides;
    const Area to = last || (settled && !collides) ? end
                    : in_place && !collides        ? now
                                                   : arrays_.scratch(i, number, scratches++, held);
    const std::span<const Transform> some(todo.begin() + static_cast<std::ptrdiff_t>(k), next - k);
    if (special && changes(todo[k]) && arrays_.changes_in_array(i))
      add_in_array(steps, i, todo[k], now, to);
    else if (special)
      add_special(steps, i, number, todo[k], now, to, last && is_last);
    else
      add_plain(steps, i, number, some, now, to, last ? scaling : Scaling::none, {});
    now = to;
    k = next;
  }
  if (todo.empty()) add_plain(steps, i, number, {}, begin, end, scaling, {});
  return true;
}

}  // namespace kallima
