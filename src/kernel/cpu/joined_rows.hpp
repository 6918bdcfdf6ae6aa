#pragma once
// Rows of reals are put together into complex rows, and taken from complex rows: the reordering and the factors at both
// ends of a cosine or sine transform. Rows that stand outside are far apart, and asked for some rows ahead.

#include "kernel/cpu/codelets.hpp"
#include "kernel/cpu/pack.hpp"

namespace kallima::kernel {
namespace {

constexpr Index joints_ahead = 12;

template <bool writes, class T>
KALLIMA_INLINE void ask_for(const JoinedRows<T>& it, Index e) {
  const T* const row = it.reals.rows[e] + it.reals.first;
  for (Index b = 0; b < it.lanes; b += static_cast<Index>(64 / sizeof(T))) __builtin_prefetch(row + b, writes ? 1 : 0);
}

// Lanes b, b+1, ... of row e of reals, each as both parts.
template <class T>
KALLIMA_INLINE Pack<T> doubled(const RowsOfReals<T>& reals, Index e, Index b) {
  if (reals.rows != nullptr) return Pack<T>::load_doubled(reals.rows[e] + reals.first + b);
  const Pack<T> both = Pack<T>::load(kernel::reals(reals.pairs + e / 2 * reals.pairs_pitch + b));
  return e % 2 == 0 ? both.template twice<0>() : both.template twice<1>();
}

template <class T>
void join(const JoinedRows<T>& it) {
  using P = Pack<T>;
  const Joint<T>* const end = it.joints + it.count;
  T* row = reinterpret_cast<T*>(it.rows);
  for (const Joint<T>* joint = it.joints; joint < end; ++joint, row += 2 * it.pitch) {
    if (it.reals.rows != nullptr && joint + joints_ahead < end) {
      ask_for<false>(it, joint[joints_ahead].x);
      ask_for<false>(it, joint[joints_ahead].y);
    }
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const P x = doubled(it.reals, joint->x, b), y = doubled(it.reals, joint->y, b);
      (x.by_parts(joint->a, joint->c) + y.by_parts(joint->b, joint->d)).store(row + 2 * b);
    }
  }
}

// Both parts of every lane are what is taken.
template <class T>
KALLIMA_INLINE Pack<T> taken(const JoinedRows<T>& it, Index k, Index b) {
  const Taken<T>& what = it.taken[k];
  const Pack<T> z = Pack<T>::load(reals(it.rows + what.row * it.pitch + b));
  const Pack<T> parts = z.by_parts(it.scale * what.re, it.scale * what.im);
  return parts + parts.swapped();
}

template <class T>
void take(const JoinedRows<T>& it) {
  using P = Pack<T>;
  if (it.reals.rows != nullptr) {
    for (Index k = 0; k < it.count; ++k) {
      if (k + joints_ahead < it.count) ask_for<true>(it, k + joints_ahead);
      for (Index b = 0; b < it.lanes; b += P::lanes) taken(it, k, b).store_reals(it.reals.rows[k] + it.reals.first + b);
    }
    return;
  }
  for (Index k = 0; k < it.count; k += 2) {
    T* const pair = reinterpret_cast<T*>(it.reals.pairs + k / 2 * it.reals.pairs_pitch);
    const Index second = k + 1 < it.count ? k + 1 : k;
    for (Index b = 0; b < it.lanes; b += P::lanes)
      P::of_parts(taken(it, k, b), taken(it, second, b)).store(pair + 2 * b);
  }
}

}  // namespace
}  // namespace kallima::kernel
