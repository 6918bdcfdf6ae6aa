// Every rank runs the same tests. Rank 0 reports; the others speak only when something fails. A fatal failure, such as
// an exception, would leave the other ranks waiting, so it ends them all; any other makes every rank exit non-zero.

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

#include "kallima/mpi.hpp"

namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

class Reporter : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& info) override {
    name_ = std::string(info.test_suite_name()) + "." + info.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d, %s: %s:%d\n%s\n", rank_of_world(), name_.c_str(),
                 result.file_name() != nullptr ? result.file_name() : "?", result.line_number(), result.message());
    std::fflush(stderr);
    if (result.fatally_failed()) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  std::string name_;
};

// Without MPI there is nothing to make a Comm of.
bool refuses_a_communicator() {
  try {
    kallima::mpi_comm(MPI_COMM_WORLD);
  } catch (const kallima::Error&) {
    return true;
  }
  std::fprintf(stderr, "mpi_comm() worked without MPI\n");
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const bool refused = refuses_a_communicator();
  int given = 0;  // progress threads need it all
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank_of_world() > 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Reporter);
  const int mine = RUN_ALL_TESTS();
  int any = 0;
  MPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return refused && refuses_a_communicator() ? any : 1;
}
