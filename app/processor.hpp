#pragma once
// What the processor calls itself, for reports and profiles.

#include <string>

namespace kallima::cli {

std::string processor_name();

}  // namespace kallima::cli
