// The suite of transport claims on threads, plain and through Chaos, for one rank up to more than there are cores.

#include <gtest/gtest.h>

#include <tuple>

#include "chaos.hpp"
#include "file_suite.hpp"
#include "transport/progress_thread.hpp"
#include "transport_suite.hpp"

namespace kallima {
namespace {

class Threads : public testing::TestWithParam<std::tuple<int, suite::Claim>> {};

std::string name_of(const testing::TestParamInfo<Threads::ParamType>& info) {
  return std::string(std::get<1>(info.param).name) + "_on_" + std::to_string(std::get<0>(info.param));
}

TEST_P(Threads, keep) {
  const auto& [ranks, claim] = GetParam();
  run_threads(ranks, claim.check);
}

INSTANTIATE_TEST_SUITE_P(messages, Threads,
                         testing::Combine(testing::Values(1, 2, 3, 4, 7), testing::ValuesIn(suite::message_claims())),
                         name_of);
INSTANTIATE_TEST_SUITE_P(files, Threads,
                         testing::Combine(testing::Values(1, 2, 3, 4, 7), testing::ValuesIn(suite::file_claims())),
                         name_of);

class ChaoticThreads : public Threads {};

TEST_P(ChaoticThreads, keep) {
  const auto& [ranks, claim] = GetParam();
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    run_threads(ranks, [&, check = claim.check](Comm comm) { check(chaotic(comm, seed)); });
}

INSTANTIATE_TEST_SUITE_P(messages, ChaoticThreads,
                         testing::Combine(testing::Values(2, 3), testing::ValuesIn(suite::message_claims())), name_of);

TEST(Traffic, of_a_hundred_seeds_arrives_through_chaos) {
  run_threads(3, [](Comm comm) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) suite::random_traffic_arrives(chaotic(comm, seed), seed);
  });
}

// What a progress thread does beside its rank, where a sanitizer can watch it.
class WithProgressThread : public testing::TestWithParam<std::tuple<int, suite::Claim>> {};

TEST_P(WithProgressThread, keep) {
  const auto& [ranks, claim] = GetParam();
  run_threads(ranks, [&](const Comm& comm) {
    claim.check(Comm(std::make_shared<ProgressThread>(comm.transport().duplicate())));
  });
}

INSTANTIATE_TEST_SUITE_P(messages, WithProgressThread,
                         testing::Combine(testing::Values(1, 2, 3), testing::ValuesIn(suite::message_claims())),
                         name_of);

}  // namespace
}  // namespace kallima
