// Titles are often a name and then parameters ("simple, P = 4, g = 2"). A sentence that compares takes the names only,
// unless that would make two traces the same.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "draw/chart.hpp"
#include "draw/timelines.hpp"

namespace kallima {
namespace {

// Near 0 and 100 a decimal more: "100 %" is a claim.
std::string percent(double share) {
  const double value = 100 * share, left = 100 - value;
  const bool near_end = (value > 0.05 && value < 0.95) || (left > 0.05 && left < 0.95);
  return fmt::format("{:.{}f} %", std::abs(value), near_end ? 1 : 0);
}

std::string name_of(const std::string& title) {
  std::string name = title.substr(0, title.find_first_of(",;:("));
  name.erase(name.find_last_not_of(' ') + 1);
  return name.empty() ? title : name;
}

std::vector<std::string> names_of(std::span<const Trace> traces) {
  std::vector<std::string> names, titles;
  for (const Trace& trace : traces) {
    titles.push_back(panel_title(trace, titles.size()));
    names.push_back(name_of(titles.back()));
  }
  return std::set(names.begin(), names.end()).size() == names.size() ? names : titles;
}

}  // namespace

std::string panel_title(const Trace& trace, std::size_t number) {
  return trace.title.empty() ? fmt::format("trace {}, {} ranks", number + 1, trace.ranks) : trace.title;
}

std::string shares_text(const Timelines& timelines, const Trace& trace, std::size_t shown) {
  std::string text = fmt::format("computing {}, ", percent(timelines.computing));
  if (timelines.posting > 0) text += fmt::format("handling messages {}, ", percent(timelines.posting));
  text += fmt::format("idle {}", percent(timelines.idle()));
  if (timelines.sent > 0)
    text += fmt::format("; {} of the sending is hidden", percent(timelines.hidden / timelines.sent));
  if (shown < static_cast<std::size_t>(trace.ranks))
    text += fmt::format("; {} of {} ranks are shown", shown, trace.ranks);
  return text;
}

std::vector<std::string> comparison_lines(std::span<const Trace> traces) {
  const std::vector<std::string> names = names_of(traces);
  std::vector<std::string> lines;
  for (std::size_t i = 1; i < traces.size(); ++i) {
    const double first = makespan(traces[0]), saved = first - makespan(traces[i]);
    const std::string size = duration_text(std::abs(saved), traces[0].unit);
    if (std::abs(saved) <= 1e-9 * first)
      lines.push_back(fmt::format("{} and {} finish at the same time", names[i], names[0]));
    else
      lines.push_back(fmt::format("{} finishes {} ({}) {} than {}", names[i], size,
                                  percent(first > 0 ? std::abs(saved) / first : 0), saved > 0 ? "earlier" : "later",
                                  names[0]));
  }
  return lines;
}

}  // namespace kallima
