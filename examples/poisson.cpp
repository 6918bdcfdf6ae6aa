// Poisson's equation in a periodic box, to spectral accuracy: mpirun -n 4 ./example_poisson

#include <cmath>
#include <cstdio>
#include <kallima/kallima.hpp>
#include <kallima/mpi.hpp>
#include <vector>

namespace {

// Of u = sin x exp(cos y) cos 2z, whose Laplacian f is known; returns the largest error on any rank.
double solve(const kallima::Comm& comm) {
  constexpr int n = 128;
  kallima::Fft<double> fft({.shape = {n, n, n}, .output = kallima::Output::any, .data = kallima::Data::real_}, comm);
  std::vector<double> u, f;
  for (kallima::Index t = 0; t < fft.local_size_in(); ++t) {
    const kallima::Shape j = fft.layout_in().global_index(comm.rank(), t);
    const auto angle = [&](std::size_t k) { return 2 * std::numbers::pi * static_cast<double>(j[k]) / n; };
    const double y = angle(1);
    u.push_back(std::sin(angle(0)) * std::exp(std::cos(y)) * std::cos(2 * angle(2)));
    f.push_back(u.back() * (std::sin(y) * std::sin(y) - std::cos(y) - 5));
  }
  kallima::solve_poisson(fft, f, f);  // in place
  double worst = 0;
  for (std::size_t t = 0; t < u.size(); ++t) worst = std::max(worst, std::abs(f[t] - u[t]));
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (comm.rank() == 0) std::printf("%d^3 on %d ranks: largest error %.1e\n", n, comm.size(), worst);
  return worst;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const double worst = solve(kallima::mpi_comm(MPI_COMM_WORLD));
  MPI_Finalize();
  return worst < 1e-11 ? 0 : 1;
}
