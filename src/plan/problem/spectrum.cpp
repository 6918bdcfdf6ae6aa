#include "kallima/spectrum.hpp"

namespace kallima {

Index wave_number(const Problem& problem, std::size_t dim, Index j) {
  if (!transforms(problem, dim)) return j;
  const Kind kind = kind_of(problem, dim);
  if (kind == Kind::dst1 || kind == Kind::dst2) return j + 1;
  const bool whole = kind == Kind::fourier && halved_axis(problem) != static_cast<int>(dim);
  return whole && j > problem.shape[dim] / 2 ? j - problem.shape[dim] : j;
}

WaveNumbers::WaveNumbers(const Problem& asked, const Layout& spectrum, int rank) : size_(spectrum.local_size(rank)) {
  const Problem problem = checked(asked);
  const std::vector<Progression> owned = spectrum.owned(rank);
  for (std::size_t k = 0; k < owned.size(); ++k) {
    std::vector<Index>& numbers = numbers_.emplace_back();
    for (Index t = 0; t < owned[k].count; ++t)
      numbers.push_back(wave_number(problem, k, owned[k].first + t * owned[k].step));
  }
  step_ = owned.back().step;
  const std::vector<Index>& last = numbers_.back();
  turn_ = std::ranges::find_if(last, [](Index k) { return k < 0; }) - last.begin();
}

void WaveNumbers::set_fixed(Index row, Shape& fixed) const {
  for (std::size_t k = fixed.size(); k-- > 0;) {
    const auto extent = static_cast<Index>(numbers_[k].size());
    fixed[k] = numbers_[k][at(row % extent)];
    row /= extent;
  }
}

}  // namespace kallima
