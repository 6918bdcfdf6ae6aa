// Rounds in which all ranks do the same. How many messages leave a node, a switch or a group, and how far they go along
// each dimension of a torus, is a matter of the relation between a rank and its peer alone: added to it modulo the
// ranks, or combined by exclusive or. Where extents are no powers of two and the relation is exclusive or, a few ranks
// spread over one switch are asked instead of all.

#include <algorithm>
#include <bit>
#include <map>

#include "simulate/prices.hpp"

namespace kallima {
namespace {

constexpr Index most_asked = 64;  // ranks of a switch, where it has no formula

struct SymmetricMessage {
  int task = 0;
  int peer = 0;
  double words = 0;
};

class SymmetricRounds {
 public:
  SymmetricRounds(const Outline& outline, const Machine& machine)
      : outline_(outline), machine_(machine), model_(std::get<Loggp>(machine.model)), links_(machine, outline.ranks) {
    Index below = 1;
    const Topology& t = machine.topology;
    double taper = 1;
    if (t.kind == Topology::Kind::fat_tree || t.kind == Topology::Kind::dragonfly)
      for (std::size_t i = 0; i + 1 < t.shape.size(); ++i) {
        below *= t.shape[i];
        taper *= i < t.taper.size() ? t.taper[i] : 1;
        const double links = static_cast<double>(below * std::max(1, machine.node.cards)) / taper;
        levels_.push_back({below * machine.node.ranks, t.G / links});
      }
    if (t.kind == Topology::Kind::torus)
      for (const Index extent : t.shape) rings_.emplace_back(2 * at(extent), 0.0);
  }

  MessagePrices run() {
    const Script& script = outline_.script(0);
    prices_.number.emplace_back(script.size(), -1);
    std::vector<SymmetricMessage> round;
    for (int id = 0; at(id) < script.size(); ++id) {
      const OutlineTask& task = script[id];
      if (task.kind != TaskKind::send_start) continue;
      round.push_back({id, task.peer, machine_words(outline_, machine_, task.words)});
      if (round.size() == at(machine_.topology.window)) price(round);
    }
    price(round);
    for (int id = 0; at(id) < script.size(); ++id) {
      const OutlineTask& task = script[id];
      std::vector<std::int32_t>& own = prices_.number[0];
      if (task.kind == TaskKind::send_finish && task.match >= 0) own[at(id)] = own[at(task.match)];
      if (task.kind == TaskKind::send_start) own[at(task.match)] = own[at(id)];
    }
    return std::move(prices_);
  }

 private:
  struct SharedLevel {
    Index ranks = 1;  // below a switch
    double time_per_word = 0;
  };

  Index peer_of(Index rank, int peer) const { return outline_.peer_of(static_cast<int>(rank), peer); }

  // How many of `block` neighbouring ranks send to others than themselves; 0 in a block of all ranks.
  double leaving(Index block, int peer) const {
    const Index ranks = outline_.ranks, s = peer;
    if (block >= ranks) return 0;
    if (outline_.peers == Peers::ring) return static_cast<double>(std::min({s, ranks - s, block}));
    if (std::has_single_bit(static_cast<std::uint64_t>(block))) return s >= block ? static_cast<double>(block) : 0;
    const Index first = ranks / block / 2 * block, asked = std::min(block, most_asked);
    Index out = 0;
    for (Index i = 0; i < asked; ++i) {
      const Index rank = first + i * block / asked;
      if (peer_of(rank, peer) / block != first / block) ++out;
    }
    return static_cast<double>(out * block) / static_cast<double>(asked);
  }

  void price(std::vector<SymmetricMessage>& round) {
    double own = 0, inside = 0, card = 0, words = 0;
    std::vector<double> up(levels_.size(), 0);
    for (std::vector<double>& ring : rings_) std::ranges::fill(ring, 0);
    const Index ranks = machine_.node.ranks;
    for (const SymmetricMessage& m : round) {
      words += m.words;
      const double out = leaving(ranks, m.peer);
      (out > 0 ? own : inside) += m.words;
      if (machine_.node.cards > 0) card += m.words * out / machine_.node.cards;
      for (std::size_t i = 0; i < levels_.size(); ++i) up[i] += m.words * leaving(levels_[i].ranks, m.peer);
      if (!rings_.empty() && out > 0) circle(m);
    }
    double longest = std::max({own * model_.G, inside * machine_.node.G, card * machine_.node.card});
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const double share = links_.has_groups() && i + 1 == levels_.size() ? group_share(round) : 1;
      longest = std::max(longest, up[i] * share * levels_[i].time_per_word);
    }
    for (const std::vector<double>& ring : rings_)
      longest = std::max(longest, *std::ranges::max_element(ring) * machine_.topology.G);
    for (const SymmetricMessage& m : round) {
      prices_.number[0][at(m.task)] = static_cast<std::int32_t>(prices_.costs.size());
      const bool same_node = leaving(ranks, m.peer) == 0;
      const int hops = machine_.topology.hop > 0 ? links_.hops(0, static_cast<int>(peer_of(0, m.peer))) : 0;
      prices_.costs.push_back(
          shared_cost(machine_, same_node, m.words, words > 0 ? longest * m.words / words : 0, hops));
    }
    round.clear();
  }

  // Of a message to another group: the mean over those of one group, some of whose ranks are asked.
  double group_share(const std::vector<SymmetricMessage>& round) const {
    const Index block = levels_.back().ranks, asked = std::min(block, most_asked);
    if (block >= outline_.ranks) return 1;
    std::map<Index, double> there;
    double out = 0;
    for (const SymmetricMessage& m : round)
      for (Index i = 0; i < asked; ++i) {
        const Index to = peer_of(i * block / asked, m.peer) / block;
        if (to == 0) continue;
        there[to] += m.words;
        out += m.words;
      }
    double shares = 0;
    for (const auto& [group, words] : there) shares += words * static_cast<double>(links_.group_share({out, words}));
    return out > 0 ? shares / out : 1;
  }

  // Adds what the ring of every dimension has to carry, link by link: first those that go up, then those that go down.
  // All rings of a dimension carry the same, since every place of a ring sends once.
  void circle(const SymmetricMessage& m) {
    Index stride = machine_.node.ranks;
    for (std::size_t d = 0; d < rings_.size(); ++d) {
      const Index extent = machine_.topology.shape[d];
      const std::vector<double>& one = ring_load(d, stride, m.peer);
      const double words = m.words * static_cast<double>(machine_.node.ranks);
      for (std::size_t link = 0; link < one.size(); ++link) rings_[d][link] += one[link] * words;
      stride *= extent;
    }
  }

  // Of one word sent by each place of the ring. Peers at the same distance along it put the same load on it, but for
  // exclusive or with extents that are no powers of two.
  const std::vector<double>& ring_load(std::size_t d, Index stride, int peer) {
    const Index extent = machine_.topology.shape[d];
    const bool exact =
        outline_.peers == Peers::ring || std::has_single_bit(static_cast<std::uint64_t>(stride * extent));
    std::vector<double>& load = ring_loads_[{d, exact ? peer / stride % extent : peer}];
    if (!load.empty()) return load;
    load.assign(2 * at(extent), 0);
    for (Index x = 0; x < extent && x * stride < outline_.ranks; ++x)
      add_ring(load, x, ring_steps(x, peer_of(x * stride, peer) / stride % extent, extent), extent, 1);
    return load;
  }

  static void add_ring(std::vector<double>& ring, Index from, Index steps, Index extent, double words) {
    for (Index i = 0; i < std::abs(steps); ++i)
      ring[at(steps > 0 ? (from + i) % extent : extent + (from - i + extent) % extent)] += words;
  }

  const Outline& outline_;
  const Machine& machine_;
  const Loggp& model_;
  const LinkMap links_;
  std::vector<SharedLevel> levels_;
  std::vector<std::vector<double>> rings_;  // words, by dimension and link
  std::map<std::pair<std::size_t, Index>, std::vector<double>> ring_loads_;
  MessagePrices prices_;
};

}  // namespace

MessagePrices price_one_rank(const Outline& outline, const Machine& machine) {
  return SymmetricRounds(outline, machine).run();
}

}  // namespace kallima
