#pragma once
// A signal for transforms of any kind: a product of one random factor per dimension, whose transform is the product of
// the factors' transforms, so that every element is known on every rank from one line per dimension.

#include "bench/analytic.hpp"
#include "bench/reference.hpp"

namespace kallima::cli {

class Separable {
 public:
  explicit Separable(const Problem& problem);

  // A rank's part, of reals or of complex numbers as reals in pairs.
  template <class T>
  void fill(const Layout& layout, int rank, Data data, std::span<T> reals) const;
  template <class T>
  ErrorSums spectrum_error(const Layout& layout, int rank, Data data, std::span<const T> reals) const;

 private:
  std::vector<Values> in_;   // by dimension
  std::vector<Values> out_;  // unscaled
};

}  // namespace kallima::cli
