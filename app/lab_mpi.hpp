#pragma once
// MPI in a network lab. mpirun itself runs in the hub, which is no host, so that what it says to its daemons takes
// nothing from the ranks' links. It reaches the hosts through helpers, which are this same program under other names:
// `enter` stands in for ssh, and `pin` starts a rank on its core.

#include <optional>

#include "app/network_lab.hpp"

namespace kallima::cli {

inline constexpr const char* enter_helper = "enter";
inline constexpr const char* pin_helper = "pin";

Arguments mpi_command(const LabJob& job, int hosts, const LabName& lab);

void set_mpi_environment(const LabJob& job, int hosts, const LabName& lab);

// Moves this process into a namespace, with a host name and a /sys to match; for the rest of its life.
void enter_namespace(const std::string& space, const std::string& host_name);

// If this process was started under a helper's name, does its work, which ends in another program, or exits.
void serve_as_lab_helper(int argc, char** argv);

}  // namespace kallima::cli
