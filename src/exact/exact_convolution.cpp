#include "exact/exact_convolution.hpp"

#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima::detail {

Index ExactConvolution::length_for(Index terms) {
  Index best = 0;
  for (const Index odd : {1, 3, 5, 15}) {
    Index n = 8 * odd;
    while (n < terms) n *= 2;
    if (best == 0 || n < best) best = n;
  }
  return best;
}

Array<double> ExactConvolution::multiplied(std::size_t k, Array<double> a, Array<double> b) {
  const Index n = a.size();
  Ntt& ntt = transforms_
                 .try_emplace({n, k}, Problem{.shape = {n}}, Comm(),
                              NttOptions{.prime = ntt_primes[k], .plan = {.placement = Placement::in_place}})
                 .first->second;
  ntt.forward(a.span(), a.span());
  ntt.forward(b.span(), b.span());
  const auto p = static_cast<double>(ntt_primes[k]);
  kernel::residue_codelets().multiply(a.data(), b.data(), a.data(), n, {p, 1 / p});
  ntt.backward(a.span(), a.span());
  return a;
}

std::vector<Wide> ExactConvolution::joined(const std::vector<Array<double>>& products, Index terms, Signed range) {
  std::vector<Wide> numbers(at(terms));
  std::vector<const double*> residues;
  for (const Array<double>& product : products) residues.push_back(product.data());
  Crt(products.size()).join(residues, terms, range, numbers.data());
  return numbers;
}

}  // namespace kallima::detail
