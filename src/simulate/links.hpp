#pragma once
// The links of a machine, and which of them a message takes from one rank to another. A link is whatever messages share
// and pass at so many words per unit of time: a rank's own way out and in, a network card, the links up from and down
// to a switch of a tree taken together, one link of a torus.

#include <span>

#include "kallima/machine.hpp"

namespace kallima {

struct Passage {
  std::int32_t link = 0;
  float share = 1;  // of the message that passes; more than 1 where some of it passes twice
};

// Messages between groups of a dragonfly, by pairs of groups: how many take the same direct links.
struct GroupTraffic {
  double out = 0;    // of the sender's group to other groups
  double there = 0;  // of it, to the receiver's
};

class LinkMap {
 public:
  LinkMap(const Machine& machine, int ranks);  // throws Error where the network has too few nodes

  std::int32_t count() const { return count_; }
  double time_per_word(std::int32_t link) const;  // of the machine

  bool same_node(int a, int b) const { return a / ranks_per_node_ == b / ranks_per_node_; }
  int group(int rank) const { return static_cast<int>(rank / ranks_per_node_ / group_nodes_); }  // of a dragonfly
  bool has_groups() const { return topology_.kind == Topology::Kind::dragonfly; }
  // Some of what finds no room on a pair's own links passes through a third group, whose links out and in it takes,
  // too.
  float group_share(const GroupTraffic& traffic) const;

  // Appends where the message passes; `between` is the share that group_share() gives.
  void path(int from, int to, float between, std::vector<Passage>& passages) const;
  int hops(int from, int to) const;  // links passed between nodes

 private:
  void climb(Index from, Index to, float between, std::vector<Passage>& passages) const;
  void circle(Index from, Index to, std::vector<Passage>& passages) const;

  struct SwitchLevel {
    Index nodes = 1;      // below a switch
    std::int32_t up = 0;  // the first link up; those down follow, as many
    std::int32_t switches = 0;
    double time_per_word = 0;
  };

  const Machine& machine_;
  const Topology& topology_;
  const Loggp& model_;
  Index ranks_per_node_ = 1;
  Index group_nodes_ = 1, used_groups_ = 1;
  std::int32_t ranks_ = 0, cards_ = 0, first_card_ = 0, first_torus_ = 0, count_ = 0;
  std::vector<SwitchLevel> levels_;  // of trees and dragonflies, all but the last, which has no links up
};

// How far, and which way, a ring of `extent` is passed from one place to another: the shorter way, up where both are.
inline Index ring_steps(Index from, Index to, Index extent) {
  const Index up = (to - from + extent) % extent;
  return 2 * up <= extent ? up : up - extent;
}

}  // namespace kallima
