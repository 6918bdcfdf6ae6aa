// The claims about Fft that tests/fft makes on threads, made again on MPI: in shared windows, by messages in pieces,
// and with a progress thread.

#include <gtest/gtest.h>

#include "base/bits.hpp"
#include "drop_suite.hpp"
#include "fft_suite.hpp"
#include "kallima/route.hpp"
#include "mpi/world.hpp"
#include "must_apply.hpp"
#include "real_suite.hpp"
#include "wire_suite.hpp"

namespace kallima {
namespace {

std::vector<Comm> communicators() {
  return {world(), world(false, Tuning{.piece_bytes = 512, .send_window = 2, .receive_window = 3}),
          world(false, Tuning{.piece_bytes = 2000, .progress = ProgressBy::thread})};
}

TEST(MpiFft, equals_the_definition_for_many_shapes) {
  for (const Shape& shape :
       {Shape{1000}, Shape{97}, Shape{64, 48}, Shape{9, 11, 13}, Shape{16, 8, 12}, Shape{1, 7, 1}, Shape{36, 49}}) {
    const Case c({.shape = shape});
    for (const Comm& comm : communicators()) {
      equals_definition<double>(comm, c, {.effort = Effort::estimate});
      equals_definition<float>(comm, c, {.effort = Effort::estimate});
    }
  }
}

TEST(MpiFft, equals_the_definition_on_every_route_and_order) {
  const Case c({.shape = {36, 4, 49}, .output = Output::any});
  for (const Comm& comm : communicators())
    for (const auto& [route, summary] : route_names())
      for (const Index chunks : {1, 3})
        for (const Order order : {Order::chunk_first, Order::destination_first}) {
          const FftOptions options{.plan = {.route = route, .chunks = chunks, .order = order},
                                   .effort = Effort::estimate};
          if (!plan_unless_excused(c.problem, comm.size(), options.plan)) continue;
          equals_definition<double>(comm, c, options, Norm::ortho);
        }
}

// On 4 ranks 8 points take two exchanges, which reverse the processors; on 8 ranks 16 points take three.
TEST(MpiFft, equals_the_definition_group_cyclically_on_powers_of_two) {
  for (const Comm& comm : communicators()) {
    if (comm.size() == 1 || !power_of_two(comm.size())) return;
    for (Index n = 2 * comm.size(); n <= 512; n *= 2) {
      const Case c({.shape = {n}});
      const int exchanges = plan(c.problem, comm.size(), {.route = "group-cyclic"})->exchanges();
      EXPECT_TRUE(n > 2 * comm.size() || 1 << exchanges == comm.size()) << exchanges << " exchanges";
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        equals_definition<double>(
            comm, c, {.plan = {.route = "group-cyclic", .placement = placement}, .effort = Effort::estimate});
    }
  }
}

TEST(MpiFft, equals_the_definition_for_lines_of_prime_length) {
  for (const Index n : {101, 1009, 2 * 499}) {
    const Case c({.shape = {n}});
    for (const Comm& comm : communicators()) {
      if (comm.size() == 1) return;
      const FftOptions options{.plan = {.route = "bluestein"}, .effort = Effort::estimate};
      equals_definition<double>(comm, c, options);
      equals_definition<float>(comm, c, options, Norm::full);
    }
  }
}

TEST(MpiFft, equals_the_definition_for_cosines_and_sines_of_a_line) {
  const std::vector<Comm> comms = communicators();
  if (comms[0].size() == 1) return;
  const FftOptions options{.plan = {.route = "bluestein"}, .effort = Effort::estimate};
  for (const Kind kind : {Kind::dct1, Kind::dct2, Kind::dct3, Kind::dst1, Kind::dst3, Kind::dst4}) {
    const RealLine line({.shape = {60}, .data = Data::real_, .kinds = {kind}});
    for (const Comm& comm : comms) reals_equal_definition<double>(comm, line, options, Norm::ortho);
  }
}

TEST(MpiFft, equals_the_definition_for_reals_of_prime_length) {
  const std::vector<Comm> comms = communicators();
  const int ranks = comms[0].size();
  if (ranks == 1) return;
  const FftOptions options{.plan = {.route = "bluestein"}, .effort = Effort::estimate};
  for (const Index n : {3, 101, 2 * 251}) {
    RealLine line({.shape = {n}, .data = Data::real_});
    for (const auto& layout : {std::optional<Layout>(), std::optional(Layout::blocks({n}, {ranks}, ranks))}) {
      line.problem.in = layout;
      for (const Comm& comm : comms) {
        reals_equal_definition<double>(comm, line, options);
        reals_equal_definition<float>(comm, line, options, Norm::full);
      }
    }
  }
}

TEST(MpiFft, equals_the_definition_by_every_alltoall) {
  const Case c({.shape = {144, 49}});
  for (const Comm& comm : communicators())
    for (const Index chunks : {1, 3})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        equals_definition_by_every_alltoall(comm, c, {.route = "cyclic", .chunks = chunks, .placement = placement});
}

TEST(MpiFft, many_at_once_equal_the_definition) {
  const std::vector<Case> cases = fields({.shape = {144, 10}}, 3);
  const Case tall({.shape = {64, 9, 5}});
  for (const Comm& comm : communicators()) {
    many_equal_the_definition<double>(comm, cases, {.effort = Effort::estimate});
    rehearsals_leave_no_trace<float>(comm, tall, {.effort = Effort::estimate});
  }
}

TEST(MpiFft, equals_the_definition_whether_it_overlaps_or_not) {
  const Case c({.shape = {144, 12}});
  for (const Comm& comm : communicators())
    for (const Overlap overlap : {Overlap::automatic, Overlap::on, Overlap::off})
      equals_definition<double>(comm, c, {.plan = {.overlap = overlap}});
}

TEST(MpiFft, mismatched_arguments_fail_on_every_rank) {
  const Comm comm = world();
  if (comm.size() == 1) return;
  const Index n = comm.rank() == comm.size() - 1 ? 16 : 36;
  EXPECT_THROW(Fft<double>({.shape = {n}}, comm), Error);
}

TEST(MpiFft, needs_no_more_than_three_times_its_data_on_two_ranks) {
  for (const Comm& comm : communicators()) {
    if (comm.size() != 2) return;
    Fft<double> fft({.shape = {64, 64, 64}}, comm, {.effort = Effort::estimate});
    const auto data = static_cast<std::size_t>(fft.local_size_in()) * sizeof(std::complex<double>);
    EXPECT_LE(2 * data + fft.workspace_bytes(), 3 * data);
  }
}

TEST(MpiFft, fewer_bytes_keep_their_promise) {
  const Case c({.shape = {36, 49}});
  const std::vector<Case> cases = fields({.shape = {64, 6}}, 3);
  for (const Comm& comm : communicators())
    for (const Wire& wire : {Wire{Wire::Format::single}, Wire{Wire::Format::shared_exponent, 21}}) {
      const FftOptions options{.effort = Effort::estimate, .wire = wire};
      const WireReport report = wire_keeps_its_promise<double>(comm, c, options);
      EXPECT_EQ(report.bytes_sent<report.bytes_plain, comm.size()> 1);
      wire_is_the_same_for_many<double>(comm, cases, options);
    }
}

TEST(MpiFft, ranks_drop_their_plans_in_any_order) {
  for (const bool shared_windows : {true, false}) dropped_plans_leave_nothing(world(shared_windows));
}

TEST(MpiFft, communicators_come_and_go_too) {
  for (int i = 0; i < 3; ++i) drop_in_different_orders(world());
  const int before = mappings();
  for (int i = 0; i < 8; ++i) drop_in_different_orders(world());
  EXPECT_LT(mappings(), before + 16);
}

TEST(MpiFft, disagreement_names_the_argument) {
  const Comm comm = world();
  if (comm.size() == 1) return;
  try {
    const bool last = comm.rank() + 1 == comm.size();
    Fft<double> fft({.shape = {16}}, comm, {.effort = last ? Effort::measure : Effort::estimate});
    ADD_FAILURE() << "different efforts were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("effort"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("measure"), std::string::npos) << error.what();
  }
}

// From rows to columns in two hops, by way of a layout that nobody needs.
Candidate consider_two_hops(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.shape.size() != 2) return {.reason = "it is for two axes"};
  const Layout rows = Layout::blocks(problem.shape, {ranks, 1}, ranks);
  const Layout columns = Layout::blocks(problem.shape, {1, ranks}, ranks);
  return plan_stages(problem, ranks, options,
                     {{rows, {1}}, {Layout::cyclic(problem.shape, {ranks, 1}, ranks)}, {columns, {0}}});
}

TEST(MpiFft, a_route_that_was_added_transforms_as_the_definition_says) {
  const Case c({.shape = {17, 12}});
  add_route({"two-hops", "a slab with a stop on its way", consider_two_hops});
  for (const Comm& comm : communicators())
    equals_definition<double>(comm, c, {.plan = {.route = "two-hops"}, .effort = Effort::estimate});
  remove_route("two-hops");
}

TEST(MpiFft, a_route_that_one_rank_has_added_is_named) {
  const Comm comm = world();
  if (comm.size() == 1) return;
  if (comm.rank() == 0) add_route({"two-hops", "a slab with a stop on its way", consider_two_hops});
  try {
    Fft<double> fft({.shape = {16, 4}}, comm, {.effort = Effort::estimate});
    ADD_FAILURE() << "ranks that choose from different routes were accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("two-hops"), std::string::npos) << error.what();
  }
  if (comm.rank() == 0) remove_route("two-hops");
}

}  // namespace
}  // namespace kallima
