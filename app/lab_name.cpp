// Names are read back from the file system, where others put names as well: whatever is not exactly ours is nobody's.

#include "app/lab_name.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kallima::cli {

namespace {

constexpr std::string_view lab_prefix = "kallima-";
constexpr std::string_view network = "198.18.0.";
constexpr int start_field = 22;  // of /proc/PID/stat

// When the process started; 0 where there is none. The second field is the program's name, which may hold anything.
std::uint64_t start_of(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string field;
  for (int i = 2; i < start_field; ++i) fields >> field;
  std::uint64_t start = 0;
  std::from_chars(field.data(), field.data() + field.size(), start);
  return start;
}

// Takes a number off the front of the text.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool is_part(std::string_view text) {  // what follows a lab's name in a namespace's
  int index = 0;
  if (text.empty() || text == "-hub") return true;
  if (!text.starts_with("-h")) return false;
  text.remove_prefix(2);
  return take(text, index) && text.empty() && index >= 0;
}

}  // namespace

std::string LabName::text() const { return fmt::format("{}{}-{}", lab_prefix, owner, started); }
std::string LabName::host(int index) const { return fmt::format("{}-h{}", text(), index); }
std::string LabName::hub() const { return text() + "-hub"; }
std::string LabName::folder() const { return fmt::format("{}/{}", lab_folders, text()); }
bool LabName::owner_lives() const { return start_of(owner) == started; }

LabName LabName::mine() { return {::getpid(), start_of(::getpid())}; }

std::optional<LabName> LabName::of(const std::string& text) {
  std::string_view rest = text;
  LabName name;
  if (!rest.starts_with(lab_prefix)) return std::nullopt;
  rest.remove_prefix(lab_prefix.size());
  if (!take(rest, name.owner) || !rest.starts_with('-')) return std::nullopt;
  rest.remove_prefix(1);
  if (!take(rest, name.started) || name.owner < 1 || name.started == 0 || !is_part(rest)) return std::nullopt;
  return name;
}

std::string host_address(int index) { return fmt::format("{}{}", network, index + 1); }

std::optional<int> host_at(const std::string& address) {
  std::string_view rest = address;
  int number = 0;
  if (!rest.starts_with(network)) return std::nullopt;
  rest.remove_prefix(network.size());
  if (!take(rest, number) || !rest.empty() || number < 1) return std::nullopt;
  return number - 1;
}

}  // namespace kallima::cli
