// The one source of all codelets, compiled once for every instruction set, whose name is KALLIMA_ISA, and precision,
// whose type is KALLIMA_REAL, with butterflies of KALLIMA_RADICES.

#include "kernel/cpu/codelets.hpp"

#include "kernel/cpu/butterfly.hpp"
#include "kernel/cpu/chirp_rows.hpp"
#include "kernel/cpu/half_rows.hpp"
#include "kernel/cpu/joined_rows.hpp"
#include "kernel/cpu/turn.hpp"

namespace kallima::kernel {
namespace {

template <class T>
KALLIMA_INLINE Index number(const RowsOf<T>& rows, Index i, Index q, Index reversed_of) {
  const Index k = rows.first + i * rows.each + q * rows.step;
  return reversed_of == 0 || k == 0 ? k : reversed_of - k;
}

// Where row q of butterfly i is, and the reals between its lanes.
template <class T>
KALLIMA_INLINE T* row_of(const RowsOf<T>& rows, Index i, Index q, Index reversed_of) {
  if (rows.list != nullptr) {
    const Row<const std::complex<T>>& row = rows.list[number(rows, i, q, reversed_of) * rows.list_step];
    return const_cast<T*>(reals(row.p + rows.first_lane * row.stride));
  }
  if (rows.pitch != 0) return rows.base + number(rows, i, q, reversed_of) * rows.pitch;
  return rows.base + i * rows.each_at + q * rows.step_at;
}
template <class T>
KALLIMA_INLINE Index stride_of(const RowsOf<T>& rows, Index i, Index q, Index reversed_of) {
  const bool one_for_all = rows.list == nullptr || rows.lane_stride != 0;
  return 2 * (one_for_all ? rows.lane_stride : rows.list[number(rows, i, q, reversed_of) * rows.list_step].stride);
}

// Those of all its rows.
template <class T>
KALLIMA_INLINE void point_to(int radix, const RowsOf<T>& rows, Index i, Index reversed_of, T** __restrict to) {
  for (int q = 0; q < radix; ++q) to[q] = row_of(rows, i, q, reversed_of);
}

// Rows far apart are asked for a butterfly or more ahead, so that they come while others are worked on: hardware does
// not guess such strides.
template <int write, class T>
KALLIMA_INLINE void ask_for(int radix, const RowsOf<T>& rows, Index i, Index reversed_of, Index lanes) {
  for (int q = 0; q < radix; ++q) {
    const T* const row = row_of(rows, i, q, reversed_of);
    for (Index b = 0; b < 2 * lanes; b += static_cast<Index>(64 / sizeof(T))) __builtin_prefetch(row + b, write);
  }
}

enum class LaneOrder { near, apart };  // neighbours, or all a stride apart

// What multiplies the results of butterfly i, of which products of rows are put into `product`.
template <class T>
KALLIMA_INLINE const T* factors_of(int radix, const Butterflies<T>& it, Index i, T* __restrict product) {
  if (it.multiply == Multiply::by_pair) return reals(it.pairs) + 2 * radix * i;
  for (int q = 0; q < radix; ++q) {
    const Index k = number(it.out, i, q, it.reversed);
    const T* const row = it.rows == nullptr ? nullptr : reals(it.rows + k * it.rows_step);
    product[2 * q] = it.scale * (row == nullptr ? T(1) : row[0]);
    product[2 * q + 1] = it.sign * it.scale * (row == nullptr ? T(0) : row[1]);
  }
  return product;
}

// What is to be known of butterfly i: where its rows are, and what multiplies them. Later ones are asked for.
template <class T>
KALLIMA_INLINE const T* look_up(int radix, Index ahead, const Butterflies<T>& it, Index i, T** __restrict from,
                                T** __restrict to, T* __restrict product) {
  point_to(radix, it.in, i, 0, from);
  point_to(radix, it.out, i, it.reversed, to);
  if (i + ahead < it.count && it.in.far) ask_for<0>(radix, it.in, i + ahead, 0, it.lanes);
  if (i + ahead < it.count && it.out.far) ask_for<1>(radix, it.out, i + ahead, it.reversed, it.lanes);
  return product == nullptr ? nullptr : factors_of(radix, it, i, product);
}
// The same, called. Repeated in every codelet it would be more than half of their code, and of the time that they take
// to compile.
template <class T>
[[gnu::noinline]] const T* call_look_up(int radix, Index ahead, const Butterflies<T>& it, Index i, T** from, T** to,
                                        T* product) {
  return look_up(radix, ahead, it, i, from, to, product);
}

// What multiplies the results of butterfly i by lane, besides the ones of its rows where the radix is 1.
template <class T>
struct LaneFactors {
  const T* head;
  const T* tails;  // of its points, `step` reals apart
  Index step;

  KALLIMA_INLINE LaneFactors() : head(nullptr), tails(nullptr), step(0) {}
  KALLIMA_INLINE LaneFactors(const Butterflies<T>& it, Index radix, Index i) {
    const Index h = it.out.first + i * it.out.each;
    const bool back = it.reversed != 0 && h != 0;
    head = reals(it.fine + (back ? it.reversed / radix - h : h) * it.fine_step);
    tails = radix == 1 ? nullptr : reals(it.tails + (back ? it.tails_step : 0));
    step = 2 * it.tails_step;
  }
};

// A loop: how often, and by how many bytes of rows, and reals of factors, it goes on.
struct Advance {
  Index count, in, out, factors;
};

// Butterflies of rows that all go on equally, in two loops.
template <class T, int radix, Multiply multiply, LaneOrder in, LaneOrder out>
KALLIMA_INLINE void run_loops(const Advance& outer, const Advance& inner, T* const* from, T* const* to,
                              const T* all_factors, Index stride_in, Index stride_out, const Butterflies<T>& it,
                              Index i) {
  using P = Pack<T>;
  const char* a[radix];
  char* b[radix];
  for (int q = 0; q < radix; ++q) a[q] = reinterpret_cast<const char*>(from[q]);
  for (int q = 0; q < radix; ++q) b[q] = reinterpret_cast<char*>(to[q]);
  const bool conjugate = it.sign != T(1);
  constexpr bool by_lane = multiply == Multiply::by_row_and_lane, by_row = multiply != Multiply::not_at_all;
  const LaneFactors<T> lanes = by_lane ? LaneFactors<T>(it, radix, i) : LaneFactors<T>{};
  const T* head = lanes.head;
  Index first_in = 0, first_out = 0;
  for (Index m = outer.count; m > 0; --m, first_in += outer.in, first_out += outer.out) {
    Index in_at = first_in, out_at = first_out;
    const T* factors = all_factors;
    for (Index n = inner.count; n > 0; --n, in_at += inner.in, out_at += inner.out) {
      P x[radix];
      unrolled<radix>([&](auto q) KALLIMA_INLINED {
        const T* const p = reinterpret_cast<const T*>(a[q] + in_at);
        if constexpr (in == LaneOrder::near)
          x[q] = P::load(p);
        else
          x[q] = P::load(p, stride_in);
      });
      butterfly(x);
      const Index lane = (inner.count - n) * P::reals;
      const P first = by_lane ? P::load(head + lane) : P{};
      const T* tail = lanes.tails + lane;
      unrolled<radix>([&](auto q) KALLIMA_INLINED {
        if constexpr (by_row && (!by_lane || radix == 1)) x[q] = x[q].times(factors + 2 * q);
        if constexpr (by_lane && radix == 1) x[q] = x[q].times(conjugate ? first.conjugate() : first);
        if constexpr (by_lane && radix > 1) {
          x[q] = x[q].times(P::load(tail).times(first));
          tail += lanes.step;
        }
        T* const p = reinterpret_cast<T*>(b[q] + out_at);
        if constexpr (out == LaneOrder::near)
          x[q].store(p);
        else
          x[q].store(p, stride_out);
      });
      if constexpr (multiply == Multiply::by_pair) factors += inner.factors;
    }
    if constexpr (multiply == Multiply::by_pair) all_factors += outer.factors;
    if constexpr (by_lane) head += outer.factors;
  }
}

// Where rows are regular there is nothing to look up between butterflies, and where lanes stand along their lines,
// lines are done one after another.
template <class T, int radix, Multiply multiply, LaneOrder in, LaneOrder out>
void run(const Butterflies<T>& it) {
  constexpr Index real = sizeof(T), ahead = radix == 2 ? 4 : radix <= 8 ? 2 : 1;
  const Index stride_in = 2 * it.in.lane_stride, stride_out = 2 * it.out.lane_stride;
  const Advance vectors{it.lanes / Pack<T>::lanes, it.in.vector_at * real, it.out.vector_at * real, 0};
  constexpr bool by_heads = multiply == Multiply::by_row_and_lane && radix > 1;
  const Index next_head = 2 * it.out.each * it.fine_step * (it.reversed == 0 ? 1 : -1);
  const Advance points{it.count, it.in.each_at * real, it.out.each_at * real, by_heads ? next_head : 2 * radix};
  const bool by_next = by_heads ? !it.along && (it.reversed == 0 || it.out.first != 0 || it.count == 1)
                                : it.multiply <= Multiply::by_pair;
  const bool regular = it.in.list == nullptr && it.out.list == nullptr && (it.out.pitch == 0 || it.reversed == 0) &&
                       by_next && !it.in.far && !it.out.far;
  T* from[radix];
  T* to[radix];
  T product[2 * radix];
  const Advance once{1, 0, 0, 0};
  for (Index i = 0; i < (regular ? 1 : it.count); ++i) {
    T* const products = multiply == Multiply::not_at_all || by_heads ? nullptr : product;
    const T* factors;
    if constexpr (radix <= 4)
      factors = look_up(radix, ahead, it, i, from, to, products);
    else
      factors = call_look_up(radix, ahead, it, i, from, to, products);
    const Advance& outer = it.along ? vectors : points;
    const Advance& inner = it.along ? points : vectors;
    run_loops<T, radix, multiply, in, out>(regular ? outer : once, regular ? inner : vectors, from, to, factors,
                                           stride_in, stride_out, it, i);
  }
}

// Calls then(0), then(1), ..., with constants or in a loop, which takes no time to compile.
template <int count, bool constants>
KALLIMA_INLINE void each(const auto& then) {
  if constexpr (constants) {
    unrolled<count>(then);
  } else {
#pragma GCC unroll 1
    for (int q = 0; q < count; ++q) then(q);
  }
}

// Where every row has a stride of its own, which is rare enough for one function to multiply by anything. With wide
// vectors that makes much code, and large radices go through their rows in loops.
template <class T, int radix>
void run_each(const Butterflies<T>& it) {
  using P = Pack<T>;
  constexpr bool constants = P::lanes == 1 || radix <= 8;
  T* from[radix];
  T* to[radix];
  Index stride_in[radix], stride_out[radix];
  T product[2 * radix];
  const bool by_lane = it.multiply == Multiply::by_row_and_lane, conjugate = it.sign != T(1);
  for (Index i = 0; i < it.count; ++i) {
    T* const products = it.multiply == Multiply::not_at_all || (by_lane && radix > 1) ? nullptr : product;
    const T* const factors = call_look_up(radix, it.count, it, i, from, to, products);
    each<radix, constants>([&](auto q) KALLIMA_INLINED {
      stride_in[q] = stride_of(it.in, i, q, 0);
      stride_out[q] = stride_of(it.out, i, q, it.reversed);
    });
    const LaneFactors<T> lanes = by_lane ? LaneFactors<T>(it, radix, i) : LaneFactors<T>{};
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      P x[radix];
      each<radix, constants>([&](auto q) KALLIMA_INLINED {
        const T* const p = from[q] + b * stride_in[q];
        x[q] = P::lanes == 1 || stride_in[q] == 2 ? P::load(p) : P::load(p, stride_in[q]);
      });
      butterfly(x);
      each<radix, constants>([&](auto q) KALLIMA_INLINED {
        if (factors != nullptr) x[q] = x[q].times(factors + 2 * q);
        if (by_lane) {
          const P first = P::load(lanes.head + 2 * b);
          if constexpr (radix == 1)
            x[q] = x[q].times(conjugate ? first.conjugate() : first);
          else
            x[q] = x[q].times(P::load(lanes.tails + q * lanes.step + 2 * b).times(first));
        }
        T* const p = to[q] + b * stride_out[q];
        P::lanes == 1 || stride_out[q] == 2 ? x[q].store(p) : x[q].store(p, stride_out[q]);
      });
    }
  }
}

// Where a pack is one complex number, lanes may stand anywhere.
template <class T, int radix, Multiply multiply>
void run_of(const Butterflies<T>& it) {
  constexpr LaneOrder apart = LaneOrder::apart, near = Pack<T>::lanes == 1 ? apart : LaneOrder::near;
  const bool near_in = it.in.lane_stride == 1, near_out = it.out.lane_stride == 1;
  if (near == apart || (near_in && near_out))
    run<T, radix, multiply, near, near>(it);
  else if (near_out)
    run<T, radix, multiply, apart, near>(it);
  else
    run<T, radix, multiply, near, apart>(it);
}

template <class T, int radix>
void run_any(const Butterflies<T>& it) {
  const bool near = Pack<T>::lanes == 1 || (it.in.lane_stride == 1 && it.out.lane_stride == 1);
  const bool by_each = it.in.lane_stride == 0 || it.out.lane_stride == 0 ||
                       (Pack<T>::lanes > 1 && it.in.lane_stride != 1 && it.out.lane_stride != 1);
  const bool by_lane = it.multiply == Multiply::by_row_and_lane;
  if (by_each || (by_lane && !near))
    run_each<T, radix>(it);
  else if (by_lane)
    run<T, radix, Multiply::by_row_and_lane, LaneOrder::near, LaneOrder::near>(it);
  else if (it.multiply == Multiply::not_at_all)
    run_of<T, radix, Multiply::not_at_all>(it);
  else
    run_of<T, radix, Multiply::by_pair>(it);
}

template <class T, int... radices>
ButterflyCodelet<T> with_radix(Index radix, std::integer_sequence<int, radices...>) {
  ButterflyCodelet<T> found = nullptr;
  ((radix == radices ? void(found = run_any<T, radices>) : void()), ...);
  return found;
}

template <class T>
ButterflyCodelet<T> butterflies(Index radix) {
  return with_radix<T>(radix, std::integer_sequence<int, KALLIMA_RADICES>{});
}

// Primes above 13, up to largest_prime, by the symmetry of their roots, from sums and differences of a vector of lanes.
template <class T>
void run_prime(const Butterflies<T>& it) {
  using P = Pack<T>;
  const Index half = it.prime / 2;
  P sum[largest_prime / 2], difference[largest_prime / 2];
  for (Index i = 0; i < it.count; ++i)
    for (Index b = 0; b < it.lanes; b += P::lanes) {
      const auto load = [&](Index q) {
        const Index stride = stride_of(it.in, i, q, 0);
        const T* const p =
            row_of(it.in, i, q, 0) + (it.in.lane_stride == 0 ? b * stride : b / P::lanes * it.in.vector_at);
        return P::lanes == 1 || stride == 2 ? P::load(p) : P::load(p, stride);
      };
      const auto store = [&](Index q, P x) {
        const Index stride = stride_of(it.out, i, q, it.reversed);
        T* const p = row_of(it.out, i, q, it.reversed) +
                     (it.out.lane_stride == 0 ? b * stride : b / P::lanes * it.out.vector_at);
        if (it.multiply == Multiply::by_pair) x = x.times(reals(it.pairs + i * it.prime + q));
        if (it.multiply == Multiply::by_row) {
          const Index k = number(it.out, i, q, it.reversed);
          const T* const row = it.rows == nullptr ? nullptr : reals(it.rows + k * it.rows_step);
          const T w[2] = {it.scale * (row == nullptr ? T(1) : row[0]),
                          it.sign * it.scale * (row == nullptr ? T(0) : row[1])};
          x = x.times(w);
        }
        if (it.multiply == Multiply::by_row_and_lane) {
          const LaneFactors<T> lanes(it, it.prime, i);
          x = x.times(P::load(lanes.tails + q * lanes.step + 2 * b).times(P::load(lanes.head + 2 * b)));
        }
        P::lanes == 1 || stride == 2 ? x.store(p) : x.store(p, stride);
      };
      const P first = load(0);
      P all = first;
      for (Index j = 0; j < half; ++j) {
        const P low = load(j + 1), high = load(it.prime - 1 - j);
        sum[j] = low + high;
        difference[j] = low - high;
        all = all + sum[j];
      }
      store(0, all);
      const T* wave = it.waves;
      for (Index k = 0; k < half; ++k) {
        P even = first, odd = wave[1] * difference[0];
        for (Index j = 0; j < half; ++j, wave += 2) {
          even = even + wave[0] * sum[j];
          if (j > 0) odd = odd + wave[1] * difference[j];
        }
        store(k + 1, even.minus_i(odd));
        store(it.prime - 1 - k, even.plus_i(odd));
      }
    }
}

}  // namespace

namespace KALLIMA_ISA {

#define KALLIMA_TEXT_OF(name) #name
#define KALLIMA_TEXT(name) KALLIMA_TEXT_OF(name)

template <class T>
Codelets<T> all() {
  return {KALLIMA_TEXT(KALLIMA_ISA),
          Pack<T>::lanes,
          butterflies<T>,
          run_prime<T>,
          untangle<T>,
          tangle<T>,
          unfold<T>,
          fold<T>,
          turn_into_lines<T>,
          turn_into_rows<T>,
          join<T>,
          take<T>,
          chirp<T>};
}
template Codelets<KALLIMA_REAL> all<KALLIMA_REAL>();

}  // namespace KALLIMA_ISA
}  // namespace kallima::kernel
