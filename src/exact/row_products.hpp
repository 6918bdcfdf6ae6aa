#pragma once
// The middle of a convolution whose points stand as rows (plan/routes/coprime.hpp): factors, transforms of a few rows
// of both arrays, their products, the transform back and the inverse factors, all while the rows are in cache.

#include <complex>
#include <span>

#include "kernel/line_fft.hpp"
#include "plan/routes/coprime.hpp"

namespace kallima {

class RowProducts {
 public:
  using Complex = std::complex<double>;

  // Of rows [first][0] to [last - 1][R2 - 1].
  RowProducts(const CoprimeShape& shape, Index first, Index last);

  // Both hold those rows; the product takes the place of a. `b` may be a.
  void operator()(std::span<Complex> a, std::span<Complex> b) const;

 private:
  static constexpr Index most_rows = 4;  // at once
  struct Transforms {
    std::shared_ptr<const kernel::LineFft<double>> forward, backward;
  };
  static Transforms of(Index Q, Index rows);
  void few_rows(Index first, Index rows, Complex* a, Complex* b, Complex* factors, Complex* tile) const;

  CoprimeShape shape_;
  Index rows_;  // that this rank has
  Transforms many_, one_;
  std::vector<Complex> by_k1_, by_k2_;  // factors, a row for each: the first with the weights of columns
};

}  // namespace kallima
