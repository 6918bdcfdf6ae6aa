// One long axis of any composite length, of complex or real data, in any layouts (see line.hpp for the idea). Three
// exchanges, of which the first is free where ranks hold every p-th point and p divides Q, and the last where they want
// every p-th output, p divides R and the data is complex. Which R, and which layouts where the caller leaves that open,
// is found by comparing all of them.

#include "plan/routes/line.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima {
namespace {

// The array with its axis in two slots, rows and columns of the points; the outputs have them the other way round.
Held matrix(const LineChoice& c, const Problem& problem, const Distribution& rows, const Distribution& columns,
            Data data, int ranks, End order) {
  std::vector<Slot> slots;
  std::vector<std::vector<std::size_t>> axes;
  for (std::size_t k = 0; k < problem.shape.size(); ++k) {
    axes.push_back({slots.size()});
    if (k != c.shape.axis) {
      slots.push_back({Distribution::block(problem.shape[k], 1)});
      continue;
    }
    axes.back() = order == End::input ? std::vector{k, k + 1} : std::vector{k + 1, k};
    slots.push_back({rows});
    slots.push_back({columns});
  }
  return {Spread(std::move(slots), ranks), data, {}, std::move(axes)};
}

// Both directions: the transform along one slot, the exchange, and that along the other, with a fold at either end that
// is not laid out as the matrix is.
Path path_of(const LineChoice& c, const Problem& problem, int ranks, Direction direction) {
  const bool forward = direction == Direction::forward, real = c.shape.data == Data::real_;
  const std::size_t x = c.shape.axis, y = x + 1;
  const Index R = c.shape.R, Q = c.shape.Q, n = c.shape.n();
  const auto whole = [](Index extent) { return Distribution::block(extent, 1); };
  const Held points = matrix(c, problem, whole(R), c.columns_in, problem.data, ranks, End::input);
  const Held outputs = matrix(c, problem, c.columns_out, whole(Q), Data::complex_, ranks, End::output);
  const Held line_in{Spread(c.ends.in), problem.data, problem.storage_in};
  const Held line_out{Spread(c.ends.out), Data::complex_, problem.storage_out};
  const Fold fold_in{c.shape, End::input, problem.storage_in}, fold_out{c.shape, End::output, problem.storage_out};
  Transform along_x{.slot = x, .length = R}, along_y{.slot = y, .length = Q};
  if (real) along_x.kind = forward ? Kind::real_to_half : Kind::half_to_real;
  Transform& first = forward ? along_x : along_y;
  first.modulus = n;
  first.by = {{forward ? y : x, 1}};
  Stop turns_x{.held = points, .transforms = {along_x}, .name = fmt::format("columns of {}x{}", R, Q)};
  Stop turns_y{.held = outputs, .transforms = {along_y}, .name = fmt::format("rows of {}", Q)};
  Path path{.stops = {}, .out = forward ? line_out : line_in};
  path.phase = "phase";
  const bool folds_first = forward ? c.folds_in : c.folds_out, folds_last = forward ? c.folds_out : c.folds_in;
  if (folds_first) path.stops.push_back({.held = forward ? line_in : line_out});
  Stop& one = path.stops.emplace_back(forward ? turns_x : turns_y);
  if (folds_first)
    one.cells = cells_of(forward ? fold_in : fold_out, Way::to_matrix);
  else
    one.held.storage = forward ? problem.storage_in : problem.storage_out;
  Stop& two = path.stops.emplace_back(forward ? turns_y : turns_x);
  two.result = forward ? outputs : points;
  if (!forward)  // it becomes real here
    two.held = matrix(c, problem, whole(c.shape.kept()), c.columns_in, Data::complex_, ranks, End::input);
  if (!folds_last) {
    path.out = *two.result;
    path.out.storage = forward ? problem.storage_out : problem.storage_in;
    return path;
  }
  Stop& end = path.stops.emplace_back(Stop{.held = path.out, .name = (forward ? c.ends.out : c.ends.in).text()});
  end.cells = cells_of(forward ? fold_out : fold_in, Way::from_matrix);
  return path;
}

// The array as outer x line x inner.
LineShape lines_of(const Problem& problem, std::size_t axis) {
  LineShape shape{.data = problem.data, .axis = axis};
  for (std::size_t k = 0; k < problem.shape.size(); ++k)
    if (k != axis) (k < axis ? shape.outer : shape.inner) *= problem.shape[k];
  return shape;
}

std::size_t long_axis(const Problem& problem) {
  const auto longer = [&](int a, int b) { return problem.shape[at(a)] < problem.shape[at(b)]; };
  return static_cast<std::size_t>(*std::ranges::max_element(problem.axes, longer));
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
  const std::string blocks = straight_trouble(options);
  return blocks.empty() ? layout_trouble(problem, options, axis) : blocks;
}

}  // namespace

Candidate consider_line(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.axes.empty()) return {.reason = "there is no axis to transform"};
  const std::size_t axis = long_axis(problem);
  if (const std::string reason = trouble(problem, options, axis); !reason.empty()) return {.reason = reason};
  const LineChoice choice = choose_line(problem, lines_of(problem, axis), ranks, options);
  Paths paths{path_of(choice, problem, ranks, Direction::forward),
              path_of(choice, problem, ranks, Direction::backward)};
  std::string why = explanation(paths.forward, ranks);
  const int busy = static_cast<int>(std::min({static_cast<Index>(ranks), choice.shape.R, choice.shape.Q}));
  return {.plan = path_plan({problem, options, choice.ends.in, choice.ends.out, std::move(paths), std::move(why)}),
          .busy = busy};
}

}  // namespace kallima
