#include "plan/exchange/local_work.hpp"

#include <algorithm>

#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

constexpr Index least_plane = 4096;  // elements: smaller ones stay in a cache together
constexpr Index least_apart = 16;    // elements: planes that are nearer share cache lines

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

// Others, in an order that keeps caches warm. `outer` is a repeat around them.
void LocalWork::add_plain(std::vector<Step>& steps, std::size_t i, Index number, std::span<const Transform> some,
                          const Area& from, const Area& to, Scaling scaling, std::optional<Repeat> outer) {
  const Block mine = arrays_.part(from.held, i, number);
  const Strided source = arrays_.place(from, mine), target = arrays_.place(to, mine);
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    Axis& axis = axes.emplace_back(Axis{mine[k].count, source.strides[k], target.strides[k]});
    if (outer && outer->to > 0 && target.strides[k] == outer->to) axis.extent = 1;
    for (const Transform& t : some)
      if (t.slot == k) axis.transform = true, axis.kind = t.kind;
  }
  std::stable_sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.to > b.to; });
  Corner begin{.buffer = from.buffer, .offset = source.offset}, end{.buffer = to.buffer, .offset = target.offset};
  begin.real = end.real = from.held.data == Data::real_;
  if (outer) begin.outer = {outer->from}, end.outer = {outer->to};
  transform_axes(steps, begin, end, axes, scaling);
}

// What unpacks an array and all that follows, plane by plane of the slowest slot that nothing is done along.
bool LocalWork::add_planes(std::vector<Step>& steps, std::size_t i, Index number, const PassStatement& back) {
  const std::vector<Transform>& todo = messages_.work()[i].alone;
  const bool is_last = i + 1 == path_.stops.size() && !messages_.work()[i].late;
  const Stretch& to = back.targets.front();
  PassStatement one = back;
  const auto among = [](const std::vector<Stretch>& all, std::size_t s, const Progression& p) {
    return std::ranges::all_of(
        all, [&](const Stretch& each) { return each.index[s] == p && each.place.strides[s] >= least_apart; });
  };
  for (std::size_t s = 0; s < to.index.size(); ++s) {
    const bool used = s == back.transform.slot || std::ranges::count(todo, s, &Transform::slot) > 0;
    const bool slower = !one.along || to.place.strides[s] > to.place.strides[*one.along];
    if (!used && to.index[s].count > 1 && slower && among(back.sources, s, to.index[s]) &&
        among(back.targets, s, to.index[s]))
      one.along = s;
  }
  if (!one.along || back.targets.size() > 1 || back.transform.modulus > 0) return false;
  if (count_of(to.index) / to.index[*one.along].count < least_plane) return false;
  for (std::vector<Stretch>* side : {&one.sources, &one.targets})
    for (Stretch& each : *side) each.index[*one.along] = {each.index[*one.along].first, 1, 1};
  Step planes{.repeat = to.index[*one.along].count};
  append_passes(planes.body, one);
  const Area& end = arrays_.ready(i, number);
  add_plain(planes.body, i, number, todo, end, end, is_last ? Scaling::last_pass : Scaling::none,
            Repeat{to.place.strides[*one.along], to.place.strides[*one.along]});
  steps.push_back(std::move(planes));
  return true;
}

// Whether planes of one array cannot lie where others of the other array do.
bool LocalWork::are_apart(const Area& a, const Area& b) const {
  const auto callers = [](const Area& area) { return area.buffer == Buffer::in || area.buffer == Buffer::out; };
  return a.buffer != b.buffer && !(arrays_.is_in_place() && callers(a) && callers(b));
}

// The transforms next to one between reals and half of their spectrum, with it: those that are not along the slowest
// slot plane by plane of that. False where there are none, where planes are few or small, or where they may overlap.
bool LocalWork::add_changing_planes(std::vector<Step>& steps, std::size_t i, Index number, const ChangingWork& work) {
  const bool halves = work.change.kind == Kind::real_to_half;
  const Block mine = arrays_.part(work.between.held, i, number);
  const std::vector<Index> strides = arrays_.place(work.between, mine).strides;
  std::optional<std::size_t> along;
  for (std::size_t s = 0; s < mine.size(); ++s)
    if (s != work.change.slot && mine[s].count > 1 && (!along || strides[s] > strides[*along])) along = s;
  if (!along || count_of(mine) / mine[*along].count < least_plane) return false;
  if (!are_apart(halves ? work.from : work.between, work.to)) return false;
  std::vector<Transform> inside, across;
  for (const Transform& t : work.others) (t.slot == *along ? across : inside).push_back(t);
  if (inside.empty()) return false;

  const auto plane_of = [&](const Area& area) {
    Stretch all = arrays_.stretch(area, arrays_.part(area.held, i, number));
    all.index[*along] = {all.index[*along].first, 1, 1};
    return all;
  };
  Step planes{.repeat = mine[*along].count};
  const auto add_inside = [&](const Area& from, Scaling scaling) {
    const Repeat repeat{arrays_.place(from, mine).strides[*along], strides[*along]};
    add_plain(planes.body, i, number, inside, from, work.between, scaling, repeat);
  };
  PassStatement change{.transform = work.change, .sources = {}, .targets = {plane_of(work.to)}, .along = along};
  if (halves) {
    change.sources = {plane_of(work.from)};
    append_passes(planes.body, change);
    add_inside(work.to, across.empty() ? work.scaling : Scaling::none);
    steps.push_back(std::move(planes));
    if (!across.empty()) add_plain(steps, i, number, across, work.to, work.to, work.scaling, {});
    return true;
  }
  if (!across.empty()) add_plain(steps, i, number, across, work.from, work.between, Scaling::none, {});
  add_inside(across.empty() ? work.from : work.between, Scaling::none);
  change.sources = {plane_of(work.between)};
  change.scaled = work.scaling == Scaling::last_pass;
  append_passes(planes.body, change);
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
        add_plain(rows->each.body, i, number, later, end, end, scaling, Repeat{rows->stride, rows->stride});
      steps.push_back(std::move(rows->each));
      if (rows->later_apart) add_plain(steps, i, number, later, end, end, scaling, {});
      return true;
    }
    return !todo.empty() && add_planes(steps, i, number, *back);
  }
  const auto some = [&](std::size_t from, std::size_t to) { return std::span(todo).subspan(from, to - from); };
  const auto end_of_plain = [&](std::size_t k) {
    while (k < todo.size() && !is_special(todo[k])) ++k;
    return k;
  };
  std::size_t scratches = is_last ? 0 : 1;
  // Where the array is after some transforms.
  const auto after_some = [&](const Area& now, std::span<const Transform> done, std::size_t next) {
    const auto to_come = some(next, todo.size());
    const bool settled = std::ranges::none_of(to_come, changes), in_place = std::ranges::none_of(done, changes);
    const bool collides = now.buffer == Buffer::in && arrays_.is_one_array() &&  // which is `out` in another order
                          arrays_.place(now, mine).strides != arrays_.place(end, mine).strides;
    if (to_come.empty() || (settled && !collides)) return end;
    if (arrays_.may_change(now) && in_place && !collides) return now;
    Held held = after(now.held, {done.begin(), done.end()});
    held.storage = {};
    return arrays_.scratch(i, number, scratches++, held);
  };
  const auto scaling_at = [&](std::size_t next) { return next == todo.size() ? scaling : Scaling::none; };
  Area now = begin;
  for (std::size_t k = 0; k < todo.size();) {
    const bool special = is_special(todo[k]);
    std::size_t next = special ? k + 1 : end_of_plain(k);
    Area to = after_some(now, some(k, next), next);
    if (special && changes(todo[k]) && arrays_.changes_in_array(i)) {
      add_in_array(steps, i, todo[k], now, to);
    } else if (special) {
      const std::size_t later = end_of_plain(next);
      const ChangingWork work{todo[k], some(next, later), now, to, to, scaling_at(later)};
      if (todo[k].kind == Kind::real_to_half && to.buffer == end.buffer && add_changing_planes(steps, i, number, work))
        next = later;
      else
        add_special(steps, i, number, todo[k], now, to, scaling_at(next) == Scaling::last_pass);
    } else if (next < todo.size() && todo[next].kind == Kind::half_to_real) {
      const std::size_t scratches_before = scratches;
      const Area reals = after_some(to, some(next, next + 1), next + 1);
      const ChangingWork work{todo[next], some(k, next), now, to, reals, scaling_at(next + 1)};
      if (add_changing_planes(steps, i, number, work))
        to = reals, ++next;
      else
        add_plain(steps, i, number, some(k, next), now, to, Scaling::none, {}), scratches = scratches_before;
    } else {
      add_plain(steps, i, number, some(k, next), now, to, scaling_at(next), {});
    }
    now = to;
    k = next;
  }
  if (todo.empty()) add_plain(steps, i, number, {}, begin, end, scaling, {});
  return true;
}

}  // namespace kallima
