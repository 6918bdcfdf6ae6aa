#pragma once
// The kernel that does what a Tile says; everything about it is known to the compiler but pointers and strides. Forward
// it loads elements as they lie in time, transforms digits, multiplies by roots of unity and stores them as they lie in
// frequency; mirrored, the other way round, step by step, which is the transform from frequency to time but for two
// conjugations. An exchange has every thread write to the places of shared memory that it has read itself, and read
// others after a barrier, so that one barrier is enough. An exchange among blocks sends elements straight into the
// memory of the block that needs them; its barrier counts bytes.

#include "cuda/model/tile_call.hpp"
#include "cuda/whole/cluster.cuh"
#include "cuda/whole/register_dft.cuh"

namespace kallima::cuda {

template <class Shape, class V>
struct TileWork {
  static constexpr int points = 1 << Shape::tile.registers;
  const TileCall& call;
  int index;  // thread, and above it rank
  int loop[tile_loops];
  V r[points], i[points];
};

template <class Runs, int j = 0>
__device__ __forceinline__ int gather(int index) {  // Runs::value(index), without a loop
  if constexpr (j >= Runs::value.runs) {
    return 0;
  } else {
    constexpr BitRun run = Runs::value.run[j];
    return (((index >> run.from) & ((1 << run.count) - 1)) << run.to) | gather<Runs, j + 1>(index);
  }
}

template <class Shape, int step, int digit>
struct DigitRuns {
  static constexpr BitRuns value = digit_runs(Shape::tile, step, digit);
};
template <class Shape, int step>
struct AddressRuns {
  static constexpr BitRuns value = address_runs(Shape::tile, step);
};
template <class Shape, bool to_rank>
struct FirstPlaceRuns {
  static constexpr BitRuns value = first_place_runs(Shape::tile, 1, to_rank);
};

template <class Shape, int step, int d>
__device__ __forceinline__ int digit_of(int index) {
  return gather<DigitRuns<Shape, step, d>>(index);
}

template <class Shape, int step>
__device__ __forceinline__ int thread_address(int index) {
  const int plain = gather<AddressRuns<Shape, step>>(index);
  int address = plain;
  static_for<0, 3>([&](auto j) {
    constexpr int from = Shape::tile.swizzle[j];
    if constexpr (from >= 0) address ^= ((plain >> from) & 1) << j;
  });
  return address;
}

// Calls body(k, p) for each register with where its element lies, on the side that is given.
template <class Shape, int step, class V, class Number, class Body>
__device__ __forceinline__ void for_each_element(const TileWork<Shape, V>& work, const int (&loop)[tile_loops],
                                                 const TileSide& side, Number* base, Body&& body) {
  base += loop[0] * side.loop[0] + loop[1] * side.loop[1] + loop[2] * side.loop[2];
  int thread = 0;
  static_for<0, Shape::tile.digits>([&](auto d) { thread += digit_of<Shape, step, d>(work.index) * side.digit[d]; });
  base += thread;
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    int offset = 0;
    static_for<0, Shape::tile.digits>([&](auto d) {
      constexpr int value = digit_value(Shape::tile, step, d, k);
      if constexpr (value > 0) offset += value * side.digit[d];
    });
    body(k, base + offset);
  });
}

template <class Shape, int step, class V>
__device__ __forceinline__ void load(TileWork<Shape, V>& work, const TileSide& side) {
  const auto* base = static_cast<const ComplexOf<V>*>(work.call.in);
  for_each_element<Shape, step>(work, work.loop, side, base, [&](auto k, const ComplexOf<V>* p) {
    load_element(p, side.pair, Shape::tile.pairs_are_neighbours, work.r[k], work.i[k]);
    conjugate_if(work.i[k], work.call.conjugate_in);
  });
}

// Brings lines of 128 bytes into the second cache; of the threads that share one, each asks for other registers'.
template <class Shape, int step, class Number, class V>
__device__ __forceinline__ void prefetch(const TileWork<Shape, V>& work, const int (&loop)[tile_loops],
                                         const TileSide& side, const void* base) {
  constexpr bool split = LaneTraits<V>::count == 2 && !Shape::tile.pairs_are_neighbours;
  constexpr int bytes = static_cast<int>(sizeof(Number)) * (split ? 1 : LaneTraits<V>::count), sharing = 128 / bytes;
  for_each_element<Shape, step>(work, loop, side, static_cast<const Number*>(base), [&](auto k, const Number* p) {
    if ((work.index & (sharing - 1)) != (k & (sharing - 1))) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
    if constexpr (split) asm volatile("prefetch.global.L2 [%0];" ::"l"(p + side.pair));
  });
}

// The tile that is so many tiles further on.
template <class Shape, int step, class V>
__device__ __forceinline__ void prefetch_ahead(const TileWork<Shape, V>& work, const TileSide& side) {
  const auto& call = work.call;
  const unsigned ahead = work.loop[0] + static_cast<unsigned>(call.prefetch), rows = ahead / call.tiles[0];
  const int loop[tile_loops] = {static_cast<int>(ahead % call.tiles[0]), static_cast<int>(work.loop[1] + rows),
                                work.loop[2]};
  if (static_cast<unsigned>(loop[1]) < call.tiles[1]) prefetch<Shape, step, ComplexOf<V>>(work, loop, side, call.in);
}

__device__ __forceinline__ void store_part(double2* p, bool, bool, long long, uint64_t policy, double r, double i) {
  store_element(p, 0, true, policy, r, i);
}
__device__ __forceinline__ void store_part(float2* p, bool first, bool second, long long pair, uint64_t policy,
                                           FloatPair r, FloatPair i) {
  if (first && second) return store_element(p, pair, true, policy, r, i);
  *(first ? p : p + 1) = first ? float2{r.a, i.a} : float2{r.b, i.b};
}

// Into shifted rows of n/2+1 elements, what there is of them.
template <class Shape, int step, class V>
__device__ __forceinline__ void store_halved(TileWork<Shape, V>& work, const TileSide& side) {
  const auto& call = work.call;
  constexpr int lanes = LaneTraits<V>::count, width = lanes << Shape::tile.digit[0].bits;
  const int shift = work.loop[1] & call.row_shift;
  const int x = work.loop[0] * width + digit_of<Shape, step, 0>(work.index) * lanes - shift;
  const bool first = x >= 0 && x < call.row_length, second = lanes == 2 && x + 1 >= 0 && x + 1 < call.row_length;
  if (!first && !second) return;
  const auto scale = static_cast<RealOf<V>>(call.scale);
  const uint64_t policy = store_policy(false);
  for_each_element<Shape, step>(work, work.loop, side, static_cast<ComplexOf<V>*>(call.out) - shift,
                                [&](auto k, ComplexOf<V>* p) {
                                  store_part(p, first, second, side.pair, policy, scale * work.r[k], scale * work.i[k]);
                                });
}

template <class Shape, int step, class V>
__device__ __forceinline__ void store(TileWork<Shape, V>& work, const TileSide& side) {
  if (work.call.scale != 1.0) {
    const auto scale = static_cast<RealOf<V>>(work.call.scale);
    static_for<0, TileWork<Shape, V>::points>(
        [&](auto k) { work.r[k] = scale * work.r[k], work.i[k] = scale * work.i[k]; });
  }
  auto* base = static_cast<ComplexOf<V>*>(work.call.out);
  const uint64_t policy = store_policy(false);
  for_each_element<Shape, step>(work, work.loop, side, base, [&](auto k, ComplexOf<V>* p) {
    conjugate_if(work.i[k], work.call.conjugate_out);
    store_element(p, side.pair, Shape::tile.pairs_are_neighbours, policy, work.r[k], work.i[k]);
  });
}

// exp(-2 pi i e / 2^bits). Long tables are the products of two short ones.
template <int bits, class Complex>
__device__ __forceinline__ Complex root(const Complex* table, int e) {
  constexpr int short_bits = 12;
  e &= (1 << bits) - 1;
  if constexpr (bits <= short_bits)
    return __ldg(table + e);
  else
    return product(__ldg(table + (e & ((1 << short_bits) - 1))), __ldg(table + (1 << short_bits) + (e >> short_bits)));
}

// Multiplies digit d, in registers at this step, by its roots. Of those whose exponents differ between threads the
// first, fourth and sixteenth are looked up, and the others are products of few of them: looking up all would take
// longer than the transform, and powers of one would be less exact.
template <class Shape, int step, int d, class V>
__device__ __forceinline__ void multiply_by_roots(TileWork<Shape, V>& work) {
  constexpr Tile t = Shape::tile;
  constexpr Digit digit = t.digit[d];
  constexpr int bits = t.axis_bits[digit.axis], lowest = register_of(t, step, d), values = 1 << digit.bits;
  const auto* table = static_cast<const ComplexOf<V>*>(work.call.roots[digit.axis]);
  int m = 0;
  static_for<0, t.digits>([&](auto other) {
    if constexpr (lies_below(Shape::tile, other, d))
      m |= digit_of<Shape, step, other>(work.index) << Shape::tile.digit[other].low;
  });
  if constexpr (t.low_loop[digit.axis] >= 0) m |= work.loop[t.low_loop[digit.axis]] << t.low_shift[digit.axis];
  m <<= bits - digit.low - digit.bits;
  const auto apply = [&](auto k, ComplexOf<V> w) {  // to all registers in which the digit is k
    static_for<0, TileWork<Shape, V>::points / values>([&](auto rest) {
      constexpr int below = rest & ((1 << lowest) - 1), j = (((rest - below) << digit.bits) | below) + (k << lowest);
      rotate(work.r[j], work.i[j], w);
    });
  };
  if constexpr (!low_is_in_tile(t, d) || values <= 4) {
    static_for<1, values>([&](auto k) { apply(k, root<bits>(table, k * m)); });
  } else {
    ComplexOf<V> near[4];
    near[1] = root<bits>(table, m);
    near[2] = product(near[1], near[1]), near[3] = product(near[2], near[1]);
    const auto fourth = root<bits>(table, 4 * m);
    static_for<1, 4>([&](auto k) { apply(k, near[k]); });
    auto w = fourth;
    static_for<1, values / 4>([&](auto high) {
      if constexpr (high == 4)  // no power grows old
        w = root<bits>(table, 16 * m);
      else if constexpr (high > 1)
        w = product(w, fourth);
      apply(std::integral_constant<int, 4 * high>(), w);
      static_for<1, 4>([&](auto k) { apply(std::integral_constant<int, 4 * high + k>(), product(w, near[k])); });
    });
  }
}

template <class Shape, int step, int d, class V>
__device__ __forceinline__ void transform_digit(TileWork<Shape, V>& work) {
  constexpr int lowest = register_of(Shape::tile, step, d), n = 1 << Shape::tile.digit[d].bits;
  constexpr int points = TileWork<Shape, V>::points;
  static_for<0, points / n>([&](auto rest) {
    constexpr int below = rest & ((1 << lowest) - 1), j = (rest - below) * n + below;
    V a[n], b[n];
    static_for<0, n>([&](auto k) { a[k] = work.r[j + (k << lowest)], b[k] = work.i[j + (k << lowest)]; });
    dft(a, b);
    static_for<0, n>([&](auto k) { work.r[j + (k << lowest)] = a[k], work.i[j + (k << lowest)] = b[k]; });
  });
}

template <class Shape, int step, bool mirrored, class V>
__device__ __forceinline__ void do_step(TileWork<Shape, V>& work) {
  static_for<0, Shape::tile.digits>([&](auto d) {
    constexpr Digit digit = Shape::tile.digit[d];
    if constexpr (digit.step == step) {
      constexpr bool later = Shape::tile.reals && !low_is_in_tile(Shape::tile, d);  // then untangle() does it
      if constexpr (mirrored && digit.low > 0) multiply_by_roots<Shape, step, d>(work);
      transform_digit<Shape, step, d>(work);
      if constexpr (!mirrored && digit.low > 0 && !later) multiply_by_roots<Shape, step, d>(work);
    }
  });
}

template <int group, int threads>
__device__ __forceinline__ void wait_for_group(int thread) {
  if constexpr (group <= 32)
    __syncwarp();
  else if constexpr (group == threads)
    __syncthreads();
  else
    asm volatile("bar.sync %0, %1;" ::"r"(thread / group + 1), "n"(group) : "memory");
}

template <class V>
struct alignas(16) SharedElement {
  V r, i;
};

// Element k of this thread stands at thread ^ constant; where no bits meet, + lets the constant into the instruction.
template <class Shape, int step, int k>
__device__ __forceinline__ int element_address(int thread) {
  constexpr int mine = address_of(Shape::tile, step, k);
  return (thread ^ (mine & 7)) + (mine & ~7);
}

template <class Shape, int from, int to, class V>
__device__ __forceinline__ void exchange_in_block(TileWork<Shape, V>& work, SharedElement<V>* shared) {
  constexpr Tile t = Shape::tile;
  constexpr int points = TileWork<Shape, V>::points, threads = 1 << t.threads;
  const int write = thread_address<Shape, from>(work.index), read = thread_address<Shape, to>(work.index);
  static_for<0, points>([&](auto k) { shared[element_address<Shape, from, k>(write)] = {work.r[k], work.i[k]}; });
  wait_for_group<exchange_group(t, from, to), threads>(work.index & (threads - 1));
  static_for<0, points>([&](auto k) {
    const auto e = shared[element_address<Shape, to, k>(read)];
    work.r[k] = e.r, work.i[k] = e.i;
  });
}

// From step 0 to step 1, into the places that all later steps share.
template <class Shape, class V>
__device__ __forceinline__ void exchange_in_cluster(TileWork<Shape, V>& work, SharedElement<V>* shared,
                                                    uint64_t* barrier) {
  constexpr Tile t = Shape::tile;
  const uint32_t memory = shared_address(shared), bell = shared_address(barrier);
  const int write = thread_address<Shape, 0>(work.index), read = thread_address<Shape, 1>(work.index);
  wait_for_cluster();
  if (threadIdx.x == 0) expect_bytes(barrier, 16 << t.local_bits());
  constexpr auto by_rank = registers_by_rank<TileWork<Shape, V>::points>(t);
  static_for<0, TileWork<Shape, V>::points>([&](auto j) {
    constexpr int k = by_rank[j];
    const uint32_t there = address_in(memory, home_rank(Shape::tile, 0, k)), its_bell = there + (bell - memory);
    send(there + static_cast<uint32_t>(element_address<Shape, 0, k>(write)) * 16, its_bell, work.r[k], work.i[k]);
  });
  wait_for_bytes(barrier);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    const auto e = shared[element_address<Shape, 1, k>(read)];
    work.r[k] = e.r, work.i[k] = e.i;
  });
}

// From step 1 back to step 0, where threads stand one beside the other for each register.
template <class Shape, class V>
__device__ __forceinline__ void exchange_back_in_cluster(TileWork<Shape, V>& work, SharedElement<V>* shared,
                                                         uint64_t* barrier) {
  constexpr Tile t = Shape::tile;
  const uint32_t memory = shared_address(shared), bell = shared_address(barrier);
  wait_for_cluster();
  if (threadIdx.x == 0) expect_bytes(barrier, 16 << t.local_bits());
  const int write = gather<FirstPlaceRuns<Shape, false>>(work.index);
  const int rank = gather<FirstPlaceRuns<Shape, true>>(work.index);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    constexpr int place = first_place_of_register(Shape::tile, 1, k, false);
    constexpr int home = first_place_of_register(Shape::tile, 1, k, true);
    const uint32_t there = address_in(memory, rank | home);
    send(there + static_cast<uint32_t>(write + place) * 16, there + (bell - memory), work.r[k], work.i[k]);
  });
  wait_for_bytes(barrier);
  const int thread = work.index & ((1 << t.threads) - 1);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    const auto e = shared[(k << Shape::tile.threads) + thread];
    work.r[k] = e.r, work.i[k] = e.i;
  });
}

template <class Shape, int step, class V>
__device__ __forceinline__ void forward_from(TileWork<Shape, V>& work, SharedElement<V>* shared, uint64_t* barrier) {
  do_step<Shape, step, false>(work);
  if constexpr (step + 1 < Shape::tile.steps) {
    if constexpr (exchange_group(Shape::tile, step, step + 1) == 0)
      exchange_in_cluster<Shape>(work, shared, barrier);
    else
      exchange_in_block<Shape, step, step + 1>(work, shared);
    forward_from<Shape, step + 1>(work, shared, barrier);
  }
}

template <class Shape, int step, class V>
__device__ __forceinline__ void mirrored_from(TileWork<Shape, V>& work, SharedElement<V>* shared, uint64_t* barrier) {
  if constexpr (step == 1 && exchange_group(Shape::tile, 0, 1) == 0) arrive_at_cluster();  // has read all it will
  do_step<Shape, step, true>(work);
  if constexpr (step > 0) {
    if constexpr (exchange_group(Shape::tile, step, step - 1) == 0)
      exchange_back_in_cluster<Shape>(work, shared, barrier);
    else
      exchange_in_block<Shape, step, step - 1>(work, shared);
    mirrored_from<Shape, step - 1>(work, shared, barrier);
  }
}

__device__ __forceinline__ void multiply_element(double& r, double& i, const double2* f, long long, bool) {
  rotate(r, i, __ldcs(f));
}
__device__ __forceinline__ void multiply_element(double& r, double& i, const double* f, long long, bool) {
  const double w = __ldcs(f);
  r *= w, i *= w;
}
__device__ __forceinline__ void multiply_element(FloatPair& r, FloatPair& i, const float2* f, long long second,
                                                 bool neighbours) {
  FloatPair x, y;
  load_element(f, second, neighbours, x, y);
  const FloatPair real = {fmaf(-y.a, i.a, x.a * r.a), fmaf(-y.b, i.b, x.b * r.b)};
  i = {fmaf(y.a, r.a, x.a * i.a), fmaf(y.b, r.b, x.b * i.b)};
  r = real;
}
__device__ __forceinline__ void multiply_element(FloatPair& r, FloatPair& i, const float* f, long long second,
                                                 bool neighbours) {
  const float a = __ldcs(f), b = __ldcs(f + (neighbours ? 1 : second));
  r = {a * r.a, b * r.b}, i = {a * i.a, b * i.b};
}

template <class Shape, class Number, class V>
__device__ __forceinline__ void multiply_by_factors(TileWork<Shape, V>& work) {
  const TileCall& call = work.call;
  for_each_element<Shape, Shape::tile.steps - 1>(
      work, work.loop, call.factors, static_cast<const Number*>(call.factor), [&](auto k, const Number* p) {
        conjugate_if(work.i[k], call.conjugate_in);
        multiply_element(work.r[k], work.i[k], p, call.factors.pair, Shape::tile.pairs_are_neighbours);
        conjugate_if(work.i[k], call.conjugate_out);
      });
}

template <class Shape, class V>
__device__ __forceinline__ void prefetch_factors(const TileWork<Shape, V>& work) {
  constexpr int last = Shape::tile.steps - 1;
  const TileCall& call = work.call;
  if (call.real_factors)
    prefetch<Shape, last, RealOf<V>>(work, work.loop, call.factors, call.factor);
  else
    prefetch<Shape, last, ComplexOf<V>>(work, work.loop, call.factors, call.factor);
}

// Rows of reals were transformed as complex numbers, x[2j] + i x[2j+1]. What belongs to a frequency is found in it and
// its mirror image, in x and in the rows alike. Only then come the roots that the rows still lack. The frequency n/2 is
// found with frequency 0; it has no register, and is stored at once.
template <class Shape, class V>
__device__ __forceinline__ void untangle(TileWork<Shape, V>& work, SharedElement<V>* shared, ComplexOf<V>* middle) {
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1, low_bits = t.digit[1].bits, row_bits = t.digit[3].bits, high = 1 << t.digit[0].bits;
  constexpr int bits = low_bits + t.digit[0].bits + 1;  // of a row of reals
  static_assert(low_bits + row_bits == t.threads && t.axis_bits[0] == bits && 32 % (2 * high) == 0);
  const int own = thread_address<Shape, last>(work.index);
  const int low = work.index & ((1 << low_bits) - 1), row = work.index >> low_bits;
  const int mirror =
      thread_address<Shape, last>((-low & ((1 << low_bits) - 1)) | (-row & ((1 << row_bits) - 1)) << low_bits);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    shared[element_address<Shape, last, k>(own)] = {work.r[k], work.i[k]};
  });
  __syncthreads();
  const auto w = root<bits>(static_cast<const ComplexOf<V>*>(work.call.roots[0]), low);
  const int m = work.loop[t.low_loop[1]] * row << (t.axis_bits[1] - t.digit[3].low - row_bits);
  const auto row_root = root<t.axis_bits[1]>(static_cast<const ComplexOf<V>*>(work.call.roots[1]), m);
  static_for<0, TileWork<Shape, V>::points>([&](auto k) {
    constexpr int h = k & (high - 1), rest = k - h;
    const int at_zero = element_address<Shape, last, rest | (-h & (high - 1))>(mirror);
    const int elsewhere = element_address<Shape, last, rest | (high - 1 - h)>(mirror);
    const auto other = shared[low == 0 ? at_zero : elsewhere];
    using Real = RealOf<V>;
    const Real half = static_cast<Real>(0.5);
    const V even_r = half * (work.r[k] + other.r), even_i = half * (work.i[k] - other.i);
    V odd_r = half * (work.i[k] + other.i), odd_i = half * (other.r - work.r[k]);
    if (h == 0 && low == 0) {
      V r = even_r - odd_r, i = even_i - odd_i;
      rotate(r, i, row_root);
      constexpr int plane = rest >> t.digit[0].bits;  // the digit that is there, and not transformed
      store_element(middle + plane * work.call.frequency.digit[2], work.call.frequency.pair, false, store_policy(true),
                    r, i);
    }
    rotate_32nds<h * 32 / (2 * high)>(odd_r, odd_i);
    rotate(odd_r, odd_i, w);
    work.r[k] = even_r + odd_r, work.i[k] = even_i + odd_i;
    rotate(work.r[k], work.i[k], row_root);
  });
}

template <class Shape, class V>
__device__ __forceinline__ void store_untangled(TileWork<Shape, V>& work, SharedElement<V>* shared) {
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1, half = 1 << (t.digit[0].bits + t.digit[1].bits);
  const TileSide& side = work.call.frequency;
  const int row = digit_of<Shape, last, 3>(work.index);
  auto* const out = static_cast<ComplexOf<V>*>(work.call.out) + (row & work.call.row_shift);
  auto* const end = out + work.loop[0] * side.loop[0] + work.loop[1] * side.loop[1] + work.loop[2] * side.loop[2] +
                    row * side.digit[3] + half;
  untangle<Shape>(work, shared, end);
  const uint64_t policy = store_policy(true);
  for_each_element<Shape, last>(work, work.loop, side, out, [&](auto k, ComplexOf<V>* p) {
    store_element(p, side.pair, false, policy, work.r[k], work.i[k]);
  });
}

template <class Shape>
constexpr int shared_bytes = (16 << Shape::tile.local_bits()) + 64;

template <class Shape, class V, TileMode mode>
__global__ void __launch_bounds__(1 << Shape::tile.threads, Shape::tile.blocks_per_sm)
    tile_kernel(const __grid_constant__ TileCall call) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900  // has no clusters; nobody starts these kernels there
  __trap();
#else
  constexpr Tile t = Shape::tile;
  constexpr int last = t.steps - 1;
  extern __shared__ __align__(128) unsigned char memory[];
  auto* shared = reinterpret_cast<SharedElement<V>*>(memory);
  auto* barriers = reinterpret_cast<uint64_t*>(memory + (16 << t.local_bits()));
  const int rank = blockIdx.x & ((1 << t.ranks) - 1);
  TileWork<Shape, V> work{
      call,
      static_cast<int>(threadIdx.x) | rank << t.threads,
      {static_cast<int>(blockIdx.x) >> t.ranks, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)},
      {},
      {}};
  if constexpr (t.ranks > 0) {
    if (threadIdx.x == 0) {
      make_barrier(barriers);
      if constexpr (mode == TileMode::apply) make_barrier(barriers + 1);
    }
    __syncwarp();
    if constexpr (mode == TileMode::mirrored) {
      arrive_at_cluster_relaxed();
      wait_for_cluster();
    } else {
      arrive_at_cluster_relaxed();
    }
  }
  if constexpr (mode == TileMode::mirrored) {
    load<Shape, last>(work, call.frequency);
    if (call.prefetch > 0) prefetch_ahead<Shape, last>(work, call.frequency);
    mirrored_from<Shape, last>(work, shared, barriers);
    store<Shape, 0>(work, call.time);
  } else {
    load<Shape, 0>(work, call.time);
    if (call.prefetch > 0) prefetch_ahead<Shape, 0>(work, call.time);
    if constexpr (mode == TileMode::apply) prefetch_factors<Shape>(work);
    forward_from<Shape, 0>(work, shared, barriers);
    if constexpr (t.reals) {
      store_untangled<Shape>(work, shared);
    } else if constexpr (mode == TileMode::halved) {
      store_halved<Shape, last>(work, call.frequency);
    } else if constexpr (mode == TileMode::forward) {
      store<Shape, last>(work, call.frequency);
    } else {
      if (call.real_factors)
        multiply_by_factors<Shape, RealOf<V>>(work);
      else
        multiply_by_factors<Shape, ComplexOf<V>>(work);
      mirrored_from<Shape, last>(work, shared, barriers + 1);
      store<Shape, 0>(work, call.time);
    }
  }
#endif
}

}  // namespace kallima::cuda
