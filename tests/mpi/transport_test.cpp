// The suite of transport claims on MPI: reading neighbours' memory in place, by messages alone, in pieces so small that
// every block has many, through Chaos, and with a progress thread.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <memory>
#include <tuple>

#include "chaos.hpp"
#include "file_suite.hpp"
#include "kallima/mpi.hpp"
#include "transport/adopts_memory.hpp"
#include "transport_suite.hpp"

namespace kallima {
namespace {

struct Variant {
  const char* name;
  MpiOptions options;
  bool chaos;
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"in_place", {}, false},
      {"by_messages", {.shared_windows = false}, false},
      {"in_small_pieces",
       {.shared_windows = false, .tuning = Tuning{.piece_bytes = 4099, .send_window = 3, .receive_window = 3}},
       false},
      {"in_place_or_one_piece_at_a_time",
       {.tuning = Tuning{.piece_bytes = 10000, .send_window = 1, .receive_window = 1}},
       false},
      {"in_place_through_chaos", {}, true},
      {"by_messages_through_chaos", {.shared_windows = false, .tuning = Tuning{.piece_bytes = 50000}}, true},
      {"in_place_with_a_thread", {.tuning = Tuning{.progress = ProgressBy::thread}}, false},
      {"by_messages_with_a_thread",
       {.shared_windows = false, .tuning = Tuning{.piece_bytes = 50000, .progress = ProgressBy::thread}},
       false},
  };
  return all;
}

// One for all claims: what a claim leaves behind must not disturb the next. Gone before MPI is.
class Comms : public testing::Environment {
 public:
  static Comm& of(const Variant& variant) {
    auto& comm = made()[variant.name];
    if (comm) return *comm;
    const Comm plain = mpi_comm(MPI_COMM_WORLD, variant.options);
    comm = std::make_unique<Comm>(variant.chaos ? chaotic(plain, 5) : plain);
    return *comm;
  }
  void TearDown() override { made().clear(); }

 private:
  static std::map<std::string, std::unique_ptr<Comm>>& made() {
    static std::map<std::string, std::unique_ptr<Comm>> all;
    return all;
  }
};

const testing::Environment* const comms = testing::AddGlobalTestEnvironment(new Comms);

class MpiTransport : public testing::TestWithParam<std::tuple<Variant, suite::Claim>> {};

std::string name_of(const testing::TestParamInfo<MpiTransport::ParamType>& info) {
  return std::string(std::get<1>(info.param).name) + "_" + std::get<0>(info.param).name;
}

TEST_P(MpiTransport, keeps) {
  const auto& [variant, claim] = GetParam();
  claim.check(Comms::of(variant));
}

INSTANTIATE_TEST_SUITE_P(messages, MpiTransport,
                         testing::Combine(testing::ValuesIn(variants()), testing::ValuesIn(suite::message_claims())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(files, MpiTransport,
                         testing::Combine(testing::Values(variants()[0]), testing::ValuesIn(suite::file_claims())),
                         name_of);

TEST(MpiComm, has_the_ranks_of_the_communicator_it_was_made_of) {
  const Comm comm = mpi_comm(MPI_COMM_SELF);
  EXPECT_EQ(comm.size(), 1);
  const Comm world = mpi_comm(MPI_COMM_WORLD);
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(world.rank(), rank);
}

TEST(MpiComm, of_part_of_the_ranks_works_beside_that_of_all) {
  const Comm world = mpi_comm(MPI_COMM_WORLD);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, -world.rank(), &half);  // in reverse order
  {
    const Comm comm = mpi_comm(half);
    MPI_Comm_free(&half);
    suite::blocks_of_any_size_arrive_whole(comm);
    suite::memory_may_differ_in_size_and_be_had_many_times(comm);
  }
  suite::every_pair_exchanges_at_once(world);
}

TEST(MpiComm, refuses_options_that_differ_between_ranks) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto text =
      suite::text_of([&] { mpi_comm(MPI_COMM_WORLD, {.tuning = Tuning{.send_window = rank == 0 ? 3 : 4}}); });
  EXPECT_EQ(text.find("differ between ranks") != std::string::npos, size > 1) << text;
  EXPECT_THROW(mpi_comm(MPI_COMM_WORLD, {.tuning = Tuning{.piece_bytes = 0}}), Error);
  EXPECT_THROW(mpi_comm(MPI_COMM_WORLD, {.tuning = Tuning{.receive_window = 0}}), Error);
}

TEST(MpiComm, refuses_what_is_no_communicator_of_one_group) {
  EXPECT_NE(suite::text_of([] { mpi_comm(MPI_COMM_NULL); }).find("MPI_COMM_NULL"), std::string::npos);
  const Comm world = mpi_comm(MPI_COMM_WORLD);
  if (world.size() == 1) return;
  MPI_Comm half = MPI_COMM_NULL, both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world.rank() % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world.rank() % 2, 0, &both);
  EXPECT_NE(suite::text_of([&] { mpi_comm(both); }).find("intercommunicator"), std::string::npos);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

TEST(MpiComm, tells_everybody_when_memory_is_short) {
  for (const bool shared : {true, false}) {
    const Comm comm = mpi_comm(MPI_COMM_WORLD, {.shared_windows = shared});
    const bool greedy = comm.rank() == comm.size() - 1;
    const auto text = suite::text_of([&] { comm.transport().allocate(greedy ? std::size_t{1} << 50 : 10); });
    EXPECT_NE(text, "") << "rank " << comm.rank();
    suite::memory_may_differ_in_size_and_be_had_many_times(comm);
  }
}

rlim_t address_space() {  // in use
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// The limit of one rank only: the first makes the memory, all see it.
TEST(MpiComm, tells_everybody_when_one_rank_may_not_share) {
  const Comm comm = mpi_comm(MPI_COMM_WORLD);
  const auto limited = [&](int resource, rlim_t limit, int rank, const std::function<void()>& action) {
    rlimit before{};
    getrlimit(resource, &before);
    const rlimit less{limit, before.rlim_max};
    if (comm.rank() == rank) setrlimit(resource, &less);
    const std::string text = suite::text_of(action);
    setrlimit(resource, &before);
    return text;
  };
  const auto share = [&] { comm.transport().allocate(std::size_t{1} << 24); };
  const auto open = [&] { mpi_comm(MPI_COMM_WORLD); };
  const bool shared = comm.size() > 1;
  const auto says = [](const std::string& text, const char* word) { return text.find(word) != std::string::npos; };
  EXPECT_EQ(says(limited(RLIMIT_FSIZE, 100000, 0, share), "ulimit -f"), shared);
  EXPECT_EQ(says(limited(RLIMIT_FSIZE, 4096, 0, open), "ulimit -f"), shared);
  EXPECT_EQ(says(limited(RLIMIT_AS, address_space() + (rlim_t{1} << 22), comm.size() - 1, share), "ulimit -v"), shared);
  suite::views_show_the_senders_own_memory(comm);
}

// What an exception left behind on all ranks is given back, or it would pile up.
TEST(MpiComm, gives_back_shared_memory_that_an_exception_unwound) {
  const Comm comm = mpi_comm(MPI_COMM_WORLD);
  for (int i = 0; i < 6; ++i)
    EXPECT_THROW(
        {
          const auto memory = comm.transport().allocate(1 << 20);
          throw Error("on every rank");
        },
        Error);
  suite::views_show_the_senders_own_memory(comm);
}

// As a device's would be, which each process has at an address of its own: here what neighbours share of the host's.
TEST(MpiComm, views_of_memory_that_it_adopted_are_where_each_rank_has_it) {
  const Comm comm = mpi_comm(MPI_COMM_WORLD);
  Transport& t = comm.transport();
  const auto shared = t.allocate(64);
  std::vector<std::byte*> there(static_cast<std::size_t>(t.size()));
  for (int peer = 0; peer < t.size(); ++peer) there[static_cast<std::size_t>(peer)] = shared->bytes().data() + peer;
  std::shared_ptr<std::byte> own(new std::byte[64], [](const std::byte* p) { delete[] p; });
  std::weak_ptr<std::byte> seen = own;
  std::byte* const begin = own.get();
  {
    const auto adopted = dynamic_cast<AdoptsMemory&>(t).adopt(std::move(own), 64, there);
    EXPECT_EQ(adopted->bytes().data(), begin);
    const Request send = t.post_send(suite::next(t), 7, {begin + 5, 3}), recv = t.post_recv(suite::previous(t), 7, {});
    suite::wait(t, recv);
    EXPECT_EQ(t.data(recv), there[static_cast<std::size_t>(suite::previous(t))] + 5);
    t.release(recv);
    suite::finish(t, send);
  }
  EXPECT_FALSE(seen.expired());  // somebody may still look at it
  t.barrier();
  t.allocate(1);
  EXPECT_TRUE(seen.expired());
}

// A letter ring holds a few hundred at most.
TEST(MpiComm, announces_more_blocks_than_a_ring_has_room_for) {
  const Comm comm = mpi_comm(MPI_COMM_WORLD);
  Transport& t = comm.transport();
  const auto memory = t.allocate(5000 * sizeof(int));
  auto* numbers = reinterpret_cast<int*>(memory->bytes().data());
  std::vector<Request> sends, recvs;
  for (int i = 0; i < 5000; ++i) {
    numbers[i] = i;
    sends.push_back(t.post_send(suite::next(t), i % 50, std::as_bytes(std::span(numbers + i, 1))));
  }
  t.barrier();
  std::vector<int> landings(5000);
  for (int i = 0; i < 5000; ++i)
    recvs.push_back(t.post_recv(suite::previous(t), i % 50,
                                std::as_writable_bytes(std::span(&landings[static_cast<std::size_t>(i)], 1))));
  for (int i = 0; i < 5000; ++i) {
    const Request recv = recvs[static_cast<std::size_t>(i)];
    suite::wait(t, recv);
    EXPECT_EQ(*reinterpret_cast<const int*>(t.data(recv)), i);
    t.release(recv);
  }
  for (const Request send : sends) suite::finish(t, send);
}

}  // namespace
}  // namespace kallima
