// Transforms of whole arrays by our kernels against cuFFT's, where there is a device: all shapes that there are tiles
// for, both signs, scaled, in place and out of place, batches, and arrays that begin in the middle of an element.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/whole/compare_with_cufft.hpp"
#include "cuda/whole/cufft_transform.hpp"
#include "cuda/whole/measured_way.hpp"
#include "cuda/whole/pointwise.hpp"
#include "cuda/whole/prepared_tiles.hpp"
#include "cuda/whole/tile_transform.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cuda {
namespace {

double tolerance(Precision precision) { return precision == Precision::double_ ? 2e-15 : 1e-6; }
Index reals_in(std::size_t bytes, Precision precision) {
  return static_cast<Index>(bytes / (precision == Precision::double_ ? 8 : 4));
}

// The two results' difference; `shift` bytes into the memory that is there.
template <class Way, class Start>
double difference(const Way& ours, const Way& cufft, const WholeProblem& problem, std::size_t bytes, std::size_t shift,
                  const Start& start) {
  const auto a = scratch_noise(bytes + shift, problem.precision, 3),
             b = scratch_noise(bytes + shift, problem.precision, 4);
  const auto work = scratch_memory(std::max(ours.workspace_bytes(), cufft.workspace_bytes()));
  auto* const mine = static_cast<char*>(a.get()) + shift;
  start(ours, mine, work.get());
  start(cufft, static_cast<char*>(b.get()), work.get());
  return relative_difference(mine, b.get(), reals_in(bytes, problem.precision), problem.precision);
}

class WholeTransformTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_cuda(); !why.empty()) GTEST_SKIP() << "no device: " << why;
  }

  static void check(const WholeProblem& problem, std::size_t shift = 0) {
    const auto ours = make_tile_transform(problem), cufft = make_cufft_transform(problem);
    if (!ours) GTEST_SKIP() << "no device: this one has no room for our clusters";
    const auto in = scratch_input(problem, 1);
    const auto start = [&](const WholeTransform& way, void* out, void* work) {
      way.start(in.get(), out, work, nullptr);
    };
    EXPECT_LT(difference(*ours, *cufft, problem, output_bytes(problem), shift, start), tolerance(problem.precision));
  }
};

TEST_F(WholeTransformTest, double_precision_agrees_with_cufft) {
  for (const Shape& shape : {Shape{256, 256, 256}, Shape{512, 512, 512}, Shape{1 << 24}, Shape{8192, 8192}})
    for (const int sign : {-1, 1}) check({.shape = shape, .sign = sign, .scale = 0.5, .in_place = sign < 0});
}

TEST_F(WholeTransformTest, single_precision_agrees_with_cufft) {
  for (const Index n : {256, 512})
    for (const int sign : {-1, 1})
      check({.shape = {n, n, n}, .precision = Precision::single_, .sign = sign, .in_place = sign < 0});
}

TEST_F(WholeTransformTest, three_passes_agree_with_cufft) { check({.shape = {1024, 1024, 1024}}); }

TEST_F(WholeTransformTest, real_data_agree_with_cufft) {
  for (const auto precision : {Precision::double_, Precision::single_})
    check({.shape = {256, 256, 256}, .kind = TransformKind::r2c, .precision = precision, .scale = 2, .batch = 2});
}

TEST_F(WholeTransformTest, the_way_back_to_reals_agrees_with_cufft) {
  for (const auto precision : {Precision::double_, Precision::single_})
    check({.shape = {256, 256, 256},
           .kind = TransformKind::c2r,
           .precision = precision,
           .sign = 1,
           .scale = 0.5,
           .batch = 2});
}

// The imaginary parts of frequencies 0 and n/2 of a row, once the other axes are done, are nothing.
TEST_F(WholeTransformTest, spectra_of_no_reals_give_the_nearest_reals) {
  const WholeProblem back{.shape = {256, 256, 256}, .kind = TransformKind::c2r, .sign = 1, .scale = 0x1p-24};
  WholeProblem there = back;
  there.kind = TransformKind::r2c, there.sign = -1, there.scale = 1;
  const auto ours = make_tile_transform(back), cufft = make_cufft_transform(back);
  const auto forward = make_cufft_transform(there);
  if (!ours) GTEST_SKIP() << "no device: this one has no room for our clusters";
  const auto noise = scratch_noise(input_bytes(back), back.precision, 1);  // of no reals
  const auto reals = scratch_memory(output_bytes(back)), again = scratch_memory(output_bytes(back));
  const auto spectrum = scratch_memory(input_bytes(back));
  const auto work =
      scratch_memory(std::max({ours->workspace_bytes(), cufft->workspace_bytes(), forward->workspace_bytes()}));
  ours->start(noise.get(), reals.get(), work.get(), nullptr);
  forward->start(reals.get(), spectrum.get(), work.get(), nullptr);
  cufft->start(spectrum.get(), again.get(), work.get(), nullptr);
  const Index count = reals_in(output_bytes(back), back.precision);
  EXPECT_LT(relative_difference(reals.get(), again.get(), count, back.precision), 2e-15);
  // Half of what stands in the two planes that have mirror images in themselves is lost, and nothing of the others.
  const Index complex = reals_in(input_bytes(back), back.precision);
  EXPECT_NEAR(relative_difference(spectrum.get(), noise.get(), complex, back.precision), std::sqrt(1.0 / 129), 2e-3);
}

TEST_F(WholeTransformTest, lines_of_256_agree_with_cufft) {
  for (const auto precision : {Precision::double_, Precision::single_})
    for (const int sign : {-1, 1})
      check({.shape = {256}, .precision = precision, .sign = sign, .scale = 3, .batch = 96});
  check({.shape = {4, 8, 256}, .axes = {2}});
}

TEST_F(WholeTransformTest, batches_and_odd_addresses_agree_with_cufft) {
  check({.shape = {256, 256, 256}, .batch = 3});
  check({.shape = {256, 256, 256}, .precision = Precision::single_, .batch = 2}, 8);
  check({.shape = {256, 256, 256}, .kind = TransformKind::r2c, .precision = Precision::single_}, 8);
}

// Every kernel, on as little as makes all its threads meet: for compute-sanitizer, which takes a thousand times as
// long, and one shape at a time. Arrays are cleared, not filled by kernels, since these would be watched, too.
class TwoTilesTest : public WholeTransformTest, public ::testing::WithParamInterface<Shape> {
 protected:
  static void run(TilePlan plan, const WholeProblem& problem) {
    for (TilePass& pass : plan.passes) {
      pass.call.tiles[0] = std::min(pass.call.tiles[0], 2U);
      pass.call.tiles[1] = pass.call.tiles[2] = 1;
    }
    const PreparedTiles tiles(plan, problem.precision);
    const auto backend = cuda_backend(Precision::double_);  // which clears what it allocates
    const auto bytes = std::max(input_bytes(problem), output_bytes(problem));
    const auto in = backend->allocate(bytes), out = backend->allocate(bytes), factors = backend->allocate(bytes);
    const auto work = backend->allocate(tiles.workspace_bytes());
    tiles.start({in.get(), out.get(), factors.get(), work.get()}, nullptr);
    const auto some = scratch_noise(512, problem.precision, 1);  // which nothing differs from by all of it
    EXPECT_NEAR(relative_difference(out.get(), some.get(), 64, problem.precision), 1, 1e-12);
  }
};

TEST_P(TwoTilesTest, of_every_pass_leave_zeros_of_zeros) {
  for (const auto precision : {Precision::double_, Precision::single_})
    for (const auto kind : {TransformKind::c2c, TransformKind::r2c, TransformKind::c2r}) {
      const WholeProblem problem{.shape = GetParam(),
                                 .kind = kind,
                                 .precision = precision,
                                 .sign = kind == TransformKind::c2r ? 1 : -1,
                                 .batch = GetParam() == Shape{256} ? 64 : 1};
      for (const auto& plan : {plan_tiles(problem), plan_tiles_of_apply(problem, FactorKind::complex_array)})
        if (device_runs(plan, precision)) run(plan, problem);
    }
}

INSTANTIATE_TEST_SUITE_P(All, TwoTilesTest,
                         ::testing::Values(Shape{256, 256, 256}, Shape{512, 512, 512}, Shape{1 << 24},
                                           Shape{8192, 8192}, Shape{256}));

TEST_F(WholeTransformTest, errors_are_at_most_a_fifth_larger_than_those_of_cufft) {
  const auto rows = compare_with_cufft(usual_cufft_cases(), ChooseBy::rule, CufftErrors::measure);
  fmt::print("{}", text(rows));
  for (const auto& row : rows) EXPECT_LE(row.ours_error, 1.2 * row.cufft_error) << row.name;
}

TEST_F(WholeTransformTest, factors_in_the_middle_agree_with_cufft) {
  for (const Index n : {256, 512})
    for (const auto precision : {Precision::double_, Precision::single_})
      for (const auto factor : {FactorKind::complex_array, FactorKind::real_array}) {
        const WholeProblem problem{
            .shape = {n, n, n}, .precision = precision, .sign = n == 256 ? 1 : -1, .scale = 1e-6};
        const auto ours = make_tile_apply(problem, factor), cufft = make_cufft_apply(problem, factor);
        if (!ours) GTEST_SKIP() << "no device: this one has no room for our clusters";
        const auto bytes = input_bytes(problem);
        const auto in = scratch_noise(bytes, precision, 1), factors = scratch_noise(bytes, precision, 2);
        const auto start = [&](const WholeApply& way, void* out, void* work) {
          way.start(in.get(), out, factors.get(), work, nullptr);
        };
        EXPECT_LT(difference(*ours, *cufft, problem, bytes, 0, start), tolerance(precision));
      }
}

}  // namespace
}  // namespace kallima::cuda
