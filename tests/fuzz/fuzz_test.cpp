// The cases that `kallima fuzz` runs are sound, and a few hundred of them are right.

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <numbers>

#include "app/fuzz_run.hpp"
#include "app/fuzz_watch.hpp"

namespace kallima::cli {
namespace {

// By the definitions in FFTW's manual.
std::complex<double> definition(Kind kind, const Values& x, Index k) {
  const auto n = static_cast<Index>(x.size());
  std::complex<double> sum = 0;
  for (Index j = 0; j < n; ++j) {
    const auto a = static_cast<double>(j), b = static_cast<double>(k), m = static_cast<double>(n);
    const double pi = std::numbers::pi;
    std::complex<double> w;
    switch (kind) {
      case Kind::dct1:
        w = (j == 0 || j == n - 1 ? 1 : 2) * std::cos(pi * a * b / (m - 1));
        break;
      case Kind::dct2:
        w = 2 * std::cos(pi * (a + 0.5) * b / m);
        break;
      case Kind::dct3:
        w = (j == 0 ? 1 : 2) * std::cos(pi * a * (b + 0.5) / m);
        break;
      case Kind::dct4:
        w = 2 * std::cos(pi * (a + 0.5) * (b + 0.5) / m);
        break;
      case Kind::dst1:
        w = 2 * std::sin(pi * (a + 1) * (b + 1) / (m + 1));
        break;
      case Kind::dst2:
        w = 2 * std::sin(pi * (a + 0.5) * (b + 1) / m);
        break;
      case Kind::dst3:
        w = (j == n - 1 ? (k % 2 == 0 ? 1 : -1) : 2 * std::sin(pi * (a + 1) * (b + 0.5) / m));
        break;
      case Kind::dst4:
        w = 2 * std::sin(pi * (a + 0.5) * (b + 0.5) / m);
        break;
      default:
        w = std::polar(1.0, -2 * pi * a * b / m);
    }
    sum += w * x[static_cast<std::size_t>(j)];
  }
  return sum;
}

TEST(FuzzReference, equals_the_definition_of_every_kind) {
  const Values x{{0.3, 0.1}, {-0.7, 0.2}, {0.2, 0.9}, {0.8, -0.4}, {-0.5, 0.6}};
  for (const Kind kind : {Kind::fourier, Kind::dct1, Kind::dct2, Kind::dct3, Kind::dct4, Kind::dst1, Kind::dst2,
                          Kind::dst3, Kind::dst4}) {
    const Values got = reference(checked({.shape = {5}, .kinds = {kind}}), x);
    for (Index k = 0; k < 5; ++k)
      EXPECT_LT(std::abs(got[static_cast<std::size_t>(k)] - definition(kind, x, k)), 1e-14)
          << static_cast<int>(kind) << " at " << k;
  }
}

TEST(FuzzReference, transforms_the_axes_asked_for_and_halves_the_last_one_named) {
  const Values x{1, 2, 3, 4, 5, 6};  // 3 x 2
  const Values rows = reference(checked({.shape = {3, 2}, .axes = {1}}), x);
  EXPECT_EQ(rows, (Values{3, -1, 7, -1, 11, -1}));
  const Values half = reference(checked({.shape = {3, 2}, .axes = {1, 0}, .data = Data::real_}), x);
  ASSERT_EQ(half.size(), 4u);
  EXPECT_LT(std::abs(half[0] - 21.0), 1e-14);
  EXPECT_LT(std::abs(half[1] + 3.0), 1e-14);
}

TEST(FuzzCase, is_the_same_whenever_it_is_asked_for) {
  for (Index number = 0; number < 50; ++number) {
    const FuzzCase a = fuzz_case(3, number, {}), b = fuzz_case(3, number, {});
    EXPECT_EQ(problem_text(a), problem_text(b));
    EXPECT_EQ(a.problem, b.problem);
    EXPECT_EQ(a.options.plan, b.options.plan);
    EXPECT_NE(problem_text(a), problem_text(fuzz_case(4, number, {})));
  }
}

TEST(FuzzCase, keeps_to_its_limits) {
  const FuzzLimits limits{.max_ranks = 3, .max_extent = 9, .max_elements = 500};
  for (Index number = 0; number < 200; ++number) {
    const FuzzCase it = fuzz_case(1, number, limits);
    EXPECT_LE(it.ranks, 3);
    EXPECT_LE(element_count(it.problem.shape), 500);
  }
}

// One wrong number in one place is noticed, or the fuzzing would prove nothing.
TEST(FuzzRun, notices_a_wrong_element) {
  for (Index number = 0; number < 20; ++number) {
    const FuzzCase it = fuzz_case(2, number, {.max_ranks = 4, .max_extent = 20});
    FuzzTruth truth = truth_of(it);
    double sum = 0;
    for (const auto& value : truth.out) sum += static_cast<double>(std::norm(value));
    truth.out[truth.out.size() / 2] += 1e-3 * std::sqrt(sum / static_cast<double>(truth.out.size()));
    EXPECT_NE(run_case_on_threads(it, truth).wrong, "") << problem_text(it);
  }
}

TEST(FuzzRun, random_transforms_are_right_and_their_schedules_valid) {
  for (Index number = 0; number < 150; ++number) {
    const FuzzCase it = fuzz_case(5, number, {.max_ranks = 8, .max_extent = 40, .max_elements = 3000});
    EXPECT_EQ(run_case_on_threads(it, truth_of(it)).wrong, "") << problem_text(it);
    EXPECT_EQ(it.validates ? validation_of(it) : "", "") << problem_text(it);
  }
}

TEST(FuzzWatchDeathTest, names_a_case_that_does_not_end) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto hang = [] {
    FuzzWatch watch(0.1, Stands::for_others);
    watch.begin("case seventeen");
    std::this_thread::sleep_for(std::chrono::seconds(20));
  };
  EXPECT_EXIT(hang(), testing::ExitedWithCode(3), "did not end in time[^$]*case seventeen");
}

TEST(FuzzWatchDeathTest, names_a_case_that_crashes) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto crash = [] {
    FuzzWatch watch(60, Stands::for_others);
    watch.begin("case eighteen");
    std::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV), "case eighteen");
}

}  // namespace
}  // namespace kallima::cli
