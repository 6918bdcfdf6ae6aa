#include "transport/host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.hpp"

namespace kallima {
namespace {

constexpr const char* boot_id = "/proc/sys/kernel/random/boot_id";

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t inode(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 ? info.st_ino : 0;
}

}  // namespace

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string host_name() {
  char name[256] = "";
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::uint64_t host_identity() {
  return hash(host_name() + contents(boot_id) + std::to_string(inode("/proc/self/ns/net")));
}

std::uint64_t machine_identity() { return hash(contents(boot_id)); }
int machine_cores() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

std::string host_family(const std::string& name) {
  const std::string first = name.substr(0, name.find('.'));
  return first.substr(0, first.find_last_not_of("0123456789") + 1);
}

// Lines of /proc/net/dev are "name: bytes ...", after two of titles.
ReceivedBytes received_bytes() {
  ReceivedBytes bytes;
  std::ifstream table("/proc/self/net/dev");
  for (std::string line, name; std::getline(table, line);) {
    std::replace(line.begin(), line.end(), ':', ' ');
    std::istringstream columns(line);
    double count = 0;
    if (columns >> name >> count) bytes[name] = count;
  }
  return bytes;
}

std::pair<std::string, double> busiest(const ReceivedBytes& before, const ReceivedBytes& after) {
  std::pair<std::string, double> most{"", -1};
  for (const auto& [name, bytes] : after) {
    const auto then = before.find(name);
    const double passed = bytes - (then == before.end() ? 0 : then->second);
    if (passed > most.second) most = {name, passed};
  }
  return most;
}

}  // namespace kallima
