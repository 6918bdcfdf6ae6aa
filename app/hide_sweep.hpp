#pragma once
// What `kallima hide` finds out, as values: a point for every rate of the links, and how the whole was measured.
// Written as JSON and CSV for programs; a time that was not measured is null, or an empty field.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kallima/types.hpp"

namespace kallima::cli {

using Seconds = std::optional<double>;

struct HidePoint {
  std::optional<double> rate_bits_per_s = {};  // none: no limit
  double computation_s = 0;
  double communication_s = 0;
  double kallima_s = 0;
  double kallima_no_overlap_s = 0;
  Seconds fftw_default_s = {};
  Seconds fftw_transposed_s = {};
  Seconds fftw_scrambled_s = {};
  Seconds prediction_s = {};
  Seconds wire_s = {};        // what the bytes of one rank take at the rate, without headers
  std::string plan = {};      // in arguments
  std::string tuning = {};    // of the messages: the planner may choose another at each rate
  std::string machine = {};   // as `kallima simulate --machine` takes it
  std::string simulate = {};  // the command that predicts one field at this point

  double bound_s() const;
  double sum_s() const { return computation_s + communication_s; }
  double ratio() const { return kallima_s / bound_s(); }
  double hidden_share() const;  // of the communication, 0 to 1
};

struct HideSweep {
  Shape shape = {};
  int ranks = 0;
  int fields = 1;
  int reps = 0;
  std::string mpi = {};
  std::string command = {};
  std::string processor = {};
  int cores = 0;
  double latency_s = 0;       // of the smallest message
  double cpu_per_word_s = 0;  // of sending one, and as much of receiving it
  std::vector<HidePoint> points = {};
  std::vector<std::string> notes = {};
};

// One point from what `bench --parts --json` wrote.
HidePoint point_of(const nlohmann::json& bench, std::optional<double> rate_bits_per_s);

struct HideColumn {
  const char* key;
  Seconds (*value)(const HidePoint&);
};
const std::vector<HideColumn>& hide_columns();  // the numbers of a point, in the order in which they are written

std::string json_text(const HideSweep& sweep);
std::string csv_text(const HideSweep& sweep);

}  // namespace kallima::cli
