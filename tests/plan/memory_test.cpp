// Input, output and workspace together: three times a rank's data and a little, twice and a little in place, whatever
// the route, the kind and the layouts, between machines as well as inside one.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kallima/plan.hpp"
#include "sample.hpp"

namespace kallima {
namespace {

constexpr double most_out_of_place = 3.2;
constexpr double most_in_place = 2.3;

struct Case {
  Problem problem;
  int ranks;
  PlanOptions options = {};
};

double complex_words(Index size, Data data) { return static_cast<double>(size) / (data == Data::real_ ? 2 : 1); }

// The first rank, and some of those where something else begins.
std::set<int> ranks_looked_at(int ranks) {
  static Sample sample(3);
  std::set<int> some{0};
  for (const int rank : std::set{1 % ranks, 7 % ranks, 8 % ranks, ranks / 2, ranks - 1})
    if (sample.takes()) some.insert(rank);
  return some;
}

// Of the ranks that are looked at, the most that one needs, in units of the most data that any has.
double multiple(const Plan& plan, Direction direction, int ranks, bool in_place) {
  double data = 0, needed = 0;
  for (int rank = 0; rank < ranks; ++rank)
    data = std::max({data, complex_words(plan.layout_in().local_size(rank), plan.data_in()),
                     complex_words(plan.layout_out().local_size(rank), plan.data_out())});
  for (const int rank : ranks_looked_at(ranks)) {
    const RankSchedule s = plan.rank_schedule(rank, direction);
    const double in = complex_words(s.size(Buffer::in), s.data_in),
                 out = complex_words(s.size(Buffer::out), s.data_out);
    const auto workspace = static_cast<double>(s.size(Buffer::work) + s.size(Buffer::inbox));
    needed = std::max(needed, (in_place ? std::max(in, out) : in + out) + workspace);
  }
  return needed / data;
}

// One case is made as messages and the next one as views, one in place and the next two not.
void is_within_limits(const Case& c, const char* what) {
  static int cases = 0;
  Sample sample(4, cases++);
  for (const Exchange exchange : {Exchange::views, Exchange::messages})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      if (!sample.takes()) continue;
      PlanOptions options = c.options;
      options.exchange = exchange;
      options.placement = placement;
      const auto p = plan(c.problem, c.ranks, options);
      ASSERT_EQ(p->options().placement, placement) << what;
      const bool in_place = placement == Placement::in_place;
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_LE(multiple(*p, direction, c.ranks, in_place), in_place ? most_in_place : most_out_of_place)
            << what << " of " << text(c.problem.shape) << " on " << c.ranks << ", route " << p->options().route
            << (exchange == Exchange::views ? ", views" : ", messages") << (in_place ? ", in place" : "")
            << (direction == Direction::forward ? "" : ", backward");
    }
}

const Shape cube{256, 256, 256}, odd{240, 250, 243}, flat{512, 512, 64};

TEST(Memory, complex_numbers_in_layouts_of_our_choice) {
  for (const char* route : {"auto", "slab", "pencil"}) is_within_limits({{.shape = odd}, 7, {.route = route}}, "c2c");
  is_within_limits({{.shape = cube}, 2}, "c2c");
  is_within_limits({{.shape = flat}, 3}, "c2c");
  is_within_limits({{.shape = cube}, 16}, "c2c");
  is_within_limits({{.shape = {1000, 768, 511}}, 24, {.route = "slab"}}, "c2c");
  is_within_limits({{.shape = {1024, 1024, 1024}}, 1024}, "c2c");
}

// In one part there is nothing to hide behind, but room to save: the result takes the place of what has been sent.
TEST(Memory, one_exchange_at_once) {
  const PlanOptions at_once{.route = "cyclic", .exchange = Exchange::messages, .overlap = Overlap::off};
  for (const Shape& shape : {Shape{64, 64, 64}, Shape{65536}})
    for (const int ranks : {2, 4, 8, 16}) {
      const auto p = plan({.shape = shape}, ranks, at_once);
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_LE(multiple(*p, direction, ranks, false), most_out_of_place) << text(shape) << " on " << ranks;
    }
}

TEST(Memory, is_saved_by_sound_schedules) {
  Sample sample(5);
  for (const Placement placement : {Placement::out_of_place, Placement::in_place})
    for (const Overlap overlap : {Overlap::off, Overlap::automatic})
      for (const Data data : {Data::complex_, Data::real_})
        for (const int ranks : {3, 4, 8})
          for (const Shape& shape : {Shape{24, 32, 40}, Shape{64 * 63}}) {
            const PlanOptions options{.exchange = Exchange::messages, .placement = placement, .overlap = overlap};
            Shape grid(shape.size(), 1);
            grid[0] = ranks;
            for (const std::optional<Layout>& in : {std::optional<Layout>{}, {Layout::blocks(shape, grid, ranks)}}) {
              if (!sample.takes()) continue;
              const auto p = plan({.shape = shape, .data = data, .in = in}, ranks, options);
              for (const Direction direction : {Direction::forward, Direction::backward})
                EXPECT_NO_THROW(validate(p->schedule(direction),
                                         placement == Placement::in_place ? Aliasing::in_is_out : Aliasing::separate))
                    << text(shape) << " on " << ranks << " ranks, route " << p->options().route;
            }
          }
}

// Rows of reals that all come to one rank of a host, in parts along an axis that is transformed, too: half of their
// spectra are longer than they are.
TEST(Memory, is_saved_where_rows_grow) {
  for (const Shape& shape : {Shape{44, 66}, Shape{45, 65}, Shape{24, 20, 18}}) {
    std::vector<Box> boxes(2, Box{Shape(shape.size(), 0), shape});
    boxes[0].end.back() = boxes[1].begin.back() = shape.back() / 3;
    const Problem reals{.shape = shape, .data = Data::real_, .in = Layout::boxes(shape, boxes)};
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      const PlanOptions options{.exchange = Exchange::messages, .nodes = {0, 1}, .per_host = 2, .placement = placement};
      const auto p = plan(reals, 2, options);
      const bool in_place = p->options().placement == Placement::in_place;
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate))
            << text(shape) << (in_place ? " in place" : "");
    }
  }
}

TEST(Memory, reals_and_cosines) {
  const std::vector<Kind> cosines(3, Kind::dct2);
  for (const Shape& shape : {cube, odd})
    for (const int ranks : {2, 3, 8}) {
      is_within_limits({{.shape = shape, .data = Data::real_}, ranks}, "r2c");
      is_within_limits({{.shape = shape, .data = Data::real_, .kinds = cosines}, ranks}, "dct");
    }
  is_within_limits({{.shape = {81, 144, 251}, .data = Data::real_}, 3}, "r2c whose spectrum does not fit its reals");
}

TEST(Memory, blocks_of_the_caller) {
  is_within_limits({{.shape = cube, .in = Layout::blocks(cube, {8, 8, 1}, 64)}, 64}, "pencils");
  is_within_limits({{.shape = cube, .in = Layout::blocks(cube, {4, 4, 4}, 64)}, 64}, "bricks");
  for (const Data data : {Data::complex_, Data::real_})
    is_within_limits({{.shape = cube, .data = data, .in = Layout::blocks(cube, {3, 1, 1}, 3)}, 3}, "slabs");
  is_within_limits({{.shape = flat, .data = Data::real_, .in = Layout::blocks(flat, {3, 1, 1}, 3)}, 3}, "flat slabs");
  is_within_limits({{.shape = cube, .data = Data::real_, .in = Layout::blocks(cube, {2, 2, 2}, 8)}, 8}, "real bricks");
  const Shape large{1024, 1024, 1024}, half{1024, 1024, 513};
  is_within_limits({{.shape = large,
                     .data = Data::real_,
                     .in = Layout::blocks(large, {32, 32, 1}, 1024),
                     .out = Layout::blocks(half, {1, 32, 32}, 1024)},
                    1024},
                   "r2c from pencils to pencils");
}

// A rank has four rows, or five, and the first rank fewer than the last.
TEST(Memory, few_rows) {
  const Shape two{2048, 3000};
  is_within_limits({{.shape = two, .in = Layout::blocks(two, {64, 1}, 64)}, 64}, "few rows");
  is_within_limits({{.shape = odd, .data = Data::real_}, 64}, "few rows of reals");
}

// Where ranks have much more in the middle than at the ends, arrays go from one to the next in rounds.
TEST(Memory, uneven_arrays_in_the_middle) {
  const Problem reals{.shape = cube, .data = Data::real_, .in = Layout::blocks(cube, {4, 4, 1}, 16)};
  is_within_limits({reals, 16}, "9 or 8 rows");
  const Shape less{64, 64, 64};
  const Problem fewer{.shape = less, .data = Data::real_, .in = Layout::blocks(less, {4, 4, 1}, 16)};
  is_within_limits({fewer, 16}, "9 or 8 rows of a quarter, a round at a time");
  EXPECT_NO_THROW(validate(plan(fewer, 16, {.exchange = Exchange::messages})->schedule(Direction::forward)));
  EXPECT_NO_THROW(validate(plan(fewer, 16, {.exchange = Exchange::views})->schedule(Direction::forward)));
  const Problem small{.shape = {32, 32, 32}, .data = Data::real_};
  is_within_limits({small, 16}, "two or one of 17 columns");
  EXPECT_NO_THROW(validate(plan(small, 16, {.exchange = Exchange::messages})->schedule(Direction::backward)));
}

// So they do where ranks have a few thousand elements: 5 or 4 of 33 columns, 17 or 16 of 257.
TEST(Memory, few_elements_in_uneven_columns) {
  const Shape small{64, 64, 64}, plane{512, 512};
  is_within_limits({{.shape = small, .data = Data::real_, .in = Layout::blocks(small, {8, 8, 1}, 64)}, 64}, "a cube");
  is_within_limits({{.shape = plane, .data = Data::real_, .in = Layout::blocks(plane, {16, 4}, 64)}, 64}, "a plane");
}

// Ranks have two rows or three in the middle, or four columns or five, so that one has up to 1.5 times as much there as
// at the ends: blocks that come peer by peer free the parts that they leave and fill those that they come to.
TEST(Memory, arrays_in_the_middle_that_are_half_as_large_again) {
  const Shape even{128, 128, 128}, rows{75, 39, 765}, line{14 * 8291};
  const Case cases[] = {
      {{.shape = even, .data = Data::real_, .in = Layout::blocks(even, {8, 8, 1}, 64)}, 64, {.route = "pencil"}},
      {{.shape = rows, .in = Layout::blocks(rows, {1, 1, 37}, 37)}, 37, {.route = "pencil"}},
      {{.shape = line, .in = Layout::blocks(line, {6}, 6)}, 6, {.route = "line"}}};
  for (const Case& c : cases) is_within_limits(c, "much in the middle");
  for (const Placement placement : {Placement::out_of_place, Placement::in_place})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const PlanOptions options{.route = "pencil", .exchange = Exchange::messages, .placement = placement};
      const bool in_place = placement == Placement::in_place;
      EXPECT_NO_THROW(validate(plan(cases[1].problem, 37, options)->schedule(direction),
                               in_place ? Aliasing::in_is_out : Aliasing::separate));
    }
}

// Half as many numbers come in on the way back, which need as much memory.
TEST(Memory, half_a_spectrum_takes_no_more_than_its_reals) {
  const PlanOptions in_place{.route = "pencil", .exchange = Exchange::views, .placement = Placement::in_place};
  const auto p = plan({.shape = {40, 21, 681}, .data = Data::real_}, 39, in_place);
  EXPECT_LE(multiple(*p, Direction::backward, 39, true), most_in_place);
}

// A rank has one row or none, which is an eighth more than it has of the line.
TEST(Memory, fewer_rows_than_ranks) {
  const Problem line{.shape = {8 * 12553}, .in = Layout::blocks({8 * 12553}, {9}, 9)};
  is_within_limits({line, 9, {.route = "line"}}, "a row or none");
}

// The fastest route, as predicted, would take five times a rank's data.
TEST(Memory, decides_between_routes) {
  const Shape shape{144, 96, 250};
  const Problem slabs{.shape = shape, .data = Data::real_, .in = Layout::blocks(shape, {64, 1, 1}, 64)};
  const PlanOptions views{.exchange = Exchange::views};
  EXPECT_LE(multiple(*plan(slabs, 64, views), Direction::forward, 64, false), most_out_of_place);
}

TEST(Memory, single_lines) {
  const Shape line{1 << 20};
  for (const Data data : {Data::complex_, Data::real_})
    for (const int ranks : {2, 8})
      is_within_limits({{.shape = line, .data = data, .in = Layout::blocks(line, {ranks}, ranks)}, ranks}, "a line");
  for (const int ranks : {2, 4, 8, 64}) is_within_limits({{.shape = line}, ranks}, "a line");
  const Problem reals{.shape = line, .data = Data::real_, .in = Layout::blocks(line, {64}, 64)};
  EXPECT_LE(multiple(*plan(reals, 64, {.exchange = Exchange::messages}), Direction::forward, 64, false),
            most_out_of_place);
  is_within_limits({{.shape = line}, 16, {.route = "group-cyclic"}}, "a line");
}

// Half a spectrum is a little larger than its reals, and ranks have one column more or less: arrays are in parts that
// find room, also where lines are folded.
TEST(Memory, lines_of_uneven_columns) {
  const auto reals = [](Index n, int ranks) {
    return Problem{.shape = {n}, .data = Data::real_, .in = Layout::blocks({n}, {ranks}, ranks)};
  };
  PlanOptions options{.route = "line", .exchange = Exchange::messages, .placement = Placement::in_place};
  const auto one_column = plan(reals(1185408, 64), 64, options), some = plan(reals(170100, 53), 53, options);
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    EXPECT_LE(multiple(*one_column, direction, 64, true), most_in_place);
    EXPECT_LE(multiple(*some, direction, 53, true), most_in_place) << "31 columns, or 30";
  }
  options.placement = Placement::out_of_place;
  EXPECT_LE(multiple(*plan(reals(1185408, 64), 64, options), Direction::backward, 64, false), most_out_of_place);
  const Problem small = reals(170100 / 7, 7);
  for (const Placement placement : {Placement::out_of_place, Placement::in_place})
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const auto p = plan(small, 7, {.exchange = Exchange::messages, .placement = placement});
      const bool in_place = placement == Placement::in_place;
      EXPECT_NO_THROW(validate(p->schedule(direction), in_place ? Aliasing::in_is_out : Aliasing::separate));
    }
}

// What a schedule keeps is memory, too.
double multiple_with_kept(const Plan& plan, Direction direction, int ranks, bool in_place) {
  const double data = std::max(complex_words(plan.layout_in().local_size(0), plan.data_in()),
                               complex_words(plan.layout_out().local_size(0), plan.data_out()));
  const auto kept = static_cast<double>(plan.rank_schedule(0, direction).size(Buffer::kept));
  return multiple(plan, direction, ranks, in_place) + kept / data;
}

// A convolution is done in four slices: there is one of them at a time, with as much workspace, the spectra of two and,
// in place, the line beside what becomes of it. Reals are half as much as their points, of which cosines have as many.
TEST(Memory, convolutions_have_one_slice_at_a_time) {
  struct Convolved {
    Problem problem;
    double most;
  };
  const Shape prime{1048573};
  for (const auto& [problem, most] :
       {Convolved{{.shape = prime}, 4.1}, Convolved{{.shape = prime, .data = Data::real_}, 5.15},
        Convolved{{.shape = prime, .data = Data::real_, .kinds = {Kind::dct2}}, 6.2}})
    for (const Exchange exchange : {Exchange::views, Exchange::messages})
      for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
        const auto p = plan(problem, 4, {.route = "bluestein", .exchange = exchange, .placement = placement});
        for (const Direction direction : {Direction::forward, Direction::backward})
          EXPECT_LE(multiple_with_kept(*p, direction, 4, placement == Placement::in_place), most)
              << "at most " << most << (exchange == Exchange::views ? ", views" : ", messages");
      }
}

// Between other layouts the result has to be put together before it moves. The line comes to where that will be, unless
// it has an element more, as it has on the first rank.
TEST(Memory, moves_to_a_convolution_and_back_cost_a_line_where_it_fits_the_result) {
  const Shape prime{65537};
  for (const Data data : {Data::complex_, Data::real_})
    for (const Exchange exchange : {Exchange::views, Exchange::messages}) {
      const PlanOptions options{.route = "bluestein", .exchange = exchange};
      const auto cyclic = plan({.shape = prime, .data = data}, 4, options),
                 blocks = plan({.shape = prime, .data = data, .in = Layout::blocks(prime, {4}, 4)}, 4, options);
      const Index line = 65537 / (data == Data::real_ ? 2 : 1) / 4 + 2;
      for (const Direction direction : {Direction::forward, Direction::backward}) {
        EXPECT_LE(blocks->workspace(0, direction), cyclic->workspace(0, direction) + 2 * line);
        EXPECT_LE(blocks->workspace(3, direction), cyclic->workspace(3, direction) + line);
        EXPECT_NO_THROW(validate(blocks->schedule(direction)));
      }
    }
}

// With so many messages nothing is tried out: all goes at once, and what was sent makes room for what comes.
TEST(Memory, very_many_ranks) {
  const Shape shape{32768, 32768, 32768};
  Sample sample(3);
  for (const Data data : {Data::complex_, Data::real_})
    for (const Placement placement : {Placement::out_of_place, Placement::in_place}) {
      if (!sample.takes()) continue;
      const bool in_place = placement == Placement::in_place;
      const auto p = plan({.shape = shape, .data = data, .in = Layout::blocks(shape, {32768, 1, 1}, 32768)}, 32768,
                          {.exchange = Exchange::messages, .placement = placement});
      const double in = complex_words(p->layout_in().local_size(0), data),
                   out = complex_words(p->layout_out().local_size(0), p->data_out());
      for (const Direction direction : {Direction::forward, Direction::backward})
        EXPECT_LE((in_place ? std::max(in, out) : in + out) + static_cast<double>(p->workspace(0, direction)),
                  (in_place ? most_in_place : most_out_of_place) * std::max(in, out))
            << (in_place ? "in place " : "") << (direction == Direction::forward ? "forward" : "backward");
    }
}

}  // namespace
}  // namespace kallima
