// What ranks must agree on to plan alike, and how an Fft runs, for those who look at its traces later: both in words.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "fft/impl.hpp"
#include "schedule/names.hpp"

namespace kallima {
namespace {

using Arguments = detail::FftImpl::Arguments;

const char* effort_text(Effort effort) { return word_for(effort, {"estimate", "measure", "patient"}); }
const char* order_text(Order order) { return order == Order::chunk_first ? "chunk first" : "destination first"; }
const char* exchange_text(Exchange exchange) { return exchange == Exchange::views ? "views" : "messages"; }
const char* placement_text(Placement p) { return p == Placement::in_place ? "in place" : "out of place"; }

// Plans with one chunk have nothing to exchange while they compute.
const char* overlap_text(const PlanOptions& o) { return o.overlap == Overlap::off || o.chunks <= 1 ? "off" : "on"; }
std::string text(const std::optional<Layout>& layout) { return layout ? describe(*layout) : "any"; }

std::string text(const Storage& s) {
  return fmt::format("order {} padding {}", fmt::join(s.order, ","), fmt::join(s.padding, ","));
}

std::string number(auto value) { return fmt::format("{}", value); }
std::string list(const auto& values) { return fmt::format("{}", fmt::join(values, ",")); }

}  // namespace

Arguments arguments_of(const Problem& p) {
  std::vector<int> kinds;
  for (const Kind kind : p.kinds) kinds.push_back(static_cast<int>(kind));
  return {{"shape", text(p.shape)},
          {"axes", list(p.axes)},
          {"kinds", list(kinds)},
          {"data", std::string(enum_name(p.data))},
          {"precision", std::string(enum_name(p.precision))},
          {"output", p.output == Output::same ? "same" : "any"},
          {"in", text(p.in)},
          {"out", text(p.out)},
          {"storage_in", text(p.storage_in)},
          {"storage_out", text(p.storage_out)}};
}

Arguments arguments_of(const FftOptions& o) {
  std::vector<std::string> routes;
  for (const auto& [name, summary] : route_names()) routes.push_back(name);
  return {{"route", o.plan.route},
          {"routes to choose from", list(routes)},
          {"grid", text(o.plan.grid)},
          {"chunks", number(o.plan.chunks)},
          {"slices", number(o.plan.slices)},
          {"order", order_text(o.plan.order)},
          {"radices", list(o.plan.radices)},
          {"exchange", exchange_text(o.plan.exchange)},
          {"one process", number(o.plan.one_process ? 1 : 0)},
          {"nodes", list(o.plan.nodes)},
          {"ranks of a host", number(o.plan.per_host)},
          {"placement", placement_text(o.plan.placement)},
          {"all-to-all", std::string(name(o.plan.alltoall))},
          {"overlap", std::string(name(o.plan.overlap))},
          {"effort", effort_text(o.effort)},
          {"wire", fmt::format("{} {} {}", name(o.wire.format), o.wire.bits, o.wire.tolerance)},
          {"element", o.backend->element().name}};
}

Arguments detail::FftImpl::settings() const {
  const PlanOptions& o = programs->plan().options();
  const Problem& problem = programs->plan().problem();
  return {{"shape", text(problem.shape)},
          {"precision", std::string(enum_name(problem.precision))},
          {"route", o.route},
          {"grid", text(o.grid)},
          {"chunks", number(o.chunks)},
          {"slices", number(o.slices)},
          {"order", order_text(o.order)},
          {"radices", list(o.radices)},
          {"overlap", overlap_text(o)},
          {"exchange", exchange_text(o.exchange)},
          {"all-to-all", std::string(name(o.alltoall))},
          {"wire", text(wire.wire)},
          {"ranks", number(comm.size())},
          {"transport", transport->name()},
          {"tuning", text(transport->tuning())}};
}

}  // namespace kallima
