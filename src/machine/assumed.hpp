#pragma once
// Puts what a machine's file leaves out into it, and says what that was.

#include <nlohmann/json.hpp>

#include "kallima/machine.hpp"

namespace kallima {

std::vector<std::string> assume_costs(nlohmann::ordered_json& machine);

}  // namespace kallima
