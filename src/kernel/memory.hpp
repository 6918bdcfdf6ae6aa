#pragma once
// What a pass works on while it runs: a rank's buffers and the blocks it has received.

#include <array>
#include <complex>
#include <functional>
#include <vector>

namespace kallima::kernel {

// Received blocks are listed by their recv_finish task. Buffers that hold reals are reinterpreted where they are used.
template <class T>
struct Memory {
  std::array<std::complex<T>*, 4> buffers{};
  std::vector<const std::complex<T>*> received;
};

// Called about every 10 microseconds of work, so that messages move while the processor computes.
using Progress = std::function<void()>;

}  // namespace kallima::kernel
