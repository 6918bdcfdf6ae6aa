#pragma once
// Any computation on a butterfly: n = 2^k values go through k levels of nodes, each of which has two inputs and two
// outputs, and at level c pairs rows that differ in the c-th most significant bit of their numbers. What a node does is
// the caller's function, which is handed single nodes or whole runs of them; where values live, what travels and when
// is the business of the schedules that transforms have: phase I takes the levels that a rank's columns of the matrix
// of R rows allow, one exchange makes rows of them, and phase II does the rest.

#include <functional>
#include <span>
#include <type_traits>
#include <utility>

#include "kallima/fft.hpp"
#include "kallima/node.hpp"

namespace kallima {

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
  // node(run, low, high): the values of the lower and upper rows of a run of nodes of one level.
  using Node = std::function<void(const NodeRun& run, T* low, T* high)>;

  ButterflyNetwork(Index n, const Node& node, Comm comm, const PlanOptions& options = {})
      : AnyNetwork(n, sizeof(T), detail::any_node_of_runs<T>(node), std::move(comm), options) {}

  // node(at, low, high): one node, whose two values it replaces. The faster way: up to four levels are done at once,
  // and in vectors where the node is lane_wise(). It may be called by several ranks at the same time.
  template <class Point>
  requires std::is_invocable_v<const Point&, const NodeAt&, T&, T&> ButterflyNetwork(Index n, Point node, Comm comm,
                                                                                     const PlanOptions& options = {})
      : AnyNetwork(n, sizeof(T), detail::any_node<T>(std::move(node)), std::move(comm), options) {}

  void run(std::span<const T> in, std::span<T> out) { AnyNetwork::run(std::as_bytes(in), std::as_writable_bytes(out)); }
};

}  // namespace kallima
