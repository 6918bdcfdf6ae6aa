// One axis dealt out, whatever its length and data: schedules are valid, results are the definition's, and nobody sends
// more than the three exchanges of the matrix scheme.

#include "plan/routes/line.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "fft_suite.hpp"
#include "kallima/comm.hpp"
#include "kallima/plan.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

const std::vector<Index> lengths{6, 12, 30, 36, 63, 64, 96, 100, 105, 121, 210, 1000};

enum class Deal { any, block, cyclic, groups, boxes };
const std::vector<Deal> deals{Deal::any, Deal::block, Deal::cyclic, Deal::groups, Deal::boxes};

// Rank r gets about r + 1 shares; the first one nothing if there are others.
Layout uneven_boxes(Index n, int ranks) {
  std::vector<Box> boxes;
  const Index shares = ranks == 1 ? 1 : Index{ranks} * (ranks - 1) / 2;
  Index done = 0, begin = 0;
  for (int r = 0; r < ranks; ++r) {
    done += ranks == 1 ? 1 : r;
    const Index end = n * done / shares;
    boxes.push_back({{begin}, {end}});
    begin = end;
  }
  return Layout::boxes({n}, boxes);
}

std::optional<Layout> layout(Deal deal, Index n, int ranks) {
  if (deal == Deal::block) return Layout::blocks({n}, {ranks}, ranks);
  if (deal == Deal::cyclic) return Layout::cyclic({n}, {ranks}, ranks);
  if (deal == Deal::groups)
    return Layout({Distribution::group_cyclic(n, ranks, ranks % 3 == 0 ? 3 : ranks % 2 == 0 ? 2 : 1)}, ranks);
  if (deal == Deal::boxes) return uneven_boxes(n, ranks);
  return std::nullopt;
}

Problem line_problem(Index n, int ranks, Data data, Deal in, Deal out) {
  Problem problem{.shape = {n}, .data = data};
  if (out == Deal::any) problem.output = Output::any;
  problem.in = layout(in, n, ranks);
  problem.out = layout(out, data == Data::real_ ? n / 2 + 1 : n, ranks);
  return problem;
}

void expect_valid(const Problem& problem, int ranks, const PlanOptions& options) {
  const auto p = plan(problem, ranks, options);
  for (const Direction direction : {Direction::forward, Direction::backward})
    ASSERT_NO_THROW(validate(p->schedule(direction))) << text(problem.shape) << ", " << p->explanation();
}

TEST(Line, every_schedule_is_valid) {
  Sample sample(7);
  for (const Index n : lengths)
    for (int ranks = 1; ranks <= 9; ++ranks)
      for (const Data data : {Data::complex_, Data::real_})
        for (const Deal in : deals)
          for (const Deal out : {in, deals[static_cast<std::size_t>(n + ranks) % deals.size()]}) {
            if (!sample.takes()) continue;
            ASSERT_NO_FATAL_FAILURE(
                expect_valid(line_problem(n, ranks, data, in, out), ranks,
                             {.route = "line",
                              .chunks = ranks % 3,
                              .exchange = (n + ranks) % 2 == 0 ? Exchange::views : Exchange::messages}));
          }
}

TEST(Line, a_grid_makes_it_use_all_ranks) {
  for (const Index n : lengths)
    for (int ranks = 2; ranks <= 9; ++ranks)
      for (const Data data : {Data::complex_, Data::real_})
        for (const Output output : {Output::same, Output::any}) {
          const Problem problem{.shape = {n}, .output = output, .data = data};
          const PlanOptions options{.route = "line", .grid = {ranks}};
          ASSERT_NO_FATAL_FAILURE(expect_valid(problem, ranks, options));
          EXPECT_EQ(plan(problem, ranks, options)->layout_in().active_ranks(), ranks);
        }
}

// What real data is to become, and complex data, from the definition.
std::vector<Exact> expected(const Problem& problem, const std::vector<Exact>& x) {
  std::vector<Exact> all = reference_dft({.shape = problem.shape, .axes = problem.axes}, x, Direction::forward);
  if (problem.data == Data::complex_) return all;
  const auto axis = static_cast<std::size_t>(halved_axis(problem));
  const Shape half = spectrum_shape(problem);
  std::vector<Exact> some;
  Index inner = 1;
  for (std::size_t k = axis + 1; k < half.size(); ++k) inner *= half[k];
  for (std::size_t i = 0; i < all.size(); ++i)
    if (static_cast<Index>(i) / inner % problem.shape[axis] < half[axis]) some.push_back(all[i]);
  return some;
}

template <class Item>
double difference(const Layout& layout, int rank, const std::vector<Exact>& global, const std::vector<Item>& local) {
  long double sum = 0, norm = 0;
  for (Index t = 0; t < layout.local_size(rank); ++t) {
    const std::complex<double> here = local[static_cast<std::size_t>(t)];
    sum += std::norm(global[flat(layout.shape(), layout.global_index(rank, t))] - Exact(here.real(), here.imag()));
  }
  for (const Exact& v : global) norm += std::norm(v);
  return static_cast<double>(std::sqrt(sum / norm));
}

// Forward equals the definition, and backward, scaled, is where it came from.
template <class Item>
void runs_right(const Comm& comm, const Problem& problem, const std::vector<Exact>& x, const std::vector<Exact>& X,
                const PlanOptions& options) {
  Fft<double> fft(problem, comm, {.plan = options, .effort = Effort::estimate});
  const int rank = comm.rank();
  std::vector<Item> in(static_cast<std::size_t>(fft.local_size_in())), back(in.size());
  std::vector<std::complex<double>> out(static_cast<std::size_t>(fft.local_size_out()));
  for (std::size_t t = 0; t < in.size(); ++t) {
    const Exact v = x[flat(problem.shape, fft.layout_in().global_index(rank, static_cast<Index>(t)))];
    if constexpr (std::is_same_v<Item, double>)
      in[t] = static_cast<double>(v.real());
    else
      in[t] = {static_cast<double>(v.real()), static_cast<double>(v.imag())};
  }
  fft.forward(std::span<const Item>(in), std::span(out));
  EXPECT_LT(difference(fft.layout_out(), rank, X, out), 1e-14) << text(problem.shape) << fft.plan().explanation();
  fft.backward(std::span<const std::complex<double>>(out), std::span(back), Norm::full);
  EXPECT_LT(difference(fft.layout_in(), rank, x, back), 1e-14) << text(problem.shape) << fft.plan().explanation();
}

using Pair = std::pair<std::vector<Exact>, std::vector<Exact>>;

// Points and outputs; the definition takes n * n steps, so once for all layouts.
const Pair& points_and_outputs(const Problem& problem) {
  static std::map<std::tuple<Shape, std::vector<int>, Data>, Pair> known;
  Pair& pair = known[{problem.shape, problem.axes, problem.data}];
  if (!pair.first.empty()) return pair;
  pair.first = random_values(element_count(problem.shape), 7);
  if (problem.data == Data::real_)
    for (Exact& v : pair.first) v = v.real();
  pair.second = expected(problem, pair.first);
  return pair;
}

void run_all_ranks(const Problem& asked, int ranks, const PlanOptions& options = {.route = "line"}) {
  const Problem problem = checked(asked);
  const auto& [x, X] = points_and_outputs(problem);
  run_threads(ranks, [&, &x = x, &X = X](const Comm& comm) {
    if (problem.data == Data::real_)
      runs_right<double>(comm, problem, x, X, options);
    else
      runs_right<std::complex<double>>(comm, problem, x, X, options);
  });
}

TEST(Line, results_are_the_definitions) {
  Sample sample(11);
  for (const Index n : lengths)
    for (const int ranks : {1, 2, 3, 4, 5, 7, 9})
      for (const Data data : {Data::complex_, Data::real_})
        for (const Deal in : deals)
          if (sample.takes()) run_all_ranks(line_problem(n, ranks, data, in, in), ranks);
}

TEST(Line, layouts_may_differ_and_parts_may_be_many) {
  for (const Deal in : deals)
    for (const Deal out : deals)
      for (const Data data : {Data::complex_, Data::real_})
        for (const auto& [n, ranks] : std::vector<std::pair<Index, int>>{{210, 4}, {96, 3}, {63, 5}})
          run_all_ranks(line_problem(n, ranks, data, in, out), ranks,
                        {.route = "line", .chunks = 3, .exchange = n % 2 == 0 ? Exchange::messages : Exchange::views});
}

// A wave and a point, whose transform is another point and another wave: as long as one likes.
Pair wave_and_point(Index n, Data data) {
  const Index at = n / 3, frequency = n / 7;
  const long double height = static_cast<long double>(n) / (data == Data::real_ ? 2 : 1);
  const long double turn = 2 * std::numbers::pi_v<long double> / static_cast<long double>(n);
  const auto wave = [&](Index k) { return std::polar(1.0L, turn * static_cast<long double>(k % n)); };
  Pair pair;
  for (Index j = 0; j < n; ++j) {
    const Exact v = wave(frequency * j);
    pair.first.push_back((data == Data::real_ ? Exact(v.real()) : v) + Exact(j == at ? 2.0L : 0.0L));
  }
  for (Index k = 0; k < (data == Data::real_ ? n / 2 + 1 : n); ++k)
    pair.second.push_back(2.0L * std::conj(wave(at * k)) + Exact(k == frequency ? height : 0.0L));
  return pair;
}

// Rows are fewer than ranks, and some ranks have much more of them than they have of the line: arrays are in parts of
// columns and go from one to the next in rounds.
TEST(Line, uneven_rows_come_and_go_in_parts) {
  const int ranks = 5;
  for (const Data data : {Data::complex_, Data::real_})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      const Problem problem = checked(line_problem(4 * 1289, ranks, data, Deal::block, Deal::block));
      const Exchange exchange =
          (data == Data::real_) == (placement == Placement::in_place) ? Exchange::messages : Exchange::views;
      const PlanOptions options{.route = "line", .exchange = exchange, .placement = placement};
      const auto [x, X] = wave_and_point(problem.shape[0], data);
      run_threads(ranks, [&, &x = x, &X = X](const Comm& comm) {
        if (data == Data::real_)
          runs_right<double>(comm, problem, x, X, options);
        else
          runs_right<std::complex<double>>(comm, problem, x, X, options);
      });
    }
}

TEST(Line, a_batch_comes_along) {
  for (const Data data : {Data::complex_, Data::real_})
    for (const int ranks : {1, 3, 4}) {
      run_all_ranks({.shape = {30, 4}, .axes = {0}, .data = data}, ranks, {.route = "line", .grid = {ranks, 1}});
      run_all_ranks({.shape = {3, 60}, .axes = {1}, .data = data}, ranks, {.route = "line", .grid = {1, ranks}});
      run_all_ranks({.shape = {2, 36, 5}, .axes = {1}, .data = data}, ranks, {.route = "line", .grid = {1, ranks, 1}});
      run_all_ranks({.shape = {1, 64, 1}, .axes = {1}, .data = data}, ranks, {.route = "line", .grid = {1, ranks, 1}});
    }
}

TEST(Line, primes_are_refused_with_a_reason_and_still_right) {
  for (const Index n : {2, 7, 97, 211})
    for (const int ranks : {1, 2, 4})
      for (const Data data : {Data::complex_, Data::real_}) {
        const Problem problem = line_problem(n, ranks, data, Deal::block, Deal::block);
        const std::vector<Candidate> all = candidates(problem, ranks);
        const auto line = std::find_if(all.begin(), all.end(), [](const Candidate& c) { return c.route == "line"; });
        ASSERT_NE(line, all.end());
        EXPECT_NE(line->reason.find("no R*Q"), std::string::npos) << line->reason;
        EXPECT_THROW(plan(problem, ranks, {.route = "line"}), Error);
        run_all_ranks(problem, ranks, {});
      }
}

TEST(Line, arrays_may_be_padded_and_ordered) {
  for (const Data data : {Data::complex_, Data::real_})
    for (const int ranks : {1, 3, 4}) {
      Problem problem{.shape = {36, 2}, .axes = {0}, .data = data};
      problem.storage_in = {.order = {1, 0}, .padding = {2, 0}};
      problem.storage_out = {.padding = {0, 1}};
      const PlanOptions options{.route = "line", .grid = {ranks, 1}};
      ASSERT_NO_FATAL_FAILURE(expect_valid(problem, ranks, options));
      const auto p = plan(problem, ranks, options);
      const RankSchedule mine = p->rank_schedule(ranks - 1, Direction::forward);
      EXPECT_EQ(mine.size(Buffer::in), stored_size(problem.storage_in, p->layout_in().local_shape(ranks - 1)));
      EXPECT_EQ(mine.size(Buffer::out), stored_size(problem.storage_out, p->layout_out().local_shape(ranks - 1)));
    }
}

Index most_sent(const Plan& plan, Direction direction) {
  Index most = 0;
  for (const RankSchedule& rank : plan.schedule(direction).ranks) most = std::max(most, rank.words_sent());
  return most;
}

TEST(Line, blocks_send_three_times_what_is_not_theirs) {
  const Index n = 3600;
  for (const int ranks : {2, 3, 4, 5, 6}) {
    const auto p = plan(line_problem(n, ranks, Data::complex_, Deal::block, Deal::block), ranks, {.route = "line"});
    EXPECT_EQ(p->exchanges(), 3);
    EXPECT_EQ(most_sent(*p, Direction::forward), 3 * n / ranks * (ranks - 1) / ranks) << p->explanation();
    EXPECT_EQ(most_sent(*p, Direction::backward), 3 * n / ranks * (ranks - 1) / ranks);
  }
}

TEST(Line, cyclic_reals_send_half_once_and_a_quarter_of_it_again) {
  const Index n = 1 << 16;
  const int ranks = 4;
  const auto p = plan(line_problem(n, ranks, Data::real_, Deal::cyclic, Deal::cyclic), ranks, {.route = "line"});
  EXPECT_EQ(p->exchanges(), 2);
  const Index complex_words = n / ranks * (ranks - 1) / ranks;
  const Index rows = 256;  // and as many columns, of which a rank has a quarter and one more row
  EXPECT_LE(most_sent(*p, Direction::forward), complex_words / 2 + n / 4 / ranks + 2 * rows);
  EXPECT_GE(most_sent(*p, Direction::forward), complex_words / 2);
}

// Sixteen columns a rank: slices of two of them would leave most of a vector empty.
TEST(Line, slices_of_columns_fill_vectors) {
  for (const Index n : {1 << 15, 1 << 16, 1 << 18}) {
    const auto p = plan({.shape = {n}, .data = Data::real_}, 2, {.route = "line"});
    Index columns = 0;
    for (const Task& task : p->rank_schedule(0, Direction::forward).tasks)
      for (const Step& step : task.steps)
        if (step.body.empty() && step.pass.kind == Kind::real_to_half && step.pass.action == Action::transform) {
          EXPECT_GE(step.pass.loops.back(), 16) << n;
          columns += step.pass.loops.back();
        }
    EXPECT_GT(columns, 0) << n;
  }
}

TEST(Line, what_divides_twice_is_left_to_the_cyclic_route) {
  const Problem problem = line_problem(1 << 16, 4, Data::complex_, Deal::cyclic, Deal::cyclic);
  EXPECT_EQ(plan(problem, 4)->options().route, "cyclic");
  EXPECT_EQ(plan({.shape = {1 << 16}}, 4)->options().route, "cyclic");
}

TEST(Line, long_lines_in_blocks_are_not_gathered_on_one_rank) {
  for (const Data data : {Data::complex_, Data::real_}) {
    const Problem problem = line_problem(1000000, 3, data, Deal::block, Deal::block);
    EXPECT_EQ(plan(problem, 3)->options().route, "line");
  }
}

// Cells against a look at every single point.
TEST(Line, cells_hold_every_shared_point_once) {
  const std::vector<Progression> lines{{0, 1, 40}, {3, 1, 20}, {7, 1, 2}, {2, 3, 12}, {1, 6, 7}, {5, 4, 9}, {4, 9, 1}};
  const std::vector<Progression> some{{0, 1, 3}, {1, 2, 2}, {4, 1, 1}, {2, 3, 1}};
  for (const Index width : {5, 6, 8})
    for (const Progression& line : lines)
      for (const Progression& columns : some) {
        std::vector<std::pair<Index, Index>> found, wanted;
        const Fold fold{{.R = 10, .Q = width}, End::input, {}};
        const Block points{line}, matrix{{0, 1, 10}, columns};
        for (const Cell& c : cells_of(fold, Way::to_matrix)({points, points}, {matrix, matrix}))
          for (Index r = 0; r < c.extents[0]; ++r)
            for (Index k = 0; k < c.extents[1]; ++k)
              found.emplace_back(c.from.offset + r * c.from.strides[0] + k * c.from.strides[1],
                                 c.to.offset + r * c.to.strides[0] + k * c.to.strides[1]);
        for (Index i = 0; i < line.count; ++i)
          for (Index u = 0; u < columns.count; ++u) {
            const Index x = line.first + line.step * i;
            if (x % width == columns.first + columns.step * u) wanted.emplace_back(i, x / width * columns.count + u);
          }
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, wanted) << width << ": " << line.first << " by " << line.step;
      }
}

}  // namespace
}  // namespace kallima
