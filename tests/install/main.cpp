// A user's first program: 4 ranks, as threads of this process, transform a 16x16 array of ones, whose transform is 256
// at the origin and 0 elsewhere, and transform it back.
#include <atomic>
#include <cstdio>
#include <kallima/fft.hpp>

int main() {
  std::atomic<int> wrong{0};
  kallima::run_threads(4, [&](kallima::Comm comm) {
    kallima::Fft<double> fft({.shape = {16, 16}}, comm);
    std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.local_size_in()), 1.0);
    std::vector<std::complex<double>> y(static_cast<std::size_t>(fft.local_size_out()));
    fft.forward(x, y);
    for (std::size_t t = 0; t < y.size(); ++t) {
      const kallima::Shape k = fft.layout_out().global_index(comm.rank(), static_cast<kallima::Index>(t));
      const double expected = k[0] == 0 && k[1] == 0 ? 256 : 0;
      if (std::abs(y[t] - expected) > 1e-12) ++wrong;
    }
    fft.backward(y, x, kallima::Norm::full);
    for (const std::complex<double>& value : x) wrong += std::abs(value - 1.0) > 1e-12;
  });
  std::printf("%d wrong values\n", wrong.load());
  return wrong.load() == 0 ? 0 : 1;
}
