// What is left of labs, and what a lab needs. A lab is found by the names of its namespaces and its folder alone, since
// its owner may have been killed at any step of making or removing it.

#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "app/check.hpp"
#include "app/network_lab.hpp"

namespace kallima::cli {

namespace {

namespace fs = std::filesystem;

constexpr int net_admin = 12;  // capabilities, by their bit
constexpr int sys_admin = 21;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    names.push_back(entry.path().filename());
  return names;
}

std::vector<std::string> namespaces_of(const LabName& name) {
  std::vector<std::string> result;
  for (const std::string& space : names_in(namespace_folder)) {
    const auto lab = LabName::of(space);
    if (lab && lab->text() == name.text()) result.push_back(space);
  }
  return result;
}

ino_t inode(const std::string& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 ? about.st_ino : 0;
}

int kill_processes_in(const std::set<ino_t>& spaces) {
  int killed = 0;
  for (const std::string& process : names_in("/proc")) {
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!spaces.contains(inode("/proc/" + process + "/ns/net"))) continue;
    if (::kill(std::stoi(process), SIGKILL) == 0) ++killed;
  }
  return killed;
}

// Processes in a namespace keep it, and may start others while they are being killed. They are not our children, so
// that nothing tells us when they are gone: we look again, for two seconds at most.
void end_processes(const std::vector<std::string>& spaces) {
  std::set<ino_t> inodes;
  for (const std::string& space : spaces) inodes.insert(inode(fmt::format("{}/{}", namespace_folder, space)));
  inodes.erase(0);                           // made by half: a file, and nothing mounted on it
  inodes.erase(inode("/proc/self/ns/net"));  // never our own
  for (int tries = 0; tries < 100 && kill_processes_in(inodes) > 0; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

bool has_capability(int bit) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (word == "CapEff:" && file >> word) return (std::stoull(word, nullptr, 16) >> bit & 1) != 0;
  return false;
}

}  // namespace

void require_lab_is_possible() {
  for (const auto& [bit, name] : {std::pair{net_admin, "CAP_NET_ADMIN"}, {sys_admin, "CAP_SYS_ADMIN"}})
    require(has_capability(bit), "not allowed to make network namespaces ({} is missing) run it as root{}", name,
            ::geteuid() == 0 ? ", outside the container or in a privileged one" : "");
  for (const char* tool : {"ip", "tc"})
    require(!find_program(tool).empty(), "cannot make network namespaces (there is no program {}) install iproute2",
            tool);
}

void remove_lab(const LabName& name) {
  const std::vector<std::string> spaces = namespaces_of(name);
  end_processes(spaces);
  std::string lines;
  for (const std::string& space : spaces) lines += fmt::format("netns del {}\n", space);
  if (!spaces.empty()) run_tool({find_program("ip"), "-force", "-batch", "-"}, lines);
  std::error_code none;
  fs::remove_all(name.folder(), none);
  fs::remove(lab_folders, none);  // unless another lab is in it
}

int remove_abandoned_labs() {
  std::map<std::string, LabName> abandoned;
  for (const char* folder : {namespace_folder, lab_folders})
    for (const std::string& text : names_in(folder))
      if (const auto lab = LabName::of(text); lab && !lab->owner_lives()) abandoned[lab->text()] = *lab;
  for (const auto& [text, lab] : abandoned) remove_lab(lab);
  return static_cast<int>(abandoned.size());
}

}  // namespace kallima::cli
