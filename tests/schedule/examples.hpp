#pragma once
// Small schedules written by hand, and a way to say that a changed one is refused with certain words.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "kallima/schedule.hpp"

namespace kallima::examples {

inline Piece piece(Buffer buffer, Index offset, Index count, Index stride = 1, std::vector<Index> strides = {}) {
  return {.buffer = buffer, .offset = offset, .count = count, .stride = stride, .strides = std::move(strides)};
}

inline Pass pass(Piece source, Piece target) {
  return {.length = source.count, .sources = {std::move(source)}, .targets = {std::move(target)}};
}

inline Task compute(std::vector<Pass> passes, std::vector<int> after = {}) {
  Task task{.label = "work", .after = std::move(after)};
  for (Pass& p : passes) task.steps.push_back({.pass = std::move(p)});
  return task;
}

inline Task message(TaskKind kind, int peer, Range range, std::vector<int> after, int start = -1, int tag = 0) {
  return {.kind = kind,
          .label = "exchange",
          .peer = peer,
          .tag = tag,
          .range = range,
          .start = start,
          .after = std::move(after),
          .elements = range.count};
}

// Two ranks of four elements: each makes a block of four in work, sends it, receives the other's, and writes out from
// half of each. Tasks: 0 recv_start, 1 compute to work, 2 send_start, 3 recv_finish, 4 compute to out, 5 send_finish.
inline Schedule exchange(bool lands = true) {
  Schedule s{.name = "exchange", .exchanges = 1, .ranks = {}};
  for (int rank = 0; rank < 2; ++rank) {
    const int peer = 1 - rank;
    RankSchedule r{.rank = rank, .sizes = {4, 4, 4, 4}};
    const Range sent{Buffer::work, 0, 4}, landing{Buffer::inbox, 0, lands ? 4 : 0};
    r.tasks.push_back(message(TaskKind::recv_start, peer, landing, {}));
    r.tasks.push_back(compute({pass(piece(Buffer::in, 0, 4), piece(Buffer::work, 0, 4))}));
    r.tasks.push_back(message(TaskKind::send_start, peer, sent, {1}));
    r.tasks.push_back(message(TaskKind::recv_finish, peer, landing, {}, 0));
    Piece own = piece(Buffer::work, 0, 2), theirs = piece(Buffer::in, 0, 2);
    theirs.recv = 3;
    theirs.first = 2;
    r.tasks.push_back(
        compute({{.length = 4, .sources = {std::move(own), std::move(theirs)}, .targets = {piece(Buffer::out, 0, 4)}}},
                {1, 3}));
    r.tasks.push_back(message(TaskKind::send_finish, peer, sent, {}, 2));
    for (const std::size_t t : {0, 3}) r.tasks[t].elements = 4;
    s.ranks.push_back(std::move(r));
  }
  return s;
}

// One rank that runs these tasks on `size` elements in every buffer.
inline Schedule single(std::vector<Task> tasks, Index size = 8) {
  return {.name = "single", .ranks = {{.rank = 0, .sizes = {size, size, size, size}, .tasks = std::move(tasks)}}};
}

inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

inline void expect_valid(const Schedule& s, Aliasing aliasing = Aliasing::separate) {
  EXPECT_EQ(error_of([&] { validate(s, aliasing); }), "");
}

inline void expect_refused(const Schedule& s, const std::vector<std::string>& words,
                           Aliasing aliasing = Aliasing::separate) {
  const std::string error = error_of([&] { validate(s, aliasing); });
  EXPECT_FALSE(error.empty()) << "accepted, expected: " << words.front();
  for (const std::string& word : words)
    EXPECT_NE(error.find(word), std::string::npos) << word << " is not in: " << error;
}

// The example with one change to rank 0.
inline Schedule changed(const std::function<void(RankSchedule&)>& change) {
  Schedule s = exchange();
  change(s.ranks[0]);
  return s;
}

}  // namespace kallima::examples
