// Integers, butterflies and sorting on MPI, in shared windows and by messages.

#include <gtest/gtest.h>

#include "kallima/integer.hpp"
#include "kallima/network.hpp"
#include "kallima/sort.hpp"
#include "mpi/world.hpp"

namespace kallima {
namespace {

std::vector<Comm> both_ways() { return {world(), world(false)}; }

// (2^k - 1)^2 = 2^2k - 2^(k+1) + 1: carries go through everything.
TEST(MpiExact, squares_of_ones_are_exact) {
  for (const Comm& comm : both_ways()) {
    const Index n = 5000;
    IntegerProduct plan(n, n, comm);
    std::vector<std::uint64_t> a(at(plan.local_words())), c(a), d(a);
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = plan.first_word() + static_cast<Index>(i) < n ? ~std::uint64_t{0} : 0;
    plan.square(a, c);
    plan.multiply(a, a, d);
    EXPECT_EQ(c, d);
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Index j = plan.first_word() + static_cast<Index>(i);
      EXPECT_EQ(c[i], j == 0 ? 1u : j < n ? 0u : j == n ? ~std::uint64_t{1} : j < 2 * n ? ~std::uint64_t{0} : 0u) << j;
    }
  }
}

TEST(MpiExact, the_hadamard_transform_of_one_wave_is_one_value) {
  for (const Comm& comm : both_ways()) {
    ButterflyNetwork<double> network(1024, hadamard_node, comm);
    const Layout in = network.layout_in(), out = network.layout_out();
    std::vector<double> x(at(in.local_size(comm.rank()))), y(at(out.local_size(comm.rank())));
    const auto row = [&](const Layout& layout, Index t) {
      const Shape j = layout.global_index(comm.rank(), t);
      return j[0] * layout.shape()[1] + j[1];
    };
    for (std::size_t t = 0; t < x.size(); ++t)
      x[t] = __builtin_parityll(static_cast<unsigned long long>(row(in, static_cast<Index>(t)) & 677)) ? -1 : 1;
    network.run(x, y);
    for (std::size_t t = 0; t < y.size(); ++t) EXPECT_EQ(y[t], row(out, static_cast<Index>(t)) == 677 ? 1024 : 0);
  }
}

TEST(MpiExact, numbers_are_sorted_over_processes) {
  for (const Comm& comm : both_ways())
    for (const SortMethod method : {SortMethod::sample, SortMethod::bitonic}) {
      const Index n = 3001, all = n * comm.size();
      std::vector<std::int64_t> part;
      for (Index i = 0; i < n; ++i) part.push_back((comm.rank() * n + i) * 7919 % all - 5);  // each number once
      sort(std::span(part), comm, method);
      for (Index i = 0; i < n; ++i) EXPECT_EQ(part[at(i)], comm.rank() * n + i - 5);
    }
}

}  // namespace
}  // namespace kallima
