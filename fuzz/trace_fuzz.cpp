// Whatever text comes in, it is refused by an Error or becomes a trace that can be measured, reported on and drawn, and
// that is the same trace when it is written and read again.

#include <cmath>

#include "fuzz/fuzz.hpp"
#include "kallima/draw.hpp"
#include "kallima/overlap.hpp"
#include "kallima/trace.hpp"

namespace kallima::fuzz {
namespace {

constexpr int few_ranks = 20;
constexpr std::size_t few_events = 200;

void check_trace(const Trace& trace) {
  must(std::isfinite(makespan(trace)) && makespan(trace) >= 0, "a trace takes a time");
  for (int rank = 0; rank < trace.ranks; ++rank) {
    const RankTimes times = rank_times(trace, rank);
    must(times.hidden_share >= 0 && times.hidden_share <= 1, "what is hidden is a share");
    must(times.exposed >= 0 && std::isfinite(times.communication), "times are numbers from 0 on");
  }
  must(!draw_text(trace).empty(), "it can be drawn as text");
  must(!draw_gantt(std::span(&trace, 1)).empty(), "it can be drawn as a picture");
  (void)accepted([&] { (void)text(overlap_report(trace)); });
  const Trace again = trace_from_perfetto_json(to_perfetto_json(trace));
  must(again.ranks == trace.ranks && again.events.size() == trace.events.size() &&
           again.flights.size() == trace.flights.size() && again.settings == trace.settings,
       "it reads back the same");
}

Trace measured() {
  Trace trace{
      .ranks = 2, .title = "two ranks", .events = {}, .settings = {{"transport", "threads"}}, .element_bytes = 16};
  for (int rank = 0; rank < 2; ++rank) {
    const auto add = [&](int task, TaskKind kind, double begin, double end, const char* label, int start = -1) {
      const bool message = kind != TaskKind::compute && task >= 0;
      trace.events.push_back({.rank = rank,
                              .task = task,
                              .kind = kind,
                              .label = label,
                              .peer = message ? 1 - rank : -1,
                              .begin = begin,
                              .end = end,
                              .elements = 4,
                              .start = start,
                              .tag = message ? 0 : -1});
    };
    add(0, TaskKind::recv_start, 0, 1e-6, "exchange");
    add(1, TaskKind::compute, 1e-6, 5e-6, "phase I");
    add(2, TaskKind::send_start, 5e-6, 6e-6, "exchange");
    add(-1, TaskKind::compute, 6e-6, 7e-6, "");
    add(3, TaskKind::recv_finish, 7e-6, 8e-6, "exchange", 0);
    add(4, TaskKind::compute, 8e-6, 9e-6, "phase II");
    add(5, TaskKind::send_finish, 9e-6, 9e-6, "exchange", 2);
  }
  trace.events[1].polls = 3;
  trace.events[1].polling = trace.events[1].longest_gap = 1e-6;
  return trace;
}

}  // namespace

void check(const std::string& input) {
  Trace trace;
  if (!accepted([&] { trace = trace_from_perfetto_json(input); })) return;
  if (trace.ranks <= few_ranks && trace.events.size() <= few_events) check_trace(trace);
}

std::vector<std::string> seeds() {
  Trace simulated = measured();
  simulated.unit = "node";
  simulated.flights = {{.from = 0, .to = 1, .words = 4, .sent = 5, .departed = 6, .arrived = 8, .taken = 8}};
  return {to_perfetto_json(measured()), to_perfetto_json(simulated), to_perfetto_json({.ranks = 3, .events = {}}),
          R"({"traceEvents":[{"ph":"X","pid":0,"name":"a","ts":1,"dur":2,"cat":"waiting"}]})"};
}

std::vector<std::string> words() {
  return {"\"X\"",
          "\"kallima\":",
          "\"ranks\":",
          "\"pid\":",
          "\"ts\":",
          "\"dur\":",
          "\"unit\":",
          "\"node\"",
          "\"args\":{",
          "\"start\":",
          "\"send_start\"",
          "\"recv_finish\"",
          "\"flights\":[[0,1,4,5,6,8,8]]",
          "e300",
          "\xff"};
}

}  // namespace kallima::fuzz
