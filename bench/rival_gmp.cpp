#include <gmp.h>

#include "bench/rival_exact.hpp"

namespace kallima::cli {

namespace {
static_assert(sizeof(mp_limb_t) == sizeof(std::uint64_t));
const mp_limb_t* limbs(std::span<const std::uint64_t> words) {
  return reinterpret_cast<const mp_limb_t*>(words.data());
}
}  // namespace

std::string version_of_gmp() { return ::gmp_version; }

void multiply_by_gmp(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                     std::span<std::uint64_t> product) {
  mpn_mul(reinterpret_cast<mp_limb_t*>(product.data()), limbs(a), static_cast<mp_size_t>(a.size()), limbs(b),
          static_cast<mp_size_t>(b.size()));
}

}  // namespace kallima::cli
