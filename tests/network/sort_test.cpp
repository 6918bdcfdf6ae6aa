// Sorting over ranks: what comes out is what std::sort makes of everything, part by part, and what travels is counted.

#include "kallima/sort.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

#include "network/local_sort.hpp"

namespace kallima {
namespace {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
void expect_sorted(const std::vector<T>& all, int ranks, SortMethod method) {
  std::vector<T> sorted = all;
  std::sort(sorted.begin(), sorted.end(), [](T a, T b) { return key_of(a) < key_of(b); });
  const Layout layout = Layout::slabs({static_cast<Index>(all.size())}, ranks);
  run_threads(ranks, [&](const Comm& comm) {
    const Progression mine = layout.owned(comm.rank())[0];
    const auto part = [&](const std::vector<T>& x) {
      return std::vector<T>(x.begin() + mine.first * (mine.count > 0),
                            x.begin() + (mine.first + mine.count) * (mine.count > 0));
    };
    std::vector<T> keys = part(all);
    const SortReport report = sort(std::span(keys), comm, method);
    EXPECT_TRUE(same_bits(keys, part(sorted))) << all.size() << " on " << ranks << ", rank " << comm.rank();
    const Index longest = layout.local_size(0);
    if (method == SortMethod::bitonic && ranks > 1)
      EXPECT_EQ(report.sent, longest * bitonic_rounds(ranks, comm.rank()));
    else
      EXPECT_LE(report.sent, longest);
  });
}

std::vector<double> doubles(std::size_t count, int kind) {
  std::mt19937_64 random(count + static_cast<std::size_t>(kind));
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (kind == 0) x[i] = std::bit_cast<double>(random());  // NaNs and infinities among them
    if (kind == 1) x[i] = 3;
    if (kind == 2) x[i] = static_cast<double>(i);
    if (kind == 3) x[i] = -static_cast<double>(i);
    if (kind == 4) x[i] = static_cast<double>(random() % 7) - 3;
    if (kind == 5) x[i] = std::array{0.0, -0.0, std::nan(""), -std::nan(""), HUGE_VAL, -HUGE_VAL}[random() % 6];
  }
  return x;
}

TEST(Sort, parts_of_the_sorted_whole_come_to_every_rank) {
  for (const SortMethod method : {SortMethod::sample, SortMethod::bitonic})
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8})
      for (const std::size_t count : {1, 5, 1000, ranks % 3 == 2 ? 20011 : 5003})
        for (int kind = 0; kind < 6; ++kind) expect_sorted(doubles(count, kind), ranks, method);
}

// As many as KALLIMA_SORT_COUNT says, of every kind, on two ranks; says how long it took.
TEST(Sort, long_lines_of_every_kind) {
  const char* const asked = std::getenv("KALLIMA_SORT_COUNT");
  const auto count = asked == nullptr ? std::size_t{100'003} : static_cast<std::size_t>(std::atol(asked));
  constexpr std::array kinds{"any bits", "all equal", "sorted", "reversed", "seven values", "NaNs, infinities, zeros"};
  const auto seconds = [](const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int kind = 0; kind < 6; ++kind) {
    const std::vector<double> all = doubles(count, kind);
    std::vector<double> expected = all;
    const auto by_key = [](double a, double b) { return key_of(a) < key_of(b); };
    const double by_std = seconds([&] { std::sort(expected.begin(), expected.end(), by_key); });
    if (asked != nullptr) std::printf("%s: std::sort %.3f s", kinds[at(kind)], by_std);
    for (const SortMethod method : {SortMethod::sample, SortMethod::bitonic}) {
      std::vector<double> keys = all;
      const Layout layout = Layout::slabs({static_cast<Index>(count)}, 2);
      const double by_ranks = seconds([&] {
        run_threads(2, [&](const Comm& comm) {
          const Progression mine = layout.owned(comm.rank())[0];
          const SortReport report = sort(std::span(keys).subspan(at(mine.first), at(mine.count)), comm, method);
          if (method == SortMethod::bitonic) {
            EXPECT_EQ(report.sent, layout.local_size(0));
          }
        });
      });
      EXPECT_TRUE(same_bits(keys, expected)) << kinds[at(kind)];
      if (asked != nullptr) std::printf(", %s %.3f s", method == SortMethod::sample ? "sample" : "bitonic", by_ranks);
    }
    if (asked != nullptr) std::printf("\n");
  }
}

template <class T>
std::vector<T> any_of() {
  std::mt19937_64 random(9);
  std::vector<T> x(10007);
  for (T& value : x) {
    const std::uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
  }
  return x;
}

TEST(Sort, every_type_is_sorted) {
  for (const SortMethod method : {SortMethod::sample, SortMethod::bitonic}) {
    expect_sorted(any_of<std::int32_t>(), 3, method);
    expect_sorted(any_of<std::int64_t>(), 4, method);
    expect_sorted(any_of<std::uint32_t>(), 2, method);
    expect_sorted(any_of<std::uint64_t>(), 5, method);
    expect_sorted(any_of<float>(), 3, method);
  }
}

TEST(Sort, keys_have_the_order_of_numbers_and_nans_come_last) {
  const double inf = HUGE_VAL, nan = std::nan("");
  const std::vector<double> rising{-inf, -1e300, -1, -5e-324, -0.0, 0.0, 5e-324, 1, 1e300, inf, nan, -nan};
  for (std::size_t i = 0; i + 1 < rising.size(); ++i) EXPECT_LT(key_of(rising[i]), key_of(rising[i + 1])) << i;
  for (const double x : rising)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value_of_key<double>(key_of(x))), std::bit_cast<std::uint64_t>(x));
  EXPECT_LT(key_of(std::int32_t{-5}), key_of(std::int32_t{4}));
  EXPECT_EQ(value_of_key<std::int64_t>(key_of(std::numeric_limits<std::int64_t>::min())),
            std::numeric_limits<std::int64_t>::min());
}

// Batcher's k (k + 1) / 2 rounds of a network of 2^k.
TEST(Sort, a_bitonic_network_has_as_many_rounds_as_batcher_says) {
  for (int k = 0; k <= 6; ++k)
    for (const int rank : {0, (1 << k) / 2, (1 << k) - 1}) EXPECT_EQ(bitonic_rounds(1 << k, rank), k * (k + 1) / 2);
}

TEST(Sort, uneven_parts_are_for_samples_only) {
  run_threads(3, [&](const Comm& comm) {
    std::vector<int> part(at(3 - comm.rank()) * 100);
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = static_cast<int>((i * 7919) % 1000);
    sort(std::span(part), comm);
    EXPECT_TRUE(std::is_sorted(part.begin(), part.end()));
    EXPECT_THROW(sort(std::span(part), comm, SortMethod::bitonic), Error);
  });
}

}  // namespace
}  // namespace kallima
