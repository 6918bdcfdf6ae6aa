// The choice among routes by what they are predicted to take.

#include <gtest/gtest.h>

#include <algorithm>

#include "kallima/forecast.hpp"
#include "kallima/route.hpp"

namespace kallima {
namespace {

const PlanOptions by_messages{.exchange = Exchange::messages}, in_one_go{.chunks = 1, .exchange = Exchange::messages};

// The usual machine with other links between its nodes.
std::shared_ptr<const Profile> with_links(double per_message, double per_byte) {
  auto profile = std::make_shared<Profile>(usual_profile());
  for (PairRates& pair : profile->pairs) {
    pair.o_send = pair.o_receive = pair.g = {per_message, 0};
    pair.G = {per_byte, 0};
  }
  return profile;
}

double seconds_of(const Candidate& c) { return candidate_forecast(c, by_messages, *planning_profile())->seconds; }

struct PlanBy {
  explicit PlanBy(std::shared_ptr<const Profile> profile) { plan_by(std::move(profile)); }
  ~PlanBy() { plan_by(nullptr); }
  PlanBy(const PlanBy&) = delete;
  PlanBy& operator=(const PlanBy&) = delete;
};

TEST(Choice, a_slow_network_changes_it_from_pencils_to_one_exchange) {
  const Problem problem{.shape = {64, 64, 64}};
  {
    const PlanBy messages_are_dear(with_links(1e-4, 1e-12));
    EXPECT_EQ(plan(problem, 16, in_one_go)->options().route, "pencil");
  }
  const PlanBy bytes_are_dear(with_links(1e-7, 1e-7));
  EXPECT_EQ(plan(problem, 16, in_one_go)->options().route, "cyclic");
}

// There and back between the same stages, for nothing.
TEST(Choice, a_route_that_is_slow_on_purpose_is_not_chosen) {
  add_route(
      {"detour", "goes there and back twice", [](const Problem& problem, int ranks, const PlanOptions& options) {
         const auto blocks = [&](Shape grid) { return Layout::blocks(problem.shape, grid, ranks); };
         const Layout first = blocks({ranks, 1, 1}), second = blocks({1, ranks, 1});
         return plan_stages(problem, ranks, options, {{first}, {second}, {first}, {second, {0}}, {first, {1, 2}}});
       }});
  const Problem problem{.shape = {48, 48, 48}};
  const auto chosen = plan(problem, 4, by_messages);
  const std::vector<Candidate> all = candidates(problem, 4, by_messages);
  remove_route("detour");
  ASSERT_EQ(all.back().route, "detour");
  ASSERT_NE(all.back().plan, nullptr) << all.back().reason;
  EXPECT_NE(chosen->options().route, "detour");
  const auto found = std::ranges::find(all, chosen->options().route, &Candidate::route);
  EXPECT_GT(seconds_of(all.back()), seconds_of(*found));
}

TEST(Choice, is_the_fastest_that_keeps_as_many_ranks_busy) {
  for (const Shape& shape : {Shape{64, 64, 64}, Shape{4096}, Shape{60, 48}, Shape{30030}})
    for (const int ranks : {2, 6, 16}) {
      const auto chosen = plan({.shape = shape}, ranks, by_messages);
      const std::vector<Candidate> all = candidates({.shape = shape}, ranks, by_messages);
      const double least = compared_seconds({.shape = shape}, ranks, by_messages).at(chosen->options().route);
      for (const Candidate& c : all)
        if (c.plan && c.busy >= chosen->layout_in().active_ranks()) {
          EXPECT_GE(seconds_of(c), 0.95 * least) << c.route << " on " << ranks;
        }
    }
}

}  // namespace
}  // namespace kallima
