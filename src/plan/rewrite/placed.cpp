#include "plan/rewrite/placed.hpp"

#include <algorithm>

#include "schedule/walk.hpp"

namespace kallima {
namespace {

constexpr Index copied_row = 2048;  // elements that a copy takes at a time

// A buffer, or a part of it that begins with this element.
struct Region {
  Buffer buffer = Buffer::in;
  Index base = 0;
};

// Elements of the caller's arrays, where two reals make one.
Index elements_in(const RankSchedule& s, Buffer b) {
  const Data data = b == Buffer::in ? s.data_in : s.data_out;
  return data == Data::real_ ? (s.size(b) + 1) / 2 : s.size(b);
}

bool touches_arrays(const Piece& p) { return p.recv < 0 && (p.buffer == Buffer::in || p.buffer == Buffer::out); }

bool touches_arrays(const Task& task) {
  bool found = task.range.count > 0 && (task.range.buffer == Buffer::in || task.range.buffer == Buffer::out);
  checks::visit_passes(task.steps, [&](const Pass& pass) {
    for (const Piece& p : pass.sources) found = found || touches_arrays(p);
    for (const Piece& p : pass.targets) found = found || touches_arrays(p);
  });
  return found;
}

class Placer {
 public:
  explicit Placer(RankSchedule schedule) : s_(std::move(schedule)) {
    for (const Task& task : s_.tasks) works_on_arrays_.push_back(touches_arrays(task));
  }

  // In place: the input is set aside before anything is written over it.
  RankSchedule in_place() {
    const Region aside = room(elements_in(s_, Buffer::in));
    copy_first(aside);
    return std::move(s_);
  }

  // Out of place: where the output is no shorter, it is the array that is worked in; otherwise one of our own is.
  RankSchedule out_of_place() {
    const Index longest = std::max(elements_in(s_, Buffer::in), elements_in(s_, Buffer::out));
    if (longest == elements_in(s_, Buffer::out)) {
      copy_first({Buffer::out, 0});
      return std::move(s_);
    }
    const Region both = room(longest);
    redirect(Buffer::out, both);
    copy_first(both);
    copy_last(both);
    return std::move(s_);
  }

 private:
  Region room(Index elements) {
    Index& end = s_.sizes[static_cast<std::size_t>(Buffer::inbox)];
    const Region region{Buffer::inbox, end};
    end += elements;
    return region;
  }
  void redirect(Buffer from, const Region& to);
  void copy_first(const Region& to);
  void copy_last(const Region& from);

  RankSchedule s_;
  std::vector<bool> works_on_arrays_;  // of the caller's, by task
};

void move_to(const Region& region, Buffer& buffer, Index& offset, bool real) {
  buffer = region.buffer;
  offset += (real ? 2 : 1) * region.base;
}

void Placer::redirect(Buffer from, const Region& to) {
  for (Task& task : s_.tasks) {
    checks::visit_passes(task.steps, [&](Pass& pass) {
      for (std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
        for (Piece& piece : *pieces)
          if (piece.recv < 0 && piece.buffer == from) move_to(to, piece.buffer, piece.offset, piece.real);
    });
    if (task.range.buffer == from && task.range.count > 0)
      move_to(to, task.range.buffer, task.range.offset, task.range.real);
  }
}

Step rows(const Region& from, const Region& to, bool real, Index offset, Index length, Index count) {
  const auto piece = [&](const Region& r) {
    return Piece{.buffer = r.buffer,
                 .offset = (real ? 2 : 1) * r.base + offset,
                 .count = length,
                 .strides = {length},
                 .real = real};
  };
  Step step;
  step.pass = {
      .action = Action::move, .length = length, .sources = {piece(from)}, .targets = {piece(to)}, .loops = {count}};
  return step;
}

Task copy_task(const char* label, const Region& from, const Region& to, Data data, Index count) {
  Task task{.kind = TaskKind::copy, .label = label};
  const bool real = data == Data::real_;
  const Index whole = count / copied_row, left = count % copied_row;
  if (whole > 0) task.steps.push_back(rows(from, to, real, 0, copied_row, whole));
  if (left > 0) task.steps.push_back(rows(from, to, real, whole * copied_row, left, 1));
  task.elements = real ? count : 2 * count;
  return task;
}

// Everything that works on the caller's arrays comes after the copy.
void Placer::copy_first(const Region& to) {
  redirect(Buffer::in, to);
  for (std::size_t t = 0; t < s_.tasks.size(); ++t) {
    Task& task = s_.tasks[t];
    for (int& before : task.after) ++before;
    if (task.start >= 0) ++task.start;
    checks::visit_passes(task.steps, [](Pass& pass) {
      for (Piece& piece : pass.sources)
        if (piece.recv >= 0) ++piece.recv;
    });
    if (works_on_arrays_[t]) task.after.insert(task.after.begin(), 0);
  }
  const char* const label = to.buffer == Buffer::out ? "bring" : "set aside";
  Task copy = copy_task(label, {Buffer::in, 0}, to, s_.data_in, s_.size(Buffer::in));
  s_.tasks.insert(s_.tasks.begin(), std::move(copy));
}

void Placer::copy_last(const Region& from) {
  Task copy = copy_task("bring back", from, {Buffer::out, 0}, s_.data_out, s_.size(Buffer::out));
  std::vector<bool> awaited(s_.tasks.size(), false);
  for (const Task& task : s_.tasks)
    for (const int before : task.after) awaited[static_cast<std::size_t>(before)] = true;
  for (std::size_t t = 0; t < awaited.size(); ++t)
    if (!awaited[t]) copy.after.push_back(static_cast<int>(t));
  s_.tasks.push_back(std::move(copy));
  s_.padding_out = 0;
}

}  // namespace

RankSchedule placed(RankSchedule schedule, Placement planned, Placement wanted) {
  if (planned == wanted) return schedule;
  Placer placer(std::move(schedule));
  return wanted == Placement::in_place ? placer.in_place() : placer.out_of_place();
}

}  // namespace kallima
