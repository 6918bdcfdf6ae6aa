#pragma once
// What the paper of 2012 could not have: the same equations, fed with machines that were built since, beside what was
// published of 3-D FFTs on them; what it projected for 2020 beside processors of that year; and its closing question,
// what one exchange, overlap and a smaller wire format are worth at that scale, switched on one after another.

#include <nlohmann/json.hpp>

namespace kallima::cli {

std::string hindsight_text();
nlohmann::json hindsight_json();

}  // namespace kallima::cli
