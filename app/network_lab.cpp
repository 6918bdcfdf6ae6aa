// Made by ip and tc, several commands to a process: a process per command would take seconds for 64 hosts.

#include "app/network_lab.hpp"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "app/check.hpp"
#include "app/lab_mpi.hpp"

namespace kallima::cli {

namespace {

std::string first_line(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.empty() ? "it does not say why" : line;
}

// Runs lines of commands of ip or tc, in a namespace if one is named.
void batch(const char* tool, const std::string& where, const std::string& lines, const std::string& problem,
           const std::string& suggestion) {
  Arguments arguments{find_program(tool)};
  if (!where.empty()) arguments.insert(arguments.end(), {"-n", where});
  arguments.insert(arguments.end(), {"-batch", "-"});
  const Outcome done = run_tool(arguments, lines);
  require(done.status == 0, "{} ({}: {}) {}", problem, tool, first_line(done.err), suggestion);
}

// Writes to a setting of a namespace. One that this kernel does not have stays away.
void set_in(const std::string& space, const char* setting, const char* value) {
  std::thread([&] {  // a thread may change its namespace without the process
    const int file = ::open(fmt::format("{}/{}", namespace_folder, space).c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0 && ::setns(file, CLONE_NEWNET) == 0)
      std::ofstream(fmt::format("/proc/sys/net/{}", setting)) << value << '\n';
    if (file >= 0) ::close(file);
  })
      .join();
}

// Of the congestion controls a namespace may choose, Reno is always there; the machine's own may be one that paces
// itself by what it guesses of the link, and would then be measured instead of the link.
void choose_congestion_control(const std::string& space) { set_in(space, "ipv4/tcp_congestion_control", "reno"); }

// A switch takes nothing from the hosts' processors, which the bridge does: at least no packet filter shall look at
// what it passes on.
void leave_out_filters(const std::string& space) {
  for (const char* name : {"iptables", "ip6tables", "arptables"})
    set_in(space, fmt::format("bridge/bridge-nf-call-{}", name).c_str(), "0");
}

constexpr const char* module_advice = "load the kernel module {} or use a kernel that has it";

}  // namespace

NetworkLab::NetworkLab(int hosts) : name_(LabName::mine()), hosts_(hosts) {}

// The other constructor comes first, so that whatever goes wrong here ends in the destructor.
NetworkLab::NetworkLab(int hosts, LinkRate rate) : NetworkLab(hosts) {
  require_lab_is_possible();
  require(hosts >= 1 && hosts <= most_hosts, "cannot make {} hosts (1 to {} will do)", hosts, most_hosts);
  remove_abandoned_labs();
  make_folder();
  make_namespaces();
  make_links();
  start_hosts();
  set_rate(rate);
}

NetworkLab::~NetworkLab() { remove_lab(name_); }

void NetworkLab::make_folder() const {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  try {
    std::filesystem::create_directories(name_.folder());
    std::filesystem::permissions(name_.folder(), std::filesystem::perms::owner_all);
    for (const char* helper : {enter_helper, pin_helper})
      std::filesystem::create_symlink(program, fmt::format("{}/{}", name_.folder(), helper));
  } catch (const std::filesystem::filesystem_error& error) {
    fail("cannot write to {} ({}) netlab needs to keep a few files there", name_.folder(), error.code().message());
  }
}

void NetworkLab::make_namespaces() {
  std::string lines = fmt::format("netns add {}\n", name_.hub());
  for (int i = 0; i < hosts_; ++i) lines += fmt::format("netns add {}\n", name_.host(i));
  batch("ip", "", lines, fmt::format("cannot make {} network namespaces", hosts_ + 1),
        "a container must be privileged for that");
  signals_.check();
}

// The bridge bears the hosts' interface's name, so that a launcher in the hub and one in a host are told the same.
void NetworkLab::make_links() {
  batch("ip", name_.hub(), "link add eth0 type bridge\n", "cannot make a bridge",
        fmt::format(fmt::runtime(module_advice), "bridge"));
  leave_out_filters(name_.hub());
  std::string lines = fmt::format("link set lo up\naddr add {}/24 dev eth0\nlink set eth0 up\n", hub_address);
  for (int i = 0; i < hosts_; ++i)
    lines += fmt::format(
        "link add port{0} type veth peer name eth0 netns {1}\nlink set port{0} master eth0\nlink set port{0} up\n", i,
        name_.host(i));
  batch("ip", name_.hub(), lines, fmt::format("cannot make {} links", hosts_),
        fmt::format(fmt::runtime(module_advice), "veth"));
  signals_.check();
}

void NetworkLab::start_hosts() {
  for (int i = 0; i < hosts_; ++i) {
    batch("ip", name_.host(i),
          fmt::format("link set lo up\naddr add {}/24 dev eth0\nlink set eth0 up\n", host_address(i)),
          fmt::format("cannot start host {}", i), "is the network stack complete?");
    choose_congestion_control(name_.host(i));
    signals_.check();
  }
}

void NetworkLab::set_rate(LinkRate rate) {
  if (!rate.limited() && !rate_.limited()) return;
  const auto command = [&](const std::string& device) {
    return rate.limited() ? fmt::format("qdisc replace dev {} root {}\n", device, rate.tc_text())
                          : fmt::format("qdisc del dev {} root\n", device);
  };
  const std::string problem = fmt::format("cannot limit links to {}", rate.text());
  const std::string advice = fmt::format(fmt::runtime(module_advice), "sch_tbf");
  std::string lines;
  for (int i = 0; i < hosts_; ++i) lines += command(fmt::format("port{}", i));
  batch("tc", name_.hub(), lines, problem, advice);
  for (int i = 0; i < hosts_; ++i) batch("tc", name_.host(i), command("eth0"), problem, advice);
  rate_ = rate;
  signals_.check();
}

Outcome NetworkLab::run(const LabJob& job) const {
  const Arguments arguments = mpi_command(job, hosts_, name_);
  return run_job(arguments, signals_, job.output, [&] {
    set_mpi_environment(job, hosts_, name_);
    enter_namespace(name_.hub(), "hub");
  });
}

}  // namespace kallima::cli
