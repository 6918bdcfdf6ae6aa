#include "lab/butterfly/butterfly_script.hpp"

#include <bit>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr double node_flops = 5;  // so that n log2 n nodes are the customary 5 n log2 n operations

int log2_of(Index value) { return std::countr_zero(static_cast<std::uint64_t>(value)); }

}  // namespace

ButterflySizes::ButterflySizes(const Butterfly& butterfly) {
  n = butterfly.n;
  P = butterfly.processors;
  require(n >= 1 && std::has_single_bit(static_cast<std::uint64_t>(n)),
          "n = {} is not a power of two, as the {} schedule needs", n, name(butterfly.schedule));
  require(P >= 1 && std::has_single_bit(static_cast<unsigned>(P)),
          "P = {} is not a power of two, as the {} schedule needs", P, name(butterfly.schedule));
  const Index least = has_two_phases(butterfly.schedule) ? Index{P} * P : Index{P};
  require(n >= least, "n = {} is too small for P = {} processors in the {} schedule: it needs n >= {}", n, P,
          name(butterfly.schedule), least);
  require(n / P <= Index{1} << 25,
          "n/P = {} rows per processor are too many to simulate node by node: use at most 2^25", n / P);
  m = static_cast<int>(n / P);
  l = m / P;
  log_m = log2_of(m);
  log_P = log2_of(P);
}

int ButterflyScript::node(LocalNode node, std::uint8_t stage, std::span<const int> after) {
  nodes_.push_back(node);
  return script_.add({.kind = TaskKind::compute, .stage = stage, .flops = node_flops}, after);
}

int ButterflyScript::barrier(std::span<const int> after) {
  nodes_.push_back({});
  return script_.add({.kind = TaskKind::compute, .stage = phase_two_stage}, after);
}

int ButterflyScript::send(int peer, Index words, std::span<const int> after) {
  nodes_.push_back({});
  return script_.add({.kind = TaskKind::send_start, .stage = message_stage, .peer = peer, .words = words}, after);
}

int ButterflyScript::receive(int peer, Index words) {
  nodes_.push_back({});
  return script_.add({.kind = TaskKind::recv_finish, .stage = message_stage, .peer = peer, .words = words});
}

}  // namespace kallima
