// Whatever text comes in, as a file's or a command line's, it is refused by an Error or becomes a machine that both of
// its forms give back, and that prices messages of any length at no less than nothing.

#include <cmath>

#include "fuzz/fuzz.hpp"
#include "kallima/machine.hpp"

namespace kallima::fuzz {
namespace {

template <class M>
void check_prices(const M& machine) {
  if constexpr (requires { message_cost(machine, Index{1}); })
    for (const Index words : {Index{0}, Index{1}, Index{1} << 59}) {
      const MessageCost cost = message_cost(machine, words);
      for (const double time :
           {cost.send_busy, cost.send_gap, cost.flight, cost.latency, cost.recv_busy, cost.recv_gap})
        must(time >= 0 && std::isfinite(time), "a price is a number from 0 on");
    }
}

void check_machine(const Machine& machine) {
  must(machine_from_text(text(machine)) == machine, "the text reads back the same");
  must(machine_from_json(to_json(machine)) == machine, "the JSON reads back the same");
  must(flop_rate(machine) > 0 && memory_rate(machine) >= 0, "rates are positive");
  must(capacity(machine) >= 0 && processors(machine) >= 0, "numbers of things are not negative");
  must(!time_unit(machine).empty(), "time has a unit");
  std::visit([](const auto& m) { check_prices(m); }, machine.model);
}

}  // namespace

void check(const std::string& input) {
  Machine machine;
  if (accepted([&] { machine = machine_from_text(input); })) check_machine(machine);
  if (accepted([&] { machine = machine_from_json(input); })) check_machine(machine);
}

std::vector<std::string> seeds() {
  std::vector<std::string> all{
      "logp:L=5,o=0,g=4",
      "loggp:L=6e-6,o=1e-6,g=1e-6,G=1.6e-8,P=64,r=1e9,m=2e10",
      "alphabeta:alpha=1e-5,beta=1e-9,r=1e9",
      "bsp:r=2e9,g=12,l=5000,m=0",
      "loggp:L=1,G=2,word=16/node:ranks=4,cards=2,card=1,L=1,o=1,g=1,G=1/torus:shape=4x4x8,G=1,hop=1,window=4",
      "loggp:G=1/fattree:shape=16x4x2,taper=2x1.5,G=1",
      "loggp:G=1/dragonfly:shape=4x16x9,taper=1x2,G=1"};
  for (const std::string& line : std::vector(all)) all.push_back(to_json(machine_from_text(line)));
  return all;
}

std::vector<std::string> words() {
  return {"logp",
          "loggp",
          "alphabeta",
          "bsp",
          "L",
          "G",
          "P",
          "r",
          "m",
          "alpha",
          "=",
          "nan",
          "inf",
          "1e400",
          "/",
          "node:",
          "torus:",
          "fattree:",
          "dragonfly:",
          "shape=",
          "taper=",
          "4x4",
          "\"topology\"",
          "\"node\"",
          "\"model\"",
          "\"parameters\"",
          "\xff"};
}

}  // namespace kallima::fuzz
