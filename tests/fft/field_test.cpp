#include "kallima/field.hpp"

#include "field_suite.hpp"

namespace kallima {
namespace {

const FftOptions untried{.effort = Effort::estimate};

TEST(Comm, reductions_are_over_all_ranks_and_in_their_order) {
  for (const int ranks : {1, 2, 3, 7})
    run_threads(ranks, [](Comm comm) {
      reductions_are_over_all_ranks(comm);
      a_sum_is_taken_in_the_order_of_ranks(comm);
    });
}

TEST(Comm, arrays_of_different_lengths_are_not_reduced) {
  run_threads(3, [](Comm comm) {
    std::vector<float> values(comm.rank() == 1 ? 4 : 5);
    EXPECT_THROW(comm.sum(values), Error);
  });
}

TEST(Field, operators_keep_their_identities) {
  for (const Shape& shape : {Shape{8, 6, 10}, {5, 7, 9}, {16, 12}, {9, 4}, {12}, {4, 6, 5, 3}})
    for (const int ranks : {1, 2, 3, 5})
      run_threads(ranks, [&](Comm comm) {
        Lengths lengths(shape.size(), 1.5);
        lengths.back() = 4;
        operators_keep_their_identities<double>(comm, shape, {});
        operators_keep_their_identities<std::complex<double>>(comm, shape, lengths);
        operators_keep_their_identities<float>(comm, shape, {});
        if (ranks == 2) operators_keep_their_identities<long double>(comm, shape, {});
      });
}

TEST(Field, energies_are_those_of_the_points) {
  for (const Shape& shape : {Shape{8, 6, 10}, {5, 7, 9}, {16, 12}, {15}})
    for (const int ranks : {1, 2, 3, 5})
      run_threads(ranks, [&](Comm comm) {
        energies_are_those_of_the_points<double>(comm, shape, Lengths(shape.size(), 3));
        energies_are_those_of_the_points<std::complex<float>>(comm, shape, {});
      });
}

TEST(Field, a_beltrami_flow_is_its_own_curl) {
  for (const int ranks : {1, 2, 4, 7})
    run_threads(ranks, [](Comm comm) { a_beltrami_flow_is_its_own_curl(comm, {8, 9, 10}); });
}

TEST(Field, products_of_many_do_not_alias) {
  for (const Index n : {8, 9, 16})
    for (const int ranks : {1, 2, 3}) run_threads(ranks, [&](Comm comm) { products_of_many_do_not_alias(comm, n); });
}

// With what the 2/3 rule leaves of two fields, nothing of their product comes back on it.
TEST(Field, two_thirds_are_left_without_aliasing) {
  for (const Index n : {8, 9, 12, 16})
    run_threads(2, [&](Comm comm) {
      PeriodicBox<double> box({n, n}, comm, {.fft = untried});
      const auto u = box.spectrum(1);
      std::ranges::fill(u[0], 1.0);
      box.waves().truncate(u);
      const double highest = static_cast<double>((n - 1) / 3);
      box.waves().for_each([&](Index t, std::span<const double> k) {
        EXPECT_EQ(u[0][at(t)] != 0.0, std::abs(k[0]) <= highest && std::abs(k[1]) <= highest);
      });
      EXPECT_GT(static_cast<double>(n) - 2 * highest, highest);
    });
}

// Slopes of what the box holds against derivatives of what the points have.
TEST(Field, gradient_and_laplacian_agree_with_those_of_values) {
  run_threads(3, [](Comm comm) {
    const Lengths lengths{2, 3, 5};
    PeriodicBox<double> box({8, 9, 10}, comm, {.lengths = lengths, .fft = untried});
    const auto u = box.field(1), slopes = box.field(3), expected = box.field(3);
    const auto v = box.spectrum(1), w = box.spectrum(3);
    randomize(box, u);
    box.forward(u, v);
    box.waves().gradient(v[0], w);
    box.backward(w, slopes);
    gradient(box.fft(), u[0], expected.spans(), lengths);
    for (std::size_t t = 0; t < slopes.all().size(); ++t) ASSERT_NEAR(slopes.all()[t], expected.all()[t], 1e-12);
    box.waves().laplacian(v[0], v[0]);
    box.backward(v, u);
    const auto bent = box.field(1);
    randomize(box, bent);
    laplacian(box.fft(), bent[0], bent[0], lengths);
    for (std::size_t t = 0; t < bent[0].size(); ++t) ASSERT_NEAR(u[0][t], bent[0][t], 1e-10);
  });
}

TEST(Field, wrong_components_and_problems_are_refused) {
  PeriodicBox<double> box({4, 4, 4}, Comm(), {.fft = untried});
  EXPECT_THROW(box.waves().project(box.spectrum(2)), Error);
  EXPECT_THROW(box.waves().curl(box.spectrum(3), box.spectrum(1)), Error);
  EXPECT_THROW(PeriodicBox<double>({4, 4}, Comm(), {.lengths = {1}, .fft = untried}), Error);
  PeriodicBox<double> line({4}, Comm(), {.fft = untried});
  EXPECT_THROW(line.waves().curl(line.spectrum(1), line.spectrum(1)), Error);
  Fft<double> part({.shape = {4, 4}, .axes = {1}}, Comm(), untried);
  EXPECT_THROW(WaveMesh<double>{part}, Error);
  DealiasedProduct<double> product(line, 2, 1);
  EXPECT_THROW(product.run(line.spectrum(1), line.spectrum(1), [](const auto&, const auto&) {}), Error);
}

}  // namespace
}  // namespace kallima
