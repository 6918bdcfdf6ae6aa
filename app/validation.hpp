#pragma once
// `kallima predict --validate`: many transforms that nobody has calibrated on, each predicted first and then run.

#include <nlohmann/json.hpp>

#include "app/crew.hpp"
#include "kallima/calibrate.hpp"
#include "kallima/forecast.hpp"

namespace kallima::cli {

struct ValidationPoint {
  std::string shape, kind, route, transport;
  int ranks = 1;
  double predicted_s = 0, low_s = 0, high_s = 0, measured_s = 0;
  double error() const { return std::abs(predicted_s - measured_s) / measured_s; }
  bool covered() const { return low_s <= measured_s && measured_s <= high_s; }
};

// Of those that `comm` can run: on its ranks or, where these are threads, on one of them. Collective; on rank 0.
std::vector<ValidationPoint> validated(const Comm& comm, const Profile& profile, const CalibrateOptions& options);

nlohmann::ordered_json validation_json(const std::vector<ValidationPoint>& points);
std::vector<ValidationPoint> points_from(const nlohmann::json& report);
void print_validation(std::FILE* to, const std::vector<ValidationPoint>& points);

}  // namespace kallima::cli
