#pragma once
// What the laboratory's commands share: naming any schedule there is, a machine, and how it is simulated.

#include <CLI/App.hpp>

#include "app/options.hpp"
#include "kallima/simulate.hpp"

namespace kallima::cli {

struct LabFlags {
  std::string schedule = "output-driven";
  Index n = 1024;     // points of a transform, words of a collective
  std::string shape;  // routes only, instead of n
  int p = 8;
  std::string machine = "logp:L=5,o=0,g=5";
  std::string node, topology;  // added to the machine
  std::string sharing = "auto";
  std::string phase_two;  // empty: waiting
  std::string pricing = "auto";
  Index packet = 0;
  Index chunks = 0;
  Index slices = 0;
  std::string overlap = "auto";
  bool capacity = false;
  std::optional<std::uint64_t> seed;  // random latencies
};

void add_lab_flags(CLI::App& app, LabFlags& flags);

// What was asked for, and what there is to say about it (a route may use fewer processors). All that is wrong with the
// flags is a UsageError. `traced`: whether every task is to be remembered, which takes more memory.
struct Specimen {
  Outline outline;
  std::string note = {};
};

Specimen lab_specimen(const LabFlags& flags, const std::string& schedule, bool traced);
std::string lab_schedule_json(const LabFlags& flags);  // routes and collectives: the whole schedule
std::string lab_phase_two(const LabFlags& flags, const std::string& schedule);  // empty where there is none
Machine lab_machine(const std::string& text);                                   // logp:L=5,... or a file
Machine lab_machine(const LabFlags& flags);                                     // and with --node and --topology
std::vector<std::string> lab_assumed(const std::string& machine);               // what its file leaves out
SimulateOptions lab_options(const LabFlags& flags);

// What is simulated, in words: "output-driven, n = 1024, P = 8, phase II waiting".
std::string lab_title(const LabFlags& flags, const std::string& schedule);

}  // namespace kallima::cli
