#include "app/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "app/prediction.hpp"
#include "app/problem_flags.hpp"
#include "app/theory.hpp"
#include "kallima/kept.hpp"

namespace kallima::cli {
namespace {

constexpr const char* history_file = "history.jsonl";

}  // namespace

ValidationPoint remembered(const Problem& asked, const PlanOptions& chosen, const Comm& comm, double measured_s) {
  const Problem problem = checked(asked);
  PlanOptions options = chosen;
  if (!options.grid.empty() && element_count(options.grid) != comm.size()) options.grid.clear();  // some ranks are idle
  const std::unique_ptr<Plan> it = plan(problem, comm.size(), options);
  ForecastOptions how = joined_as(options, comm.size());
  how.alone = false;
  if (comm.transport().name() == "threads") how.inside = Joined::threads;
  const Forecast said = forecast(*it, profile_named("").profile, how);
  const ValidationPoint point{text(problem.shape), kind_text(problem), options.route, comm.transport().name(),
                              comm.size(),         said.seconds,       said.low(),    said.high(),
                              measured_s};
  keep_line(history_file, validation_json({point}).at("points").at(0).dump());
  return point;
}

// Lines that make no sense, of another version or torn, are left out.
std::vector<ValidationPoint> history() {
  std::vector<ValidationPoint> points;
  std::istringstream lines(kept_text(history_file));
  for (std::string line; std::getline(lines, line);) {
    const nlohmann::json point = nlohmann::json::parse(line, nullptr, false);
    if (!point.is_object()) continue;
    try {
      points.push_back(points_from({{"points", {point}}}).at(0));
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
  return points;
}

void print_review(std::FILE* to, const std::vector<ValidationPoint>& points) {
  if (points.empty()) {
    fmt::print(to, "there is nothing to review (kallima bench remembers what it measures)\n");
    return;
  }
  print_validation(to, points);
  std::map<std::string, std::vector<double>> ratios;
  for (const ValidationPoint& p : points)
    ratios[fmt::format("{} by {} on {}", p.kind, p.route, p.transport)].push_back(p.measured_s / p.predicted_s);
  fmt::print(to, "\nmeasured over predicted, in the median\n");
  for (auto& [what, values] : ratios) {
    std::ranges::sort(values);
    fmt::print(to, "  {:<40} {:.3f}  ({} run{})\n", what, values[values.size() / 2], values.size(),
               values.size() == 1 ? "" : "s");
  }
}

}  // namespace kallima::cli
