#include "app/laboratory.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "base/check.hpp"
#include "kallima/butterfly.hpp"
#include "kallima/collective.hpp"
#include "plan/symmetry.hpp"

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

constexpr int few_ranks = 64;            // up to here all ranks of a route are written down
constexpr Index most_tasks = 8'000'000;  // about 4 GB

Outline route_outline(const LabFlags& flags, const std::string& name) {
  PlanOptions options{.route = name == "bsp" ? "group-cyclic" : name, .chunks = flags.chunks};
  options.exchange = Exchange::messages;
  const Shape shape = flags.shape.empty() ? Shape{flags.n} : parse_extents(flags.shape, "--shape");
  const std::unique_ptr<Plan> it = plan({.shape = shape}, flags.p, options);
  if (flags.p <= few_ranks && flags.pricing != "one") return outline(it->schedule(Direction::forward));
  if (flags.pricing != "all")
    if (std::optional<Outline> shared = shared_outline(*it, Direction::forward)) return std::move(*shared);
  require(flags.pricing != "one", "one rank cannot stand for all in route {} on {} ranks (they do different things)",
          name, flags.p);
  const RankSchedule one = it->rank_schedule(0, Direction::forward);
  const Index tasks = static_cast<Index>(one.tasks.size()) * flags.p;
  require(tasks <= most_tasks,
          "about {} tasks are too many to write down for route {} on {} ranks (one rank does not stand for all there): "
          "use fewer ranks or chunks",
          tasks, name, flags.p);
  return outline(it->schedule(Direction::forward));
}

Outline node_outline(const LabFlags& flags, const std::string& name) {
  const PhaseTwo phase_two = flags.phase_two == "waiting" ? PhaseTwo::waiting : PhaseTwo::input_driven;
  return butterfly_outline({flags.n, flags.p, node_schedule_named(name), phase_two});
}

Outline collective_outline(const LabFlags& flags, const std::string& name) {
  Collective it{.name = name, .ranks = flags.p, .words = flags.n, .packet = flags.packet};
  it.exchange = Exchange::messages;
  return outline(collective_schedule(it));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw UsageError(fmt::format("the machine file {} cannot be read", path));
  return text.str();
}

}  // namespace

bool is_node_grain(const std::string& schedule) { return has(node_schedule_names(), schedule); }

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
         "of time; default: one node of the butterfly, 5 operations), or a JSON file; default: logp:L=5,o=0,g=5")
      ->type_name("M");
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
  Names routes = route_names();
  routes.insert(routes.begin(), {"bsp", "the BSP FFT: route group-cyclic"});
  app.footer(list("Schedules of single butterfly nodes (times in nodes)", node_schedule_names()) +
             list("\nTransforms", routes) + list("\nCollectives", collective_names()));
}

Outline lab_outline(const LabFlags& flags, const std::string& schedule) {
  if (is_node_grain(schedule)) return node_outline(flags, schedule);
  if (has(collective_names(), schedule)) return collective_outline(flags, schedule);
  if (schedule == "bsp" || schedule == "auto" || has(route_names(), schedule)) return route_outline(flags, schedule);
  std::string names;
  for (const Names& all : {node_schedule_names(), Names{{"bsp", ""}}, route_names(), collective_names()})
    for (const auto& [name, summary] : all) names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  throw UsageError(fmt::format("there is no schedule '{}': use one of {}", schedule, names));
}

Machine lab_machine(const std::string& text) {
  const bool is_file = text.find(':') == std::string::npos && std::ifstream(text).good();
  try {
    return is_file ? machine_from_json(read_file(text)) : machine_from_text(text);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(is_file ? fmt::format("{}: {}", text, error.what()) : error.what());
  }
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
  return options;
}

std::string lab_title(const LabFlags& flags, const std::string& schedule) {
  const std::string size = flags.shape.empty() ? fmt::format("n = {}", flags.n) : flags.shape;
  const std::string phase_two = is_node_grain(schedule) ? fmt::format(", phase II {}", flags.phase_two) : "";
  return fmt::format("{}, {}, P = {}{}", schedule, size, flags.p, phase_two);
}

}  // namespace kallima::cli
