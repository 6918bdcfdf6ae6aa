// `kallima theory bsp`: Bisseling's parallel FFT, its costs as printed and as counted from the schedules that run here.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/laboratory.hpp"
#include "app/theory.hpp"
#include "kallima/theory.hpp"

namespace kallima::cli {
namespace {

struct BspFlags {
  RunFlags run;
  std::string machine = "bsp:r=1,g=4,l=1000";
};

void run(const BspFlags& flags) {
  check_json_target(flags.run);
  const Machine machine = lab_machine(flags.machine);
  const auto* const bsp = std::get_if<Bsp>(&machine.model);
  if (bsp == nullptr) throw UsageError(fmt::format("{} is not a BSP machine: use bsp:r=,g=,l=", flags.machine));
  std::vector<theory::Comparison> rows = theory::bsp_table();
  for (theory::Comparison& row : theory::bsp_times(*bsp)) rows.push_back(std::move(row));
  fmt::print(report_to(flags.run),
             "Bisseling, Parallel Scientific Computation, section 3.4: the BSP FFT.\n"
             "Words are real ones out of a processor; times on {}.\n\n{}\n",
             text(machine), comparison_table(rows));
  write_json(flags.run, comparison_json(rows));
}

}  // namespace

void add_theory_bsp(CLI::App& theory, Crew& crew) {
  auto flags = std::make_shared<BspFlags>();
  CLI::App* const app = theory.add_subcommand("bsp", "Bisseling: the BSP FFT");
  app->add_option("--machine", flags->machine, "For the times; default: bsp:r=1,g=4,l=1000")->type_name("M");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run(*flags);
  });
}

}  // namespace kallima::cli
