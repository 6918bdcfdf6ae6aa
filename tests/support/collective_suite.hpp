#pragma once
// What collectives mean, computed in the plainest way from everybody's inputs; and the claim that running one gives
// exactly that. Inputs are small whole numbers, so that sums are exact in any order.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

#include "kallima/collective.hpp"
#include "kallima/comm.hpp"

namespace kallima {

using Values = std::vector<std::complex<double>>;

inline Values collective_input(const Collective& c, int rank) {
  Values in;
  for (Index i = 0; i < collective_in(c, rank); ++i)
    in.emplace_back(static_cast<double>((i * 7 + rank * 31) % 101 - 50), static_cast<double>((i + rank * rank) % 17));
  return in;
}

inline Values sum_of_inputs(const Collective& c, int ranks) {
  Values sum(static_cast<std::size_t>(c.words));
  for (int r = 0; r < ranks; ++r) {
    const Values in = collective_input(c, r);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += in[i];
  }
  return sum;
}

inline Values part_of(const Collective& c, const Values& all, int rank) {
  return {all.begin() + collective_part(c, rank), all.begin() + collective_part(c, rank + 1)};
}

inline Values joined_inputs(const Collective& c) {
  Values all;
  for (int r = 0; r < c.ranks; ++r) {
    const Values in = collective_input(c, r);
    all.insert(all.end(), in.begin(), in.end());
  }
  return all;
}

inline Values exchanged_inputs(const Collective& c, int rank) {
  Values all;
  for (int r = 0; r < c.ranks; ++r) {
    const Values part = part_of(c, collective_input(c, r), rank);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

inline Values collective_output(const Collective& c, int rank) {
  switch (collective_meaning(c.name)) {
    case Meaning::broadcast:
      return collective_input(c, 0);
    case Meaning::scatter:
      return part_of(c, collective_input(c, 0), rank);
    case Meaning::gather:
      return rank == 0 ? joined_inputs(c) : Values{};
    case Meaning::allgather:
      return joined_inputs(c);
    case Meaning::reduce_scatter:
      return part_of(c, sum_of_inputs(c, c.ranks), rank);
    case Meaning::reduce:
      return rank == 0 ? sum_of_inputs(c, c.ranks) : Values{};
    case Meaning::allreduce:
      return sum_of_inputs(c, c.ranks);
    case Meaning::scan:
      return sum_of_inputs(c, rank + 1);
    case Meaning::alltoall:
      return exchanged_inputs(c, rank);
  }
  return {};
}

// Butterflies pair ranks off by powers of two; trees, rings and what goes straight take any number of ranks.
inline bool applies(const Collective& c) {
  constexpr std::array trees_rings_and_straight{
      "broadcast-binary", "broadcast-binomial", "broadcast-ring", "broadcast-pipelined", "broadcast-double", "scatter",
      "gather",           "alltoall-direct",    "alltoall-bruck"};
  return std::has_single_bit(static_cast<unsigned>(c.ranks)) ||
         std::find(trees_rings_and_straight.begin(), trees_rings_and_straight.end(), c.name) !=
             trees_rings_and_straight.end();
}

template <class T>
void gives_what_it_means(const Comm& comm, const Collective& c) {
  const Values input = collective_input(c, comm.rank()), expected = collective_output(c, comm.rank());
  const std::vector<std::complex<T>> in(input.begin(), input.end());
  std::vector<std::complex<T>> out(static_cast<std::size_t>(collective_out(c, comm.rank())), T(-999));
  run_collective<T>(comm, c, in, out);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), expected.begin(), expected.end(),
                         [](const auto& a, const auto& b) { return a == std::complex<T>(b); }))
      << c.name << " of " << c.words << " words, rank " << comm.rank() << " of " << c.ranks;
}

// All sizes that are interesting on so many ranks.
inline std::vector<Collective> all_collectives(int ranks) {
  std::vector<Collective> all;
  for (const auto& [name, summary] : collective_names())
    for (const Index words : {Index{1}, Index{ranks} - 1, Index{ranks}, Index{3} * ranks, Index{37}})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const Index packet : {0, 1, 5}) {
          const Collective c{.name = name, .ranks = ranks, .words = words, .packet = packet, .exchange = exchange};
          const bool packets = name == "broadcast-pipelined" || name == "broadcast-double";
          if (applies(c) && (packet == 0 || packets)) all.push_back(c);
        }
  return all;
}

}  // namespace kallima
