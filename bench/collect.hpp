#pragma once
// Small things brought together from all ranks. Everything here is collective.

#include <functional>
#include <string>
#include <vector>

#include "kallima/transport.hpp"

namespace kallima::cli {

std::vector<double> gather_values(Transport& transport, double mine);
double largest(Transport& transport, double mine);
double total(Transport& transport, double mine);

std::vector<std::string> gather_texts(Transport& transport, const std::string& mine);

// Seconds that `action` takes on the slowest rank, all having begun together.
double seconds_of(Transport& transport, const std::function<void()>& action);

}  // namespace kallima::cli
