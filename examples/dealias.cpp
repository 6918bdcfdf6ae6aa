// A product of two fields without aliasing: u^2 of u = cos 3x on 8 points is 1/2 + (cos 6x)/2, and wave number 6, which
// 8 points cannot hold, would show up as 2. On 3/2 of the points it is computed as it is, and cut off.

#include <cstdio>
#include <kallima/kallima.hpp>
#include <vector>

int main() {
  kallima::run_threads(2, [](kallima::Comm comm) {
    kallima::Fft<double> fft({.shape = {8}, .data = kallima::Data::real_}, comm);
    kallima::Dealias<double> dealias(fft);
    const kallima::WaveNumbers numbers(fft.plan().problem(), fft.layout_out(), comm.rank());
    std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fft.local_size_out()));
    for (std::size_t t = 0; t < spectrum.size(); ++t) spectrum[t] = numbers.along(0)[t] == 3 ? 4 : 0;  // cos 3x
    std::vector<double> field(static_cast<std::size_t>(dealias.grid().local_size_in()));
    dealias.to_physical(spectrum, field);
    for (double& u : field) u *= u;
    dealias.to_spectral(field, spectrum);
    for (std::size_t t = 0; t < spectrum.size(); ++t)
      std::printf("rank %d, wave number %d: %.3f\n", comm.rank(), static_cast<int>(numbers.along(0)[t]),
                  spectrum[t].real() / 8);
  });
}
