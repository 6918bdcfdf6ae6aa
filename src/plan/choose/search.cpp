#include "plan/choose/search.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>

#include "base/check.hpp"
#include "layout/grids.hpp"

namespace kallima {
namespace {

constexpr std::size_t most_dims = 5;   // to deal out: the longest; 32 sets of them
constexpr std::size_t most_grids = 4;  // of each set
constexpr double lost_by_run = 16;     // elements that could be read while the first ones of a run are,
constexpr double most_lost = 0.25;     // of the time: what is packed loses less

std::vector<Shape> callers_grids(const Problem& problem) {
  std::vector<Shape> grids;
  for (const auto* layout : {&problem.in, &problem.out})
    if (*layout && (*layout)->is_grid()) grids.push_back((*layout)->grid());
  return grids;
}

// The dimensions that may be dealt out, the longest first.
std::vector<std::size_t> long_dims(const Shape& shape) {
  std::vector<std::size_t> dims;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (shape[k] > 1) dims.push_back(k);
  std::ranges::stable_sort(dims, [&](std::size_t a, std::size_t b) { return shape[a] > shape[b]; });
  dims.resize(std::min(dims.size(), most_dims));
  return dims;
}

// Grids over every set of dimensions: of the widest those that are like the caller's, and the squarest.
std::vector<Shape> useful_grids(const Shape& shape, int ranks, const std::vector<Shape>& callers) {
  const auto sorted = [](Shape grid) {
    std::ranges::sort(grid);
    return grid;
  };
  const auto worth = [&](const Shape& grid) {  // less is better
    const Shape g = sorted(grid);
    const bool like = std::ranges::any_of(callers, [&](const Shape& c) { return sorted(c) == g; });
    return std::pair(!like, g.back());
  };
  const std::vector<std::size_t> dims = long_dims(shape);
  std::vector<Shape> all;
  for (unsigned set = 0; set < 1u << dims.size(); ++set) {
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if ((set >> i & 1) != 0) some.push_back(dims[i]);
    std::vector<Shape> grids =
        widest_grids(shape.size(), some, ranks, [&](std::size_t k, Index parts) { return parts <= shape[k]; });
    std::ranges::stable_sort(grids, [&](const Shape& a, const Shape& b) { return worth(a) < worth(b); });
    grids.resize(std::min(grids.size(), most_grids));
    for (Shape& grid : grids)
      if (std::ranges::find(all, grid) == all.end()) all.push_back(std::move(grid));
  }
  return all;
}

enum class Grids { all, wide };  // wide: those that keep half as many ranks busy as can be, and their memory in use

class Search {
 public:
  Search(const Problem& problem, int ranks, const PlanOptions& options, Grids which)
      : problem_(problem),
        ranks_(ranks),
        charges_(charges_for(ranks, options)),
        read_in_place_(options.exchange == Exchange::views),
        out_(wanted_out(problem)),
        halved_(halved_axis(problem)) {
    grids_ = useful_grids(spectrum_shape(problem), ranks, callers_grids(problem));
    for (const int axis : problem.axes) all_ |= std::uint64_t{1} << axis;
    if (which == Grids::all) return;
    Index most = 1;
    for (const Shape& grid : grids_) most = std::max(most, element_count(grid));
    std::erase_if(grids_, [&](const Shape& grid) { return 2 * element_count(grid) < most; });
  }

  // Empty where there is no way.
  std::vector<Stage> run() {
    const std::vector<std::size_t> starts = problem_.in ? std::vector{in_place()} : widest_grids();
    std::vector<Stage> best;
    const bool each = !problem_.in && !out_ && problem_.output == Output::same;  // ends where it began
    double limit = INFINITY;
    for (std::size_t i = 0; i < (each ? starts.size() : 1); ++i) {
      const std::optional<State> end = explore(each ? std::vector{starts[i]} : starts, limit);
      if (!end) continue;
      best = stages_to(*end);
      limit = reached_.at(*end).seconds;
    }
    return best;
  }

 private:
  // Places are the grids, and behind them the caller's layouts. What is done is a set of dimensions.
  struct State {
    std::size_t place;
    std::uint64_t done;
    auto operator<=>(const State&) const = default;
  };
  struct Reached {
    double seconds = 0;
    std::optional<State> from = {};
  };

  std::size_t in_place() const { return grids_.size(); }
  std::size_t out_place() const { return grids_.size() + 1; }
  bool is_halved(std::uint64_t done) const { return halved_ >= 0 && (done >> halved_ & 1) != 0; }

  LaidOut array_at(const State& state) const {
    const bool halved = is_halved(state.done);
    const Data data = halved ? Data::complex_ : problem_.data;
    const Shape shape = halved ? spectrum_shape(problem_) : problem_.shape;
    if (state.place == out_place()) return {*out_, data};
    if (state.place < grids_.size()) return {Layout::blocks(shape, grids_[state.place], ranks_), data};
    const auto h = static_cast<std::size_t>(halved_);
    return {halved ? with_extent(*problem_.in, h, shape[h]) : *problem_.in, data};
  }

  std::vector<Transform> transforms_at(const State& state) const {
    std::vector<bool> done(problem_.shape.size());
    for (std::size_t k = 0; k < done.size(); ++k) done[k] = (state.done >> k & 1) != 0;
    return possible_here(problem_, array_at(state), done);
  }

  std::uint64_t done_after(const State& state) const {
    std::uint64_t done = state.done;
    for (const Transform& t : transforms_at(state)) done |= std::uint64_t{1} << t.slot;
    return done;
  }

  // The array is halved before it can be where only halves are.
  bool leads_to(std::size_t place, const State& state) const {
    const bool may_be_out = out_ && (halved_ < 0 || is_halved(state.done));
    return place != state.place && (place < grids_.size() || (place == out_place() && may_be_out));
  }

  bool is_end(const State& state, std::size_t start) const {
    if (done_after(state) != all_) return false;
    if (out_) return state.place == out_place() || array_at({state.place, all_}).layout == *out_;
    return problem_.output == Output::any || problem_.in || state.place == start;
  }

  double step_seconds(const State& from, std::size_t to) {
    const auto [known, is_new] = known_.try_emplace({from.place, to, is_halved(from.done)});
    if (is_new) {
      const LaidOut before = array_at(from), after = array_at({to, from.done});
      known->second = exchange_seconds(charges_, before.held(), after.held()) *
                      (1 + std::min(most_lost, lost_by_run / static_cast<double>(run_of(before.layout, after.layout))));
    }
    return known->second;
  }

  // What a rank reads of another stands in runs of neighbours, of all that it has of the last dimensions as long as
  // these are whole at both ends; what is packed is packed row by row. Boxes may be anything.
  Index run_of(const Layout& from, const Layout& to) const {
    Index run = 1;
    if (!from.is_grid() || !to.is_grid()) return run;
    for (std::size_t k = from.dims().size(); k-- > 0;) {
      const Index extent = from.dims()[k].extent();
      const Index shared = std::min(from.dims()[k].local_extent(0), to.dims()[k].local_extent(0));
      run *= std::max<Index>(1, shared);
      if (shared < extent || (extent > 1 && !read_in_place_)) break;
    }
    return run;
  }

  // Dijkstra's algorithm; ends at the fastest end, if one is faster than `limit`.
  std::optional<Search::State> explore(const std::vector<std::size_t>& starts, double limit) {
    using Entry = std::pair<double, State>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    reached_.clear();
    const auto reach = [&](const State& state, double seconds, std::optional<State> from) {
      const auto known = reached_.find(state);
      if (known != reached_.end() && known->second.seconds <= seconds) return;
      reached_[state] = {seconds, from};
      open.push({seconds, state});
    };
    for (const std::size_t start : starts) reach({start, 0}, 0, {});
    while (!open.empty()) {
      const auto [seconds, state] = open.top();
      open.pop();
      if (seconds > reached_[state].seconds) continue;
      const double here = seconds + transform_seconds(charges_, array_at(state).held(), transforms_at(state));
      if (seconds >= limit) return std::nullopt;
      const State done{state.place, done_after(state)};
      if (done.done == all_ && done != state) {  // the last transforms take time, too: come back for it
        reach(done, here, state);
        continue;
      }
      if (is_end(state, starts.front())) return state;
      for (std::size_t to = 0; to <= out_place(); ++to)
        if (leads_to(to, done)) reach({to, done.done}, here + step_seconds(done, to), state);
    }
    return std::nullopt;
  }

  std::vector<Stage> stages_to(State end) const {
    std::vector<Stage> stages;
    std::size_t later = grids_.size() + 2;
    for (std::optional<State> state = end; state; state = reached_.at(*state).from) {
      if (state->place == later) stages.pop_back();  // it only said that all is done there
      Stage& stage = stages.emplace_back(Stage{array_at(*state).layout});
      for (const Transform& t : transforms_at(*state)) stage.axes.push_back(static_cast<int>(t.slot));
      later = state->place;
    }
    std::ranges::reverse(stages);
    return stages;
  }

  // Whoever leaves the choice to us has many ranks in order to use them; few dimensions dealt out take few exchanges,
  // and slow ones leave more of what stands side by side.
  std::vector<std::size_t> widest_grids() const {
    const auto worth = [](const Shape& grid) { return std::pair(element_count(grid), std::ranges::count(grid, 1)); };
    const auto best = worth(*std::ranges::max_element(grids_, {}, worth));
    std::vector<std::size_t> widest;
    for (std::size_t g = 0; g < grids_.size(); ++g)
      if (worth(grids_[g]) == best) widest.push_back(g);
    std::ranges::stable_sort(widest, [this](std::size_t a, std::size_t b) { return grids_[a] > grids_[b]; });
    return widest;
  }

  const Problem& problem_;
  int ranks_;
  Charges charges_;
  bool read_in_place_;
  std::vector<Shape> grids_;
  std::optional<Layout> out_;
  int halved_;
  std::uint64_t all_ = 0;
  std::map<std::tuple<std::size_t, std::size_t, bool>, double> known_;
  std::map<State, Reached> reached_;
};

// The layout of another shape that is dealt out alike.
Layout like(const Layout& layout, const Shape& shape) {
  std::vector<Distribution> dims;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const Distribution& d = layout.dims()[k];
    dims.push_back(Distribution::group_cyclic(shape[k], d.parts(), d.cycle()));
  }
  return {dims, layout.ranks()};
}

}  // namespace

std::vector<Stage> fastest_stages(const Problem& problem, int ranks, const PlanOptions& options) {
  std::vector<Stage> best = Search(problem, ranks, options, Grids::wide).run();
  if (best.empty()) best = Search(problem, ranks, options, Grids::all).run();
  require(!best.empty(), "there is no way from the layout in to the layout out of shape {}", text(problem.shape));
  return best;
}

std::optional<Layout> wanted_out(const Problem& problem) {
  if (problem.out || problem.output == Output::any) return problem.out;
  const int halved = halved_axis(problem);
  if (!problem.in || halved < 0) return problem.in;
  if (problem.in->is_grid()) return like(*problem.in, spectrum_shape(problem));
  const auto axis = static_cast<std::size_t>(halved);
  if (!holds_whole(*problem.in, axis)) return std::nullopt;
  return with_extent(*problem.in, axis, spectrum_shape(problem)[axis]);
}

std::vector<Transform> possible_here(const Problem& problem, const LaidOut& array, const std::vector<bool>& done) {
  std::vector<Transform> here;
  const auto add = [&](int axis, Kind kind) {
    const auto k = static_cast<std::size_t>(axis);
    if (done[k] || !holds_whole(array.layout, k)) return false;
    here.push_back({.slot = k, .kind = kind, .length = problem.shape[k]});
    return true;
  };
  for (std::size_t i = 0; i < problem.axes.size(); ++i)
    if (problem.kinds[i] != Kind::fourier) add(problem.axes[i], problem.kinds[i]);
  const int halved = halved_axis(problem);
  const bool halves = halved >= 0 && add(halved, Kind::real_to_half);
  for (std::size_t i = 0; i < problem.axes.size() && (halves || array.data == Data::complex_); ++i)
    if (problem.kinds[i] == Kind::fourier && problem.axes[i] != halved) add(problem.axes[i], Kind::fourier);
  return here;
}

}  // namespace kallima
