// What ends the whole job: run one at a time by tests/cli/test_misuse.py, and by nobody else.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "kallima/mpi.hpp"
#include "misuse_suite.hpp"

namespace kallima {
namespace {

class DISABLED_Misuse : public testing::TestWithParam<suite::Misuse> {};

// Who comes to its end leaves MPI.
void run(const suite::Misuse& misuse, const MpiOptions& options) {
  misuse.body(mpi_comm(MPI_COMM_WORLD, options));
  MPI_Finalize();
  std::_Exit(0);
}

TEST_P(DISABLED_Misuse, in_place) { run(GetParam(), {}); }
TEST_P(DISABLED_Misuse, by_messages) { run(GetParam(), {.shared_windows = false}); }
TEST_P(DISABLED_Misuse, with_a_thread) { run(GetParam(), {.tuning = Tuning{.progress = ProgressBy::thread}}); }

// Rank 1 goes on with something else.
void throw_in_apply(const Comm& comm) {
  suite::TwoFfts f(comm);
  try {
    f.a.apply(f.x, f.y, [&](suite::Numbers) -> double { return comm.rank() == 1 ? throw 17 : 1.0; });
  } catch (int) {
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void cross_communicators(const Comm& comm) {
  const Comm other = mpi_comm(MPI_COMM_WORLD);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -comm.rank(), &reversed);
  const Comm third = mpi_comm(reversed);
  (comm.rank() == 0 ? other : third).transport().barrier();
}

void make_a_communicator_while_another_transforms(const Comm& comm) {
  suite::TwoFfts f(comm);
  if (comm.rank() == 0)
    mpi_comm(MPI_COMM_WORLD);
  else
    f.a.forward(f.x, f.y);
}

// Not for ever: who is only late is waited for.
TEST(DISABLED_Late, first_communicator) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) std::this_thread::sleep_for(std::chrono::seconds(12));
  mpi_comm(MPI_COMM_WORLD).transport().barrier();
}

std::vector<suite::Misuse> all_misuses() {
  std::vector<suite::Misuse> all = suite::misuses();
  all.push_back({"apply_that_throws", throw_in_apply, {}});
  all.push_back({"crossed_communicators", cross_communicators, {}});
  all.push_back({"a_communicator_here", make_a_communicator_while_another_transforms, {}});
  return all;
}

INSTANTIATE_TEST_SUITE_P(of, DISABLED_Misuse, testing::ValuesIn(all_misuses()),
                         [](const auto& it) { return it.param.name; });

}  // namespace
}  // namespace kallima
