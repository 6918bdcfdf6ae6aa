#include "app/laboratory.hpp"

#include <CLI/CLI.hpp>
#include <bit>
#include <filesystem>

#include "app/check.hpp"
#include "app/files.hpp"
#include "kallima/butterfly.hpp"
#include "kallima/collective.hpp"
#include "kallima/symmetry.hpp"

namespace kallima::cli {
namespace {

using Names = std::vector<std::pair<std::string, std::string>>;

bool has(const Names& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& row) { return row.first == name; });
}

std::string list(const char* title, const Names& names) {
  std::string all = fmt::format("{}:\n", title);
  for (const auto& [name, summary] : names) all += fmt::format("  {:<22} {}\n", name, summary);
  return all;
}

constexpr int most_saved = 256;            // ranks of a schedule in a file
constexpr int few_ranks = 64;              // up to here all ranks of a schedule are written down
constexpr Index most_tasks = 8'000'000;    // of schedules with buffers and passes; about 4 GB
constexpr Index most_nodes = 100'000'000;  // of node-grain ones; about 8 GB
constexpr Index most_events = 10'000'000;  // of a trace

bool is_node_grain(const std::string& name) { return has(node_schedule_names(), name); }
bool is_collective(const std::string& name) { return has(collective_names(), name); }
bool is_route(const std::string& name) { return name == "bsp" || name == "auto" || has(route_names(), name); }
bool has_two_phases(const std::string& name) {
  return is_node_grain(name) && kallima::has_two_phases(node_schedule_named(name));
}

void check_size(Index tasks, Index most, const std::string& name, int p) {
  require(tasks <= most, "about {} tasks are too many for schedule {} on {} processors (at most {} fit): use less",
          tasks, name, p, most);
}

std::unique_ptr<Plan> route_plan(const LabFlags& flags, const std::string& name) {
  PlanOptions options{.route = name == "bsp" ? "group-cyclic" : name, .chunks = flags.chunks, .slices = flags.slices};
  if (name == "bsp" && flags.chunks == 0) options.chunks = 1;  // a superstep exchanges once
  options.exchange = Exchange::messages;
  for (const Overlap how : {Overlap::on, Overlap::off})
    if (flags.overlap == kallima::name(how)) options.overlap = how;
  const Shape shape = flags.shape.empty() ? Shape{flags.n} : parse_extents(flags.shape, "--shape");
  return plan({.shape = shape}, flags.p, options);
}

Collective collective_of(const LabFlags& flags, const std::string& name) {
  return {.name = name, .ranks = flags.p, .words = flags.n, .packet = flags.packet, .exchange = Exchange::messages};
}

// One script for all ranks that have something to do, if they may share one, and otherwise one each if they fit.
Outline outline_of(const LabFlags& flags, const std::string& name, int busy, const WritesRank& schedule_of,
                   bool traced) {
  if ((flags.p > few_ranks || flags.pricing == "one") && flags.pricing != "all")
    if (std::optional<Outline> shared = shared_outline(name, busy, schedule_of)) {
      shared->idle = flags.p - busy;
      return std::move(*shared);
    }
  require(flags.pricing != "one", "one rank cannot stand for all in schedule {} on {} ranks (they do different things)",
          name, flags.p);
  check_size(static_cast<Index>(schedule_of(0).tasks.size()) * flags.p, traced ? most_tasks / 2 : most_tasks, name,
             flags.p);
  Schedule all{.name = name};
  for (int rank = 0; rank < flags.p; ++rank) all.ranks.push_back(schedule_of(rank));
  return outline(all);
}

Specimen route_specimen(const LabFlags& flags, const std::string& name, bool traced) {
  const std::unique_ptr<Plan> it = route_plan(flags, name);
  const WritesRank schedule_of = [&](int rank) { return it->rank_schedule(rank, Direction::forward); };
  // Where a part of the ranks begins, others may come in on the way.
  const int active = it->layout_in().active_ranks();
  const int busy = active < flags.p && schedule_of(active).tasks.empty() ? active : flags.p;
  return {outline_of(flags, name, busy, schedule_of, traced),
          active < flags.p || name == "auto" ? it->explanation() : ""};
}

Specimen node_specimen(const LabFlags& flags, const std::string& name, bool traced) {
  const Index rows = std::min(flags.n, Index{1} << 50);  // too many in any case
  const Index tasks = rows * (std::bit_width(static_cast<std::uint64_t>(rows)) + 1);
  const bool symmetric = ranks_alike(node_schedule_named(name));
  if (traced) check_size(tasks, most_events, name, flags.p);
  check_size(symmetric ? tasks / flags.p : tasks, most_nodes, name, flags.p);
  const PhaseTwo phase_two = flags.phase_two == "input-driven" ? PhaseTwo::input_driven : PhaseTwo::waiting;
  return {butterfly_outline({flags.n, flags.p, node_schedule_named(name), phase_two})};
}

Specimen collective_specimen(const LabFlags& flags, const std::string& name, bool traced) {
  const Collective it = collective_of(flags, name);
  return {outline_of(
      flags, name, flags.p, [&](int rank) { return collective_schedule(it, rank); }, traced)};
}

void check_flags(const LabFlags& flags, const std::string& name) {
  if (!is_node_grain(name) && !is_collective(name) && !is_route(name)) {
    std::string names;
    for (const Names& all : {node_schedule_names(), Names{{"bsp", ""}}, route_names(), collective_names()})
      for (const auto& [known, summary] : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", known);
    throw UsageError(fmt::format("there is no schedule '{}': use one of {}", name, names));
  }
  const auto only_for = [&](bool given, const char* flag, bool applies, const char* what) {
    if (given && !applies)
      throw UsageError(fmt::format("{} says nothing about schedule {}: it is for {}", flag, name, what));
  };
  only_for(!flags.shape.empty(), "--shape", is_route(name), "routes");
  only_for(flags.chunks > 0, "--chunks", is_route(name), "routes");
  only_for(flags.slices > 0, "--slices", is_route(name), "routes");
  only_for(flags.overlap != "auto", "--overlap", is_route(name), "routes");
  only_for(!flags.phase_two.empty(), "--phase2", has_two_phases(name), "schedules of single nodes with two phases");
  only_for(flags.packet > 0, "--packet", name == "broadcast-pipelined" || name == "broadcast-double",
           "pipelined broadcasts");
}

// A name without a model's colon that looks like a file is one.
bool names_a_file(const std::string& machine) {
  return machine.find(':') == std::string::npos && !is_machine_name(machine) &&
         (machine.find_first_of("/.") != std::string::npos || std::filesystem::exists(machine));
}

// Whatever the library refuses here was asked for on the command line.
template <class F>
auto as_usage(const F& what) {
  try {
    return what();
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void add_lab_flags(CLI::App& app, LabFlags& flags) {
  app.add_option("--schedule", flags.schedule, "Which; see below. Default: output-driven")->type_name("S");
  app.add_option("--n", flags.n, "Points of the transform, or words of the collective; default: 1024")
      ->check(CLI::Range(Index{1}, Index{1} << 59))
      ->type_name("N");
  app.add_option("--shape", flags.shape, "Routes: a shape instead of --n")->type_name("N1xN2x...");
  app.add_option("--p", flags.p, "Processors; default: 8")->check(CLI::Range(1, 1 << 30))->type_name("P");
  app.add_option(
         "--machine", flags.machine,
         "alphabeta:alpha=,beta= logp:L=,o=,g= loggp:L=,o=,g=,G= bsp:r=,g=,l= (all take r=, operations per unit "
         "of time; default: one node of the butterfly, 5 operations; and m=, bytes through memory per unit of time; "
         "default: memory costs nothing), a JSON file, or a name that kallima machines lists; default: "
         "logp:L=5,o=0,g=5")
      ->type_name("M");
  app.add_option(
         "--node", flags.node,
         "Neighbouring ranks share a node and its network cards: ranks=,cards=,card= (time per word of a card), "
         "and L=,o=,g=,G= between them; loggp only")
      ->type_name("N");
  app.add_option("--topology", flags.topology,
                 "How nodes are joined, so that messages share links: torus:shape=4x4x4,G= (time per word of a link), "
                 "fattree:shape=16x4,taper=2,G=, dragonfly:shape=4x16x9,taper=1x2,G=; hop= time per link passed, "
                 "window= messages of a rank under way at once; loggp only")
      ->type_name("T");
  app.add_option("--sharing", flags.sharing,
                 "How links are shared: fairly at every moment (flows, all ranks), or as the busiest link of each "
                 "round has it (rounds); default: auto")
      ->check(CLI::IsMember({"auto", "flows", "rounds"}));
  app.add_option("--phase2", flags.phase_two,
                 "Single nodes: phase II starts when all inputs are there, or takes nodes as inputs arrive")
      ->check(CLI::IsMember({"waiting", "input-driven"}));
  app.add_flag("--capacity", flags.capacity, "At most max(1, ceil(L/g)) messages under way to a processor");
  app.add_option("--seed", flags.seed, "Latencies random up to L, so that messages overtake; default: all are L")
      ->type_name("S");
  app.add_option("--pricing", flags.pricing,
                 "Simulate all processors, or one for all where the schedule is symmetric; default: auto")
      ->check(CLI::IsMember({"auto", "all", "one"}));
  app.add_option("--packet", flags.packet, "Words per packet of pipelined broadcasts; default: the best")
      ->check(CLI::Range(Index{1}, Index{1} << 59));
  app.add_option("--chunks", flags.chunks, "Routes: parts in which each block travels; default: chosen")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  app.add_option("--slices", flags.slices, "Route cyclic: slices in which blocks are made; default: chosen")
      ->check(CLI::Range(Index{1}, Index{1} << 20));
  app.add_option("--overlap", flags.overlap, "Routes: off: blocks are made, sent and combined all at once")
      ->check(CLI::IsMember({"auto", "on", "off"}));
  Names routes = route_names();
  routes.insert(routes.begin(), {"bsp", "the BSP FFT: route group-cyclic"});
  app.footer(list("Schedules of single butterfly nodes (times in nodes)", node_schedule_names()) +
             list("\nTransforms", routes) + list("\nCollectives", collective_names()));
}

Specimen lab_specimen(const LabFlags& flags, const std::string& name, bool traced) {
  return as_usage([&] {
    check_flags(flags, name);
    if (is_node_grain(name)) return node_specimen(flags, name, traced);
    return is_collective(name) ? collective_specimen(flags, name, traced) : route_specimen(flags, name, traced);
  });
}

std::string lab_schedule_json(const LabFlags& flags) {
  return as_usage([&] {
    const std::string& name = flags.schedule;
    check_flags(flags, name);
    require(!is_node_grain(name), "schedule {} has no buffers and cannot be saved: save a route or a collective", name);
    require(flags.p <= most_saved, "the schedule of {} ranks is too large to save: use at most {}", flags.p,
            most_saved);
    return to_json(is_collective(name) ? collective_schedule(collective_of(flags, name))
                                       : route_plan(flags, name)->schedule(Direction::forward));
  });
}

std::vector<std::string> lab_assumed(const std::string& machine) {
  return names_a_file(machine) ? assumed_costs(read_text(machine)) : std::vector<std::string>{};
}

std::string lab_phase_two(const LabFlags& flags, const std::string& name) {
  if (!has_two_phases(name)) return "";
  return flags.phase_two.empty() ? "waiting" : flags.phase_two;
}

Machine lab_machine(const std::string& text) {
  const bool is_file = names_a_file(text);
  if (is_file && !std::filesystem::is_regular_file(text))
    throw UsageError(fmt::format("the machine file {} is not there or not a file", text));
  try {
    return is_file ? machine_from_json(read_text(text)) : machine_from_text(text);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(is_file ? fmt::format("{}: {}", text, error.what()) : error.what());
  }
}

Machine lab_machine(const LabFlags& flags) {
  Machine machine = lab_machine(flags.machine);
  return as_usage([&] {
    if (!flags.node.empty()) machine = machine_with(machine, "node:" + flags.node);
    return flags.topology.empty() ? machine : machine_with(machine, flags.topology);
  });
}

SimulateOptions lab_options(const LabFlags& flags) {
  SimulateOptions options;
  if (flags.seed) {
    options.latency = Latency::random;
    options.seed = *flags.seed;
  }
  options.capacity = flags.capacity ? Capacity::limited : Capacity::unlimited;
  options.pricing = flags.pricing == "all"   ? Pricing::all_ranks
                    : flags.pricing == "one" ? Pricing::one_rank
                                             : Pricing::automatic;
  options.sharing = flags.sharing == "flows"    ? Sharing::flows
                    : flags.sharing == "rounds" ? Sharing::rounds
                                                : Sharing::automatic;
  return options;
}

std::string lab_title(const LabFlags& flags, const std::string& schedule) {
  const std::string size = flags.shape.empty() ? fmt::format("n = {}", flags.n) : flags.shape;
  const std::string phase_two = lab_phase_two(flags, schedule);
  return fmt::format("{}, {}, P = {}{}{}", schedule, size, flags.p, phase_two.empty() ? "" : ", phase II ", phase_two);
}

}  // namespace kallima::cli
