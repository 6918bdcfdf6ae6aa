#pragma once
// The kernel that does what a Tile says; everything about it is known to the compiler but pointers and strides. Forward
// it loads elements as they lie in time, transforms digits, multiplies by roots of unity and stores them as they lie in
// frequency; mirrored, the other way round, step by step, which is the transform from frequency to time but for two
// conjugations. An exchange has every thread write to the places of shared memory that it has read itself, and read
// others after a barrier, so that one barrier is enough. An exchange among blocks sends elements straight into the
// memory of the block that needs them; its barrier counts bytes.

#include "cuda/whole/cluster.cuh"
#include "cuda/whole/halved_rows.cuh"
#include "cuda/whole/real_rows.cuh"

namespace kallima::cuda {

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
      constexpr bool apart = Shape::tile.reals && !low_is_in_tile(Shape::tile, d);  // then (un)tangle() does it
      if constexpr (mirrored && digit.low > 0 && !apart) multiply_by_roots<Shape, step, d>(work);
      transform_digit<Shape, step, d>(work);
      if constexpr (!mirrored && digit.low > 0 && !apart) multiply_by_roots<Shape, step, d>(work);
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

// `meanwhile` is what may be begun once the first exchange is over.
template <class Shape, int step, class V, class Meanwhile>
__device__ __forceinline__ void forward_from(TileWork<Shape, V>& work, SharedElement<V>* shared, uint64_t* barrier,
                                             const Meanwhile& meanwhile) {
  if constexpr (step == 1) meanwhile();
  do_step<Shape, step, false>(work);
  if constexpr (step + 1 < Shape::tile.steps) {
    if constexpr (exchange_group(Shape::tile, step, step + 1) == 0)
      exchange_in_cluster<Shape>(work, shared, barrier);
    else
      exchange_in_block<Shape, step, step + 1>(work, shared);
    forward_from<Shape, step + 1>(work, shared, barrier, meanwhile);
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
  constexpr bool back = mode == TileMode::mirrored || mode == TileMode::from_halved;
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
  let_next_begin();
  if constexpr (t.ranks > 0) {
    if (threadIdx.x == 0) {
      make_barrier(barriers);
      if constexpr (mode == TileMode::apply) make_barrier(barriers + 1);
    }
    __syncwarp();
    if constexpr (back) {
      arrive_at_cluster_relaxed();
      wait_for_cluster();
    } else {
      arrive_at_cluster_relaxed();
    }
  }
  wait_for_last();
  if constexpr (back) {
    if constexpr (t.reals) {
      load_tangled<Shape>(work, shared);
    } else if constexpr (mode == TileMode::from_halved) {
      load_halved<Shape, last>(work, call.frequency);
      if (call.prefetch > 0) prefetch_ahead<Shape, last>(work, call.frequency, call.row_shift);
    } else {
      load<Shape, last>(work, call.frequency);
      if (call.prefetch > 0) prefetch_ahead<Shape, last>(work, call.frequency);
    }
    mirrored_from<Shape, last>(work, shared, barriers);
    store<Shape, 0>(work, call.time);
  } else {
    load<Shape, 0>(work, call.time);
    if (call.prefetch > 0) prefetch_ahead<Shape, 0>(work, call.time);
    forward_from<Shape, 0>(work, shared, barriers, [&] {
      if constexpr (mode == TileMode::apply) prefetch_factors<Shape>(work);
    });
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
