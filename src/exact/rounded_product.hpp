#pragma once
// A product by floating-point transforms (rounding_plan.hpp): words to columns, digits, transforms along columns and to
// rows, products of rows, and back; then whole numbers, carries and words. Whether it is right is asked in two ways:
// how far points were from whole numbers, and whether the product is that of the factors modulo 2^61 - 1.

#include <memory>
#include <optional>

#include "exact/right_angle.hpp"
#include "exact/row_products.hpp"
#include "kallima/redistribute.hpp"

namespace kallima {

class RoundedProduct {
 public:
  using Words = std::span<std::uint64_t>;
  using ConstWords = std::span<const std::uint64_t>;

  RoundedProduct(const RoundingPlan& plan, Index words_a, Index words_b, const Comm& comm, const PlanOptions& options);
  RoundedProduct(RoundedProduct&&) noexcept;
  ~RoundedProduct();

  Index first_word() const { return first_word_; }
  Index local_words() const { return result_.size(); }
  Index words() const { return plan_.rows() * plan_.row_words(); }

  // Whether it is right, on all ranks; if not, nothing has been written. `b`: none for itself. Collective.
  bool multiply(ConstWords a, std::optional<ConstWords> b, Words product);
  double distance() const { return distance_; }  // of the last product, from whole numbers

  std::string explanation() const;
  Index words_sent() const;
  std::size_t memory_bytes() const;
  void record(Trace* trace);

 private:
  using Complex = std::complex<double>;
  struct Residues {
    std::uint64_t a, b, product;
    double distance;
  };

  bool moves() const { return comm_.size() > 1; }
  void transform(ConstWords number, Index longest, const Array<Complex>& array);
  std::span<Complex> points(const Array<Complex>& array) const { return array.span().first(at(point_count_)); }
  std::span<Complex> rows(const Array<Complex>& array) const { return array.span().first(at(row_count_)); }
  void make_result();
  bool is_right(const Residues& mine);

  RoundingPlan plan_;
  Comm comm_;
  Index longest_a_, longest_b_;
  Index first_word_ = 0;
  Index columns_;  // of digits, that this rank has
  RightAngle digits_;
  RowProducts rows_;
  std::unique_ptr<detail::FftImpl> fft_;
  std::unique_ptr<Redistribution<double>> redistribution_;  // of words, which are as long as doubles
  Array<std::uint64_t> result_;                             // words in blocks
  Array<std::uint64_t> words_;                              // in columns
  Index point_count_ = 0, row_count_ = 0;                   // of this rank's columns, and of its rows
  Array<Complex> a_, b_;                                    // columns, and then rows in their place
  double distance_ = 0;
};

}  // namespace kallima
