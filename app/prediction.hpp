#pragma once
// What `kallima predict` makes of a problem: the forecast for the ranks that are asked for, and for more and fewer.

#include <functional>
#include <string>
#include <vector>

#include "kallima/forecast.hpp"

namespace kallima::cli {

// Whose machine it is: a file, a text that says it, the name of one that comes with the program, or, without any, what
// calibrate has kept of this one; `from` says which, `assumed` what its file leaves out.
struct NamedProfile {
  Profile profile;
  std::string from;
  std::vector<std::string> assumed = {};
};
NamedProfile profile_named(const std::string& machine);

struct ScalingPoint {
  Shape shape;
  Forecast forecast;
  double efficiency = 1;  // against the first point: of the ranks, or of as many times the work
};

struct PredictionSpec {
  std::function<Problem(const Shape& shape, int ranks)> problem;
  Shape shape;
  int ranks = 1;
  PlanOptions plan = {};
  ForecastOptions how = {};
  double patience_s =
      3.9;  // in all: what is asked besides the prediction itself is left out where it would take longer
};

struct PredictedMemory {
  double arrays = 0, workspace = 0;  // bytes of a rank
};

struct WholePrediction {
  Forecast forecast;
  std::string route, explanation;
  int exchanges = 0;
  double words_sent = 0;
  double word_bytes = 16;
  PredictedMemory memory;
  std::vector<ScalingPoint> strong, weak;
  int best_ranks = 1;   // of the strong ones
  int slower_from = 0;  // more ranks than the best that take longer; 0: none of those that were looked at
};

WholePrediction predicted(const PredictionSpec& spec, const Profile& profile);

std::string prediction_plot(const WholePrediction& all, const std::string& title);  // SVG

}  // namespace kallima::cli
