#include "exact/row_products.hpp"

#include <algorithm>

#include "kallima/memory.hpp"
#include "kernel/roots.hpp"

namespace kallima {
namespace {

double* reals(std::complex<double>* x) { return reinterpret_cast<double*>(x); }
const double* reals(const std::complex<double>* x) { return reinterpret_cast<const double*>(x); }

// Plain arithmetic, unlike std::complex, which minds infinities, so that it vectorises: as long as it is known that
// what is written is not read again.
void multiply(const double* __restrict x, const double* __restrict y, double* __restrict product, Index count) {
  for (Index i = 0; i < 2 * count; i += 2) {
    product[i] = x[i] * y[i] - x[i + 1] * y[i + 1];
    product[i + 1] = x[i] * y[i + 1] + x[i + 1] * y[i];
  }
}

void multiply_by(double* __restrict x, const double* __restrict y, double sign, Index count) {
  for (Index i = 0; i < 2 * count; i += 2) {
    const double re = x[i], im = x[i + 1], c = y[i], s = sign * y[i + 1];
    x[i] = re * c - im * s;
    x[i + 1] = re * s + im * c;
  }
}

void square(double* x, Index count) {
  for (Index i = 0; i < 2 * count; i += 2) {
    const double re = x[i], im = x[i + 1];
    x[i] = re * re - im * im;
    x[i + 1] = 2 * re * im;
  }
}

}  // namespace

RowProducts::Transforms RowProducts::of(Index Q, Index rows) {
  const auto lines = [&](Direction direction) {
    return kernel::our_lines<double>(
        {.direction = direction, .length = Q, .count = rows, .pitch_in = 2 * Q, .pitch_out = 2 * Q}, Effort::estimate);
  };
  return {lines(Direction::forward), lines(Direction::backward)};
}

// A root of i to the power of row * Q + v is one for the row, which the columns have had, and one for v.
RowProducts::RowProducts(const CoprimeShape& shape, Index first, Index last)
    : shape_(shape), rows_((last - first) * shape.R2), many_(of(shape.Q, most_rows)), one_(of(shape.Q, 1)) {
  const kernel::Roots first_roots(shape.R1 * shape.Q), second_roots(shape.R2 * shape.Q), weights(4 * shape.points());
  for (Index k1 = first; k1 < last; ++k1)
    for (Index v = 0; v < shape.Q; ++v)
      by_k1_.push_back(first_roots.as<double>(k1 * v) * std::conj(weights.as<double>(v)));
  for (Index k2 = 0; k2 < shape.R2; ++k2)
    for (Index v = 0; v < shape.Q; ++v) by_k2_.push_back(second_roots.as<double>(k2 * v));
}

void RowProducts::few_rows(Index first, Index rows, Complex* a, Complex* b, Complex* factors, Complex* tile) const {
  const Index Q = shape_.Q, R2 = shape_.R2;
  const Transforms& transforms = rows == most_rows ? many_ : one_;
  for (Index row = 0; row < rows; ++row)
    multiply(reals(by_k1_.data() + (first + row) / R2 * Q), reals(by_k2_.data() + (first + row) % R2 * Q),
             reals(factors + row * Q), Q);
  const auto transform = [&](Complex* x) {
    multiply_by(reals(x), reals(factors), 1, rows * Q);
    (*transforms.forward)(reals(x), reals(x), tile);
  };
  transform(a);
  if (b == a) {
    square(reals(a), rows * Q);
  } else {
    transform(b);
    multiply_by(reals(a), reals(b), 1, rows * Q);
  }
  (*transforms.backward)(reals(a), reals(a), tile);
  multiply_by(reals(a), reals(factors), -1, rows * Q);
}

void RowProducts::operator()(std::span<Complex> a, std::span<Complex> b) const {
  Index tile_size = 1;
  for (const auto& transform : {many_.forward, many_.backward, one_.forward, one_.backward})
    tile_size = std::max(tile_size, transform->tile_elements());
  const Array<Complex> tile(tile_size), factors(most_rows * shape_.Q);
  for (Index row = 0; row < rows_;) {
    const Index rows = row + most_rows <= rows_ ? most_rows : 1, at = row * shape_.Q;
    few_rows(row, rows, a.data() + at, b.data() + at, factors.data(), tile.data());
    row += rows;
  }
}

}  // namespace kallima
