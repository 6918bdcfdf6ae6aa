// One array, any strides, several threads: held against an AnyFft of one rank, which is held against the definition.
// What stands between the elements must stay as it was.

#include "kallima/strided.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <thread>

#include "kallima/fft.hpp"

namespace kallima {
namespace {

using Random = std::mt19937;

Index below(Random& random, Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(random); }

// An array with room between its elements: some dimensions backwards, in any order.
template <class T>
struct Scattered {
  Shape shape;
  std::vector<Index> strides;
  Index reals;  // of an element
  Index first = 0;
  std::vector<T> memory;

  Scattered(const Shape& of, Data data, Random& random, bool plain)
      : shape(of), strides(of.size()), reals(data == Data::real_ ? 1 : 2) {
    std::vector<std::size_t> order(of.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (!plain) std::ranges::shuffle(order, random);
    Index stride = plain ? 1 : 1 + below(random, 2);
    for (const std::size_t d : order) {
      const bool backwards = !plain && below(random, 3) == 0;
      strides[d] = backwards ? -stride : stride;
      if (backwards) first += stride * (of[d] - 1);
      stride *= of[d] + (plain ? 0 : below(random, 2));
    }
    memory.assign(at(stride * reals), T(1e30));
  }
  T* origin() { return memory.data() + first * reals; }
  // Calls f(i, number) for all numbers, those of an element one after the other, elements in order.
  void each(const auto& f) {
    Shape j(shape.size(), 0);
    for (Index i = 0, place = 0; i < element_count(shape) * reals; i += reals) {
      for (Index r = 0; r < reals; ++r) f(at(i + r), origin()[place * reals + r]);
      for (std::size_t d = shape.size(); d-- > 0;) {
        place += strides[d];
        if (++j[d] < shape[d]) break;
        place -= strides[d] * shape[d];
        j[d] = 0;
      }
    }
  }
  Index untouched() const { return std::ranges::count(memory, T(1e30)); }
};

// Numbers and what a plan makes of them, without anything in between.
template <class T>
struct Example {
  Example(const Problem& asked, Direction way, Random& random) : problem(asked), direction(way) {
    problem.precision = detail::precision_of<T>;
    problem = checked(problem);
    const auto size = [](const Shape& shape, Data data) {
      return at(element_count(shape) * (data == Data::real_ ? 1 : 2));
    };
    const bool forward = direction == Direction::forward;
    from.resize(forward ? size(problem.shape, problem.data) : size(spectrum_shape(problem), spectrum_data(problem)));
    to.resize(forward ? size(spectrum_shape(problem), spectrum_data(problem)) : size(problem.shape, problem.data));
    std::uniform_real_distribution<double> number(-1, 1);
    for (T& value : from) value = static_cast<T>(number(random));
    AnyFft fft(problem, Comm(), {.effort = Effort::estimate});
    const ArrayIn source(std::as_bytes(std::span(from)));
    const ArrayOut target(std::as_writable_bytes(std::span(to)));
    forward ? fft.forward(source, target) : fft.backward(source, target);
  }
  Problem problem;
  Direction direction;
  std::vector<T> from, to;
};

template <class T>
void check(const Example<T>& example, int threads, bool plain, Random& random) {
  const Problem& p = example.problem;
  const bool forward = example.direction == Direction::forward;
  Scattered<T> in(forward ? p.shape : spectrum_shape(p), forward ? p.data : spectrum_data(p), random, plain);
  Scattered<T> out(forward ? spectrum_shape(p) : p.shape, forward ? spectrum_data(p) : p.data, random, plain);
  in.each([&](std::size_t i, T& number) { number = example.from[i]; });
  const Index room = out.untouched() - static_cast<Index>(example.to.size());
  const std::vector<T> before = in.memory;
  StridedFft(p, example.direction, in.strides, out.strides, threads).run(in.origin(), out.origin(), 0.5L);

  T worst = 0, largest = 0;
  out.each([&](std::size_t i, const T& number) {
    const T expected = example.to[i] / 2;
    worst = std::max(worst, std::abs(number - expected));
    largest = std::max(largest, std::abs(expected));
  });
  EXPECT_LE(worst, largest * 40 * std::numeric_limits<T>::epsilon())
      << text(p.shape) << " forward " << forward << " threads " << threads;
  EXPECT_EQ(out.untouched(), room) << text(p.shape);
  EXPECT_EQ(in.memory, before) << text(p.shape);
}

// Of few dimensions, large enough for threads now and then.
Problem random_problem(Random& random) {
  Problem problem;
  const Index dims = 1 + below(random, 4);
  const Index most[] = {0, 40000, 260, 40, 15};
  for (Index d = 0; d < dims; ++d) problem.shape.push_back(1 + below(random, most[dims]));
  for (int d = 0; d < static_cast<int>(dims); ++d)
    if (below(random, 3) > 0) problem.axes.push_back(d);
  if (problem.axes.empty()) problem.axes = {static_cast<int>(dims) - 1};
  std::ranges::shuffle(problem.axes, random);
  problem.data = below(random, 2) == 0 ? Data::complex_ : Data::real_;
  if (below(random, 3) == 0)
    for (std::size_t i = 0; i < problem.axes.size(); ++i) {
      problem.kinds.push_back(static_cast<Kind>(static_cast<Index>(Kind::dct1) + below(random, 8)));
      Index& n = problem.shape[at(problem.axes[i])];
      n = std::max<Index>(2, std::min<Index>(n, 300));
    }
  return problem;
}

TEST(StridedFft, equals_a_plan_for_random_shapes_strides_kinds_and_threads) {
  Random random(11);
  for (int i = 0; i < 150; ++i) {
    const Problem problem = random_problem(random);
    const Direction direction = i % 2 == 0 ? Direction::forward : Direction::backward;
    check(Example<double>(problem, direction, random), 1 + i % 3, i % 4 == 0, random);
    if (i % 3 == 0) check(Example<float>(problem, direction, random), 1 + i % 3, i % 4 == 0, random);
  }
}

TEST(StridedFft, equals_a_plan_where_sweeps_blocks_and_four_steps_are_shared) {
  Random random(5);
  const std::vector<Problem> problems{{.shape = {64, 64, 64}},
                                      {.shape = {64, 65, 66}, .data = Data::real_},
                                      {.shape = {3, 40, 700}, .axes = {1, 2}},
                                      {.shape = {2, 300000}, .axes = {0, 1}, .data = Data::real_},
                                      {.shape = {300, 2, 150}, .axes = {2, 0}, .data = Data::real_},
                                      {.shape = {1 << 16}},
                                      {.shape = {1, 90000, 1}},
                                      {.shape = {65537}},
                                      {.shape = {1 << 17}, .data = Data::real_},
                                      {.shape = {3 * 20000}, .data = Data::real_},
                                      {.shape = {30030}, .data = Data::real_},
                                      {.shape = {20002}, .data = Data::real_}};
  for (const Problem& problem : problems)
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const Example<double> example(problem, direction, random);
      for (const int threads : {1, 2, 5})
        for (const bool plain : {true, false}) check(example, threads, plain, random);
      if (problem.data == Data::complex_) continue;
      const Example<float> single(problem, direction, random);
      for (const int threads : {1, 2, 5}) check(single, threads, threads == 2, random);
    }
}

TEST(StridedFft, takes_several_callers_at_once) {
  const Shape shape{64, 64, 16};
  const std::vector<Index> strides = strides_of({}, shape);
  const StridedFft fft({.shape = shape}, Direction::forward, strides, strides, 2);
  EXPECT_EQ(fft.threads(), 2);
  std::vector<std::thread> callers;
  std::vector<std::vector<std::complex<double>>> results(4, std::vector<std::complex<double>>(64 * 64 * 16));
  for (auto& out : results)
    callers.emplace_back([&] {
      std::vector<std::complex<double>> in(out.size());
      for (std::size_t t = 0; t < in.size(); ++t) in[t] = static_cast<double>(t % 101);
      for (int i = 0; i < 20; ++i) fft.run(in.data(), out.data());
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& out : results) EXPECT_EQ(out, results[0]);
}

TEST(StridedFft, says_what_is_wrong) {
  EXPECT_THROW(StridedFft({.shape = {4, 4}}, Direction::forward, {4, 1}, {1}), Error);
  EXPECT_THROW(StridedFft({.shape = {4, 0}}, Direction::forward, {4, 1}, {4, 1}), Error);
}

}  // namespace
}  // namespace kallima
