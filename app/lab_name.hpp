#pragma once
// What everything of a network lab is called. The name holds the process that owns it and when that process started, so
// that two labs never collide, and whoever reads a name can tell whether the owner still lives, even where its process
// number has been given to somebody else since.

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kallima::cli {

struct LabName {
  pid_t owner = 0;
  std::uint64_t started = 0;  // in ticks since the machine did

  std::string text() const;           // kallima-OWNER-STARTED, of the lab
  std::string host(int index) const;  // of the namespaces
  std::string hub() const;
  std::string folder() const;  // where the lab keeps files
  bool owner_lives() const;

  static LabName mine();
  static std::optional<LabName> of(const std::string& text);  // of a lab, or of a namespace in one
};

inline constexpr const char* lab_folders = "/run/kallima-netlab";
inline constexpr const char* namespace_folder = "/run/netns";  // where ip puts namespaces

// Addresses are those set aside for measuring networks (RFC 2544), and the labs' networks are joined to no other.
std::string host_address(int index);
std::optional<int> host_at(const std::string& address);
inline constexpr const char* hub_address = "198.18.0.254";

}  // namespace kallima::cli
