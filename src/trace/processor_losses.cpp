// Where computing is the bound, time is lost whenever the rank does anything else: it has not come yet, waits, serves
// messages. The rest is computing that took longer than it does alone.

#include <fmt/format.h>

#include <algorithm>

#include "trace/flights.hpp"
#include "trace/ledger.hpp"

namespace kallima {
namespace {

std::vector<Interval> without(const std::vector<Interval>& a, const std::vector<Interval>& b, const Interval& whole) {
  return common(a, gaps(b, whole));
}

std::vector<Interval> stretch(double begin, double end) {
  return begin < end ? std::vector<Interval>{{begin, end}} : std::vector<Interval>{};
}

std::vector<Interval> active(const Moments& m) {
  std::vector<Interval> all = m.computing;
  for (const std::vector<Interval>* more : {&m.copying, &m.posting}) all.insert(all.end(), more->begin(), more->end());
  return united(std::move(all));
}

bool receives(const Account& a, const Event& e) {
  return e.rank == a.rank && e.task >= 0 && e.kind == TaskKind::recv_finish;
}

// From the end of all other work to the moment at which the last block had come.
std::vector<Interval> before_last_block(const Account& a) {
  double come = a.run.begin, done = a.run.begin;
  for (const Event& e : a.trace.events)
    if (receives(a, e)) come = std::max(come, e.begin);
  for (const Event& e : a.trace.events)
    if (e.rank == a.rank && works(e) && e.end <= come) done = std::max(done, e.end);
  return stretch(done, come);
}

std::string block_after(const Account& a, const Interval& wait) {
  const Event* first = nullptr;
  for (const Event& e : a.trace.events)
    if (receives(a, e) && e.begin >= wait.end && (first == nullptr || e.begin < first->begin)) first = &e;
  return first == nullptr ? "" : fmt::format(" for chunk {} of rank {}", first->chunk, first->peer);
}

std::string longest_of(const Account& a, const std::vector<Interval>& waits, const Ledger& ledger) {
  const auto shorter = [](const Interval& x, const Interval& y) { return x.end - x.begin < y.end - y.begin; };
  const auto longest = std::max_element(waits.begin(), waits.end(), shorter);
  if (longest == waits.end()) return "";
  return fmt::format(", longest {}{}", ledger.text(longest->end - longest->begin), block_after(a, *longest));
}

// A rank waits for what it receives and, when all has come, for what it sends.
std::vector<Interval> waited_for(const Account& a) {
  std::vector<Interval> all;
  double come = a.run.begin;
  for (const Transit& t : flights(a.trace, a.rank))
    if (!t.sends()) come = std::max(come, t.end);
  for (const Transit& t : flights(a.trace, a.rank))
    all.push_back({t.sends() ? std::max(t.begin, come) : t.begin, t.end});
  return united(std::move(all));
}

// Who waits for others waits for the latest first: `late` says how much of its lateness nothing else has paid for yet.
void add_waiting(const Account& a, const std::vector<Interval>& waiting, double late, Ledger& ledger) {
  const std::vector<Interval> exposed = common(waiting, waited_for(a));
  const double absent = length(waiting) - length(exposed);
  const double unsent = absent - std::clamp(a.last_arrival - a.run.begin - late, 0.0, absent);
  ledger.add_late(late + absent - unsent);
  ledger.add(Cause::unsent, unsent,
             fmt::format("waited {} for other ranks to send or to take blocks", ledger.text(unsent)));
  const double left = length(exposed) - ledger.add_unpolled(length(exposed));
  const double last = std::min(left, length(common(exposed, before_last_block(a))));
  ledger.add(Cause::last_chunk, last,
             fmt::format("last chunk too large: waited {} for its message", ledger.text(last)));
  const std::vector<Interval> others = without(exposed, before_last_block(a), a.run);
  ledger.add(
      Cause::waiting, left - last,
      fmt::format("waited {} for messages under way{}", ledger.text(left - last), longest_of(a, others, ledger)));
}

}  // namespace

std::vector<Loss> processor_losses(const Account& a) {
  Ledger ledger(a);
  const std::vector<Interval> worked = active(a.moments);
  const std::vector<Interval> late = without(stretch(a.run.begin, a.last_arrival), worked, a.run);
  const std::vector<Interval> waiting = without(a.moments.waiting, late, a.run);
  add_waiting(a, waiting, length(late), ledger);
  const double serving = a.done.posting + a.done.polling;
  ledger.add(Cause::processor, serving,
             fmt::format("CPU spent in messages: {} ({} of posting and polling)", ledger.share(serving),
                         ledger.text(serving)));
  const double slower = a.done.computing + a.done.copying - a.computation;
  ledger.add(Cause::slower_computing, a.measured_alone ? slower : 0,
             fmt::format("computing took {} longer than alone (it shares processor and memory with the messages)",
                         ledger.text(slower)));
  const double between = a.run.end - a.run.begin - length(late) - length(worked) - length(waiting);
  ledger.add(Cause::between_tasks, between, fmt::format("{} between tasks", ledger.text(between)));
  return std::move(ledger).all();
}

}  // namespace kallima
