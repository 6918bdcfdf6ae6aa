#include "exact/crt.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "kallima/modular.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima {
namespace {

constexpr Index at_once = 128;

Wide times(const Wide& a, std::uint64_t b) {
  Wide result{};
  Uint128 carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    carry += Uint128{a[i]} * b;
    result[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return result;
}

// a p + b, a below 2^(64 words - 50).
template <std::size_t words>
void multiply_add(Wide& a, std::uint64_t p, std::uint64_t b) {
  Uint128 carry = b;
  for (std::size_t i = 0; i < words; ++i) {
    carry += Uint128{a[i]} * p;
    a[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

std::uint64_t remainder(const Wide& x, std::uint64_t p) {
  Uint128 rest = 0;
  for (std::size_t i = x.size(); i-- > 0;) rest = (rest << 64 | x[i]) % p;
  return static_cast<std::uint64_t>(rest);
}

}  // namespace

Wide plus(const Wide& a, const Wide& b) {
  Wide result{};
  Uint128 carry = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    carry += Uint128{a[i]} + b[i];
    result[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  return result;
}

Wide minus(const Wide& a, const Wide& b) {
  Wide result{};
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Uint128 difference = Uint128{a[i]} - b[i] - borrow;
    result[i] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
  return result;
}

std::size_t primes_for(double bits) {
  double product = 0;
  for (std::size_t k = 0; k < ntt_primes.size(); ++k) {
    product += std::log2(static_cast<double>(ntt_primes[k]));
    if (product > bits) return k + 1;
  }
  fail("numbers of {:.0f} bits do not fit the product of {} primes ({:.0f} bits): use shorter coefficients", bits,
       ntt_primes.size(), product);
}

Crt::Crt(std::size_t primes) : primes_(primes) {
  Wide product{1};
  for (std::size_t k = 0; k < primes; ++k) {
    const kernel::PrimeField field(ntt_primes[k]);
    bits_ += std::log2(static_cast<double>(ntt_primes[k]));
    product = times(product, ntt_primes[k]);
    for (std::size_t j = 0; j < k; ++j) inverses_[j][k] = field.centred(field.inverse(ntt_primes[j] % ntt_primes[k]));
  }
  for (std::size_t i = 0; i < most_primes; ++i)
    half_[i] = product[i] >> 1 | (i + 1 < most_primes ? product[i + 1] << 63 : 0);
  for (std::size_t k = 0; k < primes; ++k) halves_[k] = residue(remainder(half_, ntt_primes[k]), ntt_primes[k]);
}

void Crt::join(std::span<const double* const> residues, Index count, Signed range, Wide* numbers) const {
  for (Index first = 0; first < count; first += at_once)
    join_some(residues, first, std::min(at_once, count - first), range, numbers + first);
}

void Crt::join_some(std::span<const double* const> residues, Index first, Index count, Signed range,
                    Wide* numbers) const {
  const kernel::ResidueCodelets& codelets = kernel::residue_codelets();
  static constexpr double zeros[at_once] = {};
  const bool is_signed = range == Signed::yes;  // half the range is added first, and taken away in the end
  double t[most_primes][at_once];
  for (std::size_t k = 0; k < primes_; ++k) {
    const double p = static_cast<double>(ntt_primes[k]);
    const kernel::Modulus modulus{p, 1 / p};
    codelets.difference(residues[k] + first, k == 0 ? zeros : t[0], is_signed ? halves_[k] : 0,
                        k == 0 ? 1.0 : inverses_[0][k], t[k], count, modulus);
    for (std::size_t j = 1; j < k; ++j) codelets.difference(t[k], t[j], 0, inverses_[j][k], t[k], count, modulus);
  }
  for (Index i = 0; i < count; ++i) {
    Wide x{static_cast<std::uint64_t>(t[primes_ - 1][i])};
    for (std::size_t k = primes_ - 1; k-- > 0;) {
      const auto more = static_cast<std::uint64_t>(t[k][i]);
      primes_ <= 3 ? multiply_add<3>(x, ntt_primes[k], more) : multiply_add<4>(x, ntt_primes[k], more);
    }
    numbers[i] = is_signed ? minus(x, half_) : x;
  }
}

}  // namespace kallima
