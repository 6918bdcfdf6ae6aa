#pragma once
// What a pass works on while it runs: a rank's buffers and the blocks it has received.

#include <array>
#include <complex>
#include <functional>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::kernel {

// The caller's function: of `count` elements (reals of a real piece) from `offset` of a buffer on.
template <class T>
using Apply = std::function<void(std::complex<T>* buffer, Index offset, Index count)>;

// Received blocks are listed by their recv_finish task. Buffers that hold reals are reinterpreted where they are used.
template <class T>
struct Memory {
  std::array<std::complex<T>*, 4> buffers{};
  std::vector<const std::complex<T>*> received;
  const Apply<T>* apply = nullptr;  // where the schedule applies one
};

// Called about every 10 microseconds of work, so that messages move while the processor computes.
using Progress = std::function<void()>;

}  // namespace kallima::kernel
