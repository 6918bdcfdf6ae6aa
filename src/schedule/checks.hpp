#pragma once
// The rules of a Schedule, one function each, in the order in which validate() needs them: a later one may rely on what
// the earlier ones have established. All throw Error naming rank, task and the numbers involved.

#include <fmt/format.h>

#include "kallima/schedule.hpp"

namespace kallima::checks {

// What a task waits for on its own rank: what it comes after and, for a finish, its start.
std::vector<int> predecessors(const Task& task);

// Where something is wrong: "rank 1, task 4 (recv_finish 'exchange' from 0), pass 2, source 0", as far as it goes. It
// is made into text only when a message is, which is hardly ever.
struct Where {
  const RankSchedule* rank;
  int task;
  int pass = -1;
  const char* side = nullptr;
  std::size_t piece = 0;
};

inline Where title(const RankSchedule& rank, int task) { return {&rank, task}; }
std::string text(const Where& where);

// Lengths in reals, of which an element that is not real counts as two, and whether anything on the rank is real.
Index reals_of(const RankSchedule& rank, Buffer buffer);
Index reals_of(const RankSchedule& rank, Buffer buffer, Aliasing aliasing);  // one array is as long as the longer
inline Index reals_of(const Range& range) { return range.real ? range.count : 2 * range.count; }
bool has_reals(const RankSchedule& rank);

constexpr bool is_start(TaskKind kind) { return kind == TaskKind::send_start || kind == TaskKind::recv_start; }
constexpr bool is_finish(TaskKind kind) { return kind == TaskKind::send_finish || kind == TaskKind::recv_finish; }

// Ranks are numbered from 0, dependencies point back, message ranges lie inside buffers, starts and finishes pair up.
void check_structure(const Schedule& schedule, Aliasing aliasing);

// For every rank, by the number of a start task: its finish, and the start at the other end. -1 for other tasks. By the
// number of a recv_finish task: how many reals it receives, two for each element that is not real.
struct Matching {
  std::vector<std::vector<int>> finish;
  std::vector<std::vector<int>> partner;
  std::vector<std::vector<Index>> received;
};

// Every receive has one send of equal size and kind and every send one receive.
Matching match_messages(const Schedule& schedule);

// Passes are well formed: lines covered once by sources and by targets, everything inside buffers or received blocks,
// of which `received` is the matching's for this rank, reals where the kind of transform has them.
void check_passes(const RankSchedule& rank, const std::vector<Index>& received);

// The whole can run to its end.
void check_progress(const Schedule& schedule, const Matching& matching);

// The layouts of the purpose deal out arrays of the sizes that the ranks have.
void check_purpose(const Schedule& schedule);

// The preparation as a schedule of its own, and that it leaves what the ranks keep.
Schedule preparation_of(const Schedule& schedule);
void check_preparation(const Schedule& schedule);

// All of the above, in time that grows with the text of the schedule and the lengths of its lines.
Matching check_text(const Schedule& schedule, Aliasing aliasing);

// What touches the same elements is ordered; reads find something written; in is kept, out is complete. `finish` is
// the matching's for this rank.
void check_memory(const RankSchedule& rank, const std::vector<int>& finish, Aliasing aliasing);

}  // namespace kallima::checks

template <>
struct fmt::formatter<kallima::checks::Where> : fmt::formatter<std::string> {
  auto format(const kallima::checks::Where& where, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(kallima::checks::text(where), context);
  }
};
