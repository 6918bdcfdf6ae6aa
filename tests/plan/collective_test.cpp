// Schedules of collectives are valid, and every rank sends as many words in as many messages as the theory says.

#include "kallima/collective.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "collective_suite.hpp"

namespace kallima {
namespace {

struct Sent {
  Index messages = 0;
  Index words = 0;
  Index largest = 0;
};

Sent sent(const RankSchedule& schedule) {
  Sent all;
  for (const Task& task : schedule.tasks)
    if (task.kind == TaskKind::send_start) {
      ++all.messages;
      all.words += task.elements;
      all.largest = std::max(all.largest, task.elements);
    }
  return all;
}

Sent sent(const std::string& name, int ranks, Index words, int rank, Index packet = 0) {
  return sent(collective_schedule({.name = name, .ranks = ranks, .words = words, .packet = packet}, rank));
}

Index log2_of(int ranks) { return std::bit_width(static_cast<unsigned>(ranks)) - 1; }

TEST(Collectives, every_schedule_is_valid) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 16})
    for (const Collective& c : all_collectives(ranks)) {
      const Schedule schedule = collective_schedule(c);
      EXPECT_NO_THROW(validate(schedule)) << c.name << " of " << c.words << " on " << ranks;
      for (const RankSchedule& r : schedule.ranks) {
        EXPECT_EQ(r.size(Buffer::in), collective_in(c, r.rank));
        EXPECT_EQ(r.size(Buffer::out), collective_out(c, r.rank));
      }
    }
}

TEST(Collectives, nothing_is_sent_where_there_are_no_words) {
  for (const auto& [name, summary] : collective_names()) {
    const Schedule schedule = collective_schedule({.name = name, .ranks = 4, .words = 0});
    validate(schedule);
    for (const RankSchedule& r : schedule.ranks) EXPECT_TRUE(r.tasks.empty()) << name;
  }
}

TEST(Collectives, no_message_is_empty_and_receives_are_posted_first) {
  for (const int ranks : {2, 5, 8, 16})
    for (const Collective& c : all_collectives(ranks))
      for (const RankSchedule& r : collective_schedule(c).ranks) {
        bool other = false;
        for (const Task& task : r.tasks) {
          EXPECT_TRUE(task.peer < 0 || task.elements > 0) << c.name;
          EXPECT_FALSE(other && task.kind == TaskKind::recv_start) << c.name;
          other |= task.kind != TaskKind::recv_start;
        }
      }
}

TEST(Collectives, butterflies_send_all_but_their_own_part) {
  for (const int ranks : {2, 4, 8, 16})
    for (const Index words : {Index{ranks}, Index{6} * ranks})
      for (int rank = 0; rank < ranks; ++rank)
        for (const char* name : {"allgather", "reduce-scatter"}) {
          const Sent s = sent(name, ranks, words, rank);
          EXPECT_EQ(s.words, words - words / ranks) << name;
          EXPECT_EQ(s.messages, log2_of(ranks));
          EXPECT_EQ(s.largest, words / 2);
          EXPECT_EQ(sent("allreduce", ranks, words, rank).words, 2 * s.words);
        }
}

TEST(Collectives, the_root_scatters_all_but_its_own_part) {
  for (const int ranks : {2, 4, 8, 16}) {
    EXPECT_EQ(sent("scatter", ranks, 5 * ranks, 0).words, 5 * ranks - 5);
    EXPECT_EQ(sent("scatter", ranks, 5 * ranks, 0).messages, log2_of(ranks));
    EXPECT_EQ(sent("scatter", ranks, 5 * ranks, ranks - 1).messages, 0);
    for (int rank = 1; rank < ranks; ++rank) {
      EXPECT_EQ(sent("gather", ranks, 5 * ranks, rank).messages, 1);
      EXPECT_EQ(sent("gather", ranks, 5 * ranks, rank).words, 5 * (rank & -rank));
    }
  }
}

TEST(Collectives, all_to_alls_trade_messages_for_words) {
  for (const int ranks : {2, 3, 4, 7, 8, 16})
    for (int rank = 0; rank < ranks; ++rank) {
      const Sent direct = sent("alltoall-direct", ranks, 6 * ranks, rank);
      EXPECT_EQ(direct.messages, ranks - 1);
      EXPECT_EQ(direct.words, 6 * (ranks - 1));
      const Sent bruck = sent("alltoall-bruck", ranks, 6 * ranks, rank);
      if (!std::has_single_bit(static_cast<unsigned>(ranks))) {
        EXPECT_EQ(bruck.messages, log2_of(ranks) + 1);
        continue;
      }
      EXPECT_EQ(bruck.messages, log2_of(ranks));
      EXPECT_EQ(bruck.words, log2_of(ranks) * 3 * ranks);
      EXPECT_EQ(bruck.largest, 3 * ranks);
    }
}

TEST(Collectives, all_send_to_different_ranks_at_every_step_of_an_alltoall) {
  for (const char* name : {"alltoall-direct", "alltoall-pairwise", "alltoall-bruck"}) {
    const Schedule schedule = collective_schedule({.name = name, .ranks = 8, .words = 16});
    std::vector<std::vector<int>> to;
    for (const RankSchedule& r : schedule.ranks) {
      to.emplace_back();
      for (const Task& task : r.tasks)
        if (task.kind == TaskKind::send_start) to.back().push_back(task.peer);
    }
    EXPECT_EQ(to[2][0], 3) << name;
    for (std::size_t step = 0; step < to[0].size(); ++step) {
      std::vector<int> taken(8, 0);
      for (const auto& mine : to) ++taken[static_cast<std::size_t>(mine[step])];
      EXPECT_EQ(taken, std::vector<int>(8, 1)) << name;
    }
  }
}

TEST(Collectives, a_tree_reaches_everybody_in_as_many_messages_as_there_are_others) {
  for (const int ranks : {2, 3, 5, 7, 8, 12, 16})
    for (const char* name : {"broadcast-binary", "broadcast-binomial"}) {
      Index messages = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Sent s = sent(name, ranks, 10, rank);
        EXPECT_EQ(s.words, 10 * s.messages);
        messages += s.messages;
      }
      EXPECT_EQ(messages, ranks - 1) << name;
    }
  EXPECT_EQ(sent("broadcast-binary", 7, 10, 0).messages, 2);
  EXPECT_EQ(sent("broadcast-binomial", 8, 10, 0).messages, 3);
  EXPECT_EQ(sent("broadcast-binomial", 9, 10, 0).messages, 4);
}

TEST(Collectives, the_ring_deals_out_segments_and_passes_them_on) {
  for (const int ranks : {2, 3, 4, 7}) {
    const Sent root = sent("broadcast-ring", ranks, 5 * ranks, 0);
    EXPECT_EQ(root.messages, 2 * (ranks - 1));
    EXPECT_EQ(root.words, 10 * (ranks - 1));
    for (int rank = 1; rank < ranks - 1; ++rank)
      EXPECT_EQ(sent("broadcast-ring", ranks, 5 * ranks, rank).messages, ranks - 1);
    EXPECT_EQ(sent("broadcast-ring", ranks, 5 * ranks, ranks - 1).messages, 0);
  }
}

TEST(Collectives, two_trees_share_the_sending) {
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 32, 100})
    for (int rank = 0; rank < ranks; ++rank) {
      const RankSchedule s =
          collective_schedule({.name = "broadcast-double", .ranks = ranks, .words = 40, .packet = 5}, rank);
      EXPECT_LE(sent(s).words, 40) << rank << " of " << ranks;
      bool in_tree[2] = {false, false};
      for (const Task& task : s.tasks)
        if (task.kind == TaskKind::send_start) in_tree[task.chunk % 2] = true;
      EXPECT_FALSE(rank > 0 && in_tree[0] && in_tree[1]) << rank << " of " << ranks << " is inside both trees";
    }
  EXPECT_EQ(sent("broadcast-double", 16, 40, 0, 5).words, 40);
}

TEST(Collectives, packets_cut_the_message) {
  EXPECT_EQ(sent("broadcast-pipelined", 7, 40, 0, 5).messages, 16);
  EXPECT_EQ(sent("broadcast-pipelined", 7, 41, 0, 5).messages, 18);
  EXPECT_EQ(sent("broadcast-pipelined", 7, 41, 0, 5).words, 82);
  const auto best = [](const char* name, int ranks, Index words, double startup) {
    return best_packet({.name = name, .ranks = ranks, .words = words, .startup = startup});
  };
  EXPECT_EQ(best("broadcast-pipelined", 16, 10000, 100), 500);
  EXPECT_EQ(best("broadcast-double", 4, 10000, 100), 500);
  EXPECT_EQ(best("broadcast-pipelined", 16, 10, 1e9), 10);
  EXPECT_EQ(best("broadcast-pipelined", 16, 10, 0), 1);
}

TEST(Collectives, reductions_add_every_element_once_for_every_other_rank) {
  for (const char* name : {"reduce-scatter", "reduce", "allreduce"}) {
    double flops = 0;
    for (const RankSchedule& r : collective_schedule({.name = name, .ranks = 8, .words = 24}).ranks)
      for (const Task& task : r.tasks) {
        flops += task.flops;
        EXPECT_EQ(task.kind == TaskKind::compute, task.label == "sum");
      }
    EXPECT_EQ(flops, 2 * 24 * 7) << name;
  }
}

void expect_refused(const Collective& c, const std::string& fragment) {
  try {
    collective_schedule(c);
    FAIL() << "no error, expected one with '" << fragment << "'";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
  }
}

TEST(Collectives, what_cannot_be_had_is_refused_with_the_numbers) {
  expect_refused({.name = "broadcast"}, "broadcast-binomial");
  expect_refused({.name = "allreduce", .ranks = 6}, "use 4 or 8 ranks");
  expect_refused({.name = "scatter", .ranks = 0}, "0 ranks");
  expect_refused({.name = "scatter", .words = -1}, "-1 words");
  expect_refused({.name = "broadcast-double", .packet = -2}, "packets of -2");
  expect_refused({.name = "broadcast-double", .startup = -2}, "-2");
  EXPECT_THROW(collective_schedule({.name = "scatter", .ranks = 2}, 2), Error);
}

}  // namespace
}  // namespace kallima
