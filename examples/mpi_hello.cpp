// The same over MPI: mpirun -n 4 ./example_mpi_hello. All that differs is where the communicator comes from.

#include <cmath>
#include <cstdio>
#include <kallima/kallima.hpp>
#include <kallima/mpi.hpp>
#include <vector>

namespace {

void there_and_back(const kallima::Comm& comm) {
  kallima::Fft<double> fft({.shape = {64, 64, 64}}, comm);
  std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.local_size_in()));
  for (std::size_t t = 0; t < x.size(); ++t) {
    const kallima::Shape j = fft.layout_in().global_index(comm.rank(), static_cast<kallima::Index>(t));
    x[t] = {std::sin(0.1 * static_cast<double>(j[0] + 2 * j[1])), 0.01 * static_cast<double>(j[2])};
  }
  std::vector<std::complex<double>> spectrum(static_cast<std::size_t>(fft.local_size_out())), y(x.size());
  fft.forward(x, spectrum);
  fft.backward(spectrum, y, kallima::Norm::full);
  double worst = 0;
  for (std::size_t t = 0; t < x.size(); ++t) worst = std::max(worst, std::abs(y[t] - x[t]));
  std::printf("rank %d of %d: %zu elements, there and back to %.1e\n", comm.rank(), comm.size(), x.size(), worst);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  there_and_back(kallima::mpi_comm(MPI_COMM_WORLD));  // whatever was made with the communicator ends before MPI does
  MPI_Finalize();
}
