#pragma once
// Where a process runs, as far as messages care: two processes are on one host where kernel, host name and network
// namespace are the same. Containers and the hosts of a network lab share a kernel, but nothing that messages pass.

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace kallima {

std::uint64_t host_identity();     // equal on one host, different on different ones
std::uint64_t machine_identity();  // equal where the processor is the same one
int machine_cores();               // of this machine
std::string host_name();
std::string environment(const char* name);  // empty where it is not set

// The name without its number: the nodes of a cluster are alike, and a job seldom begins on the same one again.
std::string host_family(const std::string& name);

// Bytes that this host's kernel has taken from the network so far, by interface. Only what bypasses the kernel, memory
// or a network card of its own kind, does not show here. Empty: cannot be known.
using ReceivedBytes = std::map<std::string, double>;
ReceivedBytes received_bytes();

// The interface that took most in between, and how much; negative: cannot be known.
std::pair<std::string, double> busiest(const ReceivedBytes& before, const ReceivedBytes& after);

}  // namespace kallima
