// The report for people: a row per rank and stage, or where there are too many ranks the least, middle and most of
// each stage; then the bound, and what kept the run from it.

#include <fmt/format.h>

#include <algorithm>

#include "trace/moments.hpp"

namespace kallima {
namespace {

constexpr std::size_t most_ranks = 8;  // that have rows of their own
constexpr std::size_t line_width = 110;
constexpr double negligible = 1e-3;  // of the time

std::string cell(double value, double unit) {
  return value * unit < 0.005 ? fmt::format("{:>10}", "-") : fmt::format("{:>10.2f}", value * unit);
}

struct Columns {
  double unit;  // what a time of the trace is multiplied by
  double size;  // and a number of words
};

std::string row(const std::string& who, const StageTimes& s, const Columns& c) {
  std::string cells = fmt::format("{:<10}{:<12}", who, s.stage);
  for (const auto time : stage_times) cells += cell(s.*time, c.unit);
  return cells + cell(static_cast<double>(s.words_sent), c.size);
}

// A share of next to nothing says nothing.
std::string hidden_text(double share, double communication, double time) {
  return communication < negligible * time ? "-" : fmt::format("{:.0f}%", 100 * share);
}

std::string rank_rows(const RankOverlap& rank, double time, const Columns& c) {
  std::string rows, who = fmt::format("rank {}", rank.rank);
  for (const StageTimes& s : rank.stages) {
    rows += row(who, s, c) + "\n";
    who.clear();
  }
  return rows + fmt::format("{}{}{}{:>9}\n", row(who, rank.all, c), cell(rank.communication, c.unit),
                            cell(rank.exposed, c.unit), hidden_text(rank.hidden_share, rank.communication, time));
}

// Of one rank; all zero where it has no such stage.
StageTimes times_of(const RankOverlap& rank, const std::string& stage) {
  if (stage == rank.all.stage) return rank.all;
  const auto found = std::ranges::find(rank.stages, stage, &StageTimes::stage);
  return found == rank.stages.end() ? StageTimes{} : *found;
}

template <class Number>
Number chosen(const OverlapReport& report, const std::string& stage, Number StageTimes::*member, double place) {
  std::vector<Number> values;
  for (const RankOverlap& rank : report.ranks) values.push_back(times_of(rank, stage).*member);
  std::ranges::sort(values);
  return values[at(place * static_cast<double>(values.size() - 1))];
}

std::string spread_rows(const OverlapReport& report, const std::string& stage, const Columns& c) {
  std::string rows;
  for (const auto& [who, at] : {std::pair{"least", 0.0}, {"median", 0.5}, {"most", 1.0}}) {
    StageTimes s{.stage = stage, .words_sent = chosen(report, stage, &StageTimes::words_sent, at)};
    for (const auto time : stage_times) s.*time = chosen(report, stage, time, at);
    rows += row(who, s, c) + "\n";
  }
  return rows;
}

std::string body(const OverlapReport& report, const Columns& c) {
  std::string rows;
  if (report.ranks.size() <= most_ranks) {
    for (const RankOverlap& rank : report.ranks) rows += rank_rows(rank, report.time, c);
    return rows;
  }
  for (const StageTimes& s : report.ranks.front().stages) rows += spread_rows(report, s.stage, c);
  return rows + spread_rows(report, "all", c);
}

std::string settings_lines(const OverlapReport& report) {
  std::string all, line = "overlap report";
  for (const auto& [name, value] : report.settings) {
    if (value.empty()) continue;
    const std::string entry = fmt::format("{} {}", name, value);
    const bool fits = line.size() + entry.size() < line_width;
    if (!fits) all += line + ",\n";
    line = fits ? fmt::format("{}, {}", line, entry) : "  " + entry;
  }
  return all + line + "\n\n";
}

std::string summary(const OverlapReport& r) {
  const auto time = [&](double t) { return time_text(t, r.unit); };
  const std::string hidden = r.hidden_share ? hidden_text(*r.hidden_share, r.communication, r.time) : "-";
  return fmt::format(
      "computation {}, communication {} ({}): bound {}\n"
      "took {} = {:.2f} x the bound; {}\n"
      "limiter: {}\n",
      time(r.computation), time(r.communication), r.measured_alone ? "each measured alone" : "estimated from this run",
      time(r.bound), time(r.time), r.ratio,
      hidden == "-" ? (r.hidden_share ? "next to no communication to hide" : "nothing is sent")
                    : hidden + " of the communication hidden",
      r.limiter);
}

}  // namespace

std::string text(const OverlapReport& report) {
  if (report.ranks.empty()) return "overlap report: nothing was recorded\n";
  const bool seconds = report.unit == "s", bytes = report.element_bytes > 0;
  const Columns c{.unit = seconds ? 1e3 : 1, .size = bytes ? static_cast<double>(report.element_bytes) / 1048576 : 1};
  const std::string unit = seconds ? "ms" : report.unit;
  std::string all = settings_lines(report);
  all += fmt::format("{:<22}{:>10}{:>10}{:>10}{:>10}{:>10}{:>10}", "times in " + unit, "computing", "copying",
                     "posting", "polling", "waiting", bytes ? "MiB sent" : "words");
  all +=
      report.ranks.size() <= most_ranks ? fmt::format("{:>10}{:>10}{:>9}\n", "communic.", "exposed", "hidden") : "\n";
  all += body(report, c) + summary(report);
  for (const Loss& loss : report.losses)
    if (loss.text != report.limiter) all += fmt::format("also:    {}\n", loss.text);
  return all;
}

}  // namespace kallima
