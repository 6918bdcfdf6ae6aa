#pragma once
// Writing down what one processor does with its share of the butterfly, node by node.

#include "kallima/butterfly.hpp"

namespace kallima {

// The sizes every schedule of the butterfly is made of.
struct ButterflySizes {
  explicit ButterflySizes(const Butterfly& butterfly);  // throws Error where there is no such schedule
  Index n;
  int P;
  int m;      // rows of a processor
  int l;      // values for each other processor
  int log_m;  // columns of phase I
  int log_P;  // columns of phase II
};

// A node in the processor's own terms: `row` counts its rows in the layout of that column.
struct LocalNode {
  int row = -1;
  int column = -1;
};

// A script and, for each task, the node it computes. Inputs of the whole computation need no task: their number is -1.
class ButterflyScript {
 public:
  using After = std::span<const int>;
  explicit ButterflyScript(const ButterflySizes& sizes) : s(sizes) {}

  int node(LocalNode node, std::initializer_list<int> after) {
    const std::uint8_t stage = node.column <= s.log_m ? phase_one_stage : phase_two_stage;
    return add(node, {.kind = TaskKind::compute, .stage = stage, .flops = node_flops}, After(after));
  }
  int barrier(After after) { return add({}, {.kind = TaskKind::compute, .stage = phase_two_stage}, after); }
  int send(int peer, Index words, After after) {
    return add({}, {.kind = TaskKind::send_start, .stage = message_stage, .peer = peer, .words = words}, after);
  }
  int receive(int peer, Index words) {
    return add({}, {.kind = TaskKind::recv_finish, .stage = message_stage, .peer = peer, .words = words}, {});
  }

  Script& script() { return script_; }
  const std::vector<LocalNode>& nodes() const { return nodes_; }

 private:
  static constexpr double node_flops = 5;  // so that n log2 n nodes are the customary 5 n log2 n operations
  static constexpr std::uint8_t phase_one_stage = 0, phase_two_stage = 1, message_stage = 2;

  int add(LocalNode node, const OutlineTask& task, After after) {
    existing_.clear();
    for (const int earlier : after)
      if (earlier >= 0) existing_.push_back(earlier);
    nodes_.push_back(node);
    return script_.add(task, existing_);
  }

  const ButterflySizes s;
  Script script_;
  std::vector<LocalNode> nodes_;
  std::vector<int> existing_;
};

// One processor of a two-phase schedule. Its rows of phase I are numbered so that its outputs appear in increasing
// order; outputs of block j go to the peer destinations[j], or stay where that is `own`. Senders of phase II are
// numbered 0..P-1 in the order of the P-input butterflies; sources[s] is the peer that is number s.
struct TwoPhases {
  static constexpr int own = -1;
  bool output_driven = true;           // otherwise column by column, and sends wait for the end of phase I
  bool blocks = false;                 // one message of l words per destination
  std::vector<int> destinations = {};  // [block]
  std::vector<int> places = {};        // [block]: how many senders the destination receives from before us in its list
  std::vector<int> send_order = {};    // blocks in the order of sending; used unless output_driven
  std::vector<int> sources = {};       // [sender]
  PhaseTwo phase_two = PhaseTwo::waiting;
};

ButterflyScript two_phase_script(const ButterflySizes& sizes, const TwoPhases& phases);

// One processor where rows stay where they are in all columns.
ButterflyScript fixed_rows_script(const ButterflySizes& sizes, NodeSchedule allocation);

}  // namespace kallima
