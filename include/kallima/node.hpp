#pragma once
// What a node of a butterfly does, and how many of them are done at once: up to four levels of a node function of
// single nodes, whose values stay in registers, and whole vectors of values where the function is the same everywhere.
// Here functions become AnyNode, which knows bytes only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "kallima/types.hpp"

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

// Where the values are. `run` finds row q of all nodes at from[q], the values of neighbouring nodes side by side;
// `run_neighbours` finds all rows of node i at from[i]. What comes out goes to the same places of `to`, which may be
// `from` itself. The same is done `times` times, each some bytes, and some rows of the butterfly, further.
struct NodeRows {
  const std::byte* const* from = nullptr;
  std::byte* const* to = nullptr;
  Index times = 1;
  Index from_step = 0, to_step = 0;  // in bytes
  Index far = 0;                     // in rows
};

struct AnyNode {
  using Run = std::function<void(const NodeRun& run, const NodeRows& rows)>;
  Run run;
  int most_levels = 1;      // that `run` takes at once
  Run run_neighbours = {};  // the last four levels, 16 nodes at a time; none: `run` is handed transposes
};

// A node that is the same everywhere, f(low, high), and may as well be given vectors of values.
template <class F>
struct LaneWise {
  F f;
  [[gnu::always_inline]] void operator()(const NodeAt&, auto& low, auto& high) const { f(low, high); }
};
template <class F>
constexpr LaneWise<F> lane_wise(F f) {
  return {f};
}

namespace detail {

// The library has loops for several instruction sets side by side, which must not be taken for each other.
#ifdef KALLIMA_ISA
inline namespace KALLIMA_ISA {
#endif

#if defined(__AVX512F__)
inline constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr std::size_t vector_bytes = 32;
#else
inline constexpr std::size_t vector_bytes = 16;
#endif
#if defined(__x86_64__) && !defined(__AVX512F__)
inline constexpr int vector_registers = 16;
#else
inline constexpr int vector_registers = 32;
#endif

// Level c and those after it of a node whose 2^levels values are in registers: indices are constants.
template <int levels, int c, class Value, class Point>
[[gnu::always_inline]] inline void run_levels(const Point& node, const NodeRun& run, Index position, Value* values) {
  if constexpr (c < levels) {
    constexpr int half = (1 << levels) >> (c + 1);
#pragma GCC unroll 8
    for (int pair = 0; pair < (1 << levels) / 2; ++pair) {
      const int low = pair / half * 2 * half + pair % half;
      node(NodeAt{run.level + c, position + low * run.distance}, values[low], values[low + half]);
    }
    run_levels<levels, c + 1>(node, run, position, values);
  }
}

// Of nodes number i and, Value being a vector, those after it; of so many of these vectors, whose rows are written
// together, which caches like better than one vector to each.
template <int levels, int together, class Value, class T, class Point>
[[gnu::always_inline]] inline void run_node(const Point& node, const NodeRun& run, const std::byte* const* from,
                                            std::byte* const* to, Index i) {
  constexpr int rows = 1 << levels, lanes = sizeof(Value) / sizeof(T);
  const Index at = i * static_cast<Index>(sizeof(T));
  Value values[together][rows];
#pragma GCC unroll 4
  for (int k = 0; k < together; ++k) {
#pragma GCC unroll 16
    for (int q = 0; q < rows; ++q) values[k][q] = reinterpret_cast<const Value*>(from[q] + at)[k];
    run_levels<levels, 0>(node, run, run.position + (i + k * lanes) * run.step, values[k]);
  }
#pragma GCC unroll 16
  for (int q = 0; q < rows; ++q)
#pragma GCC unroll 4
    for (int k = 0; k < together; ++k) reinterpret_cast<Value*>(to[q] + at)[k] = values[k][q];
}

template <class T>
struct NodeVector {
  typedef T Vector __attribute__((vector_size(vector_bytes), aligned(alignof(T)), may_alias));
  static constexpr int count = vector_bytes / sizeof(T);
};
template <class T, class Point>
inline constexpr bool in_lanes = std::is_arithmetic_v<T>&& requires(Point node) {
  node.f;
};

template <int levels, class T, class Point>
[[gnu::always_inline]] inline void run_row(const Point& node, const NodeRun& run, const std::byte* const* from,
                                           std::byte* const* to) {
  constexpr int together = std::clamp(vector_registers >> levels, 1, 4);  // as many as registers hold
  Index i = 0;
  if constexpr (in_lanes<T, Point>) {
    using Vector = typename NodeVector<T>::Vector;
    constexpr int lanes = NodeVector<T>::count;
    for (; i + together * lanes <= run.count; i += together * lanes)
      run_node<levels, together, Vector, T>(node, run, from, to, i);
    for (; i + lanes <= run.count; i += lanes) run_node<levels, 1, Vector, T>(node, run, from, to, i);
  }
  if constexpr (!in_lanes<T, Point>)
    for (; i + together <= run.count; i += together) run_node<levels, together, T, T>(node, run, from, to, i);
  for (; i < run.count; ++i) run_node<levels, 1, T, T>(node, run, from, to, i);
}

template <int levels, class T, class Point>
void run_nodes(const Point& node, NodeRun run, const NodeRows& rows) {
  const std::byte* from[1 << levels];
  std::byte* to[1 << levels];
  const bool in_place = rows.from == rows.to;
  for (int q = 0; q < 1 << levels; ++q) from[q] = rows.from[q], to[q] = rows.to[q];
  for (Index k = 0; k < rows.times; ++k, run.position += rows.far) {
    in_place ? run_row<levels, T>(node, run, to, to) : run_row<levels, T>(node, run, from, to);
    for (int q = 0; q < 1 << levels; ++q) to[q] += rows.to_step;
    for (int q = 0; q < (in_place ? 0 : 1 << levels); ++q) from[q] += rows.from_step;
  }
}

// Of as many vectors as they have lanes, in place: pairs change places lane by lane, then two by two lanes, and so on.
template <int half, class Vector, int... lane>
[[gnu::always_inline]] inline void transpose_lanes(Vector* v, std::integer_sequence<int, lane...> all) {
  constexpr int lanes = sizeof...(lane);
  if constexpr (half < lanes) {
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) {
      if ((i & half) != 0) continue;
      const Vector a = v[i], b = v[i + half];
      v[i] = __builtin_shufflevector(a, b, ((lane & half) == 0 ? lane : lane - half + lanes)...);
      v[i + half] = __builtin_shufflevector(a, b, ((lane & half) == 0 ? lane + half : lane + lanes)...);
    }
    transpose_lanes<2 * half>(v, all);
  }
}

// The last four levels of 16 nodes with 16 neighbours each; as many nodes at a time as there are lanes.
template <class T, class Point>
[[gnu::always_inline]] inline void run_sixteen(const Point& node, const NodeRun& run, const std::byte* const* from,
                                               std::byte* const* to) {
  constexpr int n = 16;
  if constexpr (in_lanes<T, Point> && NodeVector<T>::count <= n) {
    using Vector = typename NodeVector<T>::Vector;
    constexpr int lanes = NodeVector<T>::count;
    for (int i = 0; i < n; i += lanes) {
      Vector values[n];
#pragma GCC unroll 16
      for (int k = 0; k < n; ++k)
        values[k] = *reinterpret_cast<const Vector*>(from[i + k % lanes] + k / lanes * sizeof(Vector));
#pragma GCC unroll 16
      for (int k = 0; k < n; k += lanes) transpose_lanes<1>(values + k, std::make_integer_sequence<int, lanes>());
      run_levels<4, 0>(node, run, run.position + i * run.step, values);
#pragma GCC unroll 16
      for (int k = 0; k < n; k += lanes) transpose_lanes<1>(values + k, std::make_integer_sequence<int, lanes>());
#pragma GCC unroll 16
      for (int k = 0; k < n; ++k)
        *reinterpret_cast<Vector*>(to[i + k % lanes] + k / lanes * sizeof(Vector)) = values[k];
    }
  } else {
    for (int i = 0; i < n; ++i) {
      T values[n];
      for (int k = 0; k < n; ++k) values[k] = reinterpret_cast<const T*>(from[i])[k];
      run_levels<4, 0>(node, run, run.position + i * run.step, values);
      for (int k = 0; k < n; ++k) reinterpret_cast<T*>(to[i])[k] = values[k];
    }
  }
}

template <class T, class Point>
void run_nodes_of(const Point& node, const NodeRun& run, const NodeRows& rows) {
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
}

template <class T, class Point>
void run_neighbours_of(const Point& node, NodeRun run, const NodeRows& rows) {
  const std::byte* from[16];
  std::byte* to[16];
  for (Index k = 0; k < rows.times; ++k, run.position += rows.far) {
    for (int i = 0; i < 16; ++i) from[i] = rows.from[i] + k * rows.from_step, to[i] = rows.to[i] + k * rows.to_step;
    run_sixteen<T>(node, run, from, to);
  }
}

template <class T, class Point>
AnyNode any_node(Point node) {
  return {[node](const NodeRun& run, const NodeRows& rows) { run_nodes_of<T>(node, run, rows); }, 4,
          [node](const NodeRun& run, const NodeRows& rows) { run_neighbours_of<T>(node, run, rows); }};
}

#ifdef KALLIMA_ISA
}  // inline namespace
#endif

// Of a function of whole runs of one level, which works in place.
template <class T>
AnyNode any_node_of_runs(std::function<void(const NodeRun& run, T* low, T* high)> node) {
  return {[node = std::move(node)](NodeRun run, const NodeRows& rows) {
    for (Index k = 0; k < rows.times; ++k, run.position += rows.far) {
      T* to[2];
      for (int q = 0; q < 2; ++q) {
        const auto* const from = reinterpret_cast<const T*>(rows.from[q] + k * rows.from_step);
        to[q] = reinterpret_cast<T*>(rows.to[q] + k * rows.to_step);
        if (from != to[q]) std::copy_n(from, run.count, to[q]);
      }
      node(run, to[0], to[1]);
    }
  }};
}

}  // namespace detail

// Nodes of well-known butterflies.
// Walsh and Hadamard's transform: sums and differences.
inline constexpr auto hadamard_node = lane_wise([](auto& low, auto& high) __attribute__((always_inline)) {
  const auto a = low, b = high;
  low = a + b;
  high = a - b;
});

// Sums over all subsets (zeta), values being numbered by sets of bits, and back (Moebius).
inline constexpr auto zeta_node =
    lane_wise([](auto& low, auto& high) __attribute__((always_inline)) { high = low + high; });
inline constexpr auto moebius_node =
    lane_wise([](auto& low, auto& high) __attribute__((always_inline)) { high = high - low; });

// Batcher's half-cleaners: a bitonic sequence, which rises and then falls, comes out sorted.
inline constexpr auto bitonic_merge_node = lane_wise([](auto& low, auto& high) __attribute__((always_inline)) {
  const auto a = low, b = high;
  low = b < a ? b : a;
  high = b < a ? a : b;
});

// For numbers that are common these are in the library, which has them for this processor's instructions however a
// caller compiles.
#ifndef KALLIMA_ISA
#define KALLIMA_NODES_OF(T)                                                       \
  template <>                                                                     \
  AnyNode detail::any_node<T>(std::remove_const_t<decltype(hadamard_node)> node); \
  template <>                                                                     \
  AnyNode detail::any_node<T>(std::remove_const_t<decltype(zeta_node)> node);     \
  template <>                                                                     \
  AnyNode detail::any_node<T>(std::remove_const_t<decltype(moebius_node)> node);  \
  template <>                                                                     \
  AnyNode detail::any_node<T>(std::remove_const_t<decltype(bitonic_merge_node)> node);
KALLIMA_NODES_OF(double)
KALLIMA_NODES_OF(float)
KALLIMA_NODES_OF(std::int64_t)
KALLIMA_NODES_OF(std::int32_t)
#undef KALLIMA_NODES_OF
#endif

}  // namespace kallima
