// A chain is a register to which a part of itself is added again and again, since that is one instruction everywhere: a
// sum of anything else would have to be copied first where it replaces the addend. Nothing of the standard library is
// included but a type: what is compiled here may run on few processors, and must not be linked in for all.

#include "bench/peak_loop.hpp"

namespace kallima::cli::KALLIMA_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
#elif defined(__AVX__)
constexpr std::size_t vector_bytes = 32;
#else
constexpr std::size_t vector_bytes = 16;
#endif

template <class T>
struct Vector {
  typedef T Type __attribute__((vector_size(vector_bytes)));
};

template <class T, int chains>
T run(std::size_t rounds, T start, T factor) {
  using V = typename Vector<T>::Type;
  const V x = V{} + factor;
  V a[chains];
#pragma GCC unroll 32
  for (int k = 0; k < chains; ++k) a[k] = V{} + start * static_cast<T>(k + 1);  // equal ones would become one
  for (std::size_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 32
    for (int k = 0; k < chains; ++k) a[k] += a[k] * x;
  }
  V sum{};
#pragma GCC unroll 32
  for (int k = 0; k < chains; ++k) sum += a[k];
  return sum[0];
}

template <class T, int chains>
constexpr PeakLoop<T> loop() {
  return {run<T, chains>, 2.0 * chains * vector_bytes / sizeof(T)};
}

template <class T>
constexpr PeakLoop<T> loops[peak_loop_count] = {loop<T, 8>(), loop<T, 12>(), loop<T, 16>(), loop<T, 24>()};

}  // namespace

const PeakLoop<float>* float_loops() { return loops<float>; }
const PeakLoop<double>* double_loops() { return loops<double>; }

}  // namespace kallima::cli::KALLIMA_ISA
