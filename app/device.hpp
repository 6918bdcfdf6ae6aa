#pragma once
// `--device cuda[:N]`: where a command computes.

#include <CLI/App.hpp>
#include <memory>
#include <string>

#include "kallima/backend.hpp"

namespace kallima::cli {

void add_device_flag(CLI::App& app, std::string& device);
int first_device(const std::string& device);        // that ranks take, by its number
void check_device_name(const std::string& device);  // throws UsageError for what is none

// The backend of one rank; none where no device was asked for. Ranks share the device that is named, or else take those
// there are in turns. Throws Error where there is none, with what is missing.
// `place` is where the arrays are.
std::shared_ptr<const Backend> device_backend(const std::string& device, Precision precision, int rank,
                                              Place place = Place::device);

}  // namespace kallima::cli
