#pragma once
// Rows of lanes become lines, or lines become rows: blocks of as many rows as a vector has lanes are turned in
// registers, so that both are read and written a vector at a time.

#include "kernel/cpu/codelets.hpp"
#include "kernel/cpu/pack.hpp"

namespace kallima::kernel {
namespace {

// Rows `half` apart exchange what is across: after all halves a block of as many rows as lanes is turned.
template <int half, class T, int... j>
KALLIMA_INLINE void exchange(Pack<T>& low, Pack<T>& high, std::integer_sequence<int, j...>) {
  constexpr int reals = Pack<T>::reals;
  const auto a = low.v, b = high.v;
  low.v = __builtin_shufflevector(a, b, ((j / 2 & half) == 0 ? j : reals + j - 2 * half)...);
  high.v = __builtin_shufflevector(a, b, ((j / 2 & half) == 0 ? j + 2 * half : reals + j)...);
}

template <int half, class T>
KALLIMA_INLINE void exchange_all(Pack<T>* x) {
  unrolled<Pack<T>::lanes>([&](auto q) KALLIMA_INLINED {
    if constexpr ((q & half) == 0) exchange<half>(x[q], x[q + half], std::make_integer_sequence<int, Pack<T>::reals>{});
  });
  if constexpr (half > 1) exchange_all<half / 2>(x);
}

// Calls load(x, k, b) and store(x, k, b) for each block of rows k, k+1, ... and lanes b, b+1, ...
template <class T>
KALLIMA_INLINE void turn(const TurnedRows<T>& it, const auto& load, const auto& store) {
  using P = Pack<T>;
  for (Index b = 0; b < it.lanes; b += P::lanes)
    for (Index k = 0; k < it.count; k += P::lanes) {
      P x[P::lanes];
      unrolled<P::lanes>([&](auto q) KALLIMA_INLINED { x[q] = P::load(load(k, b, q)); });
      if constexpr (P::lanes > 1) exchange_all<P::lanes / 2>(x);
      unrolled<P::lanes>([&](auto q) KALLIMA_INLINED { x[q].store(store(k, b, q)); });
    }
}

template <class T>
auto row_of(const TurnedRows<T>& it) {
  return [&it](Index k, Index b, int q) { return reinterpret_cast<T*>(it.tile + it.at[k + q] + b); };
}
template <class T>
auto line_of(const TurnedRows<T>& it) {
  return [&it](Index k, Index b, int q) { return reinterpret_cast<T*>(it.lines + (b + q) * it.line_apart + k); };
}

template <class T>
void turn_into_lines(const TurnedRows<T>& it) {
  turn(it, row_of(it), line_of(it));
}
template <class T>
void turn_into_rows(const TurnedRows<T>& it) {
  turn(it, line_of(it), row_of(it));
}

}  // namespace
}  // namespace kallima::kernel
