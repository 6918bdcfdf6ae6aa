#include "simulate/links.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima {
namespace {

bool is_tree(const Topology& t) { return t.kind == Topology::Kind::fat_tree || t.kind == Topology::Kind::dragonfly; }

}  // namespace

// Every rank has four links: out and in, to other nodes and inside its own.
LinkMap::LinkMap(const Machine& machine, int ranks)
    : machine_(machine),
      topology_(machine.topology),
      model_(std::get<Loggp>(machine.model)),
      ranks_per_node_(machine.node.ranks),
      ranks_(ranks) {
  const Index nodes = (ranks + ranks_per_node_ - 1) / ranks_per_node_;
  require(topology_.nodes() == 0 || nodes <= topology_.nodes(), "{} ranks need {} nodes but the network of {} has {}",
          ranks, nodes, text(machine), topology_.nodes());
  Index next = Index{4} * ranks;
  first_card_ = static_cast<std::int32_t>(next);
  cards_ = static_cast<std::int32_t>(nodes * machine.node.cards);
  next += Index{2} * cards_;
  if (is_tree(topology_)) {
    double taper = 1;
    Index below = 1;
    for (std::size_t i = 0; i + 1 < topology_.shape.size(); ++i) {
      below *= topology_.shape[i];
      taper *= i < topology_.taper.size() ? topology_.taper[i] : 1;
      const Index switches = (nodes + below - 1) / below;
      const double links = static_cast<double>(below * std::max(1, machine.node.cards)) / taper;
      levels_.push_back(
          {below, static_cast<std::int32_t>(next), static_cast<std::int32_t>(switches), topology_.G / links});
      next += 2 * switches;
    }
    if (has_groups()) {
      group_nodes_ = below;
      used_groups_ = (nodes + below - 1) / below;
    }
  }
  first_torus_ = static_cast<std::int32_t>(next);
  if (topology_.kind == Topology::Kind::torus)
    next += 2 * topology_.nodes() * static_cast<Index>(topology_.shape.size());
  require(next < Index{1} << 31, "the network of {} has too many links to simulate one by one", text(machine));
  count_ = static_cast<std::int32_t>(next);
}

double LinkMap::time_per_word(std::int32_t link) const {
  if (link < 2 * ranks_) return model_.G;
  if (link < first_card_) return machine_.node.G;
  if (link < first_card_ + 2 * cards_) return machine_.node.card;
  if (link >= first_torus_) return topology_.G;
  const auto level = std::ranges::find_if(levels_, [&](const SwitchLevel& l) { return link < l.up + 2 * l.switches; });
  return level->time_per_word;
}

// A detour goes through any third group, and takes from the links of those only that have ranks of ours.
float LinkMap::group_share(const GroupTraffic& traffic) const {
  const double others = static_cast<double>(std::max<Index>(1, topology_.shape[2] - 1));
  const double detours = 1 - std::min(1.0, traffic.out / (others * std::max(traffic.there, 1e-300)));
  const double ours = static_cast<double>(std::max<Index>(0, used_groups_ - 2)) / std::max(1.0, others - 1);
  return static_cast<float>(1 + detours * std::min(1.0, ours));
}

void LinkMap::path(int from, int to, float between, std::vector<Passage>& passages) const {
  if (same_node(from, to)) {
    passages.push_back({2 * ranks_ + from});
    passages.push_back({3 * ranks_ + to});
    return;
  }
  passages.push_back({from});
  passages.push_back({ranks_ + to});
  if (const int cards = machine_.node.cards; cards > 0) {
    const auto card_of = [&](int rank) {
      const Index node = rank / ranks_per_node_, place = rank % ranks_per_node_;
      return static_cast<std::int32_t>(node * cards + place * cards / ranks_per_node_);
    };
    passages.push_back({first_card_ + card_of(from)});
    passages.push_back({first_card_ + cards_ + card_of(to)});
  }
  const Index a = from / ranks_per_node_, b = to / ranks_per_node_;
  if (is_tree(topology_)) climb(a, b, between, passages);
  if (topology_.kind == Topology::Kind::torus) circle(a, b, passages);
}

// Up to the first switch that both are below, and down again.
void LinkMap::climb(Index from, Index to, float between, std::vector<Passage>& passages) const {
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const SwitchLevel& level = levels_[i];
    const Index a = from / level.nodes, b = to / level.nodes;
    if (a == b) return;
    const float share = has_groups() && i + 1 == levels_.size() ? between : 1.0F;
    passages.push_back({level.up + static_cast<std::int32_t>(a), share});
    passages.push_back({level.up + level.switches + static_cast<std::int32_t>(b), share});
  }
}

void LinkMap::circle(Index from, Index to, std::vector<Passage>& passages) const {
  Index stride = 1, at_node = from;
  for (std::size_t d = 0; d < topology_.shape.size(); ++d) {
    const Index extent = topology_.shape[d], goal = to / stride % extent;
    Index x = from / stride % extent;
    const Index steps = ring_steps(x, goal, extent);
    for (Index left = std::abs(steps); left > 0; --left) {
      const Index way = 2 * static_cast<Index>(d) + (steps < 0 ? 1 : 0);
      passages.push_back({first_torus_ + static_cast<std::int32_t>(way * topology_.nodes() + at_node)});
      const Index to_x = (x + (steps < 0 ? extent - 1 : 1)) % extent;
      at_node += (to_x - x) * stride;
      x = to_x;
    }
    stride *= extent;
  }
}

int LinkMap::hops(int from, int to) const {
  const Index a = from / ranks_per_node_, b = to / ranks_per_node_;
  if (a == b) return 0;
  Index all = 0;
  for (const SwitchLevel& level : levels_)
    if (a / level.nodes != b / level.nodes) all += 2;
  if (topology_.kind == Topology::Kind::torus)
    for (Index stride = 1; const Index extent : topology_.shape) {
      all += std::abs(ring_steps(a / stride % extent, b / stride % extent, extent));
      stride *= extent;
    }
  return static_cast<int>(all);
}

}  // namespace kallima
