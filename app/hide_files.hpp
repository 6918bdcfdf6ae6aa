#pragma once
// What `kallima hide` leaves in a folder: hide.json, hide.csv, hide.html, and the figure as hide.svg and hide.png.

#include <string>

#include "app/hide_sweep.hpp"

namespace kallima::cli {

void prepare_hide_folder(const std::string& folder);  // before the work, so that it is not done in vain
void write_hide_files(const HideSweep& sweep, const std::string& folder);

}  // namespace kallima::cli
