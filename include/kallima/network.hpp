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

namespace kallima {

// Some levels of some nodes at once. With levels = 1, nodes number 0 to count-1 join rows position + i * step and
// position + i * step + distance; with more, each works on 2^levels rows, a distance apart.
struct NodeRun {
  int level = 0;       // the first: 0 is that whose rows are n/2 apart
  Index distance = 0;  // of neighbours among the rows of a node
  Index position = 0;  // the first row of the first node
  Index step = 1;      // from node to node
  Index count = 0;
  int levels = 1;
};

// One node of one level, for functions that are handed single ones.
struct NodeAt {
  int level;
  Index position;  // row of the lower input
};

// Called with the values of each of the 2^levels rows, those of neighbouring nodes side by side; writes the outputs
// where the inputs were.
struct AnyNode {
  std::function<void(const NodeRun& run, std::byte* const* rows)> run;
  int most_levels = 1;  // that `run` takes at once
};

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

// A node that is the same everywhere, f(low, high), and may as well be given vectors of values.
template <class F>
struct LaneWise {
  F f;
  void operator()(const NodeAt&, auto& low, auto& high) const { f(low, high); }
};
template <class F>
constexpr LaneWise<F> lane_wise(F f) {
  return {f};
}

namespace detail {

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif

// Level c and those after it of a node whose 2^levels values are in registers: indices are constants.
template <int levels, int c, class Value, class Point>
[[gnu::always_inline]] inline void run_levels(const Point& node, const NodeRun& run, Index position, Value* values) {
  if constexpr (c < levels) {
    constexpr int half = (1 << levels) >> (c + 1);
    [&]<int... pair>(std::integer_sequence<int, pair...>) {
      (node(NodeAt{run.level + c, position + (pair / half * 2 * half + pair % half) * run.distance},
            values[pair / half * 2 * half + pair % half], values[pair / half * 2 * half + pair % half + half]),
       ...);
    }
    (std::make_integer_sequence<int, (1 << levels) / 2>());
    run_levels<levels, c + 1>(node, run, position, values);
  }
}

// Of nodes whose first values are at rows[q] + i: of one, or, Value being a vector, of several.
template <int levels, class Value, class T, class Point>
[[gnu::always_inline]] inline void run_node(const Point& node, const NodeRun& run, T* const* rows, Index i) {
  [&]<int... q>(std::integer_sequence<int, q...>) {
    Value values[] = {*reinterpret_cast<const Value*>(rows[q] + i)...};
    run_levels<levels, 0>(node, run, run.position + i * run.step, values);
    ((*reinterpret_cast<Value*>(rows[q] + i) = values[q]), ...);
  }
  (std::make_integer_sequence<int, 1 << levels>());
}

template <int levels, class T, class Point>
void run_nodes(const Point& node, const NodeRun& run, std::byte* const* bytes) {
  T* rows[1 << levels];
  for (int q = 0; q < 1 << levels; ++q) rows[q] = reinterpret_cast<T*>(bytes[q]);
  Index i = 0;
  if constexpr (std::is_arithmetic_v<T> && requires { node.f; }) {
    typedef T Vector __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
    constexpr Index lanes = sizeof(Vector) / sizeof(T);
    for (; i + lanes <= run.count; i += lanes) run_node<levels, Vector>(node, run, rows, i);
  }
  for (; i < run.count; ++i) run_node<levels, T>(node, run, rows, i);
}

template <class T, class Point>
AnyNode any_node(Point node) {
  const auto levels = [node = std::move(node)](const NodeRun& run, std::byte* const* rows) {
    switch (run.levels) {
      case 1:
        return run_nodes<1, T>(node, run, rows);
      case 2:
        return run_nodes<2, T>(node, run, rows);
      case 3:
        return run_nodes<3, T>(node, run, rows);
      default:
        return run_nodes<4, T>(node, run, rows);
    }
  };
  return {levels, 4};
}

}  // namespace detail

template <class T>
class ButterflyNetwork : public AnyNetwork {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // node(run, low, high): the values of the lower and upper rows of a run of nodes of one level.
  using Node = std::function<void(const NodeRun& run, T* low, T* high)>;

  ButterflyNetwork(Index n, const Node& node, Comm comm, const PlanOptions& options = {})
      : AnyNetwork(n, sizeof(T), {[node](const NodeRun& run, std::byte* const* rows) {
                     node(run, reinterpret_cast<T*>(rows[0]), reinterpret_cast<T*>(rows[1]));
                   }},
                   std::move(comm), options) {}

  // node(at, low, high): one node, whose two values it replaces. The faster way: up to four levels are done at once,
  // and in vectors where the node is lane_wise(). It may be called by several ranks at the same time.
  template <class Point>
  requires std::is_invocable_v<const Point&, const NodeAt&, T&, T&> ButterflyNetwork(Index n, Point node, Comm comm,
                                                                                     const PlanOptions& options = {})
      : AnyNetwork(n, sizeof(T), detail::any_node<T>(std::move(node)), std::move(comm), options) {}

  void run(std::span<const T> in, std::span<T> out) { AnyNetwork::run(std::as_bytes(in), std::as_writable_bytes(out)); }
};

// Nodes of well-known butterflies.
// Walsh and Hadamard's transform: sums and differences.
inline constexpr auto hadamard_node = lane_wise([](auto& low, auto& high) {
  const auto a = low, b = high;
  low = a + b;
  high = a - b;
});

// Sums over all subsets (zeta), values being numbered by sets of bits, and back (Moebius).
inline constexpr auto zeta_node = lane_wise([](auto& low, auto& high) { high = low + high; });
inline constexpr auto moebius_node = lane_wise([](auto& low, auto& high) { high = high - low; });

// Batcher's half-cleaners: a bitonic sequence, which rises and then falls, comes out sorted.
inline constexpr auto bitonic_merge_node = lane_wise([](auto& low, auto& high) {
  const auto a = low, b = high;
  low = b < a ? b : a;
  high = b < a ? a : b;
});

}  // namespace kallima
