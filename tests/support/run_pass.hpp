#pragma once
// One pass on its own, by the processor's backend.

#include <complex>
#include <vector>

#include "kallima/backend.hpp"

namespace kallima {

template <class T>
constexpr Precision precision_under_test = std::is_same_v<T, float>    ? Precision::single_
                                           : std::is_same_v<T, double> ? Precision::double_
                                                                       : Precision::long_double;

// `work` is `out`, too.
template <class T, class In, class Out>
void run_pass(const Pass& pass, Direction direction, In& in, Out& out, long double scale = 1) {
  const auto backend = cpu_backend(precision_under_test<T>);
  const auto kernel = backend->compile(pass, 0, direction, Effort::estimate);
  const auto tile = backend->allocate(kernel->tile_bytes());
  auto* const to = reinterpret_cast<std::byte*>(out.data());
  const Operands operands{.buffers = {reinterpret_cast<std::byte*>(in.data()), to, to, nullptr}};
  const Progress progress = [] {};
  const Ticket ticket = kernel->start({operands, {}, scale, {tile.get(), kernel->tile_bytes()}, progress});
  if (ticket != 0) throw Error("the processor's kernels are done when they return");
}

}  // namespace kallima
