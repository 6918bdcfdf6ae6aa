// Transforms modulo primes against their definition: lengths, shapes, ranks, routes and directions.

#include "kallima/ntt.hpp"

#include <gtest/gtest.h>

#include "kernel/mod_p/line_ntt.hpp"
#include "kernel/mod_p/modulus.hpp"

namespace kallima {
namespace {

using kernel::PrimeField;
using Numbers = std::vector<std::uint64_t>;

Numbers some_numbers(Index count, std::uint64_t seed) {
  Numbers all;
  for (Index i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    all.push_back((seed >> 14) % (std::uint64_t{1} << 50));
  }
  return all;
}

Numbers by_definition(const PrimeField& field, const Numbers& x, Direction direction) {
  const auto n = static_cast<Index>(x.size());
  const std::uint64_t w = field.root(n, direction == Direction::forward ? 1 : -1);
  Numbers y;
  std::uint64_t point = 1;
  for (Index k = 0; k < n; ++k, point = field.product(point, w)) {
    std::uint64_t value = 0;
    for (Index j = n; j-- > 0;) value = (field.product(value, point) + x[at(j)] % field.prime()) % field.prime();
    y.push_back(value);
  }
  return y;
}

Numbers part_of(const Layout& layout, int rank, const Numbers& all) {
  Numbers mine;
  for (Index t = 0; t < layout.local_size(rank); ++t) mine.push_back(all[at(layout.global_index(rank, t)[0])]);
  return mine;
}

TEST(Ntt, the_listed_primes_have_the_roots_they_promise) {
  for (const std::uint64_t p : ntt_primes) {
    const PrimeField field(p);
    const std::uint64_t root = field.root(Index{15} << 40, 1);
    EXPECT_EQ(field.power(root, std::uint64_t{15} << 39), p - 1);
    EXPECT_NE(field.power(root, std::uint64_t{5} << 40), 1u);
    EXPECT_NE(field.power(root, std::uint64_t{3} << 40), 1u);
  }
  EXPECT_THROW(PrimeField(940082441748483), Error);
  EXPECT_THROW(PrimeField(0x1000000000000001), Error);
  EXPECT_THROW(PrimeField(ntt_primes[0]).root(11, 1), Error);
}

TEST(Ntt, every_length_that_divides_is_transformed_as_defined) {
  int lengths = 0;
  for (const std::uint64_t p : {ntt_primes[0], ntt_primes[2], ntt_primes[3]})
    for (Index n = 1; n <= 300; ++n) {
      if ((p - 1) % static_cast<std::uint64_t>(n) != 0) continue;
      const PrimeField field(p);
      const Numbers x = some_numbers(n, static_cast<std::uint64_t>(n));
      Ntt ntt({.shape = {n}}, Comm(), {.prime = p});
      Numbers y(x.size()), back(x.size());
      ntt.forward(x, y);
      EXPECT_EQ(y, by_definition(field, x, Direction::forward)) << n << " modulo " << p;
      ntt.backward(y, back);
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(back[i], x[i] % p) << n;
      ntt.backward(x, y, Norm::none);
      EXPECT_EQ(y, by_definition(field, x, Direction::backward)) << n;
      ++lengths;
    }
  EXPECT_GT(lengths, 60);
}

TEST(Ntt, every_route_on_any_ranks_gives_the_same_residues) {
  const PrimeField field(ntt_primes[2]);
  int runs = 0;
  for (const Index n : {144, 1280, 2304}) {
    const Numbers x = some_numbers(n, 7), y = by_definition(field, x, Direction::forward);
    for (const auto& [route, summary] : route_names())
      for (const int ranks : {1, 2, 3, 4, 5, 6, 7})
        for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
          const std::vector<Candidate> all = candidates({.shape = {n}}, ranks, {.route = route, .exchange = exchange});
          if (std::ranges::none_of(all, [&r = route](const Candidate& c) { return c.route == r && c.plan; })) continue;
          if (route == "bluestein") continue;  // by chirps, which have conjugates
          run_threads(ranks, [&](const Comm& comm) {
            Ntt ntt({.shape = {n}}, comm, {.prime = ntt_primes[2], .plan = {.route = route, .exchange = exchange}});
            const Numbers in = part_of(ntt.layout_in(), comm.rank(), x);
            Numbers out(at(ntt.local_size_out())), back(in.size());
            ntt.forward(in, out);
            EXPECT_EQ(out, part_of(ntt.layout_out(), comm.rank(), y)) << route << " of " << n << " on " << ranks;
            ntt.backward(out, back);
            for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(back[i], in[i] % ntt.prime());
          });
          ++runs;
        }
  }
  EXPECT_GE(runs, 60);
}

// Long lines go one at a time, R across and Q along; the largest values go in.
TEST(Ntt, long_lines_of_extreme_values_come_back) {
  for (const Index n : {Index{1} << 17, Index{5} << 15, Index{3} << 18})
    for (const int ranks : {1, 2, 3})
      run_threads(ranks, [&](const Comm& comm) {
        Ntt ntt({.shape = {n}}, comm);
        const std::uint64_t p = ntt.prime();
        std::vector<double> x(at(ntt.local_size_in())), y(at(ntt.local_size_out())), z(x.size());
        for (std::size_t i = 0; i < x.size(); ++i)
          x[i] = i % 3 == 0 ? -static_cast<double>(p - i % 5) : residue(p / 2 - i % 2, p);
        ntt.forward(x, y);
        ntt.backward(y, z);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < x.size(); ++i) wrong += number_of(x[i], p) != number_of(z[i], p) ? 1 : 0;
        EXPECT_EQ(wrong, 0u) << n << " on " << ranks;
      });
}

TEST(Ntt, a_long_line_is_transformed_as_its_parts_say) {
  const PrimeField field(ntt_primes[0]);
  const Index n = 3 << 13;
  const Numbers x = some_numbers(n, 3);
  Ntt ntt({.shape = {n}}, Comm());
  Numbers y(x.size());
  ntt.forward(x, y);
  for (const Index k : {Index{0}, Index{1}, Index{17}, n / 2, n - 1}) {
    const std::uint64_t point = field.root(n, k);
    std::uint64_t value = 0;
    for (Index j = n; j-- > 0;) value = (field.product(value, point) + x[at(j)] % field.prime()) % field.prime();
    EXPECT_EQ(y[at(k)], value) << k;
  }
}

TEST(Ntt, several_axes_are_transformed_one_after_the_other) {
  run_threads(3, [&](const Comm& comm) {
    Ntt ntt({.shape = {12, 16}}, comm);
    const Layout in = ntt.layout_in();
    Numbers x(at(ntt.local_size_in())), y(at(ntt.local_size_out()));
    for (Index t = 0; t < in.local_size(comm.rank()); ++t) {  // a wave of 5 by 3, which has one point of spectrum
      const Shape j = in.global_index(comm.rank(), t);
      const PrimeField field(ntt.prime());
      x[at(t)] = field.product(field.root(12, -5 * j[0]), field.root(16, -3 * j[1]));
    }
    ntt.forward(x, y);
    for (Index t = 0; t < ntt.layout_out().local_size(comm.rank()); ++t) {
      const bool there = ntt.layout_out().global_index(comm.rank(), t) == Shape{5, 3};
      EXPECT_EQ(y[at(t)], there ? 12u * 16u : 0u);
    }
  });
}

TEST(Ntt, what_residues_cannot_do_is_refused_on_all_ranks) {
  run_threads(2, [&](const Comm& comm) {
    EXPECT_THROW(Ntt({.shape = {11}}, comm), Error);
    EXPECT_THROW(Ntt({.shape = {16}, .data = Data::real_}, comm), Error);
    EXPECT_THROW(Ntt({.shape = {16}}, comm, {.prime = 15}), Error);
    Ntt ntt({.shape = {16}}, comm);
    std::vector<double> x(at(ntt.local_size_in())), y(at(ntt.local_size_out()));
    EXPECT_THROW(ntt.forward(x, y, Norm::ortho), Error);
  });
}

TEST(Ntt, a_line_is_exchanged_once_and_so_many_words_travel) {
  for (const int ranks : {2, 4})
    run_threads(ranks, [&](const Comm& comm) {
      const Index n = 1 << 16;
      const Ntt ntt({.shape = {n}}, comm);
      EXPECT_EQ(ntt.plan().exchanges(), 1);
      EXPECT_EQ(ntt.plan().traffic(comm.rank(), Direction::forward).words, n / ranks - n / ranks / ranks);
      EXPECT_EQ(ntt.element().bytes, 8u);
    });
}

}  // namespace
}  // namespace kallima
