// Kallima's collectives beside MPI's own, on the same inputs: exactly the same results, by views and by messages.

#include "kallima/collective.hpp"

#include <gtest/gtest.h>

#include "collective_suite.hpp"
#include "kallima/mpi.hpp"

namespace kallima {
namespace {

// What MPI itself makes of a collective's inputs. Parts may be uneven, so the v forms are used.
class Mpi {
 public:
  explicit Mpi(const Collective& c, int rank) : c_(c), rank_(rank), in_(collective_input(c, rank)) {
    for (int r = 0; r < c.ranks; ++r) {
      parts_.push_back(static_cast<int>(collective_part(c, r + 1) - collective_part(c, r)));
      begins_.push_back(static_cast<int>(collective_part(c, r)));
      mine_.push_back(static_cast<int>(collective_part(c, rank + 1) - collective_part(c, rank)));
      from_.push_back(r * mine_.back());
    }
  }

  Values result() {
    Values out(static_cast<std::size_t>(collective_out(c_, rank_)));
    const MPI_Datatype word = MPI_C_DOUBLE_COMPLEX;
    const MPI_Comm world = MPI_COMM_WORLD;
    const int s = static_cast<int>(c_.words), mine = mine_[0];
    switch (collective_meaning(c_.name)) {
      case Meaning::broadcast:
        if (rank_ == 0) out = in_;
        MPI_Bcast(out.data(), s, word, 0, world);
        break;
      case Meaning::scatter:
        MPI_Scatterv(in_.data(), parts_.data(), begins_.data(), word, out.data(), mine, word, 0, world);
        break;
      case Meaning::gather:
        MPI_Gatherv(in_.data(), mine, word, out.data(), parts_.data(), begins_.data(), word, 0, world);
        break;
      case Meaning::allgather:
        MPI_Allgatherv(in_.data(), mine, word, out.data(), parts_.data(), begins_.data(), word, world);
        break;
      case Meaning::reduce_scatter:
        MPI_Reduce_scatter(in_.data(), out.data(), parts_.data(), word, MPI_SUM, world);
        break;
      case Meaning::reduce:
        MPI_Reduce(in_.data(), out.data(), s, word, MPI_SUM, 0, world);
        break;
      case Meaning::allreduce:
        MPI_Allreduce(in_.data(), out.data(), s, word, MPI_SUM, world);
        break;
      case Meaning::scan:
        MPI_Scan(in_.data(), out.data(), s, word, MPI_SUM, world);
        break;
      case Meaning::alltoall:
        MPI_Alltoallv(in_.data(), parts_.data(), begins_.data(), word, out.data(), mine_.data(), from_.data(), word,
                      world);
        break;
    }
    return out;
  }

 private:
  const Collective& c_;
  int rank_;
  Values in_;
  std::vector<int> parts_, begins_, mine_, from_;
};

void equals_mpi(const Comm& comm, const Collective& c) {
  const Values in = collective_input(c, comm.rank());
  Values out(static_cast<std::size_t>(collective_out(c, comm.rank())));
  run_collective<double>(comm, c, in, out);
  EXPECT_EQ(out, Mpi(c, comm.rank()).result()) << c.name << " of " << c.words << " words on " << c.ranks;
}

TEST(MpiCollective, equals_that_of_mpi_itself) {
  const std::vector<Comm> comms{
      mpi_comm(MPI_COMM_WORLD),
      mpi_comm(MPI_COMM_WORLD,
               {.shared_windows = false, .tuning = Tuning{.piece_bytes = 128, .send_window = 2, .receive_window = 3}})};
  for (const Comm& comm : comms)
    for (const Collective& c : all_collectives(comm.size()))
      if (c.packet != 1) equals_mpi(comm, c);
}

TEST(MpiCollective, of_long_vectors_equals_that_of_mpi_itself) {
  const Comm comm = mpi_comm(MPI_COMM_WORLD);
  for (const auto& [name, summary] : collective_names()) {
    const Collective c{.name = name, .ranks = comm.size(), .words = 30011};
    if (applies(c)) equals_mpi(comm, c);
  }
}

}  // namespace
}  // namespace kallima
