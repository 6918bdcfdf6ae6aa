// Collectives run on threads give exactly what they mean, whatever the order in which messages travel.

#include "kallima/collective.hpp"

#include <gtest/gtest.h>

#include <atomic>

#include "chaos.hpp"
#include "collective_suite.hpp"

namespace kallima {
namespace {

TEST(Collective, gives_what_it_means_on_any_number_of_ranks) {
  for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 16})
    run_threads(ranks, [&](Comm comm) {
      for (const Collective& c : all_collectives(ranks)) gives_what_it_means<double>(comm, c);
    });
}

TEST(Collective, of_long_vectors_in_single_precision) {
  run_threads(4, [](Comm comm) {
    for (const auto& [name, summary] : collective_names())
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        gives_what_it_means<float>(comm, {.name = name, .ranks = 4, .words = 20011, .exchange = exchange});
  });
}

TEST(Collective, every_message_order_gives_the_same) {
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    run_threads(static_cast<int>(2 + seed % 3), [&](Comm comm) {
      const Comm wild = chaotic(comm, seed);
      for (const Collective& c : all_collectives(comm.size()))
        if (c.words == 37) gives_what_it_means<double>(wild, c);
    });
}

TEST(Collective, records_what_it_did) {
  run_threads(4, [](Comm comm) {
    const Collective c{.name = "allreduce", .ranks = 4, .words = 8};
    const std::vector<std::complex<double>> in(8);
    std::vector<std::complex<double>> out(8);
    Trace trace;
    run_collective<double>(comm, c, in, out, &trace);
    const auto tasks =
        std::count_if(trace.events.begin(), trace.events.end(), [](const Event& e) { return e.task >= 0; });
    EXPECT_EQ(static_cast<std::size_t>(tasks), collective_schedule(c, comm.rank()).tasks.size());
  });
}

std::string error_of(const Comm& comm, const Collective& c, std::size_t in_size, std::size_t out_size) {
  try {
    const std::vector<std::complex<double>> in(in_size);
    std::vector<std::complex<double>> out(out_size);
    run_collective<double>(comm, c, in, out);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Collective, wrong_arguments_fail_on_every_rank) {
  run_threads(3, [](Comm comm) {
    const auto says = [](const std::string& error, const char* words) {
      EXPECT_NE(error.find(words), std::string::npos) << error;
    };
    const bool odd = comm.rank() == 1;
    says(error_of(comm, {.name = "scatter", .ranks = 3, .words = odd ? 6 : 9}, 9, 3), "argument words is not the same");
    says(error_of(comm, {.name = "alltoall-direct", .ranks = 3, .words = 6}, odd ? 5 : 6, 6), "array 'in' has 5");
    says(error_of(comm, {.name = "alltoall-direct", .ranks = 3, .words = 6}, 6, odd ? 7 : 6), "array 'out' has 7");
    says(error_of(comm, {.name = "alltoall-direct", .ranks = 2, .words = 6}, 6, 6), "communicator has 3");
    says(error_of(comm, {.name = "scan", .ranks = 3, .words = 6}, 6, 6), "power of two");
    says(error_of(comm, {.name = "stroll", .ranks = 3, .words = 6}, 6, 6), "no collective 'stroll'");
    std::vector<std::complex<double>> both(8);
    EXPECT_THROW(run_collective<double>(comm, {.name = "alltoall-direct", .ranks = 3, .words = 6},
                                        std::span(both).first(6), std::span(both).subspan(2, 6)),
                 Error);
  });
}

}  // namespace
}  // namespace kallima
