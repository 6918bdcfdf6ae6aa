#pragma once
// Any computation on a butterfly: n = 2^k values go through k levels of nodes, each of which has two inputs and two
// outputs, and at level c pairs rows that differ in the c-th most significant bit of their numbers. What a node does is
// the caller's function, which is handed whole runs of nodes; where values live, what travels and when is the business
// of the schedules that transforms have: phase I takes the levels that a rank's columns of the matrix of R rows allow,
// one exchange makes rows of them, and phase II does the rest.

#include <functional>
#include <span>
#include <type_traits>

#include "kallima/fft.hpp"

namespace kallima {

// Nodes number 0 to count-1 of the run join rows position + i * step and position + i * step + distance of a level.
struct NodeRun {
  int level = 0;       // 0: the first, whose rows are n/2 apart
  Index distance = 0;  // of the two rows
  Index position = 0;  // row of the first node's lower input
  Index step = 1;      // from node to node
  Index count = 0;
};

// Called with bytes of the lower and of the upper rows' values, neighbours each; writes both outputs where the inputs
// were.
using AnyNode = std::function<void(const NodeRun& run, std::byte* low, std::byte* high)>;

class AnyNetwork {
 public:
  // Throws Error on all ranks unless n is a power of two from 4 on. Collective.
  AnyNetwork(Index n, std::size_t value_bytes, AnyNode node, Comm comm, const PlanOptions& options = {});
  AnyNetwork(AnyNetwork&&) noexcept;
  AnyNetwork& operator=(AnyNetwork&&) noexcept;
  ~AnyNetwork();

  // Of a matrix of R rows of Q values, in which row r of the butterfly is value r % Q of row r / Q: a rank's columns go
  // in, and its rows, which are neighbours, come out.
  Layout layout_in() const;
  Layout layout_out() const;

  void run(std::span<const std::byte> in, std::span<std::byte> out);  // collective
  const Plan& plan() const;
  void record(Trace* trace);

 private:
  std::unique_ptr<detail::FftImpl> impl_;
};

template <class T>
class ButterflyNetwork : public AnyNetwork {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // node(run, low, high): the values of the run's lower and upper rows.
  using Node = std::function<void(const NodeRun& run, T* low, T* high)>;

  ButterflyNetwork(Index n, const Node& node, Comm comm, const PlanOptions& options = {})
      : AnyNetwork(
            n, sizeof(T),
            [node](const NodeRun& run, std::byte* low, std::byte* high) {
              node(run, reinterpret_cast<T*>(low), reinterpret_cast<T*>(high));
            },
            std::move(comm), options) {}

  void run(std::span<const T> in, std::span<T> out) { AnyNetwork::run(std::as_bytes(in), std::as_writable_bytes(out)); }
};

// Nodes of well-known butterflies.
// Walsh and Hadamard's transform: sums and differences.
template <class T>
void hadamard_node(const NodeRun& run, T* __restrict low, T* __restrict high) {
  for (Index i = 0; i < run.count; ++i) {
    const T a = low[i], b = high[i];
    low[i] = a + b;
    high[i] = a - b;
  }
}

// Sums over all subsets (zeta), values being numbered by sets of bits, and back (Moebius).
template <class T>
void zeta_node(const NodeRun& run, T* __restrict low, T* __restrict high) {
  for (Index i = 0; i < run.count; ++i) high[i] = low[i] + high[i];
}
template <class T>
void moebius_node(const NodeRun& run, T* __restrict low, T* __restrict high) {
  for (Index i = 0; i < run.count; ++i) high[i] = high[i] - low[i];
}

// Batcher's half-cleaners: a bitonic sequence, which rises and then falls, comes out sorted.
template <class T>
void bitonic_merge_node(const NodeRun& run, T* __restrict low, T* __restrict high) {
  for (Index i = 0; i < run.count; ++i) {
    const T a = low[i], b = high[i];
    low[i] = b < a ? b : a;
    high[i] = b < a ? a : b;
  }
}

}  // namespace kallima
