#pragma once
// A product by transforms modulo primes: words to the columns of the digits' matrix, residues, transforms, products
// point by point, transforms back, numbers from residues, carries, and words back to where they are wanted. Exact, by
// proof, for all factors that the plan is for.

#include <memory>
#include <optional>

#include "exact/carries.hpp"
#include "kallima/memory.hpp"
#include "kallima/redistribute.hpp"

namespace kallima {

class ModularProduct {
 public:
  using Words = std::span<std::uint64_t>;
  using ConstWords = std::span<const std::uint64_t>;

  ModularProduct(Index words_a, Index words_b, const Comm& comm, const IntegerOptions& options);  // collective

  Index first_word() const { return first_word_; }
  Index local_words() const { return scratch_.size(); }
  Index words() const { return plan_.shape.R * plan_.row_words(); }
  void multiply(ConstWords a, std::optional<ConstWords> b, Words product);  // none: itself. Collective

  std::string explanation() const;
  Index words_sent() const;
  std::size_t memory_bytes() const;
  void record(Trace* trace);

 private:
  bool moves() const { return comm_.size() > 1; }
  ConstWords digits_of(ConstWords words, Array<std::uint64_t>& to);
  void transform_product(std::size_t k, ConstWords a, std::optional<ConstWords> b);
  std::vector<Int128> join();
  void deliver(Words product);

  Comm comm_;
  DigitPlan plan_;
  Crt crt_;
  Index columns_;         // of digits, that this rank has
  Index first_word_ = 0;  // in blocks
  std::vector<TwistedNtt> ntts_;
  std::unique_ptr<Redistribution<double>> redistribution_;  // of words, which are as long as doubles
  Array<std::uint64_t> scratch_;                            // words in blocks
  Array<std::uint64_t> words_a_, words_b_;                  // in columns
  Array<std::uint64_t> digits_;                             // of the product, in columns
  Array<double> spectrum_a_, spectrum_b_;
  std::vector<Array<double>> products_;
};

// Words are as long as doubles, and travel as such.
std::span<const double> as_doubles(std::span<const std::uint64_t> words);
std::span<double> as_doubles(std::span<std::uint64_t> words);

}  // namespace kallima
