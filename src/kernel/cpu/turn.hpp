#pragma once
// Rows of lanes become lines: blocks of as many rows as a vector has lanes are turned in registers, so that lines are
// written a vector at a time.

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

template <class T>
void turn(const TurnedRows<T>& it) {
  using P = Pack<T>;
  for (Index b = 0; b < it.lanes; b += P::lanes)
    for (Index k = 0; k < it.count; k += P::lanes) {
      P x[P::lanes];
      unrolled<P::lanes>([&](auto q)
                             KALLIMA_INLINED { x[q] = P::load(reinterpret_cast<const T*>(it.rows[k + q] + b)); });
      if constexpr (P::lanes > 1) exchange_all<P::lanes / 2>(x);
      unrolled<P::lanes>(
          [&](auto q) KALLIMA_INLINED { x[q].store(reinterpret_cast<T*>(it.lines + (b + q) * it.line_apart + k)); });
    }
}

}  // namespace
}  // namespace kallima::kernel
