// The settings under which MPI takes the lab for a cluster. Both libraries find out by themselves that all ranks are on
// one machine, whatever its namespaces are called, and would then share memory: each must be held to TCP. Settings go
// by the environment where they can, because ranks and daemons all inherit it.

#include "app/lab_mpi.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>

#include "app/crew.hpp"

namespace kallima::cli {

namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

std::string addresses(int hosts, const std::string& suffix) {
  Arguments all;
  for (int i = 0; i < hosts; ++i) all.push_back(host_address(i) + suffix);
  return fmt::format("{}", fmt::join(all, ","));
}

std::string helper(const LabName& lab, const char* name) { return fmt::format("{}/{}", lab.folder(), name); }

// The kernel lets the buffers of a connection grow to megabytes, which the lab's short links have no use for: with
// several connections to a link they only fill its queue, and exchanges of four hosts at 2 Gbit/s took 0.21 s in one
// job and 0.25 s in the next (measured; always 0.21 s with these). What the user has set stays.
void add_socket_buffers(Settings& settings) {
  for (const char* name : {"OMPI_MCA_btl_tcp_sndbuf", "OMPI_MCA_btl_tcp_rcvbuf"})
    if (std::getenv(name) == nullptr) settings.emplace_back(name, "262144");
}

// Ranks of one host may share memory, as they would on any host. Open MPI 5 reads PRTE_MCA_* where 4 reads OMPI_MCA_*.
Settings open_mpi_settings(const LabJob& job, int hosts, const LabName& lab) {
  Settings settings{{"OMPI_MCA_plm", "rsh"},
                    {"OMPI_MCA_plm_rsh_agent", helper(lab, enter_helper)},
                    {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},
                    {"OMPI_MCA_oob_tcp_if_include", "eth0"},
                    {"OMPI_MCA_orte_tmpdir_base", lab.folder()},
                    {"PRTE_MCA_plm", "ssh"},
                    {"PRTE_MCA_plm_ssh_agent", helper(lab, enter_helper)},
                    {"PRTE_MCA_plm_ssh_no_tree_spawn", "1"},
                    {"PRTE_MCA_prte_if_include", "eth0"},
                    {"PRTE_MCA_prte_tmpdir_base", lab.folder()},
                    {"OMPI_MCA_pml", "ob1"},
                    {"OMPI_MCA_btl", job.per_host > 1 ? "self,vader,tcp" : "self,tcp"},
                    {"OMPI_MCA_btl_tcp_if_include", "eth0"}};
  if (::geteuid() == 0)
    for (const char* library : {"OMPI", "PRTE"})
      for (const char* word : {"", "_CONFIRM"})
        settings.emplace_back(fmt::format("{}_ALLOW_RUN_AS_ROOT{}", library, word), "1");
  if (hosts * job.per_host > core_count()) settings.emplace_back("OMPI_MCA_mpi_yield_when_idle", "1");
  if (hosts > 2) add_socket_buffers(settings);
  return settings;
}

Settings mpich_settings() {  // for MPICH on UCX, and on libfabric
  return {{"UCX_TLS", "tcp,self"}, {"UCX_NET_DEVICES", "eth0"}, {"FI_PROVIDER", "tcp"}, {"FI_TCP_IFACE", "eth0"}};
}

}  // namespace

Arguments mpi_command(const LabJob& job, int hosts, const LabName& lab) {
  const std::string per_host = std::to_string(job.per_host);
  Arguments arguments{job.launcher, "-n", std::to_string(hosts * job.per_host)};
  if (job.mpi == Mpi::open_mpi)
    arguments.insert(arguments.end(),
                     {"--host", addresses(hosts, ":" + per_host), "--map-by", "slot", "--bind-to", "none"});
  else
    arguments.insert(arguments.end(), {"-hosts", addresses(hosts, ""), "-ppn", per_host, "-iface", "eth0", "-launcher",
                                       "ssh", "-launcher-exec", helper(lab, enter_helper)});
  arguments.push_back(helper(lab, pin_helper));
  arguments.insert(arguments.end(), job.command.begin(), job.command.end());
  return arguments;
}

void set_mpi_environment(const LabJob& job, int hosts, const LabName& lab) {
  const Settings settings = job.mpi == Mpi::open_mpi ? open_mpi_settings(job, hosts, lab) : mpich_settings();
  for (const auto& [name, value] : settings) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace kallima::cli
