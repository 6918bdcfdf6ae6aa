// The group-cyclic route on threads: right answers for every power of two on every power of two of ranks below it.

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "fft_suite.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

FftOptions group_cyclic(Exchange exchange, Placement placement = Placement::out_of_place) {
  return {.plan = {.route = "group-cyclic", .exchange = exchange, .placement = placement}, .effort = Effort::estimate};
}

template <class F>
void for_each_option(const F& visit) {
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place})
      visit(group_cyclic(exchange, placement));
}

TEST(GroupCyclicFft, equals_the_definition_for_powers_of_two_to_512_on_up_to_16_ranks) {
  for (Index n = 4; n <= 512; n *= 2) {
    const Case c({.shape = {n}});
    for (int ranks = 2; ranks < n && ranks <= 16; ranks *= 2)
      run_threads(ranks, [&](Comm comm) {
        for_each_option([&](const FftOptions& options) { equals_definition<double>(comm, c, options); });
      });
  }
}

TEST(GroupCyclicFft, equals_the_definition_in_single_precision_and_normalised) {
  for (const Index n : {16, 32, 128}) {
    const Case c({.shape = {n}});
    for (const int ranks : {2, 8})
      run_threads(ranks, [&](Comm comm) {
        equals_definition<float>(comm, c, group_cyclic(Exchange::views));
        for (const Norm norm : {Norm::ortho, Norm::full})
          equals_definition<double>(comm, c, group_cyclic(Exchange::messages), norm);
      });
  }
}

// The definition takes too long for these; one rank does not.
TEST(GroupCyclicFft, agrees_with_one_rank_for_lines_to_4096) {
  for (Index n = 1024; n <= 4096; n *= 2) {
    Case c({.shape = {1}});
    c.problem = checked({.shape = {n}});
    c.x = random_values(n, 3);
    std::vector<std::complex<double>> x(c.x.begin(), c.x.end()), forward(x.size()), backward(x.size());
    Fft<double> one(c.problem, Comm(), {.effort = Effort::estimate});
    one.forward(x, forward);
    one.backward(x, backward);
    c.forward.assign(forward.begin(), forward.end());
    c.backward.assign(backward.begin(), backward.end());
    for (const int ranks : {2, 4, 8, 16})
      run_threads(ranks, [&](Comm comm) {
        for_each_option([&](const FftOptions& options) { equals_definition<double>(comm, c, options); });
      });
  }
}

TEST(GroupCyclicFft, many_exchanges_on_many_ranks_are_right_too) {
  const Case c({.shape = {64}});
  run_threads(32, [&](Comm comm) { equals_definition<double>(comm, c, group_cyclic(Exchange::messages)); });
}

TEST(GroupCyclicFft, every_message_order_gives_the_right_answer) {
  const Case c({.shape = {32}});
  Sample sample(3);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    if (!sample.takes()) continue;
    run_threads(8, [&](Comm comm) {
      const Comm wild = chaotic(comm, seed);
      equals_definition<double>(wild, c, group_cyclic(seed % 2 == 0 ? Exchange::messages : Exchange::views));
    });
  }
}

}  // namespace
}  // namespace kallima
