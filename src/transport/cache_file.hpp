#pragma once
// Files in which one run leaves something for those that follow: all in one folder, each written beside itself and
// renamed, so that a reader never sees half of it.

#include <string>

namespace kallima {

bool cache_is_off();                              // the environment says KALLIMA_CACHE=off: nothing is read or kept
std::string cache_path(const std::string& name);  // of the file called so; empty where there is no home

// Throws Error where it cannot be written.
void write_beside(const std::string& path, const std::string& text);

// Nobody else who asks for it changes this file as long as this lives; where the file system knows no locks, nothing
// holds them back.
class CacheLock {
 public:
  explicit CacheLock(const std::string& path);
  ~CacheLock();
  CacheLock(const CacheLock&) = delete;
  CacheLock& operator=(const CacheLock&) = delete;

 private:
  int file_ = -1;
};

// What is in it; empty where there is none, or nothing that is a file.
std::string read_cached(const std::string& path);

}  // namespace kallima
