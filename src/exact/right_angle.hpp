#pragma once
// Between words and the complex points of a right-angle convolution (rounding_plan.hpp). A number to which one half of
// the base is added in every digit has the digits d + 2^(b-1) where d are its digits between -2^(b-1) and 2^(b-1): all
// carries are those of one addition, which is done while words are in their order, and afterwards a digit is what its
// bits say. Points are weighted by powers of a root of i: by row here, by column in row_products.hpp.

#include <complex>
#include <span>

#include "base/bits.hpp"
#include "exact/rounding_plan.hpp"
#include "kallima/memory.hpp"
#include "kallima/transport.hpp"

namespace kallima {

// Adds one half in every digit. Ranks have consecutive blocks of words, by rank, that begin with a digit. Collective.
void add_halves(Transport& transport, int bits, std::span<const std::uint64_t> words, std::span<std::uint64_t> biased);

class RightAngle {
 public:
  using Complex = std::complex<double>;

  RightAngle(const RoundingPlan& plan, Index columns);  // that this rank has

  // Biased words in columns, which one more word follows that is not used, to points. `upper`: whether there are digits
  // that become imaginary parts.
  void split(std::span<const std::uint64_t> words, bool upper, std::span<Complex> points) const;

  // Points to digits, as words, of every run of a row as if nothing were carried into it; what each run carries out.
  // The largest distance from a whole number.
  double join(std::span<const Complex> points, std::span<std::uint64_t> words, std::span<Int128> carries) const;

 private:
  Index row_words() const { return columns_ * plan_.bits / 64; }
  Index place(Index row) const { return (row % plan_.shape.R1 * plan_.shape.R2 + row % plan_.shape.R2) * columns_; }

  RoundingPlan plan_;
  Index columns_;
  std::vector<Complex> weights_;  // by row
};

}  // namespace kallima
