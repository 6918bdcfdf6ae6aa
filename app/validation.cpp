#include "app/validation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/theory.hpp"

namespace kallima::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Summary {
  double median = 0, worst = 0, coverage = 1;
};

Summary summary_of(const std::vector<ValidationPoint>& points) {
  if (points.empty()) return {};
  std::vector<double> errors;
  double covered = 0;
  for (const ValidationPoint& p : points) {
    errors.push_back(p.error());
    covered += p.covered() ? 1 : 0;
  }
  std::ranges::sort(errors);
  return {errors[errors.size() / 2], errors.back(), covered / static_cast<double>(points.size())};
}

}  // namespace

std::vector<ValidationPoint> validated(const Comm& comm, const Profile& profile, const CalibrateOptions& options) {
  std::vector<ValidationPoint> points;
  for (const Rehearsal& it : rehearse(comm, profile, RehearsalSet::validation, options))
    points.push_back({text(it.problem.shape), it.kind, it.route, comm.transport().name(), it.ranks, it.predicted_s,
                      it.low_s, it.high_s, it.measured_s});
  return points;
}

Json validation_json(const std::vector<ValidationPoint>& points) {
  const Summary all = summary_of(points);
  Json json{
      {"median_error", all.median}, {"worst_error", all.worst}, {"coverage", all.coverage}, {"points", Json::array()}};
  for (const ValidationPoint& p : points)
    json["points"].push_back({{"shape", p.shape},
                              {"kind", p.kind},
                              {"route", p.route},
                              {"transport", p.transport},
                              {"ranks", p.ranks},
                              {"predicted_s", p.predicted_s},
                              {"low_s", p.low_s},
                              {"high_s", p.high_s},
                              {"measured_s", p.measured_s},
                              {"error", p.error()}});
  return json;
}

std::vector<ValidationPoint> points_from(const nlohmann::json& report) {
  std::vector<ValidationPoint> points;
  for (const nlohmann::json& p : report.at("points"))
    points.push_back({p.at("shape"), p.at("kind"), p.at("route"), p.at("transport"), p.at("ranks"), p.at("predicted_s"),
                      p.at("low_s"), p.at("high_s"), p.at("measured_s")});
  return points;
}

void print_validation(std::FILE* to, const std::vector<ValidationPoint>& points) {
  const std::vector<TableColumn> columns{{"shape"},
                                         {"kind"},
                                         {"route"},
                                         {"transport"},
                                         {"ranks", Align::right},
                                         {"predicted ms", Align::right},
                                         {"measured ms", Align::right},
                                         {"off by", Align::right},
                                         {"in the interval"}};
  std::vector<TableRow> rows;
  for (const ValidationPoint& p : points)
    rows.push_back({{p.shape, p.kind, p.route, p.transport, fmt::format("{}", p.ranks),
                     fmt::format("{:.3f}", 1e3 * p.predicted_s), fmt::format("{:.3f}", 1e3 * p.measured_s),
                     fmt::format("{:+.1f} %", 100 * (p.predicted_s / p.measured_s - 1)), p.covered() ? "yes" : "no"}});
  const Summary all = summary_of(points);
  fmt::print(to,
             "{}\n{} transforms, none of them calibrated on: off by {:.1f} % in the median, {:.1f} % at worst; the "
             "90 % interval has {:.0f} % of them\n",
             table_text(columns, rows), points.size(), 100 * all.median, 100 * all.worst, 100 * all.coverage);
}

}  // namespace kallima::cli
