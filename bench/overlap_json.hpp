#pragma once
// The overlap report for programs.

#include <nlohmann/json.hpp>

#include "kallima/overlap.hpp"

namespace kallima::cli {

nlohmann::json overlap_json(const OverlapReport& report);

}  // namespace kallima::cli
