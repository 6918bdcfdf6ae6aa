// Which form an Fft's messages travel in, and what came of it. Formats are chosen for a plan that exchanges by
// messages, since views of another rank's memory send nothing; where none is shorter, the plan is the one without the
// question.

#include "fft/impl.hpp"

namespace kallima {

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
