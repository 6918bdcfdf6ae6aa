#include "kallima/machine.hpp"

#include <gtest/gtest.h>

namespace kallima {
namespace {

std::string error_of(const std::string& text) {
  try {
    machine_from_text(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Machine, text_and_json_say_the_same_as_the_value) {
  const Machine machines[] = {AlphaBeta{2.5, 0.125}, Logp{5, 0, 4},     Logp{1e-6, 2e-7, 1e-8, 64, 1e9},
                              Loggp{5, 1, 4, 0.5},   Bsp{1e9, 4, 2000}, Loggp{.L = 5, .m = 1e10}};
  for (const Machine& machine : machines) {
    EXPECT_EQ(machine_from_text(text(machine)), machine) << text(machine);
    EXPECT_EQ(machine_from_json(to_json(machine)), machine) << to_json(machine);
  }
  EXPECT_EQ(text(Logp{.L = 5, .o = 0, .g = 4}), "logp:L=5,o=0,g=4");
  EXPECT_EQ(text(Logp{.L = 5, .o = 0, .g = 4, .m = 2e10}), "logp:L=5,o=0,g=4,m=20000000000");
  EXPECT_EQ(memory_rate(machine_from_text("bsp:m=3")), 3);
  EXPECT_EQ(memory_rate(machine_from_text("bsp")), 0);
}

TEST(Machine, what_is_not_given_keeps_its_default) {
  EXPECT_EQ(machine_from_text("logp:g=4"), Machine(Logp{.g = 4}));
  EXPECT_EQ(machine_from_text("bsp"), Machine(Bsp{}));
}

TEST(Machine, nodes_and_networks_read_back_the_same) {
  for (const std::string line :
       {"loggp:L=1,o=0,g=0,G=2,word=16/node:ranks=4,cards=2,card=0.5,L=1,o=2,g=3,G=4",
        "loggp:L=1,o=0,g=0,G=2,O=0.5/node:ranks=4,O=0.25", "loggp:L=1,o=0,g=0,G=2/node:ranks=6",
        "loggp:L=1,o=0,g=0,G=2/torus:shape=4x4x8,G=1.5,hop=2,window=4",
        "loggp:L=1,o=0,g=0,G=2/fattree:shape=16x4x2,taper=2x1.5,G=1",
        "loggp:L=1,o=0,g=0,G=2/node:ranks=8,cards=4,card=1/dragonfly:shape=4x16x9,taper=1x2,G=1"}) {
    const Machine machine = machine_from_text(line);
    EXPECT_EQ(text(machine), line);
    EXPECT_EQ(machine_from_json(to_json(machine)), machine) << to_json(machine);
    EXPECT_TRUE(machine.shares_links());
  }
  EXPECT_EQ(machine_from_text("loggp:G=1/torus:shape=4x4x8").topology.nodes(), 128);
}

TEST(Machine, networks_that_cannot_be_are_refused) {
  const auto refused = [](const std::string& network, const std::string& because) {
    EXPECT_NE(error_of("loggp:G=1/" + network).find(because), std::string::npos) << error_of("loggp:G=1/" + network);
  };
  refused("ring:shape=4", "crossbar, fattree, torus or dragonfly");
  refused("torus:G=1", "needs a shape");
  refused("torus:shape=4x0", "whole number from 1");
  refused("torus:shape=4x2.5", "whole number");
  refused("torus:shape=nan", "whole number");
  refused("torus:shape=100000x100000", "2^30");
  refused("torus:shape=4,taper=2", "no taper");
  refused("torus:shape=4,G=-1", "G=-1");
  refused("torus:shape=4,hop=inf", "hop=inf");
  refused("torus:shape=4,window=0", "window=0");
  refused("torus:shape=4/fattree:shape=4x4", "second");
  refused("fattree:shape=4x4,taper=2x2", "at most 1 tapers");
  refused("fattree:shape=4x4,taper=0", "taper of 0");
  refused("dragonfly:shape=4x4", "routers in a group");
  refused("crossbar:shape=4", "no shape");
  refused("node:ranks=2,cards=3", "3 network cards");
  refused("node:ranks=2,card=1", "cards=0");
  refused("node:ranks=0", "ranks=0");
  refused("node:colour=1", "it has ranks");
  refused("node:ranks=2/node:ranks=2", "second");
  EXPECT_NE(error_of("bsp:g=1/torus:shape=4").find("loggp"), std::string::npos);
  EXPECT_NE(error_of("loggp:G=1,word=0").find("word of 0 bytes"), std::string::npos);
  EXPECT_THROW(machine_from_json(R"({"model":"loggp","parameters":{},"topology":{"kind":"torus","shape":"4"}})"),
               Error);
}

TEST(Machine, every_machine_with_a_name_says_where_its_figures_come_from) {
  EXPECT_GE(machine_names().size(), 6u);
  for (const auto& [name, summary] : machine_names()) {
    const Machine machine = machine_from_text(name);
    EXPECT_EQ(machine_from_json(machine_profile(name)), machine);
    EXPECT_EQ(time_unit(machine), "s") << name;
    EXPECT_EQ(machine.word_bytes, 1) << name;
    const std::string json = machine_profile(name), sources = json.substr(json.find("\"sources\""));
    const std::string figures = json.substr(0, json.find("\"sources\""));
    for (const std::string figure : {"r", "m", "G", "topology", "hop"}) {
      const bool given = figures.find("\"" + figure + "\":") != std::string::npos;
      const bool named = sources.find("\"" + figure) != std::string::npos ||
                         sources.find(", " + figure + "\"") != std::string::npos ||
                         sources.find("\"node\"") != std::string::npos || sources.find("\"card\"") != std::string::npos;
      EXPECT_TRUE(!given || named) << name << " has no source for " << figure;
    }
  }
  EXPECT_EQ(machine_from_text("fugaku").topology.nodes(), 158'976);
  EXPECT_EQ(machine_from_text("10gbe/torus:shape=4").topology.nodes(), 4);
  EXPECT_THROW(machine_profile("nowhere"), Error);
}

// A cost that is left out is not nothing, and is named.
TEST(Machine, a_file_that_leaves_costs_out_gets_those_of_an_ordinary_machine) {
  const std::string json = R"({"model":"loggp","word_bytes":1,"parameters":{"G":1e-10,"r":1e9},
    "node":{"ranks":4,"cards":1},"topology":{"kind":"torus","shape":[4,4]}})";
  const Machine machine = machine_from_json(json);
  const auto& model = std::get<Loggp>(machine.model);
  for (const double cost : {model.L, model.o, model.g, model.m, machine.node.L, machine.node.o, machine.node.g,
                            machine.node.G, machine.node.card, machine.topology.G, machine.topology.hop})
    EXPECT_GT(cost, 0);
  EXPECT_EQ(model.G, 1e-10);
  EXPECT_EQ(assumed_costs(json).size(), 11u);
  EXPECT_EQ(assumed_costs(to_json(machine)).size(), 0u) << "all is said";
  EXPECT_EQ(assumed_costs(R"({"model":"logp","parameters":{"L":5}})").size(), 0u) << "time in nodes is the theory's";
  for (const auto& [name, summary] : machine_names()) EXPECT_TRUE(assumed_costs(machine_profile(name)).empty()) << name;
}

TEST(Machine, mistakes_are_named) {
  EXPECT_NE(error_of("logq:L=5").find("alphabeta"), std::string::npos);
  EXPECT_NE(error_of("logp:G=5").find("it has L, o, g, P, r"), std::string::npos);
  EXPECT_NE(error_of("logp:L").find("name=number"), std::string::npos);
  EXPECT_NE(error_of("logp:L=x").find("not a number"), std::string::npos);
  EXPECT_NE(error_of("logp:L=1,L=2").find("twice"), std::string::npos);
  EXPECT_NE(error_of("logp:L=-1").find("L=-1"), std::string::npos);
  EXPECT_NE(error_of("logp:L=inf").find("L=inf"), std::string::npos);
  EXPECT_NE(error_of("bsp:r=0").find("above 0"), std::string::npos);
  EXPECT_NE(error_of("logp:P=2.5").find("2.5"), std::string::npos);
  EXPECT_THROW(machine_from_json("{}"), Error);
  EXPECT_THROW(machine_from_json("nonsense"), Error);
}

TEST(Machine, two_processors_see_what_the_papers_print) {
  const AlphaBeta ab{.alpha = 7, .beta = 0.5};
  EXPECT_EQ(message_cost(ab, 10).flight, 12);
  const Logp logp{.L = 5, .o = 2, .g = 4};
  EXPECT_EQ(message_cost(logp, 3).flight + message_cost(logp, 3).recv_busy, 2 * 2 + 5 + (3 - 1) * 4);
  const Loggp loggp{.L = 5, .o = 2, .g = 4, .G = 0.5};
  EXPECT_EQ(message_cost(loggp, 10).flight, 2 + 10 * 0.5 + 5);
  EXPECT_EQ(message_cost(loggp, 10).send_gap, 5);
  EXPECT_EQ(message_cost(loggp, 2).send_gap, 4);
}

TEST(Machine, capacity_is_the_latency_in_gaps_and_at_least_one) {
  EXPECT_EQ(capacity(Logp{.L = 0, .g = 4}), 1);
  EXPECT_EQ(capacity(Logp{.L = 9, .g = 4}), 3);
  EXPECT_EQ(capacity(Logp{.L = 1e100, .g = 1}), Index{1} << 62);
  EXPECT_EQ(capacity(Logp{.L = 8, .g = 4}), 2);
  EXPECT_EQ(capacity(AlphaBeta{1, 1}), 0);
}

TEST(Machine, the_rate_names_the_unit_of_time) {
  EXPECT_EQ(time_unit(Logp{}), "node");
  EXPECT_EQ(time_unit(Bsp{}), "flop");
  EXPECT_EQ(time_unit(Logp{.r = 1e9}), "s");
}

}  // namespace
}  // namespace kallima
