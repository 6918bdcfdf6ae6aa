// Where the network is the bound, time is lost whenever nothing is under way: before a rank has come, before the first
// block, between blocks and after the last. What is left is messages that took longer than they do alone. Where
// computing is the bound, time is lost whenever the rank does anything else: it has not come yet, waits, serves
// messages. What is left is computing that took longer than it does alone.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "trace/moments.hpp"

namespace kallima {
namespace {

constexpr double tolerated = 1e-3;  // seconds without a look; pieces that are posted travel that long by themselves

class LossFinder {
 public:
  LossFinder(const Trace& trace, const OverlapReport& report) : trace_(trace), report_(report) {}

  std::vector<Loss> of_network() {
    const Intervals& busy = moments_.under_way;
    if (busy.empty()) return {};
    const Interval head{last_arrival_, std::max(last_arrival_, busy.front().begin)};
    const Interval tail{busy.back().end, std::max(busy.back().end, run_.end)};
    const Intervals between = gaps(busy, {head.end, std::max(head.end, tail.begin)});
    add_late(length(gaps(busy, {run_.begin, head.begin})));
    add(Cause::first_block, head.length(), "nothing to send before the first block: {}{} ({} of the time)",
        text(head.length()), stage_in({head}), share(head.length()));
    add(Cause::idle_network, length(between), "nothing under way between two blocks: {}{}", text(length(between)),
        stage_in(between));
    add(Cause::last_chunk, tail.length(), "last chunk too large: {}{} after the last message arrived",
        text(tail.length()), stage_in({tail}));
    const double slower = length(busy) - report_.communication;
    const double unexplained = slower - add_unpolled(slower);
    add(Cause::slower_messages, report_.measured_alone ? unexplained : 0,
        "messages took {} longer than alone; CPU spent in messages: {}", text(unexplained),
        share(done_.posting + done_.polling));
    return std::move(losses_);
  }

  std::vector<Loss> of_processor() {
    const Intervals worked = moments(events_, [](const Event& e) { return !waits(e); });
    const Intervals late = without(united({{run_.begin, last_arrival_}}), worked);
    const Intervals waiting = without(moments_.waiting, late);
    add_waiting(waiting, length(late));
    const double serving = done_.posting + done_.polling;
    add(Cause::processor, serving, "CPU spent in messages: {} ({} of posting and polling)", share(serving),
        text(serving));
    const double slower = done_.computing + done_.copying - report_.computation;
    add(Cause::slower_computing, report_.measured_alone ? slower : 0,
        "computing took {} longer than alone (it shares processor and memory with the messages)", text(slower));
    const double between = run_.length() - length(late) - length(worked) - length(waiting);
    add(Cause::between_tasks, between, "{} between tasks", text(between));
    return std::move(losses_);
  }

 private:
  template <class... Args>
  void add(Cause cause, double time, fmt::format_string<Args...> format, Args&&... args) {  // where there is any
    if (time > 0) losses_.push_back({cause, time, fmt::format(format, std::forward<Args>(args)...)});
  }

  void add_late(double time) {
    add(Cause::late_rank, time, "rank {} arrived {} late", late_rank_, text(last_arrival_ - run_.begin));
  }

  double add_unpolled(double at_most) {  // and says how much of `at_most` is lost that way
    const Unpolled found = unpolled(events_, moments_.under_way);
    const double time = std::clamp(found.time, 0.0, std::max(at_most, 0.0));
    const std::string more = found.tasks > 1 ? fmt::format(", the longest of {} such times", found.tasks) : "";
    add(Cause::no_progress, time, "no progress between tasks {} and {}: {} without a look at the messages ({}{})",
        found.longest.task, found.next, text(found.longest.longest_gap), found.longest.label, more);
    return time;
  }

  // Who waits for others waits for the latest first: `late` is how much of its lateness nothing else has paid for yet.
  void add_waiting(const Intervals& waiting, double late) {
    const Intervals exposed = common(waiting, waited_for());
    const double absent = length(waiting) - length(exposed);
    const double unsent = absent - std::clamp(last_arrival_ - run_.begin - late, 0.0, absent);
    add_late(late + absent - unsent);
    add(Cause::unsent, unsent, "waited {} for other ranks to send or to take blocks", text(unsent));
    const double left = length(exposed) - add_unpolled(length(exposed));
    const double last = std::min(left, length(common(exposed, before_last_block())));
    add(Cause::last_chunk, last, "last chunk too large: waited {} for its message", text(last));
    add(Cause::waiting, left - last, "waited {} for messages under way{}", text(left - last),
        longest_of(without(exposed, before_last_block())));
  }

  std::string text(double time) const { return time_text(time, trace_.unit); }
  std::string share(double time) const {  // of the run
    return fmt::format("{:.0f} %", run_.length() > 0 ? 100 * time / run_.length() : 0);
  }

  std::string stage_in(const Intervals& when) const {  // " in " and what most of it went into, or nothing
    std::map<std::string, double> shares;
    for (const Event& e : events_)
      if (works(e)) shares[e.label] += length(common({{e.begin, e.end}}, when));
    const auto most = std::ranges::max_element(shares, {}, [](const auto& stage) { return stage.second; });
    return most == shares.end() || most->second <= 0 ? "" : " in " + most->first;
  }

  Intervals without(const Intervals& a, const Intervals& b) const { return common(a, gaps(b, run_)); }

  // What the rank received, by the events that finished it.
  static bool receives(const Event& e) { return !waits(e) && e.kind == TaskKind::recv_finish; }

  // From the end of all other work to the moment at which the last block had come.
  Intervals before_last_block() const {
    double come = run_.begin, done = run_.begin;
    for (const Event& e : events_)
      if (receives(e)) come = std::max(come, e.begin);
    for (const Event& e : events_)
      if (works(e) && e.end <= come) done = std::max(done, e.end);
    return united({{done, come}});
  }

  // The longest of some waits, and the block that ended it.
  std::string longest_of(const Intervals& all) const {
    const auto longest = std::ranges::max_element(all, {}, &Interval::length);
    if (longest == all.end()) return "";
    const auto ended = [&](const Event& e) { return receives(e) && e.begin >= longest->end; };
    const auto first = std::ranges::find_if(events_, ended);
    const std::string block =
        first == events_.end() ? "" : fmt::format(" for chunk {} of rank {}", first->chunk, first->peer);
    return fmt::format(", longest {}{}", text(longest->length()), block);
  }

  // A rank waits for what it receives and, when all has come, for what it sends.
  Intervals waited_for() const {
    Intervals all;
    double come = run_.begin;
    const std::vector<Transit> messages = flights(trace_, rank_);
    for (const Transit& t : messages)
      if (!t.sends()) come = std::max(come, t.end);
    for (const Transit& t : messages) all.push_back({t.sends() ? std::max(t.begin, come) : t.begin, t.end});
    return united(std::move(all));
  }

  const Trace& trace_;
  const OverlapReport& report_;
  const Interval run_ = whole(trace_);  // from the first arrival to the end
  const int rank_ = std::ranges::max(trace_.events, {}, [](const Event& e) { return std::pair(e.end, -e.rank); }).rank;
  const std::vector<Event> events_ = events_of(trace_, rank_);  // of the rank that ended last,
  const Moments moments_ = moments_of(trace_, rank_);
  const StageTimes done_ = std::ranges::find(report_.ranks, rank_, &RankOverlap::rank)->all;
  const int late_rank_ = std::ranges::max(report_.ranks, {}, &RankOverlap::arrived).rank;  // and that arrived last
  const double last_arrival_ = events_of(trace_, late_rank_).front().begin;
  std::vector<Loss> losses_;
};

}  // namespace

std::vector<Loss> losses_of(const Trace& trace, const OverlapReport& report) {
  LossFinder finder(trace, report);
  return report.communication >= report.computation ? finder.of_network() : finder.of_processor();
}

Unpolled unpolled(const std::vector<Event>& events, const Intervals& under_way) {
  Unpolled found;
  for (const Event& e : events) {
    if (!works(e) || e.longest_gap <= tolerated) continue;
    const double matters = std::min(e.longest_gap, length(common({{e.begin, e.end}}, under_way))) - tolerated;
    if (matters <= 0) continue;
    found.time += matters;
    ++found.tasks;
    if (e.longest_gap > found.longest.longest_gap) found.longest = e;
  }
  const auto after = [&](const Event& e) { return !waits(e) && e.begin >= found.longest.end; };
  const auto next = std::ranges::find_if(events, after);
  found.next = next == events.end() ? found.longest.task : next->task;
  return found;
}

std::string time_text(double time, const std::string& unit) {
  if (unit != "s") return fmt::format("{:.4g} {}", time, unit);
  if (time >= 1) return fmt::format("{:.3f} s", time);
  return time >= 1e-3 ? fmt::format("{:.1f} ms", 1e3 * time) : fmt::format("{:.0f} us", 1e6 * time);
}

}  // namespace kallima
