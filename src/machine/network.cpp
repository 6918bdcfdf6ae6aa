// Nodes and networks in text and JSON. Each has a list of named values, as the models have; whatever comes in is
// refused unless a simulation can work with it: positive extents, few enough nodes to number, times that add up.

#include "machine/network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.hpp"
#include "base/text.hpp"

namespace kallima {
namespace {

using Json = nlohmann::ordered_json;
constexpr Index most_nodes = Index{1} << 30;
constexpr std::array kinds{Topology::Kind::crossbar, Topology::Kind::fat_tree, Topology::Kind::torus,
                           Topology::Kind::dragonfly};

std::string kind_name(Topology::Kind kind) { return word_for(kind, {"crossbar", "fattree", "torus", "dragonfly"}); }

double checked_time(const std::string& key, double value) {
  require(value >= 0 && value <= largest_number, "{}={} makes no sense (a time): use a number from 0 to 1e100", key,
          value);
  return value;
}

Index checked_count(const std::string& key, double value, Index least = 1) {
  require(value >= static_cast<double>(least) && value <= most_nodes && value == std::floor(value),
          "{}={} makes no sense: use a whole number from {} to 2^30", key, value, least);
  return static_cast<Index>(value);
}

double checked_taper(double value) {
  require(value >= 1e-6 && value <= 1e6, "a taper of {} makes no sense: use a number from 1e-6 to 1e6", value);
  return value;
}

void set_node(NodeLevel& node, const std::string& key, double value) {
  if (key == "ranks")
    node.ranks = static_cast<int>(checked_count(key, value));
  else if (key == "cards")
    node.cards = static_cast<int>(checked_count(key, value, 0));
  else if (key == "card")
    node.card = checked_time(key, value);
  else if (key == "L")
    node.L = checked_time(key, value);
  else if (key == "o")
    node.o = checked_time(key, value);
  else if (key == "g")
    node.g = checked_time(key, value);
  else if (key == "G")
    node.G = checked_time(key, value);
  else if (key == "O")
    node.O = checked_time(key, value);
  else
    fail("a node has no '{}': it has ranks, cards, card, L, o, g, G, O", key);
}

void set_bus(Bus& bus, const std::string& key, double value) {
  require(key == "up" || key == "down", "a bus has no '{}': it has up and down", key);
  (key == "up" ? bus.up : bus.down) = checked_time(key, value);
}

void set_topology(Topology& topology, const std::string& key, const std::vector<double>& values) {
  require(!values.empty() && values.size() <= 16, "{} has {} values: use 1 to 16", key, values.size());
  if (key == "shape") {
    topology.shape.clear();
    for (const double value : values) topology.shape.push_back(checked_count("an extent of the shape", value));
    return;
  }
  if (key == "taper") {
    topology.taper.clear();
    for (const double value : values) topology.taper.push_back(checked_taper(value));
    return;
  }
  require(values.size() == 1, "{} of a {} is one number, not {}", key, kind_name(topology.kind), values.size());
  if (key == "G")
    topology.G = checked_time(key, values[0]);
  else if (key == "hop")
    topology.hop = checked_time(key, values[0]);
  else if (key == "window")
    topology.window = static_cast<int>(checked_count(key, values[0]));
  else
    fail("a {} has no '{}': it has shape, taper, G, hop, window", kind_name(topology.kind), key);
}

Topology::Kind kind_named(const std::string& name) {
  for (const Topology::Kind kind : kinds)
    if (name == kind_name(kind)) return kind;
  fail(
      "there is no network '{}': use crossbar, fattree, torus or dragonfly (and node for what its nodes are, bus for "
      "devices)",
      name);
}

std::vector<double> numbers_in(const std::string& key, const std::string& digits) {  // 4x4x2
  std::vector<double> all;
  for (const std::string& one : split(digits, 'x')) {
    const std::optional<double> value = number_in<double>(one);
    require(value.has_value(), "'{}' is not a number (for {})", one, key);
    all.push_back(*value);
  }
  return all;
}

std::string pieces(const auto& values) { return fmt::format("{}", fmt::join(values, "x")); }

void check_shape(const Topology& t) {
  const std::string name = kind_name(t.kind);
  if (t.kind == Topology::Kind::crossbar)
    require(t.shape.empty() && t.taper.empty(), "a crossbar joins any number of nodes: it has no shape and no taper");
  else
    require(!t.shape.empty(), "a {} needs a shape, such as {}:shape=4x4x4", name, name);
  require(t.kind != Topology::Kind::dragonfly || t.shape.size() == 3,
          "a dragonfly's shape is nodes at a router x routers in a group x groups, not {}", pieces(t.shape));
  require(t.kind != Topology::Kind::torus || t.taper.empty(), "the links of a torus are all alike: it has no taper");
  require(t.taper.empty() || t.taper.size() < t.shape.size(), "a {} of {} levels has at most {} tapers, not {}", name,
          t.shape.size(), t.shape.size() - 1, t.taper.size());
  Index nodes = 1;
  for (const Index extent : t.shape) {
    require(extent <= most_nodes / nodes, "a {} of {} has more than 2^30 nodes", name, pieces(t.shape));
    nodes *= extent;
  }
}

std::vector<Index> primes_of(Index n) {  // the largest first
  std::vector<Index> primes;
  for (Index p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p) primes.push_back(p);
  if (n > 1) primes.push_back(n);
  std::ranges::reverse(primes);
  return primes;
}

// Extents that multiply to so many nodes, each prime put where the extent is smallest; nothing where one has no place.
std::vector<Index> torus_of(const std::vector<Index>& whole, Index nodes) {
  std::vector<Index> part(whole.size(), 1);
  for (const Index prime : primes_of(nodes)) {
    Index* smallest = nullptr;
    for (std::size_t k = 0; k < part.size(); ++k)
      if (part[k] * prime <= whole[k] && (smallest == nullptr || part[k] < *smallest)) smallest = &part[k];
    if (smallest == nullptr) return {};
    *smallest *= prime;
  }
  return part;
}

}  // namespace

// Where nothing multiplies to exactly as many, a few nodes more do.
Topology part_for(const Topology& whole, Index nodes) {
  Topology part = whole;
  if (whole.kind != Topology::Kind::torus) return part;
  for (Index more = nodes; more < whole.nodes(); ++more) {
    const std::vector<Index> shape = torus_of(whole.shape, more);
    if (shape.empty()) continue;
    part.shape = shape;
    return part;
  }
  return part;
}

Index Topology::nodes() const {
  if (shape.empty()) return 0;
  Index all = 1;
  for (const Index extent : shape) all *= extent;
  return all;
}

NamedNumbers named_numbers(const std::string& part, const std::string& whole) {
  const std::size_t colon = std::min(part.find(':'), part.size());
  NamedNumbers all{part.substr(0, colon), {}};
  for (const std::string& item : split(part.substr(std::min(colon + 1, part.size())), ',')) {
    if (item.empty()) continue;
    const std::size_t equals = item.find('=');
    require(equals != std::string::npos && equals > 0, "'{}' in machine '{}' is not of the form name=number", item,
            whole);
    const std::string key = item.substr(0, equals);
    for (const auto& [known, value] : all.second) require(known != key, "machine '{}' gives {} twice", whole, key);
    all.second.emplace_back(key, item.substr(equals + 1));
  }
  return all;
}

void add_network_text(Machine& machine, const std::string& part) {
  const auto [name, given] = named_numbers(part, part);
  if (name == "node" || name == "bus") {
    require(name == "bus" || machine.node == NodeLevel{}, "a machine has one kind of nodes: '{}' is a second", part);
    require(name == "node" || machine.bus == Bus{}, "a machine has one bus: '{}' is a second", part);
    for (const auto& [key, digits] : given) {
      const std::optional<double> value = number_in<double>(digits);
      require(value.has_value(), "'{}' is not a number (for {})", digits, key);
      name == "node" ? set_node(machine.node, key, *value) : set_bus(machine.bus, key, *value);
    }
    return;
  }
  require(machine.topology == Topology{}, "a machine has one network: '{}' is a second", part);
  machine.topology.kind = kind_named(name);
  for (const auto& [key, digits] : given) set_topology(machine.topology, key, numbers_in(key, digits));
}

void add_network_json(Machine& machine, const Json& all) {
  if (all.contains("node"))
    for (const auto& [key, value] : all["node"].items()) set_node(machine.node, key, value.get<double>());
  if (all.contains("bus"))
    for (const auto& [key, value] : all["bus"].items()) set_bus(machine.bus, key, value.get<double>());
  if (!all.contains("topology")) return;
  Topology& topology = machine.topology;
  topology.kind = kind_named(all["topology"].at("kind").get<std::string>());
  for (const auto& [key, value] : all["topology"].items()) {
    if (key == "kind") continue;
    set_topology(topology, key, value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()});
  }
}

void check_network(const Machine& machine) {
  const NodeLevel& node = machine.node;
  check_shape(machine.topology);
  require(node.cards <= node.ranks, "a node of {} ranks cannot use {} network cards: use at most one for each",
          node.ranks, node.cards);
  require(node.card == 0 || node.cards > 0,
          "card={} is the time per word of a card, but cards=0: say how many there are", node.card);
  require(machine.bus == Bus{} || !std::holds_alternative<Bsp>(machine.model),
          "a bus works beside the processor, which supersteps know nothing of: use another model than bsp");
  const bool plain = node == NodeLevel{} && machine.topology == Topology{};
  require(plain || machine.bus == Bus{}, "a machine has shared links or a bus, not both: leave one out");
  require(plain || std::holds_alternative<Loggp>(machine.model),
          "nodes and networks go with the model loggp only (they share the time of long messages): use "
          "loggp:L=,o=,g=,G=");
}

Machine machine_with(Machine machine, const std::string& part) {
  add_network_text(machine, part);
  check_network(machine);
  return machine;
}

std::string network_text(const Machine& machine) {
  std::string all;
  const auto add = [&all](const char* key, const auto& value, const auto& standard) {
    if (value != standard) all += fmt::format("{}{}={}", all.ends_with(':') ? "" : ",", key, value);
  };
  const NodeLevel& node = machine.node;
  if (node != NodeLevel{}) {
    all += "/node:";
    add("ranks", node.ranks, 1);
    add("cards", node.cards, 0);
    add("card", node.card, 0.0);
    add("L", node.L, 0.0);
    add("o", node.o, 0.0);
    add("g", node.g, 0.0);
    add("G", node.G, 0.0);
    add("O", node.O, 0.0);
  }
  if (machine.bus != Bus{}) {
    all += "/bus:";
    add("up", machine.bus.up, 0.0);
    add("down", machine.bus.down, 0.0);
  }
  const Topology& t = machine.topology;
  if (t == Topology{}) return all;
  all += "/" + kind_name(t.kind) + ":";
  add("shape", pieces(t.shape), std::string());
  add("taper", pieces(t.taper), std::string());
  add("G", t.G, 0.0);
  add("hop", t.hop, 0.0);
  add("window", t.window, 1);
  return all;
}

Json network_json(const Machine& machine) {
  Json all = Json::object();
  const NodeLevel& node = machine.node;
  if (node != NodeLevel{})
    all["node"] = {{"ranks", node.ranks}, {"cards", node.cards}, {"card", node.card}, {"L", node.L},
                   {"o", node.o},         {"g", node.g},         {"G", node.G},       {"O", node.O}};
  if (machine.bus != Bus{}) all["bus"] = {{"up", machine.bus.up}, {"down", machine.bus.down}};
  const Topology& t = machine.topology;
  if (t == Topology{}) return all;
  all["topology"] = {{"kind", kind_name(t.kind)}, {"G", t.G}, {"hop", t.hop}, {"window", t.window}};
  if (!t.shape.empty()) all["topology"]["shape"] = t.shape;
  if (!t.taper.empty()) all["topology"]["taper"] = t.taper;
  return all;
}

}  // namespace kallima
