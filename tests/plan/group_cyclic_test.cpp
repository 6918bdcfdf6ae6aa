#include <gtest/gtest.h>

#include <map>

#include "base/bits.hpp"
#include "kallima/plan.hpp"

namespace kallima {
namespace {

struct Size {
  Index n;
  int p;
};

std::vector<Size> sizes(Index most_points, int most_ranks) {
  std::vector<Size> all;
  for (Index n = 4; n <= most_points; n *= 2)
    for (int p = 2; p < n && p <= most_ranks; p *= 2) all.push_back({n, p});
  return all;
}

std::unique_ptr<Plan> group_cyclic(const Size& size, PlanOptions options = {}) {
  options.route = "group-cyclic";
  return plan({.shape = {size.n}}, size.p, options);
}

// The least t with (n/p)^t >= p.
int exchanges_of(const Size& size) {
  int t = 0;
  for (Index reach = 1; reach < size.p; reach *= size.n / size.p) ++t;
  return t;
}

TEST(GroupCyclic, schedules_are_valid_for_all_small_powers_of_two) {
  for (const Size& size : sizes(4096, 16))
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        for (const Direction direction : {Direction::forward, Direction::backward}) {
          const auto p = group_cyclic(size, {.exchange = exchange, .placement = placement});
          const bool in_place = placement == Placement::in_place;
          ASSERT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate))
              << size.n << " points on " << size.p << " ranks";
        }
}

TEST(GroupCyclic, schedules_are_valid_where_a_rank_has_two_points) {
  for (const int p : {32, 64, 128}) EXPECT_NO_THROW(validate(group_cyclic({2 * p, p})->schedule(Direction::forward)));
}

TEST(GroupCyclic, starts_and_ends_cyclic_on_every_rank) {
  for (const Size& size : sizes(256, 128)) {
    const auto p = group_cyclic(size);
    EXPECT_EQ(p->layout_in(), Layout({Distribution::cyclic(size.n, size.p)}, size.p));
    EXPECT_EQ(p->layout_out(), p->layout_in());
  }
}

TEST(GroupCyclic, computes_once_more_than_it_exchanges) {
  for (const Size& size : sizes(4096, 64)) {
    const auto p = group_cyclic(size);
    EXPECT_EQ(p->exchanges(), exchanges_of(size)) << size.n << " on " << size.p;
    for (int rank = 0; rank < size.p; ++rank) {
      int computations = 0;
      for (const Task& task : p->rank_schedule(rank, Direction::forward).tasks)
        computations += task.kind == TaskKind::compute ? 1 : 0;
      EXPECT_EQ(computations, exchanges_of(size) + 1) << size.n << " on " << size.p << ", rank " << rank;
    }
  }
}

// The most complex words that any rank sends in each redistribution; messages are told apart by their tags.
std::map<int, Index> words_per_exchange(const Plan& plan) {
  std::map<int, Index> most;
  for (int rank = 0; rank < plan.layout_in().ranks(); ++rank) {
    std::map<int, Index> mine;
    for (const Task& task : plan.rank_schedule(rank, Direction::forward).tasks)
      if (task.kind == TaskKind::send_start) mine[task.tag] += task.elements;
    for (const auto& [tag, words] : mine) most[tag] = std::max(most[tag], words);
  }
  return most;
}

// A redistribution from cycle c0 to c1 keeps c0/c1 of the data. The first one of several keeps nothing, because it
// undoes the reversal of the processor numbers as well.
TEST(GroupCyclic, sends_what_changes_its_owner_and_no_more) {
  for (const Size& size : sizes(4096, 64)) {
    const Index mine = size.n / size.p;
    std::map<int, Index> expected;
    const int t = exchanges_of(size);
    Index cycle = 1;
    for (int exchange = 0; exchange < t; ++exchange) {
      const Index next = std::min<Index>(cycle * mine, size.p);
      expected[exchange] = exchange == 0 && t >= 2 ? mine : mine - mine * cycle / next;
      cycle = next;
    }
    EXPECT_EQ(words_per_exchange(*group_cyclic(size)), expected) << size.n << " points on " << size.p << " ranks";
  }
}

// Not in the first exchange of several, where some ranks keep a block, at various steps, and are one ahead from there.
TEST(GroupCyclic, no_two_ranks_send_to_the_same_one_at_the_same_step) {
  for (const Size& size : sizes(64, 32)) {
    const auto p = group_cyclic(size);
    std::map<std::pair<int, int>, std::vector<int>> receivers;  // of an exchange and step
    for (int rank = 0; rank < size.p; ++rank) {
      std::map<int, int> steps;
      for (const Task& task : p->rank_schedule(rank, Direction::forward).tasks)
        if (task.kind == TaskKind::send_start && (exchanges_of(size) == 1 || task.tag > 0))
          receivers[{task.tag, steps[task.tag]++}].push_back(task.peer);
    }
    for (auto& [step, peers] : receivers) {
      std::sort(peers.begin(), peers.end());
      EXPECT_EQ(std::adjacent_find(peers.begin(), peers.end()), peers.end()) << size.n << " on " << size.p;
    }
  }
}

TEST(GroupCyclic, auto_takes_it_only_where_cyclic_would_leave_ranks_idle) {
  for (const Size& size : sizes(4096, 64)) {
    const bool few = Index{size.p} * size.p <= size.n;
    const auto p = plan({.shape = {size.n}}, size.p);
    EXPECT_EQ(p->options().route == "group-cyclic", !few) << size.n << " points on " << size.p << " ranks";
    EXPECT_EQ(p->exchanges() == 1, few) << size.n << " points on " << size.p << " ranks";
    EXPECT_EQ(p->layout_in().active_ranks(), size.p);
  }
  EXPECT_EQ(plan({.shape = {2}}, 2)->options().route, "local");
  EXPECT_EQ(plan({.shape = {32}}, 12)->options().route, "cyclic") << "12 is no power of two";
}

TEST(GroupCyclic, writes_its_choices_out_and_takes_them_back) {
  const auto p = group_cyclic({32, 8}, {.chunks = 5});
  EXPECT_EQ(p->options().route, "group-cyclic");
  EXPECT_EQ(p->options().grid, Shape{8});
  EXPECT_LE(p->options().chunks, 4) << "a rank has four points";
  EXPECT_EQ(p->options().radices, (std::vector<Index>{4, 4, 2}));
  EXPECT_NE(p->explanation().find("2 exchanges"), std::string::npos) << p->explanation();
  EXPECT_NE(p->explanation().find("cycles 1, 4, 8"), std::string::npos) << p->explanation();
  const auto again = plan({.shape = {32}}, 8, p->options());
  EXPECT_EQ(again->options(), p->options());
  EXPECT_EQ(again->schedule(Direction::forward), p->schedule(Direction::forward));
}

std::string refusal(const Problem& problem, int ranks, PlanOptions options = {}) {
  options.route = "group-cyclic";
  try {
    plan(problem, ranks, options);
    return "no refusal";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(GroupCyclic, says_with_numbers_why_it_does_not_apply) {
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << " does not say " << part;
  };
  says(refusal({.shape = {8, 8}}, 4), "8x8 has 2");
  says(refusal({.shape = {24}}, 4), "not 4 ranks and 24 points");
  says(refusal({.shape = {64}}, 12), "not 12 ranks and 64 points; 8 ranks would do");
  says(refusal({.shape = {16}}, 16), "not 16 ranks and 16 points; 8 ranks would do");
  says(refusal({.shape = {16}}, 1), "not 1 ranks");
  says(refusal({.shape = {32}}, 8, {.radices = {2, 4, 4}}), "its radices 4,4,2, not 2,4,4");
}

TEST(GroupCyclic, one_rank_of_many_is_planned_without_the_others) {
  const auto p = group_cyclic({Index{1} << 24, 1 << 16});
  EXPECT_EQ(p->exchanges(), 2);
  EXPECT_LT(p->rank_schedule(12345, Direction::forward).tasks.size(), 2500u);
}

TEST(BitReversal, is_its_own_inverse_and_that_of_the_book) {
  EXPECT_EQ(bit_reversed(166, 256), 101);
  for (Index n = 1; n <= 64; n *= 2)
    for (Index j = 0; j < n; ++j) EXPECT_EQ(bit_reversed(bit_reversed(j, n), n), j);
}

}  // namespace
}  // namespace kallima
