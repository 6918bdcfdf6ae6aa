#pragma once
// Between a distributed array and a larger one, among zeros.

#include "fft/impl.hpp"
#include "kallima/spectral.hpp"
#include "plan/exchange/regrid.hpp"

namespace kallima {

Index smooth_extent(Index n);  // the first product of 2, 3 and 5 from n on

void check_plain_spectrum(const Problem& problem);  // for what looks at a spectrum in memory

template <class T>
struct detail::Regrid {
  Regrid(const Layout& small, const Layout& large, const IndexRuns& runs, Data data, const Comm& comm,
         const FftOptions& options);

  template <class Item>
  void grow(std::span<const Item> small, std::span<Item> large, Norm norm = Norm::none) {
    std::fill(large.begin(), large.end(), Item(0));
    impl->run(Direction::forward, small, large, norm);
  }
  template <class Item>
  void shrink(std::span<const Item> large, std::span<Item> small) {
    std::fill(small.begin(), small.end(), Item(0));
    impl->run(Direction::backward, large, small, Norm::none);
  }

  std::unique_ptr<FftImpl<T>> impl;
};

}  // namespace kallima
