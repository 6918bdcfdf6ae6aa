#include "cuda/whole/root_table.hpp"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <tuple>

#include "cuda/cuda_check.cuh"
#include "cuda/model/tile_plan.hpp"

namespace kallima::cuda {
namespace {

template <class Real>
std::vector<std::complex<Real>> roots(int bits) {
  std::vector<std::complex<Real>> values;
  for (const Index e : root_exponents(bits)) {
    const auto angle = -2 * std::numbers::pi_v<long double> * static_cast<long double>(e) / std::ldexp(1.0L, bits);
    values.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle)));
  }
  return values;
}

template <class Real>
std::shared_ptr<const void> upload(int bits) {
  const auto values = roots<Real>(bits);
  const auto bytes = values.size() * sizeof(values[0]);
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes), "allocating a table of roots of unity");
  std::shared_ptr<void> table(memory, [](void* p) { cudaFree(p); });
  check(cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice), "copying a table of roots of unity");
  return table;
}

}  // namespace

std::shared_ptr<const void> root_table(int bits, Precision precision) {
  static std::mutex mutex;
  static std::map<std::tuple<int, int, Precision>, std::weak_ptr<const void>> tables;
  int device = 0;
  check(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  auto& known = tables[{device, bits, precision}];
  if (auto table = known.lock()) return table;
  const auto table = precision == Precision::double_ ? upload<double>(bits) : upload<float>(bits);
  known = table;
  return table;
}

}  // namespace kallima::cuda
