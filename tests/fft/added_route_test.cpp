// A route of one's own, with nothing but public headers: pencils that begin with the first axis and end with the last,
// so that the longest lines of memory come last. Nothing in the library knows its name.

#include <gtest/gtest.h>

#include <algorithm>

#include "fft_suite.hpp"
#include "kallima/forecast.hpp"
#include "kallima/route.hpp"
#include "kallima/simulate.hpp"

namespace kallima {
namespace {

Index larger_factor(int ranks) {
  Index f = ranks;
  for (Index d = 1; d * d <= ranks; ++d)
    if (ranks % d == 0) f = ranks / d;
  return f;
}

Candidate consider_sideways(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.shape.size() != 3 || problem.axes.size() != 3) return {.reason = "it is for three axes"};
  const Index a = larger_factor(ranks), b = ranks / a;
  const auto blocks = [&](const Shape& shape, Shape grid) {
    for (std::size_t k = 0; k < 3; ++k) grid[k] = std::min(grid[k], shape[k]);
    return Layout::blocks(shape, grid, ranks);
  };
  const Shape spectrum = spectrum_shape(problem);
  if (halved_axis(problem) == 0)
    return plan_stages(problem, ranks, options,
                       {{blocks(problem.shape, {1, a, b}), {0}},
                        {blocks(spectrum, {a, 1, b}), {1}},
                        {blocks(spectrum, {a, b, 1}), {2}}});
  return plan_stages(problem, ranks, options,
                     {{blocks(problem.shape, {1, a, b}), {0}},
                      {blocks(problem.shape, {a, 1, b}), {1}},
                      {blocks(problem.shape, {a, b, 1}), {2}}});
}

const Route sideways{"sideways", "pencils from the first axis to the last", consider_sideways};

// In the table while it lives.
struct Added {
  explicit Added(const Route& route) : name(route.name) { add_route(route); }
  ~Added() { remove_route(name); }
  Added(const Added&) = delete;
  Added& operator=(const Added&) = delete;
  std::string name;
};

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Route answering(const std::string& name, std::vector<Stage> stages) {
  return {name, "", [stages](const Problem& problem, int ranks, const PlanOptions& options) {
            return plan_stages(problem, ranks, options, stages);
          }};
}

TEST(AddedRoute, is_valid_for_every_rank_count_exchange_and_placement) {
  const Added added(sideways);
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 12})
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place})
        for (const Output output : {Output::same, Output::any}) {
          const auto p = plan({.shape = {9, 8, 7}, .output = output}, ranks,
                              {.route = "sideways", .exchange = exchange, .placement = placement});
          const bool in_place = p->options().placement == Placement::in_place;
          for (const Direction direction : {Direction::forward, Direction::backward})
            EXPECT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate))
                << ranks << " ranks, " << p->explanation();
          EXPECT_EQ(p->options().route, "sideways");
          EXPECT_EQ(p->schedule(Direction::forward).name, "sideways");
          EXPECT_EQ(p->layout_in() == p->layout_out(), output == Output::same || ranks == 1);
        }
}

TEST(AddedRoute, transforms_as_the_definition_says) {
  const Added added(sideways);
  for (const Output output : {Output::same, Output::any}) {
    const Case c({.shape = {9, 8, 7}, .output = output});
    for (const int ranks : {1, 2, 3, 5, 6, 7})
      for (const Exchange exchange : {Exchange::views, Exchange::messages})
        run_threads(ranks, [&](const Comm& comm) {
          equals_definition<double>(comm, c,
                                    {.plan = {.route = "sideways", .exchange = exchange}, .effort = Effort::estimate});
        });
  }
}

TEST(AddedRoute, goes_to_and_from_the_layouts_a_caller_wants) {
  const Added added(sideways);
  const Shape shape{6, 10, 4};
  for (const int ranks : {2, 3, 5, 6}) {
    const Layout in = layout_from_text("slab:1", shape, ranks), out = layout_from_text("slab:0", shape, ranks);
    const Case c({.shape = shape, .in = in, .out = out});
    run_threads(ranks, [&](const Comm& comm) {
      equals_definition<double>(comm, c, {.plan = {.route = "sideways"}, .effort = Effort::estimate});
    });
    const auto p = plan(c.problem, ranks, {.route = "sideways"});
    EXPECT_EQ(p->layout_in(), in);
    EXPECT_EQ(p->layout_out(), out);
  }
}

TEST(AddedRoute, halves_reals_where_its_stages_say) {
  const Added added(sideways);
  const Problem problem{.shape = {8, 6, 5}, .axes = {1, 2, 0}, .data = Data::real_};
  const Case c({.shape = problem.shape});
  std::vector<Exact> reals = c.x;
  for (Exact& value : reals) value = value.real();
  const std::vector<Exact> all = reference_dft(c.problem, reals, Direction::forward);
  const std::vector<Exact> half(all.begin(), all.begin() + 5 * 6 * 5);
  for (const int ranks : {1, 3, 4, 6})
    run_threads(ranks, [&](const Comm& comm) {
      Fft<double> fft(problem, comm, {.plan = {.route = "sideways"}, .effort = Effort::estimate});
      std::vector<double> in(static_cast<std::size_t>(fft.local_size_in())), back(in.size());
      const Layout from = fft.layout_in();
      for (std::size_t t = 0; t < in.size(); ++t)
        in[t] = static_cast<double>(
            reals[flat(problem.shape, from.global_index(comm.rank(), static_cast<Index>(t)))].real());
      std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.local_size_out()));
      fft.forward(in, out);
      EXPECT_LT(error(fft.layout_out(), comm.rank(), half, out.data(), 1), tolerance<double>(problem));
      fft.backward(out, back, Norm::full);
      for (std::size_t t = 0; t < in.size(); ++t) EXPECT_NEAR(back[t], in[t], 1e-14);
    });
}

TEST(AddedRoute, is_listed_priced_and_simulated_with_the_others) {
  const std::size_t before = route_names().size();
  const Added added(sideways);
  ASSERT_EQ(route_names().size(), before + 1);
  EXPECT_EQ(route_names().back().first, "sideways");
  const std::vector<Candidate> all = candidates({.shape = {8, 8, 8}, .axes = {1, 2, 0}, .data = Data::real_}, 6);
  const Candidate& mine = all.back();
  EXPECT_EQ(mine.route, "sideways");
  ASSERT_NE(mine.plan, nullptr) << mine.reason;
  const auto pencil = std::ranges::find(all, "pencil", &Candidate::route);
  ASSERT_NE(pencil, all.end());
  const auto seconds = [](const Candidate& c) { return candidate_forecast(c, {}, *planning_profile())->seconds; };
  EXPECT_LE(seconds(*pencil), 1.05 * seconds(mine)) << "the search misses a way";
  EXPECT_GT(simulate(mine.plan->schedule(Direction::forward), AlphaBeta{}).completion, 0);
  EXPECT_EQ(mine.plan->explanation().substr(0, 12), "3 exchanges:");
  EXPECT_EQ(candidates({.shape = {8, 8}}, 6).back().reason, "it is for three axes");
}

// 4x4x4 on 6 ranks: one exchange can use 4 of them only, and the library's pencils are reluctant.
TEST(AddedRoute, is_chosen_where_it_keeps_more_ranks_busy) {
  const Problem problem{.shape = {4, 4, 4}};
  EXPECT_EQ(plan(problem, 6)->options().route, "cyclic");
  const Added added(sideways);
  EXPECT_EQ(plan(problem, 6)->options().route, "sideways");
  EXPECT_EQ(plan(problem, 4)->options().route, "cyclic");
  run_threads(6,
              [&](const Comm& comm) { equals_definition<double>(comm, Case(problem), {.effort = Effort::estimate}); });
}

TEST(AddedRoute, names_are_unique_and_known) {
  const Added added(sideways);
  for (const std::string name : {"sideways", "cyclic", "auto"}) {
    Route other = sideways;
    other.name = name;
    EXPECT_EQ(error_of([&] { add_route(other); }),
              "a route '" + name + "' cannot be added (the name is taken): give it another");
  }
  EXPECT_THROW(add_route({"", "nameless", consider_sideways}), Error);
  EXPECT_THROW(add_route({"empty", "does nothing", nullptr}), Error);
  EXPECT_THROW(remove_route("cyclic"), Error);
  EXPECT_THROW(remove_route("upwards"), Error);
  const std::string unknown = error_of([] { plan({.shape = {8, 8, 8}}, 2, {.route = "upwards"}); });
  EXPECT_EQ(unknown.substr(0, 33), "there is no route 'upwards': use ") << unknown;
  EXPECT_NE(unknown.find("bluestein, sideways"), std::string::npos) << unknown;
}

TEST(AddedRoute, stages_that_do_not_fit_say_which_and_why) {
  const Shape shape{6, 8};
  const Layout rows = Layout::blocks(shape, {2, 1}, 2), columns = Layout::blocks(shape, {1, 2}, 2);
  const auto reason = [&](std::vector<Stage> stages) {
    const Added added(answering("broken", std::move(stages)));
    return candidates({.shape = shape}, 2).back().reason;
  };
  EXPECT_EQ(reason({{rows, {1}}, {columns, {0}}}), "");
  EXPECT_EQ(reason({}), "it has no stages");
  EXPECT_EQ(reason({{rows, {1}}}), "none of its stages transforms axis 0");
  EXPECT_NE(reason({{rows, {0}}, {columns, {1}}}).find("stage 1"), std::string::npos);
  EXPECT_NE(reason({{rows, {1}}, {columns, {0, 1}}}).find("cannot transform axes 0,1"), std::string::npos);
  const std::string other = reason({{rows, {1}}, {Layout::blocks({8, 6}, {1, 2}, 2), {0}}});
  EXPECT_NE(other.find("8x6 on 2 ranks, but 6x8 on 2"), std::string::npos) << other;
}

}  // namespace
}  // namespace kallima
