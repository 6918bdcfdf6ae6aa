#pragma once
// The n-input butterfly at the grain of single nodes, and the ways to schedule it on P processors that Sahay compares
// (Hiding communication costs in bandwidth-limited parallel FFT computation, 1993). Node (r, c) needs (r, c-1) and the
// node whose row differs in the c-th most significant bit. Phase I is the first log m columns on cyclic rows (m = n/P),
// phase II the rest on blocks of rows; between them every processor sends l = m/P values to every other.

#include <span>

#include "kallima/outline.hpp"

namespace kallima {

// A permutation of 0..2^i-1 in which, for every node of the binary tree over them, all of one subtree comes before any
// of the other (Definition 4.1).
class BinaryPermutation {
 public:
  explicit BinaryPermutation(std::vector<int> values);  // throws Error unless it is binary
  static bool is_binary(std::span<const int> values);
  static BinaryPermutation sigma(int processors, int rank);            // sigma_j = complement(rank) xor j
  static BinaryPermutation pi(int processors, int outputs, int rank);  // sigma and identities (section 4.2.1)
  static BinaryPermutation compose(const BinaryPermutation& outer, const std::vector<BinaryPermutation>& inner);

  // Proposition 4.1: the order of the 2^q blocks, and the order within each.
  struct Parts;
  Parts decompose(int q) const;

  int size() const { return static_cast<int>(values_.size()); }
  int operator[](int j) const { return values_[static_cast<std::size_t>(j)]; }
  const std::vector<int>& values() const { return values_; }
  bool operator==(const BinaryPermutation&) const = default;

 private:
  std::vector<int> values_;
};

struct BinaryPermutation::Parts {
  BinaryPermutation outer;
  std::vector<BinaryPermutation> inner;
};

enum class NodeSchedule {
  all_cyclic,
  all_blocked,
  simple,
  bad_order,
  output_driven,
  identity_order,
  block_output_driven,
};

// Whether phase II begins when phase I is done and every input is there, or takes nodes as soon as it can.
enum class PhaseTwo { waiting, input_driven };

bool has_two_phases(NodeSchedule schedule);  // one exchange between them; otherwise rows stay where they are
bool ranks_alike(NodeSchedule schedule);     // up to the names of their peers, so that one script serves all

struct Butterfly {
  Index n = 8;
  int processors = 2;
  NodeSchedule schedule = NodeSchedule::output_driven;
  PhaseTwo phase_two = PhaseTwo::waiting;
};

struct ButterflyNode {
  Index row = -1;
  int column = -1;
  bool operator==(const ButterflyNode&) const = default;
};

// Throws Error unless n and P are powers of two with n >= P^2 (n >= P for all_cyclic and all_blocked).
Outline butterfly_outline(const Butterfly& butterfly);

// The node that each task of a rank's script computes; row -1 for tasks that compute none.
std::vector<ButterflyNode> butterfly_nodes(const Butterfly& butterfly, int rank);

// all-cyclic, all-blocked, simple, ... with a line of explanation each.
std::vector<std::pair<std::string, std::string>> node_schedule_names();
NodeSchedule node_schedule_named(const std::string& name);
std::string name(NodeSchedule schedule);

}  // namespace kallima
