// Schedules of a plan and what becomes of them: each variation is a rewrite, compiled when it is first run. And which
// form messages travel in, and what came of it. Formats are chosen for a plan that exchanges by messages, since views
// of another rank's memory send nothing; where none is shorter, the plan is the one without the question.

#include <algorithm>

#include "fft/impl.hpp"

namespace kallima {
namespace {

constexpr std::size_t variations = 12;

std::size_t number(const Variation& v) {
  return (static_cast<std::size_t>(v.direction) * 2 + static_cast<std::size_t>(v.placement)) * 3 +
         static_cast<std::size_t>(v.part);
}

}  // namespace

Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

Programs::Programs(std::shared_ptr<const Plan> plan, int rank, std::shared_ptr<const Backend> backend, Effort effort,
                   Change change)
    : plan_(std::move(plan)),
      rank_(rank),
      backend_(std::move(backend)),
      effort_(effort),
      change_(std::move(change)),
      programs_(variations) {
  for (const Direction direction : {Direction::forward, Direction::backward})
    of({.direction = direction, .placement = plan_->options().placement});
}

const Compiled& Programs::of(const Variation& v) {
  std::optional<Compiled>& compiled = programs_[number(v)];
  if (!compiled) {
    RankSchedule schedule = change_(plan_->rank_schedule(rank_, v.direction));
    schedule = placed(std::move(schedule), plan_->options().placement, v.placement);
    const RealsSent sent = reals_sent(schedule);
    compiled.emplace(Program(without(std::move(schedule), v.part), backend_, v.direction, effort_), sent);
  }
  return *compiled;
}

const Compiled& Programs::planned(Direction direction) const {
  return *programs_[number({.direction = direction, .placement = plan_->options().placement})];
}

// Programs share their tables.
std::size_t Programs::table_bytes() const {
  std::map<const void*, std::size_t> tables;
  for (const auto& compiled : programs_)
    if (compiled) tables.insert(compiled->program.tables().begin(), compiled->program.tables().end());
  std::size_t sum = 0;
  for (const auto& [at, bytes] : tables) sum += bytes;
  return sum;
}

void detail::FftImpl::settle_wire() {
  kallima::check(options.wire);
  if (options.wire == Wire{}) return;
  PlanOptions by_messages = options.plan;
  by_messages.exchange = Exchange::messages;
  const std::unique_ptr<Plan> trial = planner(by_messages);
  wire = choose_wire(options.wire, *trial);
  if (wire.wire.format != Wire::Format::same && trial->exchanges() > 0) options.plan = by_messages;
}

WireReport detail::FftImpl::wire_report() const {
  static const std::string* const call = call_name("the wire report of the plan");
  transport->announce({call, planned_in});
  std::vector<WireTally> all(static_cast<std::size_t>(transport->size()));
  transport->gather(std::as_bytes(std::span(&tally, 1)), std::as_writable_bytes(std::span(all)));
  WireReport report{.choice = wire, .transforms = tally.transforms};
  kernel::WireErrors errors;
  for (const WireTally& t : all) {
    report.bytes_plain += t.bytes_plain;
    report.bytes_sent += t.bytes_sent;
    errors.add(t.errors);
  }
  report.error = errors.relative();
  return report;
}

}  // namespace kallima
