#include "trace/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/unpolled.hpp"

namespace kallima {

void Ledger::add(Cause cause, double time, const std::string& words) {
  if (time > 0) losses_.push_back({cause, time, words});
}

void Ledger::add_late(double time) {
  add(Cause::late_rank, time,
      fmt::format("rank {} arrived {} late", account_.late_rank, text(account_.last_arrival - account_.run.begin)));
}

double Ledger::add_unpolled(double at_most) {
  const Unpolled found = unpolled(account_.trace, account_.rank, account_.moments.under_way);
  const double time = std::clamp(found.time, 0.0, std::max(at_most, 0.0));
  const std::string more = found.tasks > 1 ? fmt::format(", the longest of {} such times", found.tasks) : "";
  add(Cause::no_progress, time,
      fmt::format("no progress between tasks {} and {}: {} without a look at the messages ({}{})", found.longest.task,
                  found.next, text(found.longest.longest_gap), found.longest.label, more));
  return time;
}

std::string Ledger::share(double time) const {
  const double whole = account_.run.end - account_.run.begin;
  return fmt::format("{:.0f} %", whole > 0 ? 100 * time / whole : 0);
}

std::string Ledger::stage_in(const std::vector<Interval>& when) const {
  std::map<std::string, double> shares;
  for (const Event& e : account_.trace.events)
    if (e.rank == account_.rank && works(e)) shares[e.label] += length(common({{e.begin, e.end}}, when));
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(shares.begin(), shares.end(), less);
  return most == shares.end() || most->second <= 0 ? "" : " in " + most->first;
}

std::string time_text(double time, const std::string& unit) {
  if (unit != "s") return fmt::format("{:.4g} {}", time, unit);
  if (time >= 1) return fmt::format("{:.3f} s", time);
  return time >= 1e-3 ? fmt::format("{:.1f} ms", 1e3 * time) : fmt::format("{:.0f} us", 1e6 * time);
}

}  // namespace kallima
