#include "app/hide_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kallima::cli {

namespace {

using Json = nlohmann::ordered_json;

Seconds median_of(const nlohmann::json& bench, const char* group, const char* name) {
  if (!bench.contains(group) || !bench[group].contains(name)) return {};
  return bench[group][name]["median_s"].get<double>();
}

Json number(const Seconds& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const HidePoint& point) {
  Json json;
  for (const HideColumn& column : hide_columns()) json[column.key] = number(column.value(point));
  json.update(
      {{"plan", point.plan}, {"tuning", point.tuning}, {"machine", point.machine}, {"simulate", point.simulate}});
  return json;
}

}  // namespace

double HidePoint::bound_s() const { return std::max(computation_s, communication_s); }

// What is exposed of the communication is what the whole takes longer than computing alone.
double HidePoint::hidden_share() const {
  return communication_s > 0 ? std::clamp(1 - (kallima_s - computation_s) / communication_s, 0.0, 1.0) : 1;
}

HidePoint point_of(const nlohmann::json& bench, std::optional<double> rate_bits_per_s) {
  HidePoint point{.rate_bits_per_s = rate_bits_per_s,
                  .computation_s = bench.at("computation").at("median_s"),
                  .communication_s = bench.at("communication").at("median_s"),
                  .kallima_s = bench.at("kallima").at("median_s"),
                  .kallima_no_overlap_s = bench.at("kallima_no_overlap").at("median_s"),
                  .fftw_default_s = median_of(bench, "fftw", "default"),
                  .fftw_transposed_s = median_of(bench, "fftw", "transposed"),
                  .fftw_scrambled_s = median_of(bench, "fftw", "scrambled")};
  const double bytes_per_word = bench.at("precision") == "single" ? 8 : 16;
  const double bits = 8 * bytes_per_word * bench.at("kallima").at("words_sent_per_rank").get<double>();
  if (rate_bits_per_s) point.wire_s = bits / *rate_bits_per_s;
  point.plan = bench.at("kallima").at("explanation");
  return point;
}

const std::vector<HideColumn>& hide_columns() {
  static const std::vector<HideColumn> all{
      {"rate_bits_per_s", [](const HidePoint& p) -> Seconds { return p.rate_bits_per_s; }},
      {"computation_s", [](const HidePoint& p) -> Seconds { return p.computation_s; }},
      {"communication_s", [](const HidePoint& p) -> Seconds { return p.communication_s; }},
      {"bound_s", [](const HidePoint& p) -> Seconds { return p.bound_s(); }},
      {"wire_s", [](const HidePoint& p) -> Seconds { return p.wire_s; }},
      {"kallima_s", [](const HidePoint& p) -> Seconds { return p.kallima_s; }},
      {"ratio", [](const HidePoint& p) -> Seconds { return p.ratio(); }},
      {"hidden_share", [](const HidePoint& p) -> Seconds { return p.hidden_share(); }},
      {"prediction_s", [](const HidePoint& p) -> Seconds { return p.prediction_s; }},
      {"kallima_no_overlap_s", [](const HidePoint& p) -> Seconds { return p.kallima_no_overlap_s; }},
      {"fftw_default_s", [](const HidePoint& p) -> Seconds { return p.fftw_default_s; }},
      {"fftw_transposed_s", [](const HidePoint& p) -> Seconds { return p.fftw_transposed_s; }},
      {"fftw_scrambled_s", [](const HidePoint& p) -> Seconds { return p.fftw_scrambled_s; }}};
  return all;
}

std::string json_text(const HideSweep& sweep) {
  Json json{{"shape", sweep.shape},
            {"ranks", sweep.ranks},
            {"fields", sweep.fields},
            {"precision", "double"},
            {"reps", sweep.reps},
            {"mpi", sweep.mpi},
            {"command", sweep.command},
            {"processor", sweep.processor},
            {"cores", sweep.cores},
            {"calibration", {{"latency_s", sweep.latency_s}, {"cpu_per_word_s", sweep.cpu_per_word_s}}},
            {"notes", sweep.notes},
            {"points", Json::array()}};
  for (const HidePoint& point : sweep.points) json["points"].push_back(json_of(point));
  return json.dump(2) + "\n";
}

std::string csv_text(const HideSweep& sweep) {
  std::string text;
  for (const HideColumn& column : hide_columns()) text += fmt::format("{}{}", text.empty() ? "" : ",", column.key);
  for (const HidePoint& point : sweep.points) {
    char before = '\n';
    for (const HideColumn& column : hide_columns()) {
      const Seconds value = column.value(point);
      text += before + (value ? fmt::format("{:.9g}", *value) : "");
      before = ',';
    }
  }
  return text + "\n";
}

}  // namespace kallima::cli
