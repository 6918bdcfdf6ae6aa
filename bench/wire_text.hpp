#pragma once
// What came of sending fewer bytes, for people and for programs.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "kallima/wire.hpp"

namespace kallima::cli {

// A line, or nothing where nobody asked. The error of the result is given where it is known.
std::string wire_line(const Wire& asked, const WireReport& report, const std::optional<double>& result_error = {});
nlohmann::json wire_json(const Wire& asked, const WireReport& report);

}  // namespace kallima::cli
