// `kallima machines`: the machines that commands know by name, and where every figure of them comes from.

#include <CLI/CLI.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/options.hpp"
#include "kallima/machine.hpp"

namespace kallima::cli {

void add_machines(CLI::App& program, Crew& crew) {
  auto name = std::make_shared<std::string>();
  CLI::App* const app = program.add_subcommand("machines", "Machines that --machine knows by name, with sources");
  app->add_option("name", *name, "One of them: its figures as JSON, each with its source; default: list all")
      ->type_name("NAME");
  app->footer(
      "Examples:\n  kallima machines\n  kallima machines frontier > mine.json     to change it\n"
      "  kallima simulate --schedule cyclic --shape 1024x1024x1024 --p 64 --machine frontier");
  app->callback([name, &crew] {
    if (!crew.speaks()) return;
    if (!name->empty()) {
      if (!is_machine_name(*name))
        throw UsageError(fmt::format("there is no machine '{}': see kallima machines", *name));
      return fmt::print("{}", machine_profile(*name));
    }
    for (const auto& [known, summary] : machine_names()) fmt::print("{:<16} {}\n", known, summary);
  });
}

}  // namespace kallima::cli
