#include "app/processor.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <optional>

namespace kallima::cli {
namespace {

std::optional<std::string> value_of(const std::string& line, const std::string& key) {
  const std::size_t colon = line.find(": ");
  if (!line.starts_with(key) || colon == std::string::npos) return {};
  return line.substr(colon + 2);
}

}  // namespace

// Processors that have no name have a number.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  utsname system{};
  std::string otherwise = ::uname(&system) == 0 ? system.machine : "unknown";
  for (std::string line; std::getline(file, line);) {
    if (const auto name = value_of(line, "model name")) return *name;
    if (const auto part = value_of(line, "CPU part")) otherwise = "processor " + *part;
  }
  return otherwise;
}

}  // namespace kallima::cli
