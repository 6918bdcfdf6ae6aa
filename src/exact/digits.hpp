#pragma once
// A number's words as digits that transforms can take, and back. Digits are either whole words, taken as signed, which
// makes products a bit smaller than unsigned ones, or seven bytes, where numbers are too long for that, or 18 decimal
// digits, as they come.

#include <span>

#include "base/bits.hpp"
#include "exact/crt.hpp"
#include "exact/twisted.hpp"
#include "kallima/comm.hpp"
#include "kallima/integer.hpp"

namespace kallima {

enum class DigitKind { word, seven_bytes, decimal };

// What `run` makes of a carry of -1, 0 or 1 that comes in: the operator that is scanned.
struct CarryMap {
  std::int8_t out[3] = {0, 0, 0};
  int operator()(int carry) const { return out[carry + 1]; }
};

// How many digits, of which kind, modulo how many primes: the cheapest that is exact for factors of these many words.
struct DigitPlan {
  DigitKind kind = DigitKind::word;
  std::size_t primes = 3;
  TwistedShape shape;
  Index row_words() const { return kind == DigitKind::seven_bytes ? shape.Q / 8 * 7 : shape.Q; }
  Index block_words() const { return kind == DigitKind::seven_bytes ? shape.block / 8 * 7 : shape.block; }
  Layout blocks(int ranks) const { return Layout::slabs({shape.R, row_words()}, ranks, 0); }
  Layout columns(int ranks) const { return Layout::slabs({shape.R, row_words()}, ranks, 1, block_words()); }
};
void check_lengths(Index words_a, Index words_b);  // throws Error where there are no plans
DigitPlan plan_digits(Index words_a, Index words_b, int ranks, const IntegerOptions& options = {});

// Words to signed words, whose values are 2^64 less from 2^63 on, and the next one is one more. Ranks have consecutive
// blocks, by rank. Collective.
void make_signed(Transport& transport, std::span<const std::uint64_t> words, std::span<std::uint64_t> digits);

// Residues modulo prime k of what words say, all rows of this rank's columns.
void make_residues(DigitKind kind, std::span<const std::uint64_t> words, std::uint64_t prime, std::span<double> to);

// Digits of one run from the numbers that stand there, and what is carried out of it.
class RunCarry {
 public:
  explicit RunCarry(DigitKind kind) : kind_(kind) {}
  void add(std::span<const Wide> numbers, std::uint64_t* digits);
  Int128 carry() const { return static_cast<Int128>(Uint128{sum_[1]} << 64 | sum_[0]); }

 private:
  DigitKind kind_;
  Wide sum_{};
};

// Adds to the lowest digit of a run; what is carried out of it. `carry_map` is what it would make of one more.
int add_to_run(DigitKind kind, std::span<std::uint64_t> digits, Int128 carry);
CarryMap carry_map(DigitKind kind, std::span<const std::uint64_t> digits, int carried_out);

void pack_digits(DigitKind kind, std::span<const std::uint64_t> digits, std::span<std::uint64_t> words);

}  // namespace kallima
