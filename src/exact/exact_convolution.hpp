#pragma once
// The coefficients of products as whole numbers: residues of both factors modulo as many primes as it takes,
// transforms, and the numbers that have the products' residues. Transforms are kept by length: trees of products ask
// for the same few again and again.

#include <map>

#include "exact/crt.hpp"
#include "kallima/ntt.hpp"

namespace kallima::detail {

class ExactConvolution {
 public:
  // Of factors whose residues modulo p are residue_a(i, p) and residue_b(i, p); sums of products are below 2^bits.
  template <class ResiduesOf>
  std::vector<Wide> operator()(Index terms_a, Index terms_b, double bits, Signed range, const ResiduesOf& residues_of_a,
                               const ResiduesOf& residues_of_b) {
    const Index terms = terms_a + terms_b - 1, n = length_for(terms);
    const std::size_t primes = primes_for(bits);
    std::vector<Array<double>> products;
    for (std::size_t k = 0; k < primes; ++k) {
      Array<double> a(n), b(n);
      residues_of_a(ntt_primes[k], a.span());
      residues_of_b(ntt_primes[k], b.span());
      products.push_back(multiplied(k, std::move(a), std::move(b)));
    }
    return joined(products, terms, range);
  }

 private:
  static Index length_for(Index terms);
  Array<double> multiplied(std::size_t k, Array<double> a, Array<double> b);
  static std::vector<Wide> joined(const std::vector<Array<double>>& products, Index terms, Signed range);

  std::map<std::pair<Index, std::size_t>, Ntt> transforms_;  // by length and prime
};

}  // namespace kallima::detail
