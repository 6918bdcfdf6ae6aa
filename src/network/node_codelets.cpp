// The nodes that are shipped, for one instruction set: compiled once for each.

#include "network/node_codelets.hpp"

namespace kallima::network::KALLIMA_ISA {
namespace {

template <class T, const auto& node>
NodeCodelet codelet() {
  return {[](const NodeRun& run, const NodeRows& rows) { detail::run_nodes_of<T>(node, run, rows); },
          [](const NodeRun& run, const NodeRows& rows) { detail::run_neighbours_of<T>(node, run, rows); }};
}

template <class T>
NodeCodelets codelets() {
  return {codelet<T, hadamard_node>(), codelet<T, zeta_node>(), codelet<T, moebius_node>(),
          codelet<T, bitonic_merge_node>()};
}

}  // namespace

ShippedNodes shipped_nodes();
ShippedNodes shipped_nodes() {
  return {codelets<double>(), codelets<float>(), codelets<std::int64_t>(), codelets<std::int32_t>()};
}

}  // namespace kallima::network::KALLIMA_ISA
