#include "app/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/theory.hpp"
#include "kallima/machine.hpp"

namespace kallima::cli {
namespace {

constexpr const char* blog =
    "NVIDIA, Multinode multi-GPU: using cuFFTMp FFTs at scale, developer.nvidia.com/blog, 2022";
constexpr const char* turbulence =
    "Yeung, Ravikumar, Nichols and Uma-Vaideswaran, GPU-enabled extreme-scale turbulence simulations, Computer Physics "
    "Communications, 2025, doi 10.1016/j.cpc.2024.109364";

// Links of Selene are an equal share of a node's cards each way, or the switch inside a node.
constexpr double card_bytes_per_s = 25e9, nvswitch_bytes_per_s = 300e9;

// 5 N log2 N operations at 1.8 Pflop/s: "over", so that it took no longer. That it was in single precision is not said;
// it follows from "more than 70 % of the peak machine bandwidth".
double most_seconds(double n, double flop_per_s) { return 5 * n * n * n * 3 * std::log2(n) / flop_per_s; }

double distance(const PublishedRun& run, double n, double processors) {
  return 3 * std::abs(std::log(run.n / n)) + std::abs(std::log(run.processors / processors));
}

std::string rate_text(double n, double processors, double seconds) {
  return fmt::format("{:.3g}", 1e-9 * n * n * n / processors / seconds);
}

}  // namespace

const std::vector<PublishedRun>& published_runs() {
  static const std::vector<PublishedRun> all{
      {"Selene, one node", "infiniband-gpu", 2021, 2048, 8, 8, nvswitch_bytes_per_s, 0.078, blog},
      {"Selene", "infiniband-gpu", 2021, 2048, 2048, 8, card_bytes_per_s, 0.004, blog},
      {"Selene", "infiniband-gpu", 2021, 16384, 4096, 8, card_bytes_per_s, most_seconds(16384, 1.8e15), blog},
      {"Frontier", "frontier", 2024, 32768, 32768, 0, 0, 0, turbulence},
      {"Frontier", "frontier", 2024, 32768, 65536, 0, 0, 0, turbulence},
      {"Frontier, one node", "frontier", 2024, 2048, 8, 0, 0, 0, turbulence}};
  return all;
}

std::vector<PublishedRun> published_beside(const std::string& machine, double n, double processors) {
  if (!is_machine_name(machine) || n <= 0) return {};
  std::vector<PublishedRun> all = published_runs(), beside;
  std::ranges::stable_sort(all, {}, [&](const PublishedRun& run) { return distance(run, n, processors); });
  const auto own = std::ranges::find_if(all, [&](const PublishedRun& run) { return run.profile == machine; });
  const auto timed = std::ranges::find_if(all, [](const PublishedRun& run) { return run.seconds > 0; });
  if (own != all.end()) beside.push_back(*own);
  if (timed != all.end() && timed != own) beside.push_back(*timed);
  return beside;
}

std::string published_text(const std::vector<PublishedRun>& runs, double n, double processors, double predicted_s,
                           double word_bytes) {
  const std::vector<TableColumn> columns{{"published"},
                                         {"shape"},
                                         {"processors", Align::right},
                                         {"bytes a word", Align::right},
                                         {"time", Align::right},
                                         {"10^9 points/s of each", Align::right}};
  std::vector<TableRow> rows;
  std::string sources;
  for (const PublishedRun& run : runs) {
    const bool timed = run.seconds > 0;
    rows.push_back({{fmt::format("{} {}", run.machine, run.year), fmt::format("{:.0f}^3", run.n),
                     fmt::format("{:.0f}", run.processors), timed ? fmt::format("{:.0f}", run.word_bytes) : "-",
                     timed ? fmt::format("{:.3g} s", run.seconds) : "of steps only",
                     timed ? rate_text(run.n, run.processors, run.seconds) : "-"}});
    sources += fmt::format("{}: {}\n", run.machine, run.source);
  }
  rows.push_back({{"this prediction", fmt::format("{:.0f}^3", n), fmt::format("{:.0f}", processors),
                   fmt::format("{:.0f}", word_bytes), fmt::format("{:.3g} s", predicted_s),
                   rate_text(n, processors, predicted_s)}});
  return fmt::format("{}{}", table_text(columns, rows), sources);
}

nlohmann::ordered_json published_json(const std::vector<PublishedRun>& runs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const PublishedRun& run : runs) {
    nlohmann::ordered_json it{
        {"machine", run.machine}, {"year", run.year}, {"n", run.n}, {"processors", run.processors}};
    it["published_s"] = run.seconds > 0 ? nlohmann::ordered_json(run.seconds) : nlohmann::ordered_json(nullptr);
    it["source"] = run.source;
    all.push_back(it);
  }
  return all;
}

}  // namespace kallima::cli
