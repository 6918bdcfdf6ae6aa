#pragma once
// The progress doctor: what this transport does with messages while its rank computes, found by trying, and how
// Kallima should therefore go about them. Findings are numbers that examine() measures; judge() makes words and a
// Tuning of them and knows nothing of where they came from.

#include <functional>
#include <optional>

#include "kallima/comm.hpp"

namespace kallima {

enum class PathKind { threads, shared_memory, node_messages, host_messages };
const char* name(PathKind kind);

enum class Medium { memory, tcp, unknown };  // what messages pass through; memory within a node only
const char* name(Medium medium);

struct ExchangeRate {  // both directions at once
  Tuning tuning;
  double bytes_per_s = 0;  // in each
  double cpu_s_per_gb = 0;
};

struct Hidden {  // share of an exchange that vanished behind computing that took as long
  double poll_seconds = 0;
  double share = 0;
};

struct Findings {
  PathKind path = PathKind::threads;
  Medium network = Medium::memory;
  std::string interface = {};  // of the kernel's network
  std::string library = {};
  std::string remedy = {};  // a setting this library needs, as NAME=value
  int ranks = 2;
  int hosts = 1;
  double handover_s = 0;  // of a view
  std::vector<ExchangeRate> rates = {};
  double one_way_bytes_per_s = 0;
  std::size_t alone_bytes = 0;  // the largest message that leaves without the receiver's help
  double hidden_alone = 0;      // nobody looks after the messages
  std::vector<Hidden> hidden_by_polling = {};
  std::optional<double> hidden_by_thread = {};
  double processor_share = 1;  // of the time that ranks computed: less where others used the machine, too
};

struct Diagnosis {
  Tuning tuning = {};
  double both_directions = 0;  // as much as so many times one of them
  std::string found;           // in plain words
  std::string will;            // what Kallima will do
  std::vector<std::string> advice;
};

Diagnosis judge(const Findings& findings);
// Ties within 3 % go to what hinders others least, pieces up to `largest` bytes before others.
ExchangeRate best_of(const std::vector<ExchangeRate>& rates, std::size_t largest);

struct Examination {
  std::string library = {};
  std::string remedy = {};
  double exchange_seconds = 0.06;                  // at least, of each exchange that is timed
  std::function<Comm(const Tuning&)> with_tuning;  // the same ranks by messages; collective
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

// Collective, on two ranks or more. What it finds is complete on rank 0 only.
Findings examine(const Comm& comm, const Examination& how);

// Keeps the tuning for later runs with this library on machines named as this one. Returns the file, or nothing where
// KALLIMA_CACHE=off says to keep none; throws Error where it cannot be written.
std::string keep(const Findings& findings, const Diagnosis& diagnosis);
bool forget(const std::string& library);  // true if there was something

}  // namespace kallima
