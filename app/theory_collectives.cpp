// `kallima theory collectives`: what collectives should cost, as Solomonik's slides print it, exactly, and simulated.

#include <CLI/CLI.hpp>

#include "app/check.hpp"
#include "app/laboratory.hpp"
#include "app/theory.hpp"
#include "kallima/theory.hpp"

namespace kallima::cli {
namespace {

struct CollectivesFlags {
  RunFlags run;
  std::vector<std::string> machines;
  std::string ranks;
  std::string words;
};

std::vector<theory::Comparison> table(const CollectivesFlags& flags) {
  if (flags.machines.empty() && flags.ranks.empty() && flags.words.empty()) return theory::collectives_table();
  std::vector<Machine> machines;
  for (const std::string& machine : flags.machines) machines.push_back(lab_machine(machine));
  if (machines.empty()) machines = {AlphaBeta{.alpha = 100, .beta = 1}};
  std::vector<int> ranks;
  for (const Index p : parse_numbers(flags.ranks.empty() ? "8" : flags.ranks, "--p")) {
    if (p < 1 || p > 4096) throw UsageError(fmt::format("--p {} is out of range: use 1 to 4096", p));
    ranks.push_back(static_cast<int>(p));
  }
  const std::vector<Index> sizes = parse_numbers(flags.words.empty() ? "1024" : flags.words, "--n");
  for (const Index s : sizes)
    if (s < 1) throw UsageError(fmt::format("--n {} is out of range: messages have at least 1 word", s));
  return theory::collectives_table(machines, ranks, sizes);
}

void run(const CollectivesFlags& flags) {
  check_json_target(flags.run);
  const std::vector<theory::Comparison> rows = table(flags);
  Index exact = 0;
  Index equal = 0;
  for (const theory::Comparison& row : rows) {
    if (!row.exact || !row.corrected || !row.simulated) continue;
    ++exact;
    equal += theory::same(*row.corrected, *row.simulated);
  }
  fmt::print(
      report_to(flags.run),
      "Solomonik, Distributed-memory models and algorithms, 2015: collectives. P processors, s words.\n\n{}\n"
      "{} of {} closed forms that claim to be exact equal the simulation;\n{} other rows are estimates, bounds or have "
      "no closed form.\n",
      comparison_table(rows), equal, exact, static_cast<Index>(rows.size()) - exact);
  write_json(flags.run, comparison_json(rows));
}

}  // namespace

void add_theory_collectives(CLI::App& theory, Crew& crew) {
  auto flags = std::make_shared<CollectivesFlags>();
  CLI::App* const app = theory.add_subcommand("collectives", "Solomonik 2015: broadcasts to all-to-alls");
  app->add_option("--machine", flags->machines, "One or more; default: one of each model")->type_name("M");
  app->add_option("--p", flags->ranks, "Processors")->type_name("P1,P2,...");
  app->add_option("--n", flags->words, "Words")->type_name("S1,S2,...");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run(*flags);
  });
}

}  // namespace kallima::cli
