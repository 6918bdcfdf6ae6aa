#pragma once
// Between a distributed array and a larger one, among zeros.

#include "fft/impl.hpp"
#include "kallima/spectral.hpp"
#include "plan/routes/regrid.hpp"

namespace kallima {

Index smooth_extent(Index n);  // the first product of 2, 3 and 5 from n on

void check_plain_spectrum(const Problem& problem);  // for what looks at a spectrum in memory

struct detail::Regrid {
  Regrid(const Layout& small, const Layout& large, const IndexRuns& runs, Data data, Precision precision,
         const Comm& comm, const FftOptions& options);

  void grow(ArrayIn small, ArrayOut large, Norm norm = Norm::none) {
    std::fill(large.bytes.begin(), large.bytes.end(), std::byte{0});
    impl->run(Direction::forward, small, large, norm);
  }
  void shrink(ArrayIn large, ArrayOut small) {
    std::fill(small.bytes.begin(), small.bytes.end(), std::byte{0});
    impl->run(Direction::backward, large, small, Norm::none);
  }

  std::unique_ptr<FftImpl> impl;
};

}  // namespace kallima
