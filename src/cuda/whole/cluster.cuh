#pragma once
// The few instructions of clusters that C++ has no words for: barriers among the blocks of a cluster, and stores into
// another block's shared memory that count themselves on a barrier of that block when they have arrived.

#include "cuda/whole/lanes.cuh"

namespace kallima::cuda {

__device__ __forceinline__ uint32_t shared_address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}

// The same place in the memory of block `rank` of this cluster.
__device__ __forceinline__ uint32_t address_in(uint32_t address, int rank) {
  uint32_t there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}

__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// Arriving orders all that this thread did before; relaxed, only what was made visible otherwise.
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void arrive_at_cluster_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// Blocks of the next kernel in a stream may take their places as soon as all of this one have theirs; before they touch
// memory, they wait for the end of the last one.
__device__ __forceinline__ void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }
__device__ __forceinline__ void wait_for_last() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// A barrier of one use that is passed when as many bytes have arrived as are expected. Some may arrive before that is
// said: it waits for the saying, too. Threads that have waited for it may pass one by one, and barriers of whole warps
// follow.
__device__ __forceinline__ void make_barrier(uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ __forceinline__ void expect_bytes(uint64_t* barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void wait_for_bytes(uint64_t* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nWAIT_%=:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n"
      "@p bra DONE_%=;\nbra WAIT_%=;\nDONE_%=:\n}" ::"r"(shared_address(barrier))
      : "memory");
  __syncwarp();
}

__device__ __forceinline__ void send(uint32_t to, uint32_t barrier, double r, double i) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::"r"(to),
               "d"(r), "d"(i), "r"(barrier)
               : "memory");
}
__device__ __forceinline__ void send(uint32_t to, uint32_t barrier, FloatPair r, FloatPair i) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to),
      "f"(r.a), "f"(r.b), "f"(i.a), "f"(i.b), "r"(barrier)
      : "memory");
}

}  // namespace kallima::cuda
