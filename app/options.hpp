#pragma once
// The flags that subcommands share, and how their texts become what the library takes. Whatever is wrong with a text
// is a UsageError, which ends the program with code 2 rather than 1.

#include <CLI/App.hpp>
#include <optional>
#include <string>

#include "kallima/fft.hpp"
#include "kallima/file.hpp"

namespace kallima::cli {

class UsageError : public Error {
 public:
  using Error::Error;
};

struct RunFlags {
  int ranks = 0;          // 0: as many as there are cores, or as mpirun started
  std::string transport;  // empty: mpi under mpirun, threads otherwise
  std::string route = "auto";
  std::string grid;
  Index chunks = 0;
  Index slices = 0;
  std::string order = "chunk";
  std::string radices;
  std::string alltoall = "auto";
  std::string overlap = "auto";
  std::string tuning;
  std::string wire = "same";
  std::string effort;
  std::string device;               // empty: the processor
  bool sync = false;                // results are on the disk when the program ends
  bool messages = false;            // even where ranks could see each other's memory
  std::optional<std::string> json;  // a file; empty: standard output
};

void add_run_flags(CLI::App& app, RunFlags& flags);
void add_rank_flags(CLI::App& app, RunFlags& flags);  // two of them, for commands that transform nothing
void add_sync_flag(CLI::App& app, RunFlags& flags);   // for commands that write arrays
void add_json_flag(CLI::App& app, RunFlags& flags);   // one of them, for commands that run on no ranks

PlanOptions plan_options(const RunFlags& flags);
FftOptions fft_options(const RunFlags& flags);

// NumPy's backward, ortho and forward, or what is done outright: none, full. Empty: backward.
Norm norm_named(const std::string& name, Direction direction);
std::vector<std::string> norm_names();
Flush flush_of(const RunFlags& flags);
Shape parse_extents(const std::string& text, const std::string& flag);               // 256x256x256
Index parse_bytes(const std::string& text, const std::string& flag);                 // 1.5G
std::vector<Index> parse_numbers(const std::string& text, const std::string& flag);  // 0,2

// Where words for a person go: standard output, unless a program is to read that.
inline std::FILE* report_to(const RunFlags& flags) { return flags.json && flags.json->empty() ? stderr : stdout; }

// Results for a program to read, to where --json says; nowhere without it. On one rank only.
void check_json_target(const RunFlags& flags);  // before the work, so that it is not done in vain
void write_json(const RunFlags& flags, const std::string& text);

// Adds the MPI library to the settings of a trace that ran on it.
void add_library(Trace& trace);

}  // namespace kallima::cli
