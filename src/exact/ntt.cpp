// The typed face of an AnyFft whose backend is modular. Numbers and residues are of one size, so that what comes out is
// turned into the other where it stands.

#include "kallima/ntt.hpp"

#include <bit>

#include "base/check.hpp"

namespace kallima {
namespace {

FftOptions options_of(const NttOptions& options) {
  return {.plan = options.plan, .effort = options.effort, .backend = modular_backend(options.prime)};
}

// A root of the number of points need not be there.
Norm whole_norm(Norm norm) {
  require(norm != Norm::ortho, "residues are not divided by square roots (Norm::ortho): use Norm::none or Norm::full");
  return norm;
}

void turn_into_numbers(std::span<std::uint64_t> residues, std::uint64_t p) {
  for (std::uint64_t& r : residues) r = number_of(std::bit_cast<double>(r), p);
}

}  // namespace

Ntt::Ntt(const Problem& problem, Comm comm, const NttOptions& options)
    : AnyFft(problem, std::move(comm), options_of(options)), prime_(options.prime) {}

void Ntt::forward(std::span<const double> in, std::span<double> out, Norm norm) {
  AnyFft::forward(std::as_bytes(in), std::as_writable_bytes(out), whole_norm(norm));
}

void Ntt::backward(std::span<const double> in, std::span<double> out, Norm norm) {
  AnyFft::backward(std::as_bytes(in), std::as_writable_bytes(out), whole_norm(norm));
}

std::span<const double> Ntt::as_residues(std::span<const std::uint64_t> numbers) {
  const auto count = static_cast<Index>(numbers.size());
  if (residues_.size() < count) residues_ = Array<double>(count);
  for (Index i = 0; i < count; ++i) residues_[i] = residue(numbers[at(i)], prime_);
  return residues_.span().first(numbers.size());
}

void Ntt::forward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, Norm norm) {
  AnyFft::forward(std::as_bytes(as_residues(in)), std::as_writable_bytes(out), whole_norm(norm));
  turn_into_numbers(out, prime_);
}

void Ntt::backward(std::span<const std::uint64_t> in, std::span<std::uint64_t> out, Norm norm) {
  AnyFft::backward(std::as_bytes(as_residues(in)), std::as_writable_bytes(out), whole_norm(norm));
  turn_into_numbers(out, prime_);
}

}  // namespace kallima
