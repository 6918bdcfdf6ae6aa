#include "kallima/forecast.hpp"

#include <gtest/gtest.h>

#include "kallima/simulate.hpp"

namespace kallima {
namespace {

TEST(Forecast, lies_between_the_longer_part_and_both_in_sequence) {
  for (const char* route : {"cyclic", "slab", "pencil"}) {
    const auto p = plan({.shape = {64, 64, 64}}, 4, {.route = route, .exchange = Exchange::messages});
    const Forecast f = forecast(*p, usual_profile(), {.inside = Joined::hosts, .per_node = 1});
    EXPECT_GE(f.seconds, 0.999 * std::max(f.computation_s, f.communication_s)) << route;
    EXPECT_LE(f.seconds, 1.01 * f.in_sequence()) << route;
    EXPECT_GT(f.communication_s, 0) << route;
    EXPECT_FALSE(f.stages.empty()) << route;
  }
}

TEST(Forecast, one_rank_that_stands_for_all_takes_as_long_as_they_do) {
  const auto few = plan({.shape = {64, 64, 64}}, 16, {.route = "cyclic", .exchange = Exchange::messages});
  const auto many = plan({.shape = {64, 64, 128}}, 32, {.route = "cyclic", .exchange = Exchange::messages});
  const ForecastOptions how{.inside = Joined::hosts, .per_node = 1};
  const Forecast f = forecast(*few, usual_profile(), how), m = forecast(*many, usual_profile(), how);
  EXPECT_EQ(f.simulated, "all ranks");
  EXPECT_NE(m.simulated, "all ranks");
  EXPECT_NEAR(m.computation_s / f.computation_s, 1, 0.2) << "as much work for each";
}

TEST(Forecast, corrections_know_rows_of_odd_length) {
  const auto uneven = [](const Problem& problem) { return alike(problem, "pencil", 2, Joined::threads).uneven; };
  EXPECT_FALSE(uneven({.shape = {5, 7, 8}}));
  EXPECT_TRUE(uneven({.shape = {8, 8, 7}}));
  EXPECT_FALSE(uneven({.shape = {8, 8, 6}})) << "every other row begins a cache line";
  EXPECT_FALSE(uneven({.shape = {8, 8, 6}, .data = Data::real_})) << "pairs";
  EXPECT_TRUE(uneven({.shape = {8, 8, 7}, .data = Data::real_}));
  EXPECT_FALSE(uneven({.shape = {8, 8, 7}, .data = Data::real_, .kinds = {Kind::dct2, Kind::dct2, Kind::dct2}}));
}

Forecast on_machine(const std::string& machine, const Shape& shape, int ranks, const char* route) {
  const Profile profile{.machine = machine_from_text(machine)};
  PlanOptions options{.route = route, .chunks = 1};
  if (ranks > profile.machine.node.ranks) options.exchange = Exchange::messages;
  return forecast(*plan({.shape = shape}, ranks, options), profile);
}

TEST(Forecast, twice_the_ranks_of_a_machine_with_a_name_are_at_most_twice_as_fast) {
  for (const auto& [machine, summary] : machine_names()) {
    double before = 0;
    for (const int ranks : {2, 4, 8, 16, 32, 64, 256, 512, 1024}) {
      const double seconds = on_machine(machine, {512, 512, 512}, ranks, "cyclic").seconds;
      EXPECT_LE(before, 1.1 * (ranks == 256 ? 4 : 2) * seconds) << machine << " on " << ranks;
      before = seconds;
    }
  }
}

// From 8,192 ranks of Frontier on tables used to leap.
TEST(Forecast, very_many_ranks_are_simulated_like_many) {
  for (const char* machine : {"frontier", "fugaku"}) {
    const double fewer = on_machine(machine, {4096, 4096, 4096}, 8192, "cyclic").seconds;
    const double more = on_machine(machine, {4096, 4096, 4096}, 16384, "cyclic").seconds;
    EXPECT_LE(fewer, 2 * 1.1 * more) << machine;
  }
}

TEST(Forecast, an_exchange_inside_a_node_takes_time) {
  for (const auto& [machine, summary] : machine_names()) {
    const int ranks = machine_from_text(machine).node.ranks & ~1;
    if (ranks < 2) continue;
    EXPECT_GT(on_machine(machine, {256, 256, 256}, ranks, "cyclic").communication_s, 1e-5) << machine;
  }
}

// Pencils of extents that do not divide evenly: no two ranks do quite the same.
TEST(Forecast, one_rank_that_stands_for_others_is_near_all_of_them) {
  const PlanOptions options{.route = "pencil", .grid = {4, 6, 1}, .exchange = Exchange::messages};
  const Profile profile{.machine = machine_from_text("loggp:L=2e-6,o=1e-6,g=1e-6,G=1.6e-9,r=4e9,m=1e10")};
  const auto p = plan({.shape = {50, 54, 58}}, 24, options);
  const Forecast f = forecast(*p, profile);
  EXPECT_EQ(f.simulated, "one rank");
  EXPECT_NEAR(f.seconds / simulate(outline(p->schedule(Direction::forward)), profile.machine).completion, 1, 0.15);
}

// Even ranks answer what odd ones send.
class Replies : public Plan {
 public:
  explicit Replies(const Layout& layout)
      : Plan(checked({.shape = {16}}), {.exchange = Exchange::messages}, layout, layout, 1, {}) {}
  RankSchedule rank_schedule(int rank, Direction) const override {
    const bool asks = rank % 2 == 1;
    const int first = asks ? 0 : 2, other = 2 - first, peer = rank ^ 1;
    RankSchedule s{.rank = rank, .sizes = {1, 1}, .tasks = std::vector<Task>(4)};
    const auto message = [&](int at, TaskKind start, TaskKind finish, Buffer buffer, std::vector<int> after) {
      s.tasks[at] = {.kind = start, .peer = peer, .tag = 0, .range = {buffer, 0, 1}, .after = after, .elements = 1};
      s.tasks[at + 1] = {.kind = finish, .peer = peer, .tag = 0, .start = at, .elements = 1};
    };
    message(first, TaskKind::send_start, TaskKind::send_finish, Buffer::in,
            asks ? std::vector<int>{} : std::vector{other + 1});
    message(other, TaskKind::recv_start, TaskKind::recv_finish, Buffer::out, {});
    return s;
  }
};

// If one of them stood for all it would wait for its own answer.
TEST(Forecast, ranks_that_cannot_stand_for_others_are_all_simulated) {
  const Candidate it{.plan = std::make_unique<Replies>(Layout::blocks({16}, {16}, 16)), .busy = 16};
  const std::optional<Forecast> f = candidate_forecast(it, it.plan->options(), usual_profile());
  ASSERT_TRUE(f.has_value());
  EXPECT_EQ(f->simulated, "all ranks");
  EXPECT_GT(f->seconds, 0);
}

// One exchange sends half the bytes of two, in more messages.
TEST(Forecast, dear_messages_favour_pencils_and_dear_bytes_the_one_exchange) {
  const auto seconds = [](const char* route, double per_message, double per_byte) {
    Profile profile = usual_profile();
    for (PairRates& pair : profile.pairs) {
      pair.o_send = pair.o_receive = pair.g = {per_message, 0};
      pair.G = {per_byte, 0};
    }
    const PlanOptions options{.route = route, .chunks = 1, .exchange = Exchange::messages};
    Candidate it{.plan = plan({.shape = {64, 64, 64}}, 16, options)};
    return candidate_forecast(it, options, profile)->seconds;
  };
  EXPECT_LT(seconds("pencil", 1e-3, 1e-12), seconds("cyclic", 1e-3, 1e-12));
  EXPECT_GT(seconds("pencil", 1e-7, 1e-7), 1.2 * seconds("cyclic", 1e-7, 1e-7));
}

// Twice as many ranks as cores, each with half of the work.
TEST(Forecast, ranks_that_share_cores_are_no_faster_than_as_many_as_there_are_cores) {
  Profile profile = usual_profile();
  profile.rates.cores = 2;
  const auto seconds = [&](int ranks) {
    const PlanOptions options{.route = "cyclic", .exchange = Exchange::messages, .per_host = ranks};
    return forecast(*plan({.shape = {1 << 16}}, ranks, options), profile, joined_as(options, ranks)).seconds;
  };
  EXPECT_GT(seconds(4), 0.9 * seconds(2));
  profile.rates.cores = 4;
  EXPECT_LT(seconds(4), 0.7 * seconds(2));
}

TEST(Forecast, hosts_of_a_laboratory_share_its_cores) {
  Profile profile = usual_profile();
  profile.rates.cores = 2;
  const PlanOptions options{.route = "cyclic", .exchange = Exchange::messages};
  const auto it = plan({.shape = {1 << 16}}, 4, options);
  const double apart = forecast(*it, profile, joined_as(options, 4)).seconds;
  profile.hosts_share_cores = true;
  EXPECT_GT(forecast(*it, profile, joined_as(options, 4)).seconds, 1.2 * apart);
}

}  // namespace
}  // namespace kallima
