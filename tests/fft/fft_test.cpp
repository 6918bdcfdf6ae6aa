#include "kallima/fft.hpp"

#include <gtest/gtest.h>

#include "chaos.hpp"
#include "drop_suite.hpp"
#include "fft_suite.hpp"
#include "must_apply.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

const FftOptions quick{.effort = Effort::estimate};

FftOptions with(PlanOptions plan) { return {.plan = std::move(plan), .effort = Effort::estimate}; }

TEST(Fft, equals_the_definition_for_every_n_to_256) {
  for (Index n = 1; n <= 256; ++n) {
    const Case c({.shape = {n}});
    equals_definition<double>(Comm(), c, quick);
    const int ranks = static_cast<int>(2 + n % 7);
    run_threads(ranks, [&](Comm comm) { equals_definition<double>(comm, c, quick); });
  }
}

TEST(Fft, equals_the_definition_for_many_shapes_and_rank_counts) {
  const std::vector<Shape> shapes{{1000},       {64, 48},  {31, 33}, {9, 11, 13}, {32, 16, 24},
                                  {8, 8, 8, 8}, {1, 7, 1}, {36, 25}, {3, 256}};
  Sample sample(2);
  for (const Shape& shape : shapes) {
    const Case c({.shape = shape});
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12}) {
      if (!sample.takes()) continue;
      run_threads(ranks, [&](Comm comm) {
        equals_definition<double>(comm, c, quick);
        if (ranks % 3 == 0) equals_definition<float>(comm, c, quick);
      });
    }
  }
}

TEST(Fft, equals_the_definition_on_every_route_order_and_placement) {
  const std::vector<Shape> shapes{{576}, {36, 16}, {16, 9, 4}, {4, 36, 5}};
  Sample sample(7);
  for (const Shape& shape : shapes)
    for (const Output output : {Output::same, Output::any}) {
      const Case c({.shape = shape, .output = output});
      for (const auto& [route, summary] : route_names())
        for (const int ranks : {4, 6})
          for (const Index chunks : {1, 3})
            for (const Order order : {Order::chunk_first, Order::destination_first})
              for (const Exchange exchange : {Exchange::views, Exchange::messages})
                for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
                  const bool chain = route == "pencil" || route == "line";  // one order, never in place
                  if (chain && (order != Order::chunk_first || placement != Placement::out_of_place)) continue;
                  const FftOptions options = with(
                      {.route = route, .chunks = chunks, .order = order, .exchange = exchange, .placement = placement});
                  if (!sample.takes() || !plan_unless_excused(c.problem, ranks, options.plan)) continue;
                  run_threads(ranks, [&](Comm comm) { equals_definition<double>(comm, c, options); });
                }
    }
}

FftOptions sliced(Index slices, Placement placement) {
  return with(
      {.route = "cyclic", .chunks = 3, .slices = slices, .exchange = Exchange::messages, .placement = placement});
}

TEST(Fft, equals_the_definition_with_any_number_of_slices) {
  for (const Shape& shape : {Shape{144, 10}, {36, 7, 5}, {3, 36, 5}, {1, 144}}) {
    const Case c({.shape = shape});
    for (const Index slices : {1, 2, 3, 5, 100})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        run_threads(6, [&](Comm comm) { equals_definition<double>(comm, c, sliced(slices, placement)); });
  }
}

// Lines so long that their columns are sliced, against the same line on one rank: the definition would take too long.
TEST(Fft, slices_of_a_long_line_change_nothing) {
  const Index n = 65536;
  std::vector<std::complex<double>> x(n), whole(n);
  for (Index i = 0; i < n; ++i)
    x[static_cast<std::size_t>(i)] = {std::sin(0.37 * static_cast<double>(i * i % 1013)), 1};
  Fft<double>({.shape = {n}}, Comm(), quick).forward(x, whole);
  for (const Index slices : {1, 2, 3, 7, 8})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place})
      run_threads(4, [&](Comm comm) {
        Fft<double> fft({.shape = {n}}, comm, sliced(slices, placement));
        Array<std::complex<double>> part(fft.local_size_in());
        const auto global = [&](Index t) {
          return static_cast<std::size_t>(fft.layout_in().global_index(comm.rank(), t)[0]);
        };
        for (Index t = 0; t < part.size(); ++t) part[t] = x[global(t)];
        fft.forward(part.span());
        double worst = 0;
        for (Index t = 0; t < part.size(); ++t) worst = std::max(worst, std::abs(part[t] - whole[global(t)]));
        EXPECT_LT(worst, 1e-9) << slices << " slices";
      });
}

TEST(Fft, equals_the_definition_with_and_without_overlap) {
  const Case c({.shape = {36, 16, 3}});
  for (const Overlap overlap : {Overlap::automatic, Overlap::on, Overlap::off})
    for (const char* route : {"cyclic", "slab"})
      run_threads(2, [&](Comm comm) {
        equals_definition<double>(
            comm, c,
            {.plan = {.route = route, .exchange = Exchange::messages, .overlap = overlap}, .effort = Effort::measure});
      });
}

// Large enough for memory to be saved: blocks that have been sent make room for the result.
TEST(Fft, equals_the_definition_where_sent_blocks_make_room) {
  const Case cube({.shape = {16, 16, 20}}), line({.shape = {1024}});
  for (const int ranks : {2, 4})
    for (const Case* c : {&cube, &line})
      run_threads(ranks, [&](Comm comm) {
        equals_definition<double>(comm, *c, {.plan = {.exchange = Exchange::messages, .overlap = Overlap::off}});
      });
}

TEST(Fft, without_overlap_everything_is_sent_at_once) {
  const auto all = plan({.shape = {64, 64}}, 4, {.exchange = Exchange::messages, .overlap = Overlap::off});
  int sends = 0;
  for (const Task& task : all->rank_schedule(0, Direction::forward).tasks)
    if (task.kind == TaskKind::send_start) ++sends;
  EXPECT_EQ(sends, 3);
  EXPECT_THROW(plan({.shape = {64}}, 4, {.chunks = 2, .overlap = Overlap::off}), Error);
}

TEST(Fft, many_at_once_equal_the_definition) {
  for (const std::size_t count : {1, 2, 5})
    for (const auto& [route, summary] : route_names()) {
      const std::vector<Case> cases = fields({.shape = {64, 6}}, count);
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        for (const int ranks : {1, 4}) {
          const FftOptions options = with({.route = route, .exchange = exchange});
          if (!plan_unless_excused(cases[0].problem, ranks, options.plan)) continue;
          run_threads(ranks, [&](Comm comm) { many_equal_the_definition<double>(comm, cases, options); });
        }
    }
}

TEST(Fft, many_need_as_many_results_as_arrays) {
  Fft<double> fft({.shape = {8}}, Comm(), quick);
  const std::vector<std::span<const std::complex<double>>> in(2);
  const std::vector<std::span<std::complex<double>>> out(3);
  EXPECT_THROW(fft.forward_many(in, out), Error);
}

TEST(Fft, rehearsals_leave_no_trace) {
  const Case c({.shape = {36, 10}});
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    run_threads(3, [&](Comm comm) { rehearsals_leave_no_trace<double>(comm, c, with({.exchange = exchange})); });
}

TEST(Fft, equals_the_definition_with_trees_of_radices) {
  const Case c({.shape = {1296}});
  for (const std::vector<Index>& radices : {std::vector<Index>{2, 3, 2}, {6, 2}, {12}, {4, 3}, {216}})
    for (const Order order : {Order::chunk_first, Order::destination_first})
      run_threads(6, [&](Comm comm) {
        equals_definition<double>(comm, c, with({.route = "cyclic", .chunks = 2, .order = order, .radices = radices}));
      });
}

TEST(Fft, equals_the_definition_by_every_alltoall) {
  Sample sample(7);
  for (const Shape& shape : {Shape{576}, {36, 16}, {64, 3}}) {
    const Case c({.shape = shape});
    for (const int ranks : {2, 4, 6, 8})
      for (const Index chunks : {1, 4})
        for (const Order order : {Order::chunk_first, Order::destination_first})
          for (const Exchange exchange : {Exchange::views, Exchange::messages})
            for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
              if (!sample.takes()) continue;
              run_threads(ranks, [&](Comm comm) {
                equals_definition_by_every_alltoall(comm, c,
                                                    {.route = "cyclic",
                                                     .chunks = chunks,
                                                     .order = order,
                                                     .exchange = exchange,
                                                     .placement = placement});
              });
            }
  }
}

TEST(Fft, relayed_blocks_may_come_in_any_order) {
  const Case c({.shape = {64, 6}});
  Sample sample(5);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    if (!sample.takes()) continue;
    run_threads(seed % 2 == 0 ? 4 : 8, [&](Comm comm) {
      const Exchange exchange = seed % 3 == 0 ? Exchange::messages : Exchange::views;
      const Index chunks = static_cast<Index>(1 + seed % 4);
      equals_definition<double>(
          chaotic(comm, seed), c,
          with({.route = "cyclic", .chunks = chunks, .exchange = exchange, .alltoall = Alltoall::bruck}));
    });
  }
}

// Long lines are cut in two (R and Q both above 1), with coarse and fine twiddle tables.
TEST(Fft, long_lines_survive_a_round_trip_and_find_a_single_wave) {
  for (const Index n : {Index{3} * 3 * 5 * 5 * 7 * 256, Index{1} << 20})
    for (const int ranks : {1, 3, 4}) {
      run_threads(ranks, [&](Comm comm) {
        Fft<double> fft({.shape = {n}}, comm, quick);
        const std::vector<std::size_t> from = places_of(fft.layout_in(), comm.rank()),
                                       to = places_of(fft.layout_out(), comm.rank());
        Array<std::complex<double>> x(fft.local_size_in()), y(fft.local_size_out()), z(fft.local_size_in());
        const Index wave = n / 3 + 1;
        for (Index t = 0; t < x.size(); ++t) {
          const auto j = static_cast<Index>(from[static_cast<std::size_t>(t)]);
          x[t] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(j * wave % n) / static_cast<double>(n));
        }
        fft.forward(x.span(), y.span(), Norm::full);
        fft.backward(y.span(), z.span());
        double worst = 0;
        for (Index t = 0; t < y.size(); ++t) {
          const bool peak = to[static_cast<std::size_t>(t)] == static_cast<std::size_t>(wave);
          worst = std::max({worst, std::abs(y[t] - (peak ? 1.0 : 0.0)), std::abs(z[t] - x[t])});
        }
        EXPECT_LT(worst, 2e-14) << n << " on " << ranks;
      });
    }
}

TEST(Fft, transforms_only_the_axes_it_is_asked_to) {
  for (const std::vector<int>& axes : {std::vector<int>{0}, {1}, {2}, {0, 2}, {1, 2}, {-3}}) {
    const Case c({.shape = {16, 6, 9}, .axes = axes});
    for (const int ranks : {1, 2, 3, 4})
      run_threads(ranks, [&](Comm comm) { equals_definition<double>(comm, c, quick); });
  }
}

TEST(Fft, normalises_as_asked) {
  const Case c({.shape = {16, 6}});
  for (const Norm norm : {Norm::none, Norm::ortho, Norm::full})
    for (const std::string& route : {std::string("cyclic"), std::string("slab"), std::string("local")})
      run_threads(4, [&](Comm comm) { equals_definition<double>(comm, c, with({.route = route}), norm); });
  const Case batch({.shape = {16, 6}, .axes = {1}});
  run_threads(3, [&](Comm comm) { equals_definition<double>(comm, batch, quick, Norm::full); });
}

TEST(Fft, several_plans_and_communicators_do_not_disturb_each_other) {
  const Case a({.shape = {16, 16}}), b({.shape = {64}});
  run_threads(4, [&](Comm comm) {
    const Comm other{std::shared_ptr<Transport>(comm.transport().duplicate())};
    Fft<double> first(a.problem, comm, quick);
    Fft<double> second(b.problem, other, quick);
    Fft<double> third(std::move(first));
    std::vector<std::complex<double>> x(static_cast<std::size_t>(third.local_size_in())), y(x.size());
    std::vector<std::complex<double>> u(static_cast<std::size_t>(second.local_size_in())), v(u.size());
    fill(third.layout_in(), comm.rank(), a.x, x.data());
    fill(second.layout_in(), comm.rank(), b.x, u.data());
    for (int i = 0; i < 20; ++i) {
      third.forward(x, y);
      second.forward(u, v);
    }
    EXPECT_LT(error(third.layout_out(), comm.rank(), a.forward, y.data(), 1), 1e-15);
    EXPECT_LT(error(second.layout_out(), comm.rank(), b.forward, v.data(), 1), 1e-15);
  });
}

TEST(Fft, every_message_order_gives_the_right_answer) {
  const Case cyclic({.shape = {64, 6}}), slab({.shape = {7, 5, 3}});
  Sample sample(7);  // what is done with a seed comes again after sixty of them
  for (std::uint64_t seed = 0; seed < 480; ++seed) {
    if (!sample.takes()) continue;
    run_threads(static_cast<int>(2 + seed % 3), [&](Comm comm) {
      const Exchange exchange = seed % 2 == 0 ? Exchange::messages : Exchange::views;
      const Order order = seed % 5 == 0 ? Order::destination_first : Order::chunk_first;
      const Index chunks = static_cast<Index>(1 + seed % 4);
      const Comm wild = chaotic(comm, seed);
      const FftOptions options =
          with({.route = comm.size() == 3 ? "slab" : "cyclic", .chunks = chunks, .order = order, .exchange = exchange});
      equals_definition<double>(wild, comm.size() == 3 ? slab : cyclic, options);
    });
  }
}

TEST(Fft, mismatched_arguments_fail_on_every_rank) {
  std::atomic<int> failed = 0;
  run_threads(3, [&](Comm comm) {
    try {
      Fft<double> fft({.shape = {Index{9} + comm.rank() / 2}}, comm, quick);
    } catch (const Error&) {
      ++failed;
    }
    try {
      Fft<double> fft({.shape = {9}}, comm,
                      with({.exchange = comm.rank() == 0 ? Exchange::messages : Exchange::views}));
    } catch (const Error&) {
      ++failed;
    }
  });
  EXPECT_EQ(failed, 6);
}

std::string refusal(int ranks, const std::function<void(Comm)>& plan_on) {
  try {
    run_threads(ranks, plan_on);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Fft, disagreement_names_the_argument_and_both_values) {
  const auto efforts = [](Comm comm) {
    Fft<double>({.shape = {9}}, comm, {.effort = comm.rank() == 2 ? Effort::measure : Effort::estimate});
  };
  const std::string text = refusal(3, efforts);
  EXPECT_NE(text.find("effort is not the same on every rank (rank 0 has estimate, rank 2 has measure)"),
            std::string::npos)
      << text;
  const auto placements = [](Comm comm) {
    const Placement placement = comm.rank() == 1 ? Placement::in_place : Placement::out_of_place;
    Fft<double>({.shape = {9}}, comm, with({.placement = placement}));
  };
  EXPECT_NE(refusal(2, placements).find("placement"), std::string::npos);
}

template <class T>
void bytes_are_as_good_as_numbers(const Comm& comm, Precision precision) {
  Fft<T> typed({.shape = {12, 5}, .data = Data::real_}, comm, quick);
  AnyFft any({.shape = {12, 5}, .precision = precision, .data = Data::real_}, comm, quick);
  EXPECT_EQ(any.element().bytes, sizeof(std::complex<T>));
  std::vector<T> in(static_cast<std::size_t>(typed.local_size_in())), back(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(i * i % 7);
  std::vector<std::complex<T>> a(static_cast<std::size_t>(typed.local_size_out())), b = a;
  typed.forward(in, a);
  any.forward(std::as_bytes(std::span(in)), std::as_writable_bytes(std::span(b)));
  EXPECT_EQ(a, b);
  any.backward(std::as_bytes(std::span(b)), std::as_writable_bytes(std::span(back)), Norm::full);
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_NEAR(static_cast<double>(back[i] - in[i]), 0, 1e-5);
}

TEST(Fft, precision_may_be_chosen_at_run_time) {
  run_threads(3, [](Comm comm) {
    bytes_are_as_good_as_numbers<float>(comm, Precision::single_);
    bytes_are_as_good_as_numbers<double>(comm, Precision::double_);
    bytes_are_as_good_as_numbers<long double>(comm, Precision::long_double);
  });
  AnyFft any({.shape = {8}}, Comm(), quick);
  std::vector<double> reals(8);
  std::vector<std::complex<double>> spectrum(8);
  EXPECT_THROW(any.forward(std::span<const double>(reals), std::span(spectrum)), Error) << "complex numbers are needed";
}

TEST(Fft, ranks_drop_their_plans_in_any_order) {
  run_threads(4, [](Comm comm) { dropped_plans_leave_nothing(comm); });
}

TEST(Fft, arrays_of_the_wrong_size_are_refused_with_the_numbers) {
  Fft<double> fft({.shape = {12}}, Comm(), quick);
  std::vector<std::complex<double>> in(12), out(11);
  try {
    fft.forward(in, out);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("11 elements"), std::string::npos) << error.what();
  }
  std::vector<std::complex<double>> both(20);
  EXPECT_THROW(fft.forward(std::span(both).first(12), std::span(both).subspan(4, 12)), Error);
}

// With messages a long 1-D line keeps its own block in the work buffer, too, and takes a little more.
TEST(Fft, needs_no_more_than_three_times_its_data) {
  run_threads(2, [&](Comm comm) {
    for (const Shape& shape : {Shape{64, 64, 64}, Shape{Index{1} << 20}})
      for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
        if (shape.size() == 1 && exchange == Exchange::messages) continue;
        Fft<double> fft({.shape = shape}, comm, with({.route = "cyclic", .exchange = exchange}));
        const auto data = static_cast<std::size_t>(fft.local_size_in()) * sizeof(std::complex<double>);
        EXPECT_LE(2 * data + fft.workspace_bytes(), 3 * data) << text(shape);
      }
  });
}

TEST(Fft, recorded_tasks_are_those_of_the_schedule_in_a_consistent_order) {
  run_threads(4, [&](Comm comm) {
    Fft<double> fft({.shape = {64, 16}}, comm, with({.route = "cyclic", .chunks = 4, .exchange = Exchange::messages}));
    std::vector<std::complex<double>> x(static_cast<std::size_t>(fft.local_size_in())), y(x.size());
    Trace trace;
    fft.record(&trace);
    fft.forward(x, y);
    const RankSchedule schedule = [&] { return fft.plan().rank_schedule(comm.rank(), Direction::forward); }();
    std::vector<double> begin(schedule.tasks.size(), -1), end(schedule.tasks.size(), -1);
    for (const Event& e : trace.events)
      if (e.task >= 0) {
        EXPECT_EQ(begin[static_cast<std::size_t>(e.task)], -1) << "task ran twice";
        begin[static_cast<std::size_t>(e.task)] = e.begin;
        end[static_cast<std::size_t>(e.task)] = e.end;
      }
    for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
      EXPECT_GE(begin[i], 0) << "task " << i << " did not run";
      for (const int earlier : schedule.tasks[i].after) EXPECT_LE(end[static_cast<std::size_t>(earlier)], begin[i]);
    }
  });
}

}  // namespace
}  // namespace kallima
