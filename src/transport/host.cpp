#include "transport/host.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
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

std::map<std::string, double> received(const std::string& table) {  // as /proc/net/dev is written
  std::map<std::string, double> bytes;
  for (const std::string& line : split(table, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream columns(line.substr(0, colon) + " " + line.substr(colon + 1));
    std::string name;
    double count = 0;
    if (columns >> name >> count) bytes[name] = count;
  }
  return bytes;
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

ReceivedBytes::ReceivedBytes() : table_(contents("/proc/self/net/dev")) {}

ReceivedBytes::Busiest ReceivedBytes::since(const ReceivedBytes& before) const {
  const auto earlier = received(before.table_);
  Busiest busiest;
  for (const auto& [name, bytes] : received(table_)) {
    const auto then = earlier.find(name);
    const double passed = bytes - (then == earlier.end() ? 0 : then->second);
    if (passed > busiest.bytes) busiest = {name, passed};
  }
  return busiest;
}

}  // namespace kallima
