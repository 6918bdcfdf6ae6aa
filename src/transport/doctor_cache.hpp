#pragma once
// What `kallima doctor` found, kept in a file for the runs that follow. It is advice: a file that cannot be read, or
// makes no sense, is as good as none, and only leads to a warning.

#include <optional>
#include <string>

#include "kallima/tuning.hpp"

namespace kallima {

// A finding holds for an MPI library, for one node or several, and for machines whose names differ by a number.
struct CacheKey {
  std::string library;
  bool several_hosts = false;
  std::string host;
  std::string text() const;
};

class DoctorCache {
 public:
  explicit DoctorCache(std::string path) : path_(std::move(path)) {}

  static std::string usual_path();  // empty where there is no home
  static bool is_off();             // the environment says KALLIMA_CACHE=off: nothing is to be read or kept

  const std::string& path() const { return path_; }
  std::optional<Tuning> find(const CacheKey& key) const;
  bool asks_for_thread(const std::string& library) const;                                // anywhere
  void save(const CacheKey& key, const Tuning& tuning, const std::string& found) const;  // throws where it cannot
  bool forget(const CacheKey& key) const;                                                // true if there was something

 private:
  std::string path_;
};

}  // namespace kallima
