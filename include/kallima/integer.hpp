#pragma once
// Products of natural numbers that no rank need hold alone. Numbers are words of 64 bits (or of 18 decimal digits),
// lowest first, and rank r has a block of them. Their digits are multiplied as polynomials: by floating-point
// transforms, whose results are rounded, or by transforms modulo three primes (ntt.hpp), with one exchange each; every
// rank resolves the carries within the runs of digits it has, and a scan over all runs, whose operator says what a run
// makes of a carry that comes in, resolves the rest. What was rounded is checked, and done again modulo primes where it
// is not certain.

#include <memory>
#include <span>

#include "kallima/comm.hpp"
#include "kallima/plan.hpp"

namespace kallima {

// What a word is: 64 bits, or 18 decimal digits, so that numbers that are read and written in decimal never leave it.
enum class WordBase { binary, decimal };
inline constexpr std::uint64_t decimal_word = 1'000'000'000'000'000'000;  // words are below it

// How many bits of a number are one coefficient: 64 where that is exact, and otherwise 56.
enum class DigitLength { automatic, bits_56 };

// How: automatic is by rounding, with the check and the way out, where numbers are binary and long enough for it to
// pay.
enum class IntegerMethod { automatic, modular };

struct IntegerOptions {
  WordBase base = WordBase::binary;
  IntegerMethod method = IntegerMethod::automatic;
  DigitLength digits = DigitLength::automatic;
  PlanOptions plan = {};  // of the transforms
};

namespace detail {
struct IntegerProductImpl;
}

class IntegerProduct {
 public:
  // Of factors of up to so many words; the plan serves all that are not longer. Collective.
  IntegerProduct(Index words_a, Index words_b, Comm comm, const IntegerOptions& options = {});
  IntegerProduct(IntegerProduct&&) noexcept;
  IntegerProduct& operator=(IntegerProduct&&) noexcept;
  ~IntegerProduct();

  // Which words this rank has of every number, factors and product alike: what is beyond a number is zero.
  Index first_word() const;
  Index local_words() const;
  Index words() const;  // of all ranks

  // Collective. The product may be one of the factors. A factor that is longer than the plan says is an Error on all
  // ranks.
  void multiply(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint64_t> product);
  void square(std::span<const std::uint64_t> a, std::span<std::uint64_t> product);

  std::string explanation() const;   // how many digits, primes and exchanges
  Index redone() const;              // products that were done again, modulo primes
  double distance() const;           // of the last product's digits from whole numbers, where they were rounded
  Index words_sent() const;          // by this rank in one product that is not done again, in 8 bytes
  std::size_t memory_bytes() const;  // held by this object on this rank
  void record(Trace* trace);         // as an Fft does, of the transforms

 private:
  std::unique_ptr<detail::IntegerProductImpl> impl_;
};

}  // namespace kallima
