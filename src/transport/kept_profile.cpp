#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "kallima/kept.hpp"
#include "transport/cache_file.hpp"
#include "transport/host.hpp"

namespace kallima {

std::string kept_profile_path() { return cache_path("machine.json"); }

std::optional<Profile> kept_profile() {
  const std::string path = kept_profile_path();
  const std::string text = cache_is_off() || path.empty() ? "" : read_cached(path);
  if (text.empty()) return std::nullopt;
  try {
    return profile_from_json(text);
  } catch (const Error& error) {
    static std::atomic<bool> warned = false;
    if (!warned.exchange(true))
      std::fprintf(stderr, "kallima: %s is of no use (%s) run kallima calibrate again, or remove it\n", path.c_str(),
                   error.what());
    return std::nullopt;
  }
}

std::string keep(const Profile& profile) {
  if (cache_is_off()) return "";
  Profile all = profile;
  if (const std::optional<Profile> before = kept_profile(); before && before->processor == profile.processor)
    add_missing(all, *before);
  write_beside(kept_profile_path(), to_json(all));
  return kept_profile_path();
}

// One write of a line that ends a file is not torn by another's.
void keep_line(const std::string& file, const std::string& line) {
  const std::string path = cache_path(file);
  if (cache_is_off() || path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  std::ofstream out(path, std::ios::app);
  out << line + '\n' << std::flush;
}

std::string kept_text(const std::string& file) {
  const std::string path = cache_path(file);
  return cache_is_off() || path.empty() ? "" : read_cached(path);
}

}  // namespace kallima
