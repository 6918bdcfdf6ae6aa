// `kallima bench simulate`: tasks per second and peak memory of the simulator.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/options.hpp"
#include "app/progress.hpp"
#include "app/theory.hpp"
#include "bench/simulator.hpp"

namespace kallima::cli {
namespace {

struct Flags {
  RunFlags run;
  SimulatorSpec spec;
};

constexpr double mib = 1024 * 1024;

std::string table(const std::vector<SimulatorResult>& results) {
  const std::vector<TableColumn> columns{{"output-driven, node by node"},   {"tasks", Align::right},
                                         {"median s", Align::right},        {"million tasks/s", Align::right},
                                         {"peak MiB so far", Align::right}, {"completion, nodes", Align::right}};
  std::vector<TableRow> rows;
  for (const SimulatorResult& r : results)
    rows.push_back({{r.what, fmt::format("{}", r.tasks), fmt::format("{:.3f}", r.median_s),
                     fmt::format("{:.1f}", r.tasks_per_second() * 1e-6),
                     fmt::format("{:.0f}", static_cast<double>(r.peak_bytes) / mib), short_number(r.completion)}});
  return table_text(columns, rows);
}

std::string json_text(const SimulatorSpec& spec, const std::vector<SimulatorResult>& results) {
  nlohmann::ordered_json all{{"n", spec.n}, {"p", spec.p}, {"reps", spec.reps}};
  for (const SimulatorResult& r : results)
    all["runs"].push_back({{"what", r.what},
                           {"tasks", r.tasks},
                           {"outline_s", r.plan_s},
                           {"median_s", r.median_s},
                           {"tasks_per_second", r.tasks_per_second()},
                           {"peak_bytes", r.peak_bytes},
                           {"completion", r.completion}});
  return all.dump(2);
}

void run(const Flags& flags) {
  check_json_target(flags.run);
  std::vector<SimulatorResult> results;
  {
    Progress progress(true);
    results = measure_simulator(flags.spec, [&](const std::string& what) { progress.step(what); });
  }
  fmt::print(report_to(flags.run), "n = {}, P = {}, median of {} on one core\n\n{}", flags.spec.n, flags.spec.p,
             flags.spec.reps, table(results));
  write_json(flags.run, json_text(flags.spec, results));
}

}  // namespace

void add_bench_simulate(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<Flags>();
  CLI::App* const app = bench.add_subcommand("simulate", "Measures the simulator: tasks per second, peak memory");
  app->add_option("--n", flags->spec.n, "Points, a power of two; default: 2^20")->check(CLI::Range(4, 1 << 24));
  app->add_option("--p", flags->spec.p, "Processors, a power of two; default: 1024")->check(CLI::Range(2, 4096));
  app->add_option("--reps", flags->spec.reps, "Timed runs; default: 3")->check(CLI::Range(1, 1000));
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run(*flags);
  });
}

}  // namespace kallima::cli
