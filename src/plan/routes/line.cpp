// One long axis of any composite length, of complex or real data, in any layouts (see line.hpp for the idea). Three
// exchanges, of which the first is free where ranks hold every p-th point and p divides Q, and the last where they want
// every p-th output, p divides R and the data is complex. Which R, and which layouts where the caller leaves that open,
// is found by comparing all of them.

#include "plan/routes/line.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "plan/routes/around.hpp"

namespace kallima {
namespace {

constexpr Index most_parts = 8;
constexpr Index least_message = 2048;  // words of a part, if that leaves several

Layout matrix_layout(Index rows, const Distribution& columns, int ranks) {
  return {{Distribution::block(rows, 1), columns}, ranks};
}

Index parts_of(const LineChoice& c, int ranks, const PlanOptions& options) {
  if (options.chunks > 0) return options.chunks;
  if (options.exchange != Exchange::messages || options.overlap == Overlap::off) return 1;
  const Index to_one = words(most_owned(c.ends.in), c.shape.data) / ranks;
  return std::clamp<Index>(to_one / least_message, 1, most_parts);
}

// The caller's storage is at the two ends.
Links links_of(const LineChoice& c, const Problem& problem, int ranks, const PlanOptions& options) {
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
  const LineChoice choice = choose_line(problem, lines_of(problem, axis), ranks, options);
  options.chunks = parts_of(choice, ranks, options);
  Links links = links_of(choice, problem, ranks, options);
  std::string why = explanation(links, ranks);
  const int busy = static_cast<int>(std::min({static_cast<Index>(ranks), choice.shape.R, choice.shape.Q}));
  return {.plan = chain_plan(std::move(links), problem, options, std::move(why)), .cost = choice.cost, .busy = busy};
}

}  // namespace kallima
