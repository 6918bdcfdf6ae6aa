// Butterflies of the caller's: every node is met once with the values and the place it should have.

#include "kallima/network.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>

namespace kallima {
namespace {

template <class T>
std::vector<T> part_of(const Layout& layout, int rank, const std::vector<T>& all) {
  std::vector<T> mine;
  for (Index t = 0; t < layout.local_size(rank); ++t) {
    const Shape j = layout.global_index(rank, t);
    mine.push_back(all[at(j[0] * layout.shape()[1] + j[1])]);
  }
  return mine;
}

// What it does by definition: level after level, pair after pair.
template <class T>
std::vector<T> by_definition(std::vector<T> x, const auto& node) {
  const auto n = static_cast<Index>(x.size());
  int level = 0;
  for (Index d = n / 2; d > 0; d /= 2, ++level)
    for (Index r = 0; r < n; ++r)
      if ((r & d) == 0) {
        if constexpr (std::is_invocable_v<decltype(node), const NodeAt&, T&, T&>)
          node(NodeAt{level, r}, x[at(r)], x[at(r + d)]);
        else
          node(NodeRun{level, d, r, 1, 1}, &x[at(r)], &x[at(r + d)]);
      }
  return x;
}

template <class T>
void expect_as_defined(const std::vector<T>& x, const auto& node,
                       const std::vector<int>& rank_counts = {1, 2, 3, 4, 5, 7}) {
  const std::vector<T> y = by_definition(x, node);
  for (const int ranks : rank_counts)
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      run_threads(ranks, [&](const Comm& comm) {
        ButterflyNetwork<T> network(static_cast<Index>(x.size()), node, comm, {.exchange = exchange});
        const std::vector<T> in = part_of(network.layout_in(), comm.rank(), x);
        std::vector<T> out(at(network.layout_out().local_size(comm.rank())));
        network.run(in, out);
        EXPECT_EQ(out, part_of(network.layout_out(), comm.rank(), y)) << x.size() << " on " << ranks;
      });
}

template <class T>
std::vector<T> numbers(Index n) {
  std::vector<T> x;
  for (Index i = 0; i < n; ++i) x.push_back(static_cast<T>((i * 7919 + 13) % 1009));
  return x;
}

TEST(Network, well_known_butterflies_are_as_defined) {
  for (const Index n : {4, 8, 64, 2048}) {
    expect_as_defined<double>(numbers<double>(n), hadamard_node);
    expect_as_defined<std::int64_t>(numbers<std::int64_t>(n), zeta_node);
  }
  expect_as_defined<float>(numbers<float>(512), moebius_node);
}

// Not commutative, and different for every node: places matter.
TEST(Network, every_node_is_told_its_level_and_place) {
  const auto node = [](const NodeRun& run, std::uint64_t* low, std::uint64_t* high) {
    for (Index i = 0; i < run.count; ++i) {
      const auto place = static_cast<std::uint64_t>(run.position + i * run.step);
      const std::uint64_t a = low[i], b = high[i], k = place * 40 + static_cast<std::uint64_t>(run.level);
      low[i] = (a * 3 + b * 5 + k) * 0x9e3779b97f4a7c15u;
      high[i] = (a ^ std::rotl(b, 7)) + k * static_cast<std::uint64_t>(run.distance);
    }
  };
  const auto single = [](const NodeAt& at, std::uint64_t& low, std::uint64_t& high) {
    const std::uint64_t a = low, b = high,
                        k = static_cast<std::uint64_t>(at.position) * 40 + static_cast<std::uint64_t>(at.level);
    low = (a * 3 + b * 5 + k) * 0x9e3779b97f4a7c15u;
    high = (a ^ std::rotl(b, 7)) + k;
  };
  for (const Index n : {4, 32, 256, 4096, 1 << 16}) {
    if (n < 1 << 16) expect_as_defined<std::uint64_t>(numbers<std::uint64_t>(n), node);
    expect_as_defined<std::uint64_t>(numbers<std::uint64_t>(n), single);
  }
}

// Lines that no first cache holds, of values that fill vectors of several lengths, or none.
TEST(Network, long_lines_are_as_defined) {
  const auto turned = [](const NodeAt& at, std::uint64_t& low, std::uint64_t& high) {
    const std::uint64_t a = low, b = high, k = static_cast<std::uint64_t>(at.position * 32 + at.level);
    low = a * 3 + std::rotl(b, 5) + k;
    high = (a ^ b) - k;
  };
  const Index n = 1 << 18;
  expect_as_defined<double>(numbers<double>(n), hadamard_node, {2, 3});
  expect_as_defined<std::uint32_t>(numbers<std::uint32_t>(n), hadamard_node, {2});
  expect_as_defined<std::uint16_t>(numbers<std::uint16_t>(n), zeta_node, {2});
  expect_as_defined<std::uint64_t>(numbers<std::uint64_t>(n), turned, {2, 3});
}

// Nothing is copied besides: columns go to where they are sent from, or where they stay, and rows come from there.
TEST(Network, two_passes_over_memory_are_all_there_are) {
  run_threads(2, [&](const Comm& comm) {
    const ButterflyNetwork<double> network(1 << 20, hadamard_node, comm);
    int passes = 0;
    for (const Task& task : network.plan().rank_schedule(comm.rank(), Direction::forward).tasks)
      if (task.kind == TaskKind::copy || task.kind == TaskKind::compute) {
        ++passes;
        EXPECT_EQ(task.kind, TaskKind::compute) << task.label;
      }
    EXPECT_GT(passes, 1);
    EXPECT_LE(network.plan().workspace(comm.rank(), Direction::forward), network.layout_in().local_size(comm.rank()));
  });
}

TEST(Network, subset_sums_and_back_are_nothing) {
  const std::vector<std::int64_t> x = numbers<std::int64_t>(1 << 10);
  const std::vector<std::int64_t> y = by_definition(x, zeta_node);
  EXPECT_EQ(by_definition(y, moebius_node), x);
  std::int64_t sum = 0;  // of all subsets of {0, 2, 3}
  for (const Index set : {0, 1, 4, 5, 8, 9, 12, 13}) sum += x[at(set)];
  EXPECT_EQ(y[13], sum);
}

TEST(Network, a_bitonic_sequence_comes_out_sorted) {
  std::vector<std::int32_t> x = numbers<std::int32_t>(4096);
  std::sort(x.begin(), x.begin() + 1500);
  std::sort(x.begin() + 1500, x.end(), std::greater<>());
  expect_as_defined<std::int32_t>(x, bitonic_merge_node);
  const std::vector<std::int32_t> y = by_definition(x, bitonic_merge_node);
  EXPECT_TRUE(std::is_sorted(y.begin(), y.end()));
}

TEST(Network, nodes_come_in_runs_and_as_many_as_there_are) {
  const Index n = 1 << 14;
  std::atomic<Index> calls = 0, nodes = 0;
  run_threads(2, [&](const Comm& comm) {
    ButterflyNetwork<double> network(
        n,
        [&](const NodeRun& run, double*, double*) {
          ++calls;
          nodes += run.count;
        },
        comm);
    std::vector<double> in(at(network.layout_in().local_size(comm.rank()))),
        out(at(network.layout_out().local_size(comm.rank())));
    network.run(in, out);
    EXPECT_EQ(network.plan().exchanges(), 1);
  });
  EXPECT_EQ(nodes, n / 2 * 14);
  EXPECT_LE(calls, nodes / 16);
}

TEST(Network, sizes_that_are_no_powers_of_two_are_refused) {
  run_threads(2, [&](const Comm& comm) {
    for (const Index n : {0, 1, 2, 3, 12, -8})
      EXPECT_THROW(ButterflyNetwork<double>(n, hadamard_node, comm), Error) << n;
    ButterflyNetwork<double> network(16, hadamard_node, comm);
    std::vector<double> few(3);
    EXPECT_THROW(network.run(few, few), Error);
  });
}

}  // namespace
}  // namespace kallima
