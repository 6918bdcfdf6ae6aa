// The same by MPI, on however many ranks it is started with.
#include <kallima/fft.hpp>
#include <kallima/mpi.hpp>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int wrong = 0;
  {
    kallima::Fft<double> fft({.shape = {16, 16}}, kallima::mpi_comm(MPI_COMM_WORLD));
    std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.local_size_in()), 1.0);
    std::vector<std::complex<double>> y(static_cast<std::size_t>(fft.local_size_out()));
    fft.forward(x, y);
    fft.backward(y, x, kallima::Norm::full);
    for (const std::complex<double>& value : x) wrong += std::abs(value - 1.0) > 1e-12;
  }
  MPI_Finalize();
  return wrong == 0 ? 0 : 1;
}
