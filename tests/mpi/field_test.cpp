// Reductions, fields and checkpoints on MPI, in shared windows and by messages.

#include "checkpoint_suite.hpp"
#include "field_suite.hpp"
#include "mpi/world.hpp"

namespace kallima {
namespace {

TEST(MpiFft, fields_and_reductions_are_those_of_the_whole) {
  for (const bool windows : {true, false}) {
    const Comm comm = world(windows);
    reductions_are_over_all_ranks(comm);
    a_sum_is_taken_in_the_order_of_ranks(comm);
    operators_keep_their_identities<double>(comm, {8, 6, 10}, {1, 2, 3});
    operators_keep_their_identities<std::complex<float>>(comm, {5, 7, 9}, {});
    energies_are_those_of_the_points<double>(comm, {9, 4}, {});
    a_beltrami_flow_is_its_own_curl(comm, {8, 8, 8});
    products_of_many_do_not_alias(comm, 12);
  }
}

// Windows are made for every array that is moved, and MPICH spins meanwhile: what is moved often goes without.
TEST(MpiFft, checkpoints_come_back_in_any_layout) {
  const Comm without_windows = world(false);
  suite::a_checkpoint_comes_back_in_any_layout(without_windows);
  suite::an_array_comes_back_from_every_format(without_windows);
  suite::a_hyperslab_is_moved_alone(without_windows);
  suite::a_checkpoint_of_something_else_is_refused(world());
}

}  // namespace
}  // namespace kallima
