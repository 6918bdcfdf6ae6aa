#include "app/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "app/files.hpp"
#include "app/laboratory.hpp"
#include "kallima/draw.hpp"
#include "kallima/kept.hpp"

namespace kallima::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

constexpr double quickly_s = 0.5;

enum class Work { same, grows };  // of all ranks together, where these are more

// Powers of two around the ranks that were asked for, nearest ones first, so that a lack of time costs the far ones.
std::vector<int> counts_around(int ranks) {
  std::vector<int> counts{ranks};
  for (int k = 1; k <= 16; ++k) {
    if (ranks >> k >= 1 && (ranks >> k) << k == ranks) counts.push_back(ranks >> k);
    if (k <= 4 && ranks <= (1 << 24) >> k) counts.push_back(ranks << k);
  }
  return counts;
}

// The same work for each rank: dimensions are doubled in turns, the first of them first.
Shape weak_shape(Shape shape, int from, int to) {
  std::size_t next = 0;
  for (; from < to; from *= 2) shape[next++ % shape.size()] *= 2;
  for (next = shape.size(); from > to; from /= 2) {
    std::size_t most = 0;
    for (std::size_t k = 1; k < shape.size(); ++k)
      if (shape[k] >= shape[most]) most = k;
    shape[most] = std::max<Index>(1, shape[most] / 2);
  }
  return shape;
}

int ranks_of_a_node(const PredictionSpec& spec, const Profile& profile) {
  if (spec.how.per_node > 0) return spec.how.per_node;
  return std::max(1, profile.rates.passes.empty() ? profile.machine.node.ranks : profile.rates.cores);
}

// As whoever runs it would have it: messages between nodes, and inside of one what ranks see of each other.
std::unique_ptr<Plan> plan_for(const PredictionSpec& spec, const Profile& profile, const Shape& shape, int ranks) {
  PlanOptions options = spec.plan;
  const int per_node = ranks_of_a_node(spec, profile);
  if (spec.plan.exchange == Exchange::messages) options.per_host = std::min(ranks, per_node);
  if (ranks > per_node) {
    options.exchange = Exchange::messages;
    if (spec.plan.exchange == Exchange::views && per_node > 1)
      for (int rank = 0; rank < ranks; ++rank) options.nodes.push_back(rank / per_node);
  }
  return plan(spec.problem(shape, ranks), ranks, options);
}

// 0: no limit.
Index most_ranks(const PredictionSpec& spec, const Profile& profile) {
  return profile.machine.topology.nodes() * ranks_of_a_node(spec, profile);
}

// By the route that is given, or by any where it does not apply.
ScalingPoint point_at(PredictionSpec spec, const Profile& profile, const Shape& shape, int ranks) {
  ForecastOptions how = spec.how;
  how.alone = false;
  try {
    return {shape, forecast(*plan_for(spec, profile, shape, ranks), profile, how)};
  } catch (const Error&) {
    spec.plan.route = "auto";
    return {shape, forecast(*plan_for(spec, profile, shape, ranks), profile, how)};
  }
}

// From the one that was simulated: computing by points of a rank, exchanging by words it sends. Nothing where the route
// does not apply.
std::optional<ScalingPoint> scaled(const PredictionSpec& spec, const Profile& profile, const WholePrediction& all,
                                   const Shape& shape, int ranks) try {
  const Forecast& known = all.forecast;
  const auto words = static_cast<double>(plan_for(spec, profile, shape, ranks)->traffic(0, Direction::forward).words);
  const double points =
      static_cast<double>(element_count(shape)) / static_cast<double>(element_count(spec.shape)) * known.ranks / ranks;
  const double sent = all.words_sent > 0 ? words / all.words_sent : 1;
  Forecast it{.ranks = ranks, .error = known.error, .simulated = "scaled"};
  it.computation_s = known.computation_s * points;
  it.communication_s = known.communication_s * sent;
  it.seconds = it.in_sequence() * known.seconds / known.in_sequence();
  it.memory_words = known.memory_words * points;
  return ScalingPoint{shape, it};
} catch (const Error&) {
  return std::nullopt;
}

// One exchange with very many peers is in one piece anyway, which is soon simulated if nothing else is tried.
bool is_in_one_piece(const WholePrediction& all, int ranks) {
  constexpr int many_peers = 4096;
  return all.exchanges == 1 && ranks > many_peers;
}

// Simulated each by its own route where that goes quickly; otherwise by the same route, up to eight times as many ranks
// and as few, those first that are nearest, and scaled where simulation would take too long. What a row costs goes with
// its ranks.
void add_rows(PredictionSpec spec, const Profile& profile, WholePrediction& all, Clock::time_point begin) {
  const double took = seconds_since(begin);
  const bool slow = took > quickly_s;
  if (slow) spec.plan.route = all.route;
  const Overlap overlap = spec.plan.overlap;
  double cost_of_a_rank = slow ? took / 2 / spec.ranks : 0;
  const Index most = most_ranks(spec, profile);
  for (const int ranks : counts_around(spec.ranks))
    for (const Work work : {Work::same, Work::grows}) {
      if (ranks == spec.ranks || (most > 0 && ranks > most) || seconds_since(begin) > spec.patience_s) continue;
      const bool far = ranks < spec.ranks / 8 || ranks / 8 > spec.ranks;
      if (slow && far) continue;
      const bool one_piece = slow && is_in_one_piece(all, ranks);
      spec.plan.overlap = one_piece ? Overlap::off : overlap;
      const Shape shape = work == Work::same ? spec.shape : weak_shape(spec.shape, spec.ranks, ranks);
      std::vector<ScalingPoint>& rows = work == Work::same ? all.strong : all.weak;
      const double before = seconds_since(begin);
      if (!slow || (one_piece && before + cost_of_a_rank * ranks < spec.patience_s)) {
        rows.push_back(point_at(spec, profile, shape, ranks));
        if (slow) cost_of_a_rank = (seconds_since(begin) - before) / ranks;
      } else if (const auto row = scaled(spec, profile, all, shape, ranks)) {
        rows.push_back(*row);
      }
    }
}

// Against the point with the fewest ranks: of the same work that so many times the ranks should do in as little of the
// time, or of as many times the points in the same.
void add_efficiency(std::vector<ScalingPoint>& all, Work work) {
  std::ranges::sort(all, {}, [](const ScalingPoint& p) { return p.forecast.ranks; });
  const auto spent = [&](const ScalingPoint& p) {
    return p.forecast.seconds * (work == Work::same ? p.forecast.ranks : 1);
  };
  for (ScalingPoint& p : all) p.efficiency = spent(all.front()) / spent(p);
}

}  // namespace

NamedProfile profile_named(const std::string& machine) {
  if (machine.empty()) {
    if (std::optional<Profile> kept = kept_profile()) return {*kept, kept_profile_path()};
    return {usual_profile(), "no calibration: round numbers (run kallima calibrate)"};
  }
  if (std::filesystem::is_regular_file(machine) && machine.find(':') == std::string::npos) {
    try {
      const std::string json = read_text(machine);
      return {profile_from_json(json), machine, assumed_costs(json)};
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", machine, error.what()));
    }
  }
  return {Profile{.machine = lab_machine(machine)}, machine};
}

WholePrediction predicted(const PredictionSpec& spec, const Profile& profile) {
  const auto begin = Clock::now();
  const Problem problem = spec.problem(spec.shape, spec.ranks);
  const std::unique_ptr<Plan> it = plan_for(spec, profile, spec.shape, spec.ranks);
  WholePrediction all;
  all.forecast = forecast(*it, profile, spec.how);
  all.route = it->options().route;
  all.explanation = it->explanation();
  all.exchanges = it->exchanges();
  all.words_sent = static_cast<double>(it->traffic(0, Direction::forward).words);
  const auto word = all.word_bytes = static_cast<double>(word_bytes(problem.precision));
  const auto array = [&](const Layout& layout, Data data) {
    return static_cast<double>(layout.local_size(0)) * word / (data == Data::real_ ? 2 : 1);
  };
  all.memory.arrays = array(it->layout_in(), it->data_in()) + array(it->layout_out(), it->data_out());
  all.memory.workspace = static_cast<double>(it->workspace(0, Direction::forward)) * word;
  all.strong.push_back({spec.shape, all.forecast});
  all.weak.push_back({spec.shape, all.forecast});
  add_rows(spec, profile, all, begin);
  add_efficiency(all.strong, Work::same);
  add_efficiency(all.weak, Work::grows);
  const auto best = std::ranges::min_element(all.strong, {}, [](const ScalingPoint& p) { return p.forecast.seconds; });
  all.best_ranks = best->forecast.ranks;
  for (auto p = all.strong.rbegin(); p != all.strong.rend(); ++p)
    if (p->forecast.ranks > all.best_ranks) all.slower_from = p->forecast.ranks;
  return all;
}

std::string prediction_plot(const WholePrediction& all, const std::string& title) {
  LineChart chart{.title = title, .x_axis = "ranks", .y_axis = "seconds"};
  chart.x_scale = chart.y_scale = AxisScale::logarithmic;
  LineChart::Series strong{.label = "this shape", .points = {}, .stroke = Stroke::bold};
  LineChart::Series ideal{.label = "divided by ranks", .points = {}, .stroke = Stroke::dashed};
  LineChart::Series weak{.label = "as much for each rank", .points = {}};
  for (const ScalingPoint& p : all.strong) {
    const auto ranks = static_cast<double>(p.forecast.ranks);
    strong.points.push_back({ranks, p.forecast.seconds});
    ideal.points.push_back({ranks, all.strong.front().forecast.seconds * all.strong.front().forecast.ranks / ranks});
    chart.band.push_back({ranks, p.forecast.low(), p.forecast.high()});
  }
  for (const ScalingPoint& p : all.weak)
    weak.points.push_back({static_cast<double>(p.forecast.ranks), p.forecast.seconds});
  chart.series = {strong, ideal, weak};
  chart.caption = "predicted; shaded: where 9 of 10 runs are expected";
  return draw_lines(chart);
}

}  // namespace kallima::cli
