#include "kallima/overlap.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "trace/moments.hpp"

namespace kallima {
namespace {

constexpr double matters = 0.03;  // of the time: a loss below that is no limiter
constexpr double shown = 0.002;   // and below that not worth a line
const std::string exchange = "exchange";

StageTimes& stage(RankOverlap& rank, const std::string& name) {
  for (StageTimes& s : rank.stages)
    if (s.stage == name) return s;
  return rank.stages.emplace_back(StageTimes{.stage = name});
}

void add_task(const Event& e, RankOverlap& rank) {
  StageTimes& s = stage(rank, stage_label(e));
  const double busy = e.end - e.begin - e.polling;
  if (posts(e)) s.posting += busy;
  if (computes(e)) s.computing += busy;
  if (copies(e)) s.copying += busy;
  if (works(e)) s.polling += e.polling;
  if (e.kind == TaskKind::send_start) s.words_sent += e.elements;
}

// Each wait to the stage it held up.
void add_waits(const std::vector<Event>& events, const std::vector<Interval>& waits, RankOverlap& rank) {
  for (const Interval& wait : waits) {
    const auto next = std::ranges::find_if(events, [&](const Event& e) { return works(e) && e.begin >= wait.end; });
    stage(rank, next == events.end() || next->label.empty() ? exchange : next->label).waiting += wait.length();
  }
}

RankOverlap rank_overlap(const Trace& trace, int number, const std::vector<Event>& events, const Moments& m) {
  RankOverlap rank{.rank = number, .arrived = events.front().begin - whole(trace).begin};
  for (const Event& e : events)
    if (!waits(e)) add_task(e, rank);
  add_waits(events, m.waiting, rank);
  rank.all.stage = "all";
  for (const StageTimes& s : rank.stages) {
    for (const auto time : stage_times) rank.all.*time += s.*time;
    rank.all.words_sent += s.words_sent;
  }
  const RankTimes times = rank_times(trace, number);
  rank.communication = times.communication;
  rank.exposed = times.exposed;
  rank.hidden_share = times.hidden_share;
  return rank;
}

void judge(OverlapReport& report, const Trace& trace) {
  report.losses = losses_of(trace, report);
  std::erase_if(report.losses, [&](const Loss& loss) { return loss.time < shown * report.time; });
  std::ranges::stable_sort(report.losses, std::greater(), &Loss::time);
  const double beyond = std::min(report.time - report.bound, report.losses.empty() ? 0 : report.losses.front().time);
  if (!report.losses.empty() && beyond >= matters * report.time)
    report.limiter = report.losses.front().text;
  else if (report.communication >= report.computation && report.communication > 0)
    report.limiter = fmt::format("the network is the limit: {} on the wire, all computing hidden",
                                 time_text(report.communication, report.unit));
  else
    report.limiter =
        fmt::format("the processor is the limit: {} of computing, {}", time_text(report.computation, report.unit),
                    report.communication > 0 ? "all communication hidden" : "nothing is exchanged");
}

void examine(const Trace& trace, OverlapReport& report) {
  for (int rank = 0; rank < trace.ranks; ++rank) {
    const std::vector<Event> events = events_of(trace, rank);
    if (events.empty()) continue;
    const Moments m = moments_of(trace, rank);
    const RankOverlap& now = report.ranks.emplace_back(rank_overlap(trace, rank, events, m));
    report.computation = std::max(report.computation, now.all.computing + now.all.copying);
    report.communication = std::max(report.communication, now.communication - unpolled(events, m.under_way).time);
  }
}

}  // namespace

OverlapReport overlap_report(const Trace& trace, const std::optional<Alone>& alone) {
  OverlapReport report{.unit = trace.unit, .element_bytes = trace.element_bytes, .settings = trace.settings};
  examine(trace, report);
  if (report.ranks.empty()) return report;
  report.measured_alone = alone.has_value();
  if (alone) report.computation = alone->computation;
  if (alone) report.communication = report.communication > 0 ? alone->communication : 0;
  report.bound = std::max(report.computation, report.communication);
  report.time = makespan(trace);
  if (report.bound > 0) report.ratio = report.time / report.bound;
  report.hidden_share = hidden_share(trace);
  judge(report, trace);
  return report;
}

std::string_view name(Cause cause) {
  return word_for(cause, {"late rank", "first block", "idle network", "last chunk", "no progress", "processor",
                          "slower computing", "slower messages", "waiting", "unsent", "between tasks"});
}

}  // namespace kallima
