#pragma once
// A network of hosts on this one machine. A host is a network namespace with one interface, eth0, a full-duplex link
// that token buckets hold to a rate in each direction; a bridge in a namespace of its own, the hub, joins the links.
// Everything is made inside namespaces, so that the machine's own interfaces are never touched, and all of it is gone
// when the NetworkLab is.

#include <string>

#include "app/lab_name.hpp"
#include "app/link_rate.hpp"
#include "app/process.hpp"

namespace kallima::cli {

enum class Mpi { open_mpi, mpich };

struct LabJob {
  Arguments command;
  Mpi mpi = Mpi::open_mpi;
  std::string launcher;  // mpirun of that library
  int per_host = 1;      // ranks
  JobOutput output = JobOutput::inherit;
};

class NetworkLab {
 public:
  static constexpr int most_hosts = 64;

  NetworkLab(int hosts, LinkRate rate);  // throws Interrupted if a signal comes meanwhile
  ~NetworkLab();
  NetworkLab(const NetworkLab&) = delete;
  NetworkLab& operator=(const NetworkLab&) = delete;

  int hosts() const { return hosts_; }
  const LabName& name() const { return name_; }

  void set_rate(LinkRate rate);  // of all links, in both directions; also between jobs

  // Runs the command as MPI ranks over TCP, `per_host` in each host, rank r in host r / per_host and on core r modulo
  // the cores there are. Throws Interrupted after a signal, once the job has ended.
  Outcome run(const LabJob& job) const;

 private:
  explicit NetworkLab(int hosts);
  void make_namespaces();
  void make_links();
  void start_hosts();
  void make_folder() const;

  SignalWatch signals_;
  LabName name_;
  int hosts_;
  LinkRate rate_;
};

// Throws unless this process may make namespaces and has the tools for it.
void require_lab_is_possible();

// Ends what still runs in a lab and removes its namespaces and files.
void remove_lab(const LabName& name);

int remove_abandoned_labs();  // those whose owner is dead; how many there were

}  // namespace kallima::cli
