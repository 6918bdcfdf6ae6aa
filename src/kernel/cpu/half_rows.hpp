#pragma once
// Between the spectra of reals and those of their pairs: even and odd reals are told apart, or put together, row by row
// of many lines.

#include "kernel/cpu/codelets.hpp"
#include "kernel/cpu/pack.hpp"

namespace kallima::kernel {
namespace {

// Lanes that are `stride` reals apart.
template <class T>
KALLIMA_INLINE Pack<T> load(const T* p, Index stride) {
  return Pack<T>::lanes == 1 || stride == 2 ? Pack<T>::load(p) : Pack<T>::load(p, stride);
}
template <class T>
KALLIMA_INLINE void store(T* p, Index stride, Pack<T> x) {
  Pack<T>::lanes == 1 || stride == 2 ? x.store(p) : x.store(p, stride);
}

// One row of a half spectrum, and what multiplies it.
template <class T>
struct HalfRow {
  using P = Pack<T>;
  T* p;
  Index stride;
  T factor[2];
  const T* fine = nullptr;
  const RealRows<T>& it;

  KALLIMA_INLINE HalfRow(const RealRows<T>& all, Index k, T scale) : factor{scale, 0}, it(all) {
    if (all.half == nullptr) {
      p = reinterpret_cast<T*>(all.pairs + k * all.pairs_pitch);
      stride = 2;
    } else {
      p = const_cast<T*>(reals(all.half[k].p + all.first_lane * all.half[k].stride));
      stride = 2 * all.half[k].stride;
    }
    if (all.rows != nullptr) {
      factor[0] = scale * reals(all.rows + k)[0];
      factor[1] = scale * all.sign * reals(all.rows + k)[1];
    }
    if (all.fine != nullptr) fine = reals(all.fine + k * all.fine_step);
  }
  KALLIMA_INLINE P load(Index b) const { return kernel::load(p + b * stride, stride); }
  KALLIMA_INLINE void store(Index b, P x) const {
    if (it.multiply == Multiply::not_at_all)
      x = factor[0] * x;
    else
      x = x.times(factor);
    if (fine != nullptr) {
      const P w = P::load(fine + 2 * b);
      x = x.times(it.sign == T(1) ? w : w.conjugate());
    }
    kernel::store(p + b * stride, stride, x);
  }
};

template <class T>
void untangle(const RealRows<T>& it) {
  using P = Pack<T>;
  const HalfRow<T> first(it, 0, it.scale), last(it, it.count, it.scale);
  for (Index b = 0; b < it.lanes; b += P::lanes) {
    const P a = P::load(reals(it.pairs + b));
    first.store(b, (a + a.swapped()).real());
    last.store(b, (a - a.swapped()).real());
  }
  for (Index k = 1; 2 * k <= it.count; ++k) {
    const HalfRow<T> low(it, k, it.scale / 2), high(it, it.count - k, it.scale / 2);
    const P root = P::all(reals(it.roots + k));
    const std::complex<T>* const z = it.pairs + k * it.pairs_pitch;
    const std::complex<T>* const y = it.pairs + (it.count - k) * it.pairs_pitch;
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const P a = P::load(reals(z + b)), c = P::load(reals(y + b)).conjugate();
      const P even = a + c, odd = (a - c).times(root);
      low.store(b, even.minus_i(odd));
      high.store(b, even.plus_i(odd).conjugate());
    }
  }
}

template <class T>
void tangle(const RealRows<T>& it) {
  using P = Pack<T>;
  const auto store = [](std::complex<T>* p, P x) { x.store(reinterpret_cast<T*>(p)); };
  const HalfRow<T> first(it, 0, T(1)), last(it, it.count, T(1));
  for (Index b = 0; b < it.lanes; b += P::lanes) {
    const P a = first.load(b).real(), c = last.load(b).real();
    store(it.pairs + b, (a + c).plus_i(a - c));
  }
  for (Index k = 1; 2 * k <= it.count; ++k) {
    const HalfRow<T> low(it, k, T(1)), high(it, it.count - k, T(1));
    const P root = P::all(reals(it.roots + k)).conjugate();
    std::complex<T>* const z = it.pairs + k * it.pairs_pitch;
    std::complex<T>* const y = it.pairs + (it.count - k) * it.pairs_pitch;
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const P a = low.load(b), c = high.load(b).conjugate();
      const P even = a + c, odd = (a - c).times(root);
      store(z + b, even.plus_i(odd));
      store(y + b, even.minus_i(odd).conjugate());
    }
  }
}

template <class T>
void unfold(const MirroredRows<T>& it) {
  using P = Pack<T>;
  const Index low_stride = 2 * it.low.stride, high_stride = 2 * it.high.stride;
  for (Index r = 0; r < it.count; ++r) {
    const P root = T(0.5) * P::all(reals(it.row_roots + r));
    const std::complex<T>* const z = it.z + r * it.pitch;
    const std::complex<T>* const y = it.y + (it.count - 1 - r) * it.pitch;
    T* const low = reinterpret_cast<T*>(it.low.p + r * it.row_apart);
    T* const high = reinterpret_cast<T*>(it.high.p - r * it.row_apart);
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const P a = P::load(reals(z + b)), c = P::load(reals(y + b)).conjugate();
      const P even = T(0.5) * (a + c), odd = (a - c).times(root).times(P::load(reals(it.lane_roots + b)));
      store(low + b * low_stride, low_stride, even.minus_i(odd));
      store(high + b * high_stride, high_stride, even.plus_i(odd).conjugate());
    }
  }
}

template <class T>
void fold(const MirroredRows<T>& it) {
  using P = Pack<T>;
  const Index low_stride = 2 * it.low.stride, high_stride = 2 * it.high.stride;
  for (Index r = 0; r < it.count; ++r) {
    const P root = P::all(reals(it.row_roots + r)).conjugate();
    T* const z = reinterpret_cast<T*>(it.z + r * it.pitch);
    T* const y = reinterpret_cast<T*>(it.y + (it.count - 1 - r) * it.pitch + it.lanes - 1);
    const T* const low = reals(it.low.p + r * it.row_apart);
    const T* const high = reals(it.high.p - r * it.row_apart);
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const P a = load(low + b * low_stride, low_stride), c = load(high + b * high_stride, high_stride).conjugate();
      const P lane = P::load(reals(it.lane_roots + b)).conjugate();
      const P even = a + c, odd = (a - c).times(root).times(lane);
      even.plus_i(odd).store(z + 2 * b);
      store(y - 2 * b, -2, even.minus_i(odd).conjugate());
    }
  }
}

}  // namespace
}  // namespace kallima::kernel
