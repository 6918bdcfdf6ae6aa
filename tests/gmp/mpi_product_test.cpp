// Products against GMP's on the ranks of mpirun.

#include <mpi.h>

#include "gmp/random_pairs.hpp"
#include "kallima/mpi.hpp"

namespace kallima {
namespace {

TEST(MpiGmp, products_of_random_pairs_are_equal) { expect_products(mpi_comm(MPI_COMM_WORLD), pairs_asked_for(), 1); }

}  // namespace
}  // namespace kallima
