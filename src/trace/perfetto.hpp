#pragma once
// What writing and reading a trace for Perfetto have to agree on: how long one unit of a trace's time is in the file,
// whose times are microseconds.

#include <string>

namespace kallima {

inline double microseconds_per_unit(const std::string& unit) { return unit == "s" ? 1e6 : 1; }

}  // namespace kallima
