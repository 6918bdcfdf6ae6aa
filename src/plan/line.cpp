// One long axis of any composite length, of complex or real data, in any layouts (see line.hpp for the idea). Three
// exchanges, of which the first is free where ranks hold every p-th point and p divides Q, and the last where they want
// every p-th output, p divides R and the data is complex. Which R, and which layouts where the caller leaves that open,
// is found by comparing all of them.

#include "plan/line.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "plan/around.hpp"
#include "plan/search.hpp"

namespace kallima {
namespace {

constexpr Index most_parts = 8;
constexpr Index least_message = 2048;  // words of a part, if that leaves several
constexpr double lopsided = 0.002;     // what a factor of two between R and Q costs, in words of a rank

std::vector<Index> divisors(Index n) {
  std::vector<Index> all{1};
  for (Index d = 2, rest = n; rest > 1; ++d) {
    if (d * d > rest) d = rest;
    const std::size_t before = all.size();
    for (Index power = d; rest % d == 0; rest /= d, power *= d)
      for (std::size_t i = 0; i < before; ++i) all.push_back(all[i] * power);
  }
  return all;
}

// How many ranks an axis is dealt out to one by one; 0: it is dealt out otherwise.
Index cyclic_parts(const Layout& layout, std::size_t axis) {
  if (!layout.is_grid()) return 0;
  const Distribution& d = layout.dims()[axis];
  return d.cycle() == d.parts() ? d.parts() : 0;
}

Index most_owned(const Layout& layout) {
  const Index count = element_count(layout.shape());
  if (layout.is_grid()) return (count + layout.active_ranks() - 1) / layout.active_ranks();
  Index most = 0;
  for (int rank = 0; rank < layout.ranks(); ++rank) most = std::max(most, layout.local_size(rank));
  return most;
}

struct Ends {
  Layout in;
  Layout out;
};

struct Choice {
  LineShape shape;
  Ends ends;
  Distribution columns_in;
  Distribution columns_out;
  bool folds_in;
  bool folds_out;
  bool images_only;  // what is not a mirror image is where it shall be; of two ranks, that is too
  double cost = 0;
};

class Chooser {
 public:
  Chooser(const Problem& problem, const LineShape& shape, int ranks, const PlanOptions& options)
      : problem_(problem), shape_(shape), n_(problem.shape[shape.axis]), ranks_(ranks), options_(options) {}

  Choice best() const;

 private:
  std::vector<Layout> free_layouts(const Shape& shape) const;
  std::vector<Ends> ends() const;
  std::vector<Choice> choices(const Ends& ends, Index R) const;
  double cost(const Choice& choice) const;

  const Problem& problem_;
  const LineShape& shape_;
  const Index n_;
  const int ranks_;
  const PlanOptions& options_;
};

// Of all ranks, or as many as divide the axis once or twice.
std::vector<Layout> Chooser::free_layouts(const Shape& shape) const {
  std::vector<Index> parts{ranks_};
  for (Index p = ranks_; p >= 1 && parts.back() > 1; --p)
    if (n_ % p == 0 && (parts.size() == 1 || n_ / p % p == 0)) parts.push_back(p);
  if (!options_.grid.empty()) parts = {options_.grid[shape_.axis]};
  std::vector<Layout> all;
  for (const Index p : parts) {
    Shape grid(shape.size(), 1);
    grid[shape_.axis] = p;
    all.push_back(
        Layout::blocks(shape, grid, ranks_));  // neighbours stay neighbours, so it wins where both cost the same
    if (p > 1) all.push_back(Layout::cyclic(shape, grid, ranks_));
  }
  return all;
}

std::vector<Ends> Chooser::ends() const {
  std::vector<Ends> all;
  for (const Layout& in : problem_.in ? std::vector{*problem_.in} : free_layouts(problem_.shape)) {
    Problem with = problem_;
    with.in = in;
    const std::optional<Layout> out = wanted_out(with);
    for (const Layout& end : out ? std::vector{*out} : free_layouts(spectrum_shape(problem_))) all.push_back({in, end});
  }
  return all;
}

// With columns dealt out as the line is, where that can be, and in blocks to all ranks.
std::vector<Choice> Chooser::choices(const Ends& ends, Index R) const {
  LineShape shape = shape_;
  shape.R = R;
  shape.Q = n_ / R;
  const Index kept = shape.kept();
  const Index p = cyclic_parts(ends.in, shape.axis), q = cyclic_parts(ends.out, shape.axis);
  std::vector<Choice> all;
  for (const bool as_in : {true, false})
    for (const bool as_out : {true, false}) {
      if ((as_in && (p == 0 || shape.Q % p != 0)) || (as_out && (q == 0 || R % q != 0))) continue;
      const auto blocks = [&](Index count) { return Distribution::block(count, std::min<Index>(ranks_, count)); };
      Choice& c = all.emplace_back(Choice{.shape = shape,
                                          .ends = ends,
                                          .columns_in = as_in ? Distribution::cyclic(shape.Q, p) : blocks(shape.Q),
                                          .columns_out = as_out ? Distribution::cyclic(kept, q) : blocks(kept),
                                          .folds_in = !as_in,
                                          .folds_out = !as_out || shape.data == Data::real_,
                                          .images_only = as_out});
      c.cost = cost(c);
    }
  return all;
}

double Chooser::cost(const Choice& c) const {
  const auto columns_of = [](const Distribution& d) { return (d.extent() + d.parts() - 1) / d.parts(); };
  const Index lines = shape_.outer * shape_.inner;
  const Index first = lines * columns_of(c.columns_in), second = lines * columns_of(c.columns_out);
  const auto transform = [](Index length, Index count, Data data) {
    return transform_cost({Layout::blocks({length, count}, {1, 1}, 1), data}, {{.axis = 0}});
  };
  double cost = transform(c.shape.R, first, shape_.data) + transform(c.shape.Q, second, Data::complex_);
  const double ratio = std::log2(static_cast<double>(c.shape.R) / static_cast<double>(c.shape.Q));
  cost += lopsided * std::abs(ratio) * static_cast<double>(lines * n_ / ranks_);
  if (ranks_ == 1) return cost;
  const double latency = exchange_cost({c.ends.in}, c.ends.in);  // nothing moves
  const auto exchange = [&](Index most, Index other) { return latency + static_cast<double>(std::max(most, other)); };
  const Index made = second * c.shape.Q;
  if (c.folds_in) cost += exchange(words(most_owned(c.ends.in), shape_.data), words(first * c.shape.R, shape_.data));
  if (c.columns_in.parts() > 1 || c.columns_out.parts() > 1) cost += exchange(first * c.shape.kept(), made);
  if (!c.folds_out) return cost;
  if (!c.images_only) return cost + exchange(most_owned(c.ends.out), made);
  return cost + (c.columns_out.parts() > 2 ? exchange(made / 2, 0) : 0);
}

Choice Chooser::best() const {
  std::optional<Choice> best;
  for (const Ends& e : ends())
    for (const Index R : divisors(n_)) {
      if (R == 1 || R == n_) continue;
      for (Choice& c : choices(e, R))
        if (!best || c.cost < best->cost) best = std::move(c);
    }
  return *best;
}

Layout matrix_layout(Index rows, const Distribution& columns, int ranks) {
  return {{Distribution::block(rows, 1), columns}, ranks};
}

Index parts_of(const Choice& c, int ranks, const PlanOptions& options) {
  if (options.chunks > 0) return options.chunks;
  if (options.exchange != Exchange::messages || options.overlap == Overlap::off) return 1;
  const Index to_one = words(most_owned(c.ends.in), c.shape.data) / ranks;
  return std::clamp<Index>(to_one / least_message, 1, most_parts);
}

// The caller's storage is at the two ends.
Links links_of(const Choice& c, const Problem& problem, int ranks, const PlanOptions& options) {
  const Turn turn{matrix_layout(c.shape.R, c.columns_in, ranks), matrix_layout(c.shape.Q, c.columns_out, ranks),
                  options.chunks, options.exchange};
  const Layout& begin = c.folds_in ? turn.columns_in : c.ends.in;
  const Layout& end = c.folds_out ? turn.columns_out : c.ends.out;
  Links links;
  const auto fold = [&](End which, const Layout& line, const Layout& matrix) {
    links.push_back(fold_link(c.shape, which, line, matrix, options.chunks, options.exchange));
  };
  if (!problem.storage_in.is_plain())
    links.push_back(local_link({c.ends.in, problem.data, problem.storage_in}, {}, {}, {}));
  if (c.folds_in) fold(End::input, c.ends.in, begin);
  links.push_back(turn_link(c.shape, turn, begin, end));
  if (c.folds_out) fold(End::output, c.ends.out, end);
  if (!problem.storage_out.is_plain()) links.push_back(local_link({c.ends.out}, {}, problem.storage_out, {}));
  return links;
}

// The array as outer x line x inner.
LineShape lines_of(const Problem& problem, std::size_t axis) {
  LineShape shape{.data = problem.data, .axis = axis};
  for (std::size_t k = 0; k < problem.shape.size(); ++k)
    if (k != axis) (k < axis ? shape.outer : shape.inner) *= problem.shape[k];
  return shape;
}

std::size_t long_axis(const Problem& problem) {
  const auto longer = [&](int a, int b) {
    return problem.shape[static_cast<std::size_t>(a)] < problem.shape[static_cast<std::size_t>(b)];
  };
  return static_cast<std::size_t>(*std::max_element(problem.axes.begin(), problem.axes.end(), longer));
}

std::string layout_trouble(const Problem& problem, const PlanOptions& options, std::size_t axis) {
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    if (k == axis) continue;
    if (!options.grid.empty() && options.grid[k] > 1)
      return fmt::format("the grid {} splits dimension {}, which it keeps whole", text(options.grid), k);
    for (const auto& layout : {problem.in, problem.out})
      if (layout && !holds_whole(*layout, k)) return fmt::format("dimension {} is dealt out, which it keeps whole", k);
  }
  return "";
}

std::string trouble(const Problem& problem, const PlanOptions& options, std::size_t axis) {
  const Index n = problem.shape[axis];
  for (std::size_t i = 0; i < problem.axes.size(); ++i) {
    const auto k = static_cast<std::size_t>(problem.axes[i]);
    if (problem.kinds[i] != Kind::fourier) return "it knows no cosines and sines";
    if (k != axis && problem.shape[k] > 1) return "it transforms one axis only";
  }
  if (problem.data == Data::real_ && halved_axis(problem) != static_cast<int>(axis))
    return fmt::format("axis {} of length 1 is the one that is halved", halved_axis(problem));
  if (divisors(n).size() <= 2) return fmt::format("{} points are no R*Q with R and Q above 1", n);
  if (options.alltoall == Alltoall::pairwise || options.alltoall == Alltoall::bruck)
    return fmt::format("its blocks may differ in size and go straight to ranks i+1, i+2, ..., not {}",
                       name(options.alltoall));
  return layout_trouble(problem, options, axis);
}

}  // namespace

Answer consider_line(const Problem& problem, int ranks, const PlanOptions& wanted) {
  if (problem.axes.empty()) return {.reason = "there is no axis to transform"};
  const std::size_t axis = long_axis(problem);
  if (const std::string reason = trouble(problem, wanted, axis); !reason.empty()) return {.reason = reason};
  PlanOptions options = wanted;
  options.route = "line";
  const Choice choice = Chooser(problem, lines_of(problem, axis), ranks, options).best();
  options.chunks = parts_of(choice, ranks, options);
  Links links = links_of(choice, problem, ranks, options);
  std::string why = explanation(links, ranks);
  return {.plan = chain_plan(std::move(links), problem, options, std::move(why)), .cost = choice.cost};
}

}  // namespace kallima
