// Messages that share links: what follows from the loads of links alone, and that the ways to count it agree.

#include <gtest/gtest.h>

#include "kallima/collective.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"

namespace kallima {
namespace {

// Everybody sends one block to the rank that stands to it as `peer` says, and nothing else.
Outline round_of(int ranks, int peer, Index words, Peers peers = Peers::ring) {
  Script script;
  const int own = peers == Peers::ring ? (ranks - peer) % ranks : peer;
  script.add({.kind = TaskKind::send_start, .peer = peer, .match = 2, .words = words});
  script.add({.kind = TaskKind::recv_start, .peer = own, .words = words});
  script.add({.kind = TaskKind::recv_finish, .peer = own, .match = 1, .words = words}, {1});
  script.close();
  return {.name = "round", .ranks = ranks, .peers = peers, .scripts = {script}, .stages = {"round"}};
}

double time_of(const Outline& outline, const std::string& machine, Sharing sharing,
               Pricing pricing = Pricing::all_ranks) {
  return simulate(outline, machine_from_text(machine), {.pricing = pricing, .sharing = sharing}).completion;
}

// A round of 10 words, G = 1 everywhere, takes as long as its busiest link.
void expect_round(const std::string& network, int ranks, int peer, double expected, Peers peers = Peers::ring) {
  const std::string machine = "loggp:L=7,G=1/" + network;
  const Outline outline = round_of(ranks, peer, 10, peers);
  const std::string what = network + " peer " + std::to_string(peer);
  EXPECT_NEAR(time_of(outline, machine, Sharing::flows), 7 + expected, 1e-6) << what;
  EXPECT_NEAR(time_of(outline, machine, Sharing::rounds), 7 + expected, 1e-6) << what;
  EXPECT_NEAR(time_of(outline, machine, Sharing::rounds, Pricing::one_rank), 7 + expected, 1e-6) << what;
}

TEST(Sharing, a_round_takes_as_long_as_its_busiest_link) {
  expect_round("torus:shape=8,G=1", 8, 1, 10);
  expect_round("torus:shape=8,G=1", 8, 3, 30);
  expect_round("torus:shape=8,G=1", 8, 5, 30);                       // three the other way round
  expect_round("torus:shape=8,G=1", 8, 4, 40, Peers::exclusive_or);  // all the same way where both are as long
  expect_round("torus:shape=4x4,G=1", 16, 8, 20);                    // two up the second dimension
  expect_round("torus:shape=4x4,G=0.25", 16, 8, 10);                 // its own link is the limit again
  expect_round("fattree:shape=4x4,taper=2,G=1", 16, 1, 10);          // one of four leaves its switch
  expect_round("fattree:shape=4x4,taper=2,G=1", 16, 4, 20);          // all do, over two links
  expect_round("fattree:shape=2x2x4,taper=1x4,G=1", 16, 8, 40);      // the upper level is the thinner
  expect_round("node:ranks=4,cards=1,card=1,L=7,G=1", 16, 4, 40);    // four share a card
  expect_round("node:ranks=4,cards=2,card=1,L=7,G=1", 16, 4, 20);    // two each
  expect_round("node:ranks=4,cards=1,card=1,L=7,G=0.5", 16, 2, 5, Peers::exclusive_or);  // and nobody does inside
}

TEST(Sharing, a_dragonfly_goes_round_where_two_groups_talk_alone) {
  // Four groups of four: three links out of each. All to one other group, a third fits on the direct link; the rest
  // takes two links each, 5/3 of 4 messages over 4 links.
  expect_round("dragonfly:shape=2x2x4,G=1", 16, 4, 10 * 5.0 / 3);
  expect_round("dragonfly:shape=2x2x2,G=1", 8, 4, 10);  // of two groups, one is the direct way
}

TEST(Sharing, flows_on_a_crossbar_are_loggp) {
  const Outline outline = *shared_outline(
      *plan({.shape = {32, 32, 32}}, 8, {.route = "cyclic", .exchange = Exchange::messages}), Direction::forward);
  for (const std::string machine : {"loggp:L=3,G=1", "loggp:L=0,o=2,g=1,G=0.1", "loggp:L=900,G=0.5,r=1"})
    EXPECT_NEAR(time_of(outline, machine, Sharing::flows) / time_of(outline, machine, Sharing::rounds), 1, 0.02)
        << machine;
}

TEST(Sharing, rounds_come_near_flows_and_one_rank_near_all) {
  for (const int ranks : {16, 64})
    for (const std::string network :
         {"torus:shape=4x4x4,G=1", "torus:shape=8x8,G=1", "fattree:shape=8x8,taper=2,G=1",
          "dragonfly:shape=2x4x8,taper=1x2,G=1", "node:ranks=4,cards=1,card=1,G=0.1/torus:shape=4x4,G=0.5"}) {
      const auto route = plan({.shape = {64, 64, 64}}, ranks, {.route = "cyclic", .exchange = Exchange::messages});
      const Outline outline = *shared_outline(*route, Direction::forward);
      const std::string machine = "loggp:L=10,G=1/" + network;
      const double flows = time_of(outline, machine, Sharing::flows);
      EXPECT_NEAR(time_of(outline, machine, Sharing::rounds) / flows, 1, 0.03) << machine << " " << ranks;
      EXPECT_NEAR(time_of(outline, machine, Sharing::rounds, Pricing::one_rank) / flows, 1, 0.03)
          << machine << " " << ranks;
    }
}

TEST(Sharing, no_link_carries_more_than_it_can) {
  // All to all on a ring of 16: every link has 16 * 16/8 blocks to carry, whatever is under way at once.
  const Outline all_to_all =
      outline(collective_schedule({.name = "alltoall-direct", .ranks = 16, .words = 160, .exchange = Exchange::messages}));
  double last = 1e300;
  for (const int window : {1, 2, 4, 15}) {
    const std::string machine = "loggp:G=1/torus:shape=16,G=1,window=" + std::to_string(window);
    const double flows = time_of(all_to_all, machine, Sharing::flows);
    EXPECT_GE(flows, 10 * 16 * 16 / 8) << window;
    EXPECT_LE(flows, last * 1.001) << window;
    last = flows;
  }
  EXPECT_LE(last, 1.2 * 10 * 16 * 16 / 8);  // enough under way to keep all links busy nearly all the time
}

TEST(Sharing, what_does_not_fit_is_refused) {
  const Outline outline = round_of(16, 1, 10);
  EXPECT_THROW(time_of(outline, "loggp:G=1/torus:shape=2x4", Sharing::rounds), Error);
  EXPECT_THROW(time_of(outline, "loggp:G=1/torus:shape=16", Sharing::flows, Pricing::one_rank), Error);
  EXPECT_THROW(time_of(outline, "logp:g=1", Sharing::flows), Error);
}

}  // namespace
}  // namespace kallima
