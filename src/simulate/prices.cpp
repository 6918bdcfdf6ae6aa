// Rounds of all ranks, message by message: the loads of all links of a round, and from them the time of each message.

#include "simulate/prices.hpp"

#include <algorithm>
#include <map>

#include "base/check.hpp"

namespace kallima {

MessageCost shared_cost(const Machine& machine, bool same_node, double words, double occupied, int hops) {
  const Loggp& wide = std::get<Loggp>(machine.model);
  const NodeLevel& node = machine.node;
  const double L = same_node ? node.L : wide.L + hops * machine.topology.hop;
  const double o = same_node ? node.o : wide.o, g = same_node ? node.g : wide.g;
  const double alone = words * (same_node ? node.G : wide.G), copying = words * overhead_per_word(machine, same_node);
  return {.send_busy = o + copying,
          .send_gap = std::max(g, occupied),
          .flight = o + std::max(occupied, copying) + L,
          .latency = L,
          .recv_busy = o + copying,
          .recv_gap = std::max(g, alone)};
}

double overhead_per_word(const Machine& machine, bool same_node) {
  return same_node ? machine.node.O : std::get<Loggp>(machine.model).O;
}

namespace {

class RoundLoads {
 public:
  RoundLoads(const Outline& outline, const Machine& machine)
      : outline_(outline), machine_(machine), links_(machine, outline.ranks), load_(at(links_.count()), 0) {
    for (int rank = 0; rank < outline.ranks; ++rank) {
      const Script& script = outline.script(rank);
      prices_.number.emplace_back(script.size(), -1);
      std::vector<int>& sends = sends_.emplace_back();
      for (int task = 0; at(task) < script.size(); ++task)
        if (script[task].kind == TaskKind::send_start) sends.push_back(task);
      rounds_ = std::max(rounds_, (sends.size() + window() - 1) / window());
    }
  }

  MessagePrices run() {
    for (std::size_t round = 0; round < rounds_; ++round) {
      for_round(round, [&](int rank, int to, double words, int) { count_groups(rank, to, words); });
      for_round(round, [&](int rank, int to, double words, int) { add(rank, to, words); });
      price(round);
      for (const std::int32_t link : used_) load_[at(link)] = 0;
      used_.clear();
      between_.clear();
      out_.clear();
    }
    for (int rank = 0; rank < outline_.ranks; ++rank) tell_receivers(rank);
    return std::move(prices_);
  }

 private:
  std::size_t window() const { return at(machine_.topology.window); }

  void for_rank(std::size_t round, int rank, const auto& visit) {
    const std::vector<int>& sends = sends_[at(rank)];
    for (std::size_t i = round * window(); i < std::min(sends.size(), (round + 1) * window()); ++i) {
      const OutlineTask& task = outline_.script(rank)[sends[i]];
      visit(rank, outline_.peer_of(rank, task.peer), machine_words(outline_, machine_, task.words), sends[i]);
    }
  }
  void for_round(std::size_t round, const auto& visit) {
    for (int rank = 0; rank < outline_.ranks; ++rank) for_rank(round, rank, visit);
  }

  void count_groups(int from, int to, double words) {
    if (!links_.has_groups() || links_.group(from) == links_.group(to)) return;
    between_[{links_.group(from), links_.group(to)}] += words;
    out_[links_.group(from)] += words;
  }

  std::span<const Passage> path(int from, int to) {
    passages_.clear();
    float between = 1;
    if (links_.has_groups() && links_.group(from) != links_.group(to))
      between = links_.group_share({out_[links_.group(from)], between_[{links_.group(from), links_.group(to)}]});
    links_.path(from, to, between, passages_);
    return passages_;
  }

  void add(int from, int to, double words) {
    for (const Passage& p : path(from, to)) {
      double& load = load_[at(p.link)];
      if (load == 0) used_.push_back(p.link);
      load += words * static_cast<double>(p.share);
    }
  }

  // The messages of a window share what the busiest link of any of them takes.
  void price(std::size_t round) {
    for (int rank = 0; rank < outline_.ranks; ++rank) {
      double longest = 0, all = 0;
      for_rank(round, rank, [&](int from, int to, double words, int) {
        all += words;
        for (const Passage& p : path(from, to))
          longest = std::max(longest, load_[at(p.link)] * links_.time_per_word(p.link));
      });
      for_rank(round, rank, [&](int from, int to, double words, int task) {
        prices_.number[at(rank)][at(task)] = static_cast<std::int32_t>(prices_.costs.size());
        const double occupied = all > 0 ? longest * words / all : 0;
        prices_.costs.push_back(
            shared_cost(machine_, links_.same_node(from, to), words, occupied, links_.hops(from, to)));
      });
    }
  }

  // A finish costs what its start does; a message the same at both ends.
  void tell_receivers(int rank) {
    const Script& script = outline_.script(rank);
    for (int id = 0; at(id) < script.size(); ++id) {
      const OutlineTask& task = script[id];
      std::vector<std::int32_t>& own = prices_.number[at(rank)];
      if (task.kind == TaskKind::send_finish && task.match >= 0) own[at(id)] = own[at(task.match)];
      if (task.kind == TaskKind::send_start)
        prices_.number[at(outline_.peer_of(rank, task.peer))][at(task.match)] = own[at(id)];
    }
  }

  const Outline& outline_;
  const Machine& machine_;
  LinkMap links_;
  std::vector<double> load_;  // words, by link
  std::vector<std::int32_t> used_;
  std::map<std::pair<int, int>, double> between_;  // words from group to group
  std::map<int, double> out_;                      // and from a group to others
  std::vector<std::vector<int>> sends_;            // by rank
  std::size_t rounds_ = 0;
  std::vector<Passage> passages_;
  MessagePrices prices_;
};

}  // namespace

MessagePrices price_all_ranks(const Outline& outline, const Machine& machine) {
  return RoundLoads(outline, machine).run();
}

}  // namespace kallima
