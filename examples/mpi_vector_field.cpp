// Three components of a vector field through one pipeline, then one transform behind the program's own work:
// mpirun -n 4 ./example_mpi_vector_field.

#include <cmath>
#include <cstdio>
#include <kallima/kallima.hpp>
#include <kallima/mpi.hpp>
#include <vector>

namespace {

using Complex = std::complex<double>;
using Field = std::vector<Complex>;

double energy(const Field& field) {
  double sum = 0;
  for (const Complex& z : field) sum += std::norm(z);
  return sum;
}

void run(const kallima::Comm& comm) {
  kallima::Fft<double> fft({.shape = {64, 64, 64}}, comm);
  const auto in_size = static_cast<std::size_t>(fft.local_size_in());
  const auto out_size = static_cast<std::size_t>(fft.local_size_out());
  std::vector<Field> velocity(3, Field(in_size)), spectrum(3, Field(out_size));
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t t = 0; t < in_size; ++t) velocity[c][t] = std::sin(0.01 * static_cast<double>(t * (c + 1)));

  const std::vector<std::span<const Complex>> from(velocity.begin(), velocity.end());
  const std::vector<std::span<Complex>> to(spectrum.begin(), spectrum.end());
  fft.forward_many(from, to, kallima::Norm::ortho);

  kallima::Pending<double> pending = fft.start_backward(spectrum[0], velocity[0], kallima::Norm::ortho);
  double others = 0;
  for (std::size_t c = 1; c < 3; ++c) {  // work of our own, with a look at the messages now and then
    others += energy(spectrum[c]);
    pending.test();
  }
  pending.wait();
  std::printf("rank %d: energy %.6g before and after, %.6g in the others\n", comm.rank(), energy(velocity[0]), others);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(kallima::mpi_comm(MPI_COMM_WORLD));  // whatever was made with the communicator ends before MPI does
  MPI_Finalize();
}
