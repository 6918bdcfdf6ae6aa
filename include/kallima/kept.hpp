#pragma once
// What earlier runs have left for later ones, in files of one folder: $XDG_CACHE_HOME/kallima or ~/.cache/kallima.
// KALLIMA_CACHE=off: nothing is read or kept. A file that makes no sense is as good as none, and leads to a warning.

#include <optional>

#include "kallima/profile.hpp"

namespace kallima {

std::string kept_profile_path();  // of machine.json; empty where there is no home
std::optional<Profile> kept_profile();

// Keeps it; of pairs, those that it does not know stay. Returns the file, or nothing where nothing is to be kept;
// throws Error where it cannot be written.
std::string keep(const Profile& profile);

// Other files of that folder, by name: a line more at the end, and all that is in it. Nothing is kept or there where
// nothing is to be.
void keep_line(const std::string& file, const std::string& line);
std::string kept_text(const std::string& file);

}  // namespace kallima
