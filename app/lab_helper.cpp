// The helpers that start a lab's processes where they belong. They are known by the path they were started by,
// /run/kallima-netlab/LAB/enter or pin, which tells the lab as well, so that no setting has to find its way through
// mpirun to them.

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "app/check.hpp"
#include "app/lab_mpi.hpp"

namespace kallima::cli {

namespace {

namespace fs = std::filesystem;

void succeed(int result, const std::string& problem) {
  require(result == 0, "{} ({}) run netlab as root, outside containers", problem, std::strerror(errno));
}

// Called as ssh is: options, a host, and arguments that a shell there is to read.
[[noreturn]] void enter(const LabName& lab, Arguments arguments) {
  while (!arguments.empty() && arguments[0].starts_with('-')) arguments.erase(arguments.begin());
  const auto host = arguments.empty() ? std::nullopt : host_at(arguments[0]);
  require(host.has_value(), "no host of the lab is meant (by '{}') this program is for mpirun only",
          arguments.empty() ? "" : arguments[0]);
  std::string line;
  for (std::size_t i = 1; i < arguments.size(); ++i) line += (i > 1 ? " " : "") + arguments[i];
  enter_namespace(lab.host(*host), fmt::format("host{}", *host));
  become({"/bin/sh", "-c", line});
}

int rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

// The daemons of different hosts do not know that they share the machine, and would all take the same cores.
[[noreturn]] void pin(const Arguments& arguments) {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (::sched_getaffinity(0, sizeof all, &all) == 0 && CPU_COUNT(&all) > 0) {
    int skip = rank() % CPU_COUNT(&all);
    std::size_t core = 0;
    while (!CPU_ISSET(core, &all) || skip-- > 0) ++core;
    CPU_ZERO(&all);
    CPU_SET(core, &all);
    ::sched_setaffinity(0, sizeof all, &all);
  }
  become(arguments);
}

}  // namespace

// /sys shows the interfaces of the namespace it was mounted in, and UCX looks for them there.
void enter_namespace(const std::string& space, const std::string& host_name) {
  const std::string path = fmt::format("{}/{}", namespace_folder, space);
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  require(file >= 0, "there is no namespace {} ({}) is the lab still there?", space, std::strerror(errno));
  succeed(::setns(file, CLONE_NEWNET), "cannot enter the namespace " + space);
  ::close(file);
  succeed(::unshare(CLONE_NEWNS | CLONE_NEWUTS), "cannot have mounts and a host name apart");
  succeed(::mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr), "cannot have mounts apart");
  ::umount2("/sys", MNT_DETACH);
  succeed(::mount(space.c_str(), "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr), "cannot mount /sys");
  succeed(::sethostname(host_name.data(), host_name.size()), "cannot set a host name");
}

void serve_as_lab_helper(int argc, char** argv) {
  const fs::path path = argc > 0 ? argv[0] : "";
  if (path.parent_path().parent_path() != lab_folders || argc < 2) return;
  const auto lab = LabName::of(path.parent_path().filename());
  const Arguments arguments(argv + 1, argv + argc);
  try {
    if (lab && path.filename() == enter_helper) enter(*lab, arguments);
    if (lab && path.filename() == pin_helper) pin(arguments);
  } catch (const Error& error) {
    fmt::print(stderr, "kallima: {}\n", error.what());
    std::exit(1);
  }
}

}  // namespace kallima::cli
