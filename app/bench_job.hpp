#pragma once
// What subcommands of `bench` that measure something besides transforms have in common: flags, ranks, and that rank 0
// tells what came out.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/options.hpp"

namespace kallima::cli {

// `Flags` have `run` and `reps`. measured(flags, comm) is called on all ranks, tell(flags, result) on rank 0.
template <class Flags>
CLI::App* add_bench_job(CLI::App& bench, Crew& crew, const std::string& name, const std::string& help,
                        const std::string& examples, const std::shared_ptr<Flags>& flags, auto measured, auto tell) {
  CLI::App* const app = bench.add_subcommand(name, help);
  app->footer(examples);
  app->add_option("--reps", flags->reps, fmt::format("Timed runs; default: {}", flags->reps))
      ->check(CLI::Range(1, 100000))
      ->type_name("R");
  add_rank_flags(*app, flags->run);
  add_json_flag(*app, flags->run);
  app->callback([flags, measured, tell, &crew] {
    crew.run(flags->run, [&](const Comm& comm) {
      together(comm.transport(), [&] {
        if (comm.rank() == 0) check_json_target(flags->run);
      });
      const auto result = measured(*flags, comm);
      together(comm.transport(), [&] {
        if (comm.rank() == 0) tell(*flags, result);
      });
    });
  });
  return app;
}

}  // namespace kallima::cli
