#pragma once
// The number-theoretic transform: an Fft whose elements are whole numbers modulo a prime (modular.hpp). The same
// routes, layouts, transports and hiding; what differs is the arithmetic, which is exact.

#include "kallima/fft.hpp"
#include "kallima/memory.hpp"
#include "kallima/modular.hpp"

namespace kallima {

struct NttOptions {
  std::uint64_t prime = ntt_primes[0];
  PlanOptions plan = {};
  Effort effort = Effort::estimate;
};

class Ntt : public AnyFft {
 public:
  // Of complex data, as a Problem has it: residues have neither real parts nor cosines. Every transformed length must
  // divide prime - 1. Collective.
  Ntt(const Problem& problem, Comm comm, const NttOptions& options = {});

  std::uint64_t prime() const { return prime_; }

  // Of residues, as Fft's. backward() divides by the number of points unless it is told not to. Collective.
  void forward(std::span<const double> in, std::span<double> out, Norm norm = Norm::none);
  void backward(std::span<const double> in, std::span<double> out, Norm norm = Norm::full);

  // The same of numbers, any that go in and 0 to p-1 as they come out. Takes one more array. Collective.
  void forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, Norm norm = Norm::none);
  void backward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, Norm norm = Norm::full);

 private:
  std::span<const double> as_residues(std::span<const std::uint64_t> numbers);

  std::uint64_t prime_;
  Array<double> residues_;  // of numbers that go in
};

}  // namespace kallima
