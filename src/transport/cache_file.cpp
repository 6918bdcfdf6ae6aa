#include "transport/cache_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/check.hpp"
#include "transport/host.hpp"

namespace kallima {

bool cache_is_off() { return environment("KALLIMA_CACHE") == "off"; }

std::string cache_path(const std::string& name) {
  std::string folder = environment("XDG_CACHE_HOME");
  if (folder.empty() && !environment("HOME").empty()) folder = environment("HOME") + "/.cache";
  return folder.empty() ? "" : folder + "/kallima/" + name;
}

void write_beside(const std::string& path, const std::string& text) {
  require(!path.empty(), "there is no place for a cache (neither XDG_CACHE_HOME nor HOME is set) nothing is kept");
  std::string beside = path + ".XXXXXX";
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const int made = ::mkstemp(beside.data());  // under a name that nobody can have prepared
  if (made >= 0) ::close(made);
  const std::filesystem::file_status old = std::filesystem::status(path, error);
  if (std::filesystem::is_regular_file(old)) std::filesystem::permissions(beside, old.permissions(), error);
  std::ofstream file;
  if (made >= 0) file.open(beside);
  file << text;
  file.close();
  if (file) std::filesystem::rename(beside, path, error);
  if (file && !error) return;
  std::filesystem::remove(beside, error);
  fail("{} cannot be written (is there room, and the right to?) nothing is kept", path);
}

CacheLock::CacheLock(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  file_ = ::open((path + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file_ >= 0) ::flock(file_, LOCK_EX);
}

CacheLock::~CacheLock() {
  if (file_ >= 0) ::close(file_);
}

std::string read_cached(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return "";  // reading from a pipe might never end
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace kallima
