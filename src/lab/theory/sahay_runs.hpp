#pragma once
// What the claims of Sahay 1993 are held against: the schedules, simulated. Nothing here knows a formula.

#include <map>
#include <optional>

#include "kallima/butterfly.hpp"
#include "kallima/simulate.hpp"

namespace kallima::theory::sahay {

// The runs of one n on P processors. Outlines are kept; simulations of the same machine are run once.
class Runs {
 public:
  Runs(Index n, int P) : n_(n), P_(P) {}

  // The output-driven schedule without overhead; times of the outputs that are sent, in order.
  const std::vector<Index>& output_times();  // t_a, of all m outputs
  std::vector<Index> send_times(Index g) {   // s_a
    return sends(NodeSchedule::output_driven, Logp{.g = static_cast<double>(g)});
  }
  std::vector<int> columns_in_order();  // of phase I's nodes, as they are computed
  std::vector<Index> enabled();         // delta_i, i = 0..m-1

  struct Arrivals {
    Index completion = 0;
    std::vector<Index> taken = {};        // by remote input, in order
    std::vector<Index> bottlenecks = {};  // inputs (local ones counted) that the processor waited for
  };
  Arrivals input_driven(Index g, Index L);

  Index completion(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine,
                   Capacity capacity = Capacity::unlimited);
  Index messages(NodeSchedule schedule);
  std::vector<Index> block_send_times() { return sends(NodeSchedule::block_output_driven, Loggp{}); }
  bool is_symmetric();  // whenever i sends to j, k sends to k xor i xor j

 private:
  const Outline& outline(NodeSchedule schedule, PhaseTwo phase_two);
  Trace traced(NodeSchedule schedule, PhaseTwo phase_two, const Machine& machine, Pricing pricing);
  std::vector<Index> sends(NodeSchedule schedule, const Machine& machine);  // when messages leave
  struct MadeNode {
    int column;
    Index end;
  };
  std::vector<MadeNode> made_nodes();

  Index n_;
  int P_;
  std::map<std::pair<NodeSchedule, PhaseTwo>, Outline> outlines_;
  std::vector<Index> output_times_;
};

}  // namespace kallima::theory::sahay
