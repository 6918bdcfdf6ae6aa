// Events are dealt out to their ranks once, because there may be very many of both. Overlapping events (a progress
// thread's beside the rank's own) are cut where the earlier one ends, so that no moment is counted twice.
//
// Titles are often a name and then parameters ("simple, P = 4, g = 2"). A sentence that compares takes the names only,
// unless that would make two traces the same.

#include "draw/timelines.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "draw/chart.hpp"

namespace kallima {
namespace {

// By rank, those of which anything was recorded.
std::map<int, Trace> dealt(const Trace& trace) {
  std::map<int, Trace> ranks;
  for (const Event& e : trace.events) ranks[e.rank].events.push_back(e);
  for (const Flight& f : trace.flights) ranks[f.from].flights.push_back(f);
  std::erase_if(ranks, [&](const auto& one) { return one.first < 0 || one.first >= trace.ranks; });
  return ranks;
}

void append(std::vector<Segment>& all, const Segment& next) {
  const double slack = 1e-12 * next.end;  // times that were written and read again
  if (!(next.begin < next.end)) return;
  if (!all.empty() && all.back().what == next.what && next.begin <= all.back().end + slack)
    all.back().end = next.end;
  else
    all.push_back(next);
}

std::vector<Segment> in_turn(std::vector<Segment> segments) {
  std::ranges::stable_sort(segments, {}, &Segment::begin);
  std::vector<Segment> all;
  for (Segment& s : segments) {
    if (!all.empty()) s.begin = std::max(s.begin, all.back().end);
    append(all, s);
  }
  return all;
}

std::vector<Segment> work_of(const Trace& rank, double origin, const std::vector<std::string>& stages) {
  std::vector<Segment> all;
  for (const Event& e : rank.events) {
    if (waits(e) || carries(e)) continue;
    const auto stage = std::ranges::find(stages, stage_label(e));
    const bool known = works(e) && stage != stages.end();
    all.push_back({e.begin - origin, e.end - origin, known ? static_cast<int>(stage - stages.begin()) : overhead});
  }
  return in_turn(std::move(all));
}

Intervals sending_of(const Trace& rank, int number, double origin) {
  Intervals all;
  for (const Flight& f : rank.flights) all.push_back({f.sent - origin, f.departed - origin});
  if (rank.flights.empty())
    for (const Transit& t : flights(rank, number))
      if (t.sends()) all.push_back({t.begin - origin, t.end - origin});
  return united(std::move(all));
}

std::vector<Segment> judged(const Intervals& sending, const std::vector<Segment>& work) {
  const Intervals computing = moments(work, [](const Segment& s) { return s.what >= 0; });
  std::vector<Segment> all;
  for (const Interval& i : common(sending, computing)) all.push_back({i.begin, i.end, hidden_sending});
  for (const Interval& i : common(sending, gaps(computing, {0, sending.empty() ? 0 : sending.back().end})))
    all.push_back({i.begin, i.end, exposed_sending});
  return in_turn(std::move(all));
}

// Near 0 and 100 a decimal more: "100 %" is a claim.
std::string percent(double share) {
  const double value = 100 * share, left = 100 - value;
  const bool near_end = (value > 0.05 && value < 0.95) || (left > 0.05 && left < 0.95);
  return fmt::format("{:.{}f} %", std::abs(value), near_end ? 1 : 0);
}

std::vector<std::string> names_of(std::span<const Trace> traces) {
  std::vector<std::string> names, titles;
  for (const Trace& trace : traces) {
    const std::string& title = titles.emplace_back(panel_title(trace, titles.size()));
    std::string name = title.substr(0, title.find_first_of(",;:("));
    name.erase(name.find_last_not_of(' ') + 1);
    names.push_back(name.empty() ? title : name);
  }
  return std::set(names.begin(), names.end()).size() == names.size() ? names : titles;
}

}  // namespace

double total(const std::vector<Segment>& segments, int what) {
  double sum = 0;
  for (const Segment& s : segments)
    if (s.what == what) sum += s.end - s.begin;
  return sum;
}

Timelines timelines_of(const Trace& trace, const std::vector<std::string>& stages) {
  Timelines timelines{.completion = makespan(trace)};
  const double origin = whole(trace).begin;
  for (const auto& [r, rank] : dealt(trace)) {
    RankTimeline& it = timelines.all.emplace_back(RankTimeline{.rank = r, .work = work_of(rank, origin, stages)});
    it.sending = judged(common(sending_of(rank, r, origin), {{0, timelines.completion}}), it.work);
    for (const Segment& s : it.work) (s.what >= 0 ? timelines.computing : timelines.posting) += s.end - s.begin;
    timelines.hidden += total(it.sending, hidden_sending);
    timelines.sent += total(it.sending, hidden_sending) + total(it.sending, exposed_sending);
  }
  const double whole_time = timelines.completion * static_cast<double>(timelines.all.size());
  for (double* share : {&timelines.computing, &timelines.posting}) *share = whole_time > 0 ? *share / whole_time : 0;
  return timelines;
}

std::vector<Segment> coarsened(const std::vector<Segment>& segments, double grain) {
  std::vector<Segment> all;
  std::map<int, double> owed;
  auto next = segments.begin();
  const double end = segments.empty() ? 0 : segments.back().end;
  for (double i = std::floor(segments.empty() ? 0 : segments.front().begin / grain); i * grain < end; ++i) {
    const Interval now{i * grain, (i + 1) * grain};
    double left = grain;
    for (; next != segments.end() && next->begin < now.end; ++next) {
      const double share = std::min(next->end, now.end) - std::max(next->begin, now.begin);
      owed[next->what] += share;
      left -= share;
      if (next->end > now.end) break;  // goes on in the next grain
    }
    owed[nothing] += left;
    const auto most = std::ranges::max_element(owed, [](auto& a, auto& b) { return a.second < b.second; });
    most->second -= grain;
    if (most->first != nothing) append(all, {now.begin, now.end, most->first});
  }
  return all;
}

std::string panel_title(const Trace& trace, std::size_t number) {
  return trace.title.empty() ? fmt::format("trace {}, {} ranks", number + 1, trace.ranks) : trace.title;
}

std::string shares_text(const Timelines& timelines, const Trace& trace, std::size_t shown) {
  std::string text = fmt::format("computing {}, ", percent(timelines.computing));
  if (timelines.posting > 0) text += fmt::format("handling messages {}, ", percent(timelines.posting));
  text += fmt::format("idle {}", percent(timelines.idle()));
  if (const std::optional<double> hidden = hidden_share(trace))
    text += fmt::format("; {} of the communication hidden", percent(*hidden));
  if (shown < at(trace.ranks)) text += fmt::format("; {} of {} ranks are shown", shown, trace.ranks);
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
