// Spectral work on MPI, in shared windows and by messages.

#include "mpi/world.hpp"
#include "spectral_suite.hpp"

namespace kallima {
namespace {

const FftOptions quick{.effort = Effort::estimate};

std::vector<Comm> windows_and_messages() { return {world(), world(false)}; }

TEST(MpiFft, derivatives_of_a_wave_are_exact) {
  for (const Comm& comm : windows_and_messages()) {
    derivatives_of_a_wave<double, double>(comm, {{8, 7, 15}, {2, 1, 3}, {1, -2, 3}}, quick);
    derivatives_of_a_wave<double, std::complex<double>>(comm, {{36, 10}, {1, 2}, {5, -3}}, quick);
  }
}

TEST(MpiFft, convolutions_equal_the_definition) {
  for (const Comm& comm : windows_and_messages()) {
    convolves_by_definition<double, double>(comm, Pair({8, 9}, Data::real_), quick);
    convolves_by_definition<float, std::complex<float>>(comm, Pair({16, 4}, Data::complex_), quick);
  }
}

}  // namespace
}  // namespace kallima
