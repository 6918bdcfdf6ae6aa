// How an Fft runs, in words, for those who look at its traces later.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fft/impl.hpp"

namespace kallima {
namespace {

const char* precision_text(Precision precision) {
  return precision == Precision::single_ ? "single" : precision == Precision::double_ ? "double" : "long double";
}

const char* order_text(Order order) { return order == Order::chunk_first ? "chunk first" : "destination first"; }

// Plans with one chunk have nothing to exchange while they compute.
const char* overlap_text(const PlanOptions& o) { return o.overlap == Overlap::off || o.chunks <= 1 ? "off" : "on"; }

}  // namespace

template <class T>
std::vector<std::pair<std::string, std::string>> detail::FftImpl<T>::settings() const {
  const PlanOptions& o = compiled.plan->options();
  const Problem& problem = compiled.plan->problem();
  return {{"shape", text(problem.shape)},
          {"precision", precision_text(problem.precision)},
          {"route", o.route},
          {"grid", text(o.grid)},
          {"chunks", fmt::format("{}", o.chunks)},
          {"slices", fmt::format("{}", o.slices)},
          {"order", order_text(o.order)},
          {"radices", fmt::format("{}", fmt::join(o.radices, ","))},
          {"overlap", overlap_text(o)},
          {"exchange", o.exchange == Exchange::views ? "views" : "messages"},
          {"all-to-all", std::string(name(o.alltoall))},
          {"wire", text(wire.wire)},
          {"ranks", fmt::format("{}", comm.size())},
          {"transport", transport->name()},
          {"tuning", text(transport->tuning())}};
}

template std::vector<std::pair<std::string, std::string>> detail::FftImpl<float>::settings() const;
template std::vector<std::pair<std::string, std::string>> detail::FftImpl<double>::settings() const;
template std::vector<std::pair<std::string, std::string>> detail::FftImpl<long double>::settings() const;

}  // namespace kallima
