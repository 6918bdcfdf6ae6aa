#include "bench/wire_text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace kallima::cli {

std::string wire_line(const Wire& asked, const WireReport& report, const std::optional<double>& result_error) {
  if (asked == Wire{}) return "";
  std::string line = "wire: " + text(report);
  if (report.bytes_plain > 0) {
    if (result_error) line += fmt::format(", of the result {:.1e}", *result_error);
    line += fmt::format(" (limit {:.1e})", report.choice.limit);
  }
  return line + "\n";
}

// JSON has no infinity: an error that is none is null.
nlohmann::json wire_json(const Wire& asked, const WireReport& r) {
  nlohmann::json json = {
      {"asked", text(asked)},         {"used", text(r.choice.wire)}, {"format", name(r.choice.wire.format)},
      {"bits", r.choice.wire.bits},   {"limit", r.choice.limit},     {"transforms", r.transforms},
      {"bytes_plain", r.bytes_plain}, {"bytes_sent", r.bytes_sent},  {"error", nullptr}};
  if (std::isfinite(r.error)) json["error"] = r.error;
  if (!r.choice.reason.empty()) json["reason"] = r.choice.reason;
  return json;
}

}  // namespace kallima::cli
