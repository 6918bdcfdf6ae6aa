// Texts of the command line into the library's types. Numbers are read with from_chars, which knows overflow; what is
// merely impossible (a grid that does not fit the ranks) is left to the planner, whose errors say more.

#include "app/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/check.hpp"
#include "app/files.hpp"
#include "kallima/job.hpp"
#include "kallima/plan.hpp"

namespace kallima::cli {

namespace {

Index parse_number(std::string_view text, const std::string& flag, const std::string& all, const char* example) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    throw UsageError(fmt::format("{} {} is too large ({} does not fit 64 bits) give less", flag, all, text));
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(
        fmt::format("{} {} is not understood ('{}' is no whole number) write {} {}", flag, all, text, flag, example));
  return value;
}

std::vector<Index> split(const std::string& text, char separator, const std::string& flag, const char* example) {
  std::vector<Index> result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    result.push_back(parse_number(std::string_view(text).substr(at, end - at), flag, text, example));
    at = end + 1;
  }
  return result;
}

std::vector<std::string> routes() {
  std::vector<std::string> names{"auto"};
  for (const auto& [name, line] : route_names()) names.push_back(name);
  return names;
}

std::string route_help() {
  std::string text = "How to go about it; auto chooses among";
  for (const auto& [name, line] : route_names()) text += fmt::format("\n{}: {}", name, line);
  return text;
}

}  // namespace

void add_rank_flags(CLI::App& app, RunFlags& flags) {
  app.add_option("--ranks", flags.ranks, "How many ranks; default: the cores of this machine, or what mpirun started")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  app.add_option("--transport", flags.transport,
                 "threads (default): ranks are threads of this process; mpi: starts mpirun itself if need be")
      ->check(CLI::IsMember({"threads", "mpi"}));
}

void add_run_flags(CLI::App& app, RunFlags& flags) {
  add_rank_flags(app, flags);
  app.add_option("--route", flags.route, route_help())->check(CLI::IsMember(routes()));
  app.add_option("--grid", flags.grid, "Ranks per dimension; default: chosen")->type_name("2x1x1");
  app.add_option("--chunks", flags.chunks, "Parts in which each block travels; default: chosen")
      ->check(CLI::Range(Index{1}, Index{1} << 20))
      ->type_name("C");
  app.add_option("--slices", flags.slices,
                 "Slices in which the cyclic route makes blocks to be sent as messages; default: chosen")
      ->check(CLI::Range(Index{1}, Index{1} << 20))
      ->type_name("S");
  app.add_option("--order", flags.order, "What comes first when blocks are made: all of a chunk, or of a destination")
      ->check(CLI::IsMember({"chunk", "destination"}));
  app.add_option("--alltoall", flags.alltoall,
                 "How blocks find their targets: straight (direct, pairwise) or in log2 of the ranks rounds (bruck)")
      ->check(CLI::IsMember({"auto", "direct", "pairwise", "bruck"}));
  app.add_option("--radices", flags.radices, "Levels in which blocks are split off; default: chosen")->type_name("4,2");
  app.add_option(
         "--overlap", flags.overlap,
         "Exchange while computing: on; off (all at once, which may take one more array over messages); or auto "
         "(default): "
         "on and, unless --effort is estimate, with the first blocks sent early only if that is faster")
      ->check(CLI::IsMember({"auto", "on", "off"}));
  app.add_option(
         "--tuning", flags.tuning,
         "How messages are moved on: any of piece=63k,send=4,receive=8,poll=200us,progress=polling (or thread); "
         "the environment's KALLIMA_TUNING is asked first, then what kallima doctor has found")
      ->type_name("WORDS");
  app.add_option(
         "--wire", flags.wire,
         "What numbers are sent as: same (default: as computed), single, shared:BITS (mantissas of so many bits, "
         "in blocks with one exponent), or tolerance:E, the fewest bytes that keep the result's relative error "
         "below E")
      ->type_name("HOW");
  app.add_flag("--messages", flags.messages,
               "Exchange by messages even where ranks could read each other's memory (for a small /dev/shm)");
  app.add_option("--effort", flags.effort,
                 "How long planning may take: what is tried, and what FFTW, where it is used, may search")
      ->check(CLI::IsMember({"estimate", "measure", "patient"}));
  add_json_flag(app, flags);
}

void add_sync_flag(CLI::App& app, RunFlags& flags) {
  app.add_flag("--sync", flags.sync,
               "Wait until the result is on the disk; without it the system writes when it likes, as for any program");
}

void add_json_flag(CLI::App& app, RunFlags& flags) {
  app.add_option_function<std::vector<std::string>>(
         "--json", [&flags](const std::vector<std::string>& v) { flags.json = v.empty() ? "" : v[0]; },
         "Results as JSON, to FILE or else to standard output")
      ->expected(0, 1)
      ->type_name("[FILE]");
}

PlanOptions plan_options(const RunFlags& flags) {
  PlanOptions options;
  options.route = flags.route;
  options.chunks = flags.chunks;
  options.slices = flags.slices;
  if (flags.messages) options.exchange = Exchange::messages;
  options.order = flags.order == "chunk" ? Order::chunk_first : Order::destination_first;
  for (const Overlap how : {Overlap::on, Overlap::off})
    if (flags.overlap == name(how)) options.overlap = how;
  for (const Alltoall how : {Alltoall::direct, Alltoall::pairwise, Alltoall::bruck})
    if (flags.alltoall == name(how)) options.alltoall = how;
  if (!flags.grid.empty()) options.grid = parse_extents(flags.grid, "--grid");
  if (!flags.radices.empty()) options.radices = parse_numbers(flags.radices, "--radices");
  return options;
}

FftOptions fft_options(const RunFlags& flags) {
  const Effort effort = flags.effort == "estimate"  ? Effort::estimate
                        : flags.effort == "patient" ? Effort::patient
                                                    : Effort::measure;
  try {
    return {.plan = plan_options(flags), .effort = effort, .wire = wire_named(flags.wire)};
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

Norm norm_named(const std::string& name, Direction direction) {
  if (name == "ortho") return Norm::ortho;
  const bool forward = direction == Direction::forward;
  const bool scaled = name == "forward" ? forward : name == "backward" || name.empty() ? !forward : name == "full";
  return scaled ? Norm::full : Norm::none;
}

std::vector<std::string> norm_names() { return {"backward", "ortho", "forward", "none", "full"}; }

Flush flush_of(const RunFlags& flags) { return flags.sync ? Flush::now : Flush::later; }

Shape parse_extents(const std::string& text, const std::string& flag) {
  const Shape shape = split(text, 'x', flag, "256x256x256");
  for (const Index n : shape)
    if (n < 1) throw UsageError(fmt::format("{} {} is impossible (an extent of {}) extents start at 1", flag, text, n));
  return shape;
}

Index parse_bytes(const std::string& text, const std::string& flag) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  if (unit.size() == 3 && unit.ends_with("iB")) unit.resize(1);  // 4GiB
  const std::string units = "kMGT";
  const bool plain = unit.empty(), known = unit.size() == 1 && units.find(unit) != units.npos;
  const double factor = known ? std::pow(1024.0, static_cast<double>(units.find(unit) + 1)) : 1;
  if (error != std::errc{} || !(plain || known) || !(value > 0) || value * factor > 1e18)
    throw UsageError(fmt::format("{} {} is not understood (no number of bytes) write {} 1.5G", flag, text, flag));
  return static_cast<Index>(value * factor);
}

std::vector<Index> parse_numbers(const std::string& text, const std::string& flag) {
  return split(text, ',', flag, "0,2");
}

void add_library(Trace& trace) {
  const std::pair<std::string, std::string> by_mpi{"transport", "mpi"};
  const auto at = std::find(trace.settings.begin(), trace.settings.end(), by_mpi);
  if (at != trace.settings.end()) trace.settings.emplace(at + 1, "MPI library", MpiWorld::library());
}

void check_json_target(const RunFlags& flags) {
  if (flags.json && !flags.json->empty()) check_writable(*flags.json, 0);
}

void write_json(const RunFlags& flags, const std::string& text) {
  if (!flags.json) return;
  if (flags.json->empty()) return fmt::print("{}\n", text);
  write_text(*flags.json, text + "\n");
}

}  // namespace kallima::cli
