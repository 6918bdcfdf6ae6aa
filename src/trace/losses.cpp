// Where the network is the bound, time is lost whenever nothing is under way: before a rank has come, before the first
// block, between blocks and after the last. The rest is messages that took longer than they do alone. Where computing
// is the bound, time is lost whenever the rank does anything else: it has not come yet, waits, serves messages. The
// rest is computing that took longer than it does alone.

#include "trace/losses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace kallima {
namespace {

constexpr double tolerated = 1e-3;  // seconds without a look; pieces that are posted travel that long by themselves

// Losses as they are found, with what all of them need to be put in words.
class LossList {
 public:
  explicit LossList(const Account& account) : a_(account) {}

  void add(Cause cause, double time, const std::string& text) {  // where there is any
    if (time > 0) losses_.push_back({cause, time, text});
  }

  void add_late(double time) {
    add(Cause::late_rank, time,
        fmt::format("rank {} arrived {} late", a_.late_rank, text(a_.last_arrival - a_.run.begin)));
  }

  double add_unpolled(double at_most) {  // and says how much of `at_most` is lost that way
    const Unpolled found = unpolled(a_.trace, a_.rank, a_.moments.under_way);
    const double time = std::clamp(found.time, 0.0, std::max(at_most, 0.0));
    const std::string more = found.tasks > 1 ? fmt::format(", the longest of {} such times", found.tasks) : "";
    add(Cause::no_progress, time,
        fmt::format("no progress between tasks {} and {}: {} without a look at the messages ({}{})", found.longest.task,
                    found.next, text(found.longest.longest_gap), found.longest.label, more));
    return time;
  }

  std::string text(double time) const { return time_text(time, a_.trace.unit); }

  std::string share(double time) const {  // of the run
    return fmt::format("{:.0f} %", a_.run.length() > 0 ? 100 * time / a_.run.length() : 0);
  }

  std::string stage_in(const Intervals& when) const {  // " in " and what most of it went into, or nothing
    std::map<std::string, double> shares;
    for (const Event& e : a_.trace.events)
      if (e.rank == a_.rank && works(e)) shares[e.label] += length(common({{e.begin, e.end}}, when));
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::max_element(shares.begin(), shares.end(), less);
    return most == shares.end() || most->second <= 0 ? "" : " in " + most->first;
  }

  std::vector<Loss> take() { return std::move(losses_); }

 private:
  const Account& a_;
  std::vector<Loss> losses_;
};

Intervals without(const Intervals& a, const Intervals& b, const Interval& whole) { return common(a, gaps(b, whole)); }

// What the rank received, by the events that finished it.
bool receives(const Account& a, const Event& e) {
  return e.rank == a.rank && !waits(e) && e.kind == TaskKind::recv_finish;
}

// From the end of all other work to the moment at which the last block had come.
Intervals before_last_block(const Account& a) {
  double come = a.run.begin, done = a.run.begin;
  for (const Event& e : a.trace.events)
    if (receives(a, e)) come = std::max(come, e.begin);
  for (const Event& e : a.trace.events)
    if (e.rank == a.rank && works(e) && e.end <= come) done = std::max(done, e.end);
  return united({{done, come}});
}

// The longest of some waits, and the block that ended it.
std::string longest_of(const Account& a, const Intervals& waits, const LossList& list) {
  const auto longest = std::ranges::max_element(waits, {}, &Interval::length);
  if (longest == waits.end()) return "";
  const Event* first = nullptr;
  for (const Event& e : a.trace.events)
    if (receives(a, e) && e.begin >= longest->end && (first == nullptr || e.begin < first->begin)) first = &e;
  const std::string block = first == nullptr ? "" : fmt::format(" for chunk {} of rank {}", first->chunk, first->peer);
  return fmt::format(", longest {}{}", list.text(longest->length()), block);
}

// A rank waits for what it receives and, when all has come, for what it sends.
Intervals waited_for(const Account& a) {
  Intervals all;
  double come = a.run.begin;
  const std::vector<Transit> messages = flights(a.trace, a.rank);
  for (const Transit& t : messages)
    if (!t.sends()) come = std::max(come, t.end);
  for (const Transit& t : messages) all.push_back({t.sends() ? std::max(t.begin, come) : t.begin, t.end});
  return united(std::move(all));
}

// Who waits for others waits for the latest first: `late` says how much of its lateness nothing else has paid for yet.
void add_waiting(const Account& a, const Intervals& waiting, double late, LossList& list) {
  const Intervals exposed = common(waiting, waited_for(a));
  const double absent = length(waiting) - length(exposed);
  const double unsent = absent - std::clamp(a.last_arrival - a.run.begin - late, 0.0, absent);
  list.add_late(late + absent - unsent);
  list.add(Cause::unsent, unsent,
           fmt::format("waited {} for other ranks to send or to take blocks", list.text(unsent)));
  const double left = length(exposed) - list.add_unpolled(length(exposed));
  const double last = std::min(left, length(common(exposed, before_last_block(a))));
  list.add(Cause::last_chunk, last, fmt::format("last chunk too large: waited {} for its message", list.text(last)));
  const Intervals others = without(exposed, before_last_block(a), a.run);
  list.add(Cause::waiting, left - last,
           fmt::format("waited {} for messages under way{}", list.text(left - last), longest_of(a, others, list)));
}

int task_after(const Trace& trace, const Event& task) {
  double earliest = std::numeric_limits<double>::infinity();
  int next = task.task;
  for (const Event& e : trace.events) {
    if (e.rank != task.rank || waits(e) || e.begin < task.end || e.begin >= earliest) continue;
    earliest = e.begin;
    next = e.task;
  }
  return next;
}

}  // namespace

std::vector<Loss> network_losses(const Account& a) {
  const Intervals& busy = a.moments.under_way;
  if (busy.empty()) return {};
  LossList list(a);
  const Interval head{a.last_arrival, std::max(a.last_arrival, busy.front().begin)};
  const Interval tail{busy.back().end, std::max(busy.back().end, a.run.end)};
  const Intervals between = gaps(busy, {head.end, std::max(head.end, tail.begin)});
  list.add_late(length(gaps(busy, {a.run.begin, head.begin})));
  list.add(Cause::first_block, head.length(),
           fmt::format("nothing to send before the first block: {}{} ({} of the time)", list.text(head.length()),
                       list.stage_in({head}), list.share(head.length())));
  list.add(
      Cause::idle_network, length(between),
      fmt::format("nothing under way between two blocks: {}{}", list.text(length(between)), list.stage_in(between)));
  list.add(Cause::last_chunk, tail.length(),
           fmt::format("last chunk too large: {}{} after the last message arrived", list.text(tail.length()),
                       list.stage_in({tail})));
  const double slower = length(busy) - a.report.communication;
  const double unexplained = slower - list.add_unpolled(slower);
  list.add(Cause::slower_messages, a.report.measured_alone ? unexplained : 0,
           fmt::format("messages took {} longer than alone; CPU spent in messages: {}", list.text(unexplained),
                       list.share(a.done.posting + a.done.polling)));
  return list.take();
}

std::vector<Loss> processor_losses(const Account& a) {
  LossList list(a);
  Intervals worked = a.moments.computing;
  for (const Intervals* more : {&a.moments.copying, &a.moments.posting})
    worked.insert(worked.end(), more->begin(), more->end());
  worked = united(std::move(worked));
  const Intervals late = without(united({{a.run.begin, a.last_arrival}}), worked, a.run);
  const Intervals waiting = without(a.moments.waiting, late, a.run);
  add_waiting(a, waiting, length(late), list);
  const double serving = a.done.posting + a.done.polling;
  list.add(
      Cause::processor, serving,
      fmt::format("CPU spent in messages: {} ({} of posting and polling)", list.share(serving), list.text(serving)));
  const double slower = a.done.computing + a.done.copying - a.report.computation;
  list.add(Cause::slower_computing, a.report.measured_alone ? slower : 0,
           fmt::format("computing took {} longer than alone (it shares processor and memory with the messages)",
                       list.text(slower)));
  const double between = a.run.length() - length(late) - length(worked) - length(waiting);
  list.add(Cause::between_tasks, between, fmt::format("{} between tasks", list.text(between)));
  return list.take();
}

Unpolled unpolled(const Trace& trace, int rank, const Intervals& under_way) {
  Unpolled found;
  for (const Event& e : trace.events) {
    if (e.rank != rank || !works(e) || e.longest_gap <= tolerated) continue;
    const double matters = std::min(e.longest_gap, length(common({{e.begin, e.end}}, under_way))) - tolerated;
    if (matters <= 0) continue;
    found.time += matters;
    ++found.tasks;
    if (e.longest_gap > found.longest.longest_gap) found.longest = e;
  }
  if (found.tasks > 0) found.next = task_after(trace, found.longest);
  return found;
}

std::string time_text(double time, const std::string& unit) {
  if (unit != "s") return fmt::format("{:.4g} {}", time, unit);
  if (time >= 1) return fmt::format("{:.3f} s", time);
  return time >= 1e-3 ? fmt::format("{:.1f} ms", 1e3 * time) : fmt::format("{:.0f} us", 1e6 * time);
}

}  // namespace kallima
