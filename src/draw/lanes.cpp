// Events are dealt out to their ranks once, because there may be very many of both. Overlapping events (a progress
// thread's beside the rank's own) are cut where the earlier one ends, so that no moment is counted twice.

#include "draw/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "draw/stages.hpp"
#include "trace/flights.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

std::vector<Trace> dealt(const Trace& trace) {
  std::vector<Trace> ranks(static_cast<std::size_t>(trace.ranks));
  const auto exists = [&](int rank) { return rank >= 0 && rank < trace.ranks; };
  for (const Event& e : trace.events)
    if (exists(e.rank)) ranks[static_cast<std::size_t>(e.rank)].events.push_back(e);
  for (const Flight& f : trace.flights)
    if (exists(f.from)) ranks[static_cast<std::size_t>(f.from)].flights.push_back(f);
  return ranks;
}

void append(std::vector<Stretch>& all, const Stretch& next) {
  const double slack = 1e-12 * next.end;  // times that were written and read again
  if (!(next.begin < next.end)) return;
  if (!all.empty() && all.back().what == next.what && next.begin <= all.back().end + slack)
    all.back().end = next.end;
  else
    all.push_back(next);
}

std::vector<Stretch> in_turn(std::vector<Stretch> stretches) {
  std::stable_sort(stretches.begin(), stretches.end(),
                   [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> all;
  for (Stretch& s : stretches) {
    if (!all.empty()) s.begin = std::max(s.begin, all.back().end);
    append(all, s);
  }
  return all;
}

std::vector<Stretch> work_of(const Trace& rank, double origin, const std::map<std::string, int>& numbers) {
  std::vector<Stretch> all;
  for (const Event& e : rank.events) {
    if (e.task < 0) continue;
    const auto found = numbers.find(stage_label(e));
    const int what = is_stage(e) && found != numbers.end() ? found->second : overhead;
    all.push_back({e.begin - origin, e.end - origin, what});
  }
  return in_turn(std::move(all));
}

std::vector<Interval> sending_of(const Trace& rank, int number, double origin) {
  std::vector<Interval> all;
  for (const Flight& f : rank.flights) all.push_back({f.sent - origin, f.departed - origin});
  if (rank.flights.empty())
    for (const Transit& t : flights(rank, number))
      if (t.sends()) all.push_back({t.begin - origin, t.end - origin});
  return united(std::move(all));
}

std::vector<Stretch> judged(const std::vector<Interval>& sending, const std::vector<Stretch>& work) {
  std::vector<Interval> computing;
  for (const Stretch& s : work)
    if (s.what >= 0) computing.push_back({s.begin, s.end});
  computing = united(std::move(computing));
  std::vector<Stretch> all;
  for (const Interval& i : common(sending, computing)) all.push_back({i.begin, i.end, hidden_sending});
  for (const Interval& i : common(sending, gaps(computing, {0, sending.empty() ? 0 : sending.back().end})))
    all.push_back({i.begin, i.end, exposed_sending});
  return in_turn(std::move(all));
}

double first_begin(const Trace& trace) {
  double first = trace.events.empty() ? 0 : trace.events.front().begin;
  for (const Event& e : trace.events) first = std::min(first, e.begin);
  return first;
}

void add_shares(Lanes& lanes) {
  const double whole = lanes.completion * static_cast<double>(lanes.all.size());
  for (const Lane& lane : lanes.all) {
    for (const Stretch& s : lane.work) (s.what >= 0 ? lanes.computing : lanes.posting) += s.end - s.begin;
    lanes.hidden += total(lane.sending, hidden_sending);
    lanes.sent += total(lane.sending, hidden_sending) + total(lane.sending, exposed_sending);
  }
  lanes.computing = whole > 0 ? lanes.computing / whole : 0;
  lanes.posting = whole > 0 ? lanes.posting / whole : 0;
}

}  // namespace

double total(const std::vector<Stretch>& stretches, int what) {
  double sum = 0;
  for (const Stretch& s : stretches)
    if (s.what == what) sum += s.end - s.begin;
  return sum;
}

Lanes lanes_of(const Trace& trace, const std::vector<std::string>& stages) {
  std::map<std::string, int> numbers;
  for (const std::string& label : stages) numbers.try_emplace(label, static_cast<int>(numbers.size()));
  Lanes lanes{.completion = makespan(trace)};
  const double origin = first_begin(trace);
  std::vector<Trace> ranks = dealt(trace);
  for (int r = 0; r < trace.ranks; ++r) {
    const Trace& rank = ranks[static_cast<std::size_t>(r)];
    if (rank.events.empty() && rank.flights.empty()) continue;
    lanes.all.push_back({.rank = r, .work = work_of(rank, origin, numbers)});
    const auto sending = common(sending_of(rank, r, origin), {{0, lanes.completion}});
    lanes.all.back().sending = judged(sending, lanes.all.back().work);
  }
  add_shares(lanes);
  return lanes;
}

std::vector<Stretch> coarsened(const std::vector<Stretch>& stretches, double grain) {
  std::vector<Stretch> all;
  std::map<int, double> owed;
  auto next = stretches.begin();
  const double end = stretches.empty() ? 0 : stretches.back().end;
  for (double i = std::floor(stretches.empty() ? 0 : stretches.front().begin / grain); i * grain < end; ++i) {
    const Interval now{i * grain, (i + 1) * grain};
    double rest = grain;
    for (; next != stretches.end() && next->begin < now.end; ++next) {
      const double share = std::min(next->end, now.end) - std::max(next->begin, now.begin);
      owed[next->what] += share;
      rest -= share;
      if (next->end > now.end) break;  // goes on in the next grain
    }
    owed[nothing] += rest;
    const auto most = std::max_element(owed.begin(), owed.end(), [](auto& a, auto& b) { return a.second < b.second; });
    most->second -= grain;
    if (most->first != nothing) append(all, {now.begin, now.end, most->first});
  }
  return all;
}

}  // namespace kallima
