// Stands in for rival_fftw_mpi.cpp where FFTW's MPI library was not found, or was made for another MPI than ours.

#include "app/check.hpp"
#include "bench/rival.hpp"

namespace kallima::cli {

bool have_fftw_mpi() { return false; }

std::vector<std::unique_ptr<Rival>> make_fftw_mpi(const RivalSpec&, const Comm&) {
  fail(
      "FFTW-MPI is not in this build (its library was not found, or is for another MPI) compare on --transport "
      "threads");
}

}  // namespace kallima::cli
