// validate() is a list of rules, in files by what they look at. Here are the simplest ones, which look at one task at a
// time and make sure that all the numbers the others follow lead somewhere.

#include <algorithm>
#include <limits>
#include <new>

#include "base/check.hpp"
#include "schedule/checks.hpp"
#include "schedule/names.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace checks {
namespace {

constexpr Index most_elements = Index{1} << 59;  // as in a Problem
constexpr Index most_moved = Index{1} << 61;     // by all tasks together, so that words of reals can be counted

const Task& task_of(const RankSchedule& r, int task) { return r.tasks[at(task)]; }

void check_range(const RankSchedule& r, int t, Aliasing aliasing) {
  const Range& range = task_of(r, t).range;
  const Index size = reals_of(r, range.buffer, aliasing) / (range.real ? 1 : 2);
  require(range.offset >= 0 && range.count >= 0 && range.count <= size && range.offset <= size - range.count,
          "{} uses {} {} from {} of {} (the buffer has {})", title(r, t), range.count,
          range.real ? "reals" : "elements", range.offset, name(range.buffer), size);
}

void check_start(const RankSchedule& r, int t) {
  const Task& task = task_of(r, t);
  const bool sends = task.kind == TaskKind::send_start;
  const Index room = (reals_of(task.range) + 1) / 2;
  require(room == task.elements || (sends ? room > task.elements : task.range.count == 0),
          "{} is of {} elements but its range holds {}{} (a send's range has what is sent; a receive's has room for "
          "just that, or is empty)",
          title(r, t), task.elements, task.range.count, task.range.real ? " reals" : "");
}

void check_finish(const RankSchedule& r, int t, std::vector<bool>& finished) {
  const Task& task = task_of(r, t);
  const TaskKind kind = task.kind == TaskKind::send_finish ? TaskKind::send_start : TaskKind::recv_start;
  require(task.start >= 0 && task.start < t && task_of(r, task.start).kind == kind,
          "{} finishes task {} (that is no earlier {})", title(r, t), task.start, name(kind));
  const Task& start = task_of(r, task.start);
  require(start.peer == task.peer && start.tag == task.tag && start.elements == task.elements,
          "{} finishes another message than task {} started (peer {} and {}, tag {} and {}, elements {} and {})",
          title(r, t), task.start, task.peer, start.peer, task.tag, start.tag, task.elements, start.elements);
  require(task.range.count == 0 || task.range == start.range,
          "{} has another range than task {} which started it (give it the same one or none)", title(r, t), task.start);
  require(!finished[at(task.start)], "{} finishes task {}, which is already finished", title(r, t), task.start);
  finished[at(task.start)] = true;
}

void check_message(const RankSchedule& r, int t, int ranks, std::vector<bool>& finished) {
  const Task& task = task_of(r, t);
  require(task.peer >= 0 && task.peer < ranks && task.peer != r.rank, "{} has peer {} (use another of the {} ranks)",
          title(r, t), task.peer, ranks);
  require(task.tag >= 0, "{} has tag {} (tags are not negative)", title(r, t), task.tag);
  require(task.steps.empty(), "{} has steps (a message computes nothing) move them to a compute task", title(r, t));
  is_start(task.kind) ? check_start(r, t) : check_finish(r, t, finished);
}

void check_rank(const RankSchedule& r, int ranks, Aliasing aliasing, Index& moved) {
  for (const Buffer b : buffers)
    require(r.size(b) >= 0 && r.size(b) <= most_elements, "rank {} has a {} of {} elements (use 0 to 2^59)", r.rank,
            name(b), r.size(b));
  require(r.padding_out >= 0 && r.padding_out <= r.size(Buffer::out),
          "rank {} has {} elements of padding in an out of {} (use 0 to that)", r.rank, r.padding_out,
          r.size(Buffer::out));
  std::vector<bool> finished(r.tasks.size(), false);
  for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
    const Task& task = task_of(r, t);
    for (const int before : task.after)
      require(before >= 0 && before < t, "{} comes after task {} (tasks depend on lower numbers only)", title(r, t),
              before);
    check_range(r, t, aliasing);
    require(task.elements >= 0 && task.elements <= most_moved - moved,
            "{} has {} elements (use 0 to 2^61, all tasks together)", title(r, t), task.elements);
    moved += task.elements;
    require(task.flops >= 0, "{} has {} flops", title(r, t), task.flops);
    if (is_start(task.kind) || is_finish(task.kind)) check_message(r, t, ranks, finished);
  }
  for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t)
    require(!is_start(task_of(r, t).kind) || finished[at(t)], "{} is never finished", title(r, t));
}

}  // namespace

Index reals_of(const RankSchedule& rank, Buffer buffer) {
  constexpr Index longest = std::numeric_limits<Index>::max() / 2;  // sizes may be nonsense here, but must not overflow
  return rank.data(buffer) == Data::real_ ? rank.size(buffer) : 2 * std::clamp<Index>(rank.size(buffer), 0, longest);
}

Index reals_of(const RankSchedule& rank, Buffer buffer, Aliasing aliasing) {
  const bool one = aliasing == Aliasing::in_is_out && (buffer == Buffer::in || buffer == Buffer::out);
  return one ? std::max(reals_of(rank, Buffer::in), reals_of(rank, Buffer::out)) : reals_of(rank, buffer);
}

bool has_reals(const RankSchedule& rank) {
  const auto is_real = [](const Piece& p) { return p.real; };
  bool any = rank.data_in == Data::real_ || rank.data_out == Data::real_;
  for (const Task& task : rank.tasks) {
    any = any || task.range.real;
    visit_passes(task.steps, [&](const Pass& pass) {
      any = any || std::ranges::any_of(pass.sources, is_real) || std::ranges::any_of(pass.targets, is_real);
    });
  }
  return any;
}

std::vector<int> predecessors(const Task& task) {
  std::vector<int> all = task.after;
  if (is_finish(task.kind)) all.push_back(task.start);
  return all;
}

std::string text(const Where& where) {
  const Task& t = task_of(*where.rank, where.task);
  std::string what(enum_name(t.kind));
  if (!t.label.empty()) what += fmt::format(" '{}'", t.label);
  if (t.kind == TaskKind::send_start || t.kind == TaskKind::send_finish) what += fmt::format(" to {}", t.peer);
  if (t.kind == TaskKind::recv_start || t.kind == TaskKind::recv_finish) what += fmt::format(" from {}", t.peer);
  std::string all = fmt::format("rank {}, task {} ({})", where.rank->rank, where.task, what);
  if (where.pass >= 0) all += fmt::format(", pass {}", where.pass);
  if (where.side != nullptr) all += fmt::format(", {} {}", where.side, where.piece);
  return all;
}

void check_structure(const Schedule& schedule, Aliasing aliasing) {
  const int ranks = static_cast<int>(schedule.ranks.size());
  require(ranks >= 1, "schedule '{}' has no ranks (at least one must do something)", schedule.name);
  Index moved = 0;
  for (int r = 0; r < ranks; ++r) {
    const RankSchedule& rank = schedule.ranks[at(r)];
    require(rank.rank == r, "the rank in place {} says it is rank {} (give all ranks, in order)", r, rank.rank);
    check_rank(rank, ranks, aliasing, moved);
  }
}

Schedule preparation_of(const Schedule& schedule) {
  return {.name = schedule.name + ", its preparation", .ranks = schedule.preparation};
}

void check_preparation(const Schedule& schedule) {
  const std::size_t prepared = schedule.preparation.size();
  require(prepared == 0 || prepared == schedule.ranks.size(),
          "{} of {} ranks have a preparation (give all one, or none)", prepared, schedule.ranks.size());
  for (std::size_t r = 0; r < schedule.ranks.size(); ++r) {
    const RankSchedule none, &before = prepared > 0 ? schedule.preparation[r] : none;
    const Index kept = schedule.ranks[r].size(Buffer::kept);
    require(before.size(Buffer::out) == kept && before.data_out == Data::complex_ && before.padding_out == 0,
            "rank {} keeps {} elements, but its preparation leaves {} (without one nothing is kept)", r, kept,
            before.size(Buffer::out));
    require(before.size(Buffer::in) == 0 && before.size(Buffer::kept) == 0,
            "the preparation of rank {} has an in of {} elements and keeps {} (there is neither before it)", r,
            before.size(Buffer::in), before.size(Buffer::kept));
  }
}

namespace {

RankSchedule with_one_array(RankSchedule r) {
  for (const Buffer b : {Buffer::in, Buffer::out})
    r.sizes[at(b)] = reals_of(r, b, Aliasing::in_is_out) / (r.data(b) == Data::real_ ? 1 : 2);
  return r;
}

}  // namespace

Matching check_text(const Schedule& schedule, Aliasing aliasing) {
  check_structure(schedule, aliasing);
  check_preparation(schedule);
  if (!schedule.preparation.empty()) check_text(preparation_of(schedule), Aliasing::separate);
  check_purpose(schedule);
  Matching matching = match_messages(schedule);
  for (const RankSchedule& rank : schedule.ranks)
    check_passes(aliasing == Aliasing::in_is_out ? with_one_array(rank) : rank, matching.received[at(rank.rank)]);
  check_progress(schedule, matching);
  return matching;
}

}  // namespace checks

namespace {

void check_all(const Schedule& schedule, Aliasing aliasing) {
  const checks::Matching matching = checks::check_text(schedule, aliasing);
  for (const RankSchedule& rank : schedule.ranks) checks::check_memory(rank, matching.finish[at(rank.rank)], aliasing);
  if (!schedule.preparation.empty()) check_all(checks::preparation_of(schedule), Aliasing::separate);
}

}  // namespace

void validate(const Schedule& schedule, std::optional<Aliasing> aliasing) {
  try {
    check_all(schedule, aliasing.value_or(schedule.aliasing));
  } catch (const std::bad_alloc&) {
    fail(
        "schedule '{}' cannot be checked (the proof takes memory for every element of a rank's buffers) use a machine "
        "with more",
        schedule.name);
  }
}

}  // namespace kallima
