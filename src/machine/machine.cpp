// Machines as values: for each model a name, a source and a list of named numbers, from which text, JSON and help are
// made, and the few questions all models answer. In BSP supersteps have prices, not messages (simulate/supersteps.cpp).

#include "kallima/machine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/check.hpp"
#include "base/text.hpp"
#include "machine/assumed.hpp"
#include "machine/network.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;
using Members = std::vector<std::pair<std::string, double>>;

template <class M>
struct Field {
  std::string_view key;
  std::string_view meaning;
  std::variant<double M::*, int M::*> member;
};

template <class M, std::size_t count>
struct Model {
  std::string_view name;
  std::string_view source;
  std::array<Field<M>, count> fields;
};

constexpr std::string_view latency = "upper bound of the latency, time";
constexpr std::string_view overhead = "overhead of sending and of receiving, time";
constexpr std::string_view gap = "gap between sends and between receives, time";
constexpr std::string_view procs = "processors; 0: any number";
constexpr std::string_view rate = "floating point operations per unit of time";
constexpr std::string_view memory = "bytes through memory per unit of time; 0: memory costs nothing";

template <class M>
constexpr int model = 0;  // none, but for these

template <>
constexpr Model<AlphaBeta, 4> model<AlphaBeta>{"alphabeta",
                                               "Solomonik, Distributed-memory models and algorithms, 2015",
                                               {{{"alpha", "time per message", &AlphaBeta::alpha},
                                                 {"beta", "time per word", &AlphaBeta::beta},
                                                 {"r", rate, &AlphaBeta::r},
                                                 {"m", memory, &AlphaBeta::m}}}};
template <>
constexpr Model<Logp, 6> model<Logp>{"logp",
                                     "Culler et al., LogP: towards a realistic model of parallel computation, 1993",
                                     {{{"L", latency, &Logp::L},
                                       {"o", overhead, &Logp::o},
                                       {"g", gap, &Logp::g},
                                       {"P", procs, &Logp::P},
                                       {"r", rate, &Logp::r},
                                       {"m", memory, &Logp::m}}}};
template <>
constexpr Model<Loggp, 8> model<Loggp>{
    "loggp",
    "Alexandrov et al., LogGP: incorporating long messages into the LogP model, 1995",
    {{{"L", latency, &Loggp::L},
      {"o", overhead, &Loggp::o},
      {"g", gap, &Loggp::g},
      {"G", "gap per word of a long message, time", &Loggp::G},
      {"O", "overhead per word, of sending and of receiving, time", &Loggp::O},
      {"P", procs, &Loggp::P},
      {"r", rate, &Loggp::r},
      {"m", memory, &Loggp::m}}}};
template <>
constexpr Model<Bsp, 4> model<Bsp>{"bsp",
                                   "Valiant, A bridging model for parallel computation, 1990; units as in Bisseling, "
                                   "Parallel Scientific Computation",
                                   {{{"r", rate, &Bsp::r},
                                     {"g", "operations per real word sent or received", &Bsp::g},
                                     {"l", "operations per synchronisation", &Bsp::l},
                                     {"m", memory, &Bsp::m}}}};

template <class M>
double get(const M& machine, const Field<M>& field) {
  return std::visit([&](auto member) { return static_cast<double>(machine.*member); }, field.member);
}

template <class M>
void set(M& machine, const Field<M>& field, double value) {
  require(value >= 0 && value <= largest_number,
          "{}={} makes no sense for a {} machine ({}): use a number from 0 to 1e100", field.key, value, model<M>.name,
          field.meaning);
  require(field.key != "r" || value > 0, "r=0 makes no sense for a {} machine ({}): use a number above 0",
          model<M>.name, field.meaning);
  if (const auto* const integer = std::get_if<int M::*>(&field.member)) {
    require(value == std::floor(value) && value <= 1 << 30, "{}={} is not a number of processors (up to 2^30)",
            field.key, value);
    machine.** integer = static_cast<int>(value);
  } else {
    machine.*std::get<double M::*>(field.member) = value;
  }
}

template <class M>
std::string keys() {
  return fmt::format("{}", fmt::join(model<M>.fields | std::views::transform(&Field<M>::key), ", "));
}

template <class M>
Machine build(const Members& members) {
  M machine;
  for (const auto& [key, value] : members) {
    const auto field = std::ranges::find(model<M>.fields, key, &Field<M>::key);
    require(field != model<M>.fields.end(), "a {} machine has no '{}': it has {}", model<M>.name, key, keys<M>());
    set(machine, *field, value);
  }
  return machine;
}

Machine build_named(const std::string& name, const Members& members) {
  if (name == model<AlphaBeta>.name) return build<AlphaBeta>(members);
  if (name == model<Logp>.name) return build<Logp>(members);
  if (name == model<Loggp>.name) return build<Loggp>(members);
  if (name == model<Bsp>.name) return build<Bsp>(members);
  fail(
      "there is no machine model '{}': use alphabeta ({}), logp ({}), loggp ({}) or bsp ({}), or the name of a machine "
      "(kallima machines)",
      name, keys<AlphaBeta>(), keys<Logp>(), keys<Loggp>(), keys<Bsp>());
}

// Both processors have the same to do.
MessageCost with_overhead(double o, double g, double flight, double L) {
  return {.send_busy = o, .send_gap = g, .flight = flight, .latency = L, .recv_busy = o, .recv_gap = g};
}

Index checked_word(double bytes) {
  require(bytes >= 1 && bytes <= 1 << 20 && bytes == std::floor(bytes),
          "a word of {} bytes makes no sense: use a whole number from 1 to 2^20", bytes);
  return static_cast<Index>(bytes);
}

auto asked(const Machine& machine, const auto& question) { return std::visit(question, machine.model); }

}  // namespace

Machine machine_from_text(const std::string& text) {
  std::vector<std::string> parts = split(text, '/');
  if (is_machine_name(parts[0])) {
    Machine known = machine_from_json(machine_profile(parts[0]));
    for (std::size_t i = 1; i < parts.size(); ++i) add_network_text(known, parts[i]);
    check_network(known);
    return known;
  }
  const auto [name, given] = named_numbers(parts[0], text);
  Members members;
  Index word_bytes = 0;
  for (const auto& [key, digits] : given) {
    const std::optional<double> value = number_in<double>(digits);
    require(value.has_value(), "'{}' is not a number (for {})", digits, key);
    if (key == "word")
      word_bytes = checked_word(*value);
    else
      members.emplace_back(key, *value);
  }
  Machine machine = build_named(name, members);
  machine.word_bytes = word_bytes;
  parts.erase(parts.begin());
  for (const std::string& part : parts) add_network_text(machine, part);
  check_network(machine);
  return machine;
}

Machine machine_from_json(const std::string& json) {
  try {
    Json all = Json::parse(json);
    assume_costs(all);
    Members members;
    for (const auto& [key, value] : all.at("parameters").items()) members.emplace_back(key, value.get<double>());
    Machine machine = build_named(all.at("model").get<std::string>(), members);
    if (all.contains("word_bytes")) machine.word_bytes = checked_word(all["word_bytes"].get<double>());
    add_network_json(machine, all);
    check_network(machine);
    return machine;
  } catch (const Json::exception& error) {
    fail("this is not a machine: {}", error.what());
  }
}

std::string to_json(const Machine& machine) {
  return asked(machine, [&]<class M>(const M& m) {
    Json all{{"model", model<M>.name}, {"source", model<M>.source}, {"unit of time", time_unit(machine)}};
    for (const Field<M>& field : model<M>.fields) all["parameters"][std::string(field.key)] = get(m, field);
    for (const Field<M>& field : model<M>.fields) all["meaning"][std::string(field.key)] = field.meaning;
    if (machine.word_bytes > 0) all["word_bytes"] = machine.word_bytes;
    all.update(network_json(machine));
    return all.dump(2) + "\n";
  });
}

std::string text(const Machine& machine) {
  return asked(machine, [&]<class M>(const M& m) {
    std::string all;
    static const M standard{};
    for (const Field<M>& field : model<M>.fields) {
      const bool silent = get(m, field) == get(standard, field) &&
                          (field.key == "P" || field.key == "r" || field.key == "m" || field.key == "O");
      if (!silent) all += fmt::format("{}{}={}", all.empty() ? "" : ",", field.key, get(m, field));
    }
    if (machine.word_bytes > 0) all += fmt::format("{}word={}", all.empty() ? "" : ",", machine.word_bytes);
    return fmt::format("{}:{}{}", model<M>.name, all, network_text(machine));
  });
}

// The sender waits for a message. The receiver's link is taken as long; its processor is not, or an exchange between
// two ranks could not be one step.
MessageCost message_cost(const AlphaBeta& machine, Index words) {
  const double time = machine.alpha + static_cast<double>(words) * machine.beta;
  return {.send_busy = time, .send_gap = time, .flight = time, .recv_gap = time};
}

// A message of several words is a train of them, so that two processors see 2 o + L + (s - 1) g.
MessageCost message_cost(const Logp& machine, Index words) {
  const double train = static_cast<double>(std::max<Index>(words, 1));
  return with_overhead(machine.o, train * machine.g, machine.o + machine.L + (train - 1) * machine.g, machine.L);
}

// The next message may start when the last word has left, the message is in the inbox a latency after that. Every word
// costs G (Alexandrov et al.: all but the first), so that blocks sent back to back arrive G per word apart. They leave
// while the sender copies others.
MessageCost message_cost(const Loggp& machine, Index words) {
  const double transfer = static_cast<double>(words) * machine.G, copying = static_cast<double>(words) * machine.O;
  const double flight = machine.o + std::max(transfer, copying) + machine.L;
  return with_overhead(machine.o + copying, std::max(machine.g, transfer), flight, machine.L);
}

// Only LogP and LogGP have a latency, a gap and a number of processors.
Index capacity(const Machine& machine) {
  return asked(machine, []<class M>(const M& m) -> Index {
    if constexpr (requires { m.L; })
      return m.g > 0 ? static_cast<Index>(std::clamp(std::ceil(m.L / m.g), 1.0, 0x1p62)) : 0;
    return 0;
  });
}

int processors(const Machine& machine) {
  return asked(machine, []<class M>(const M& m) {
    if constexpr (requires { m.P; }) return m.P;
    return 0;
  });
}

double flop_rate(const Machine& machine) {
  return asked(machine, [](const auto& m) { return m.r; });
}

double memory_rate(const Machine& machine) {
  return asked(machine, [](const auto& m) { return m.m; });
}

std::string time_unit(const Machine& machine) {
  const double r = flop_rate(machine);
  return r == flops_per_node ? "node" : r == 1 ? "flop" : "s";
}

}  // namespace kallima
