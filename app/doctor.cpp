// `kallima doctor`: what this MPI does with messages while a rank computes, and what Kallima will therefore do.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/doctor_report.hpp"
#include "app/progress.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

struct DoctorFlags {
  RunFlags run;
  bool quick = false;
  bool no_save = false;
  bool forget = false;
};

constexpr const char* doctor_examples = R"(Examples:
  kallima doctor --transport mpi                          MPI on this machine
  mpirun -n 2 --map-by node kallima doctor                between two nodes of a cluster
  kallima netlab --hosts 2 --rate 1gbit -- doctor         over TCP, on a network that is not there
  kallima doctor --transport mpi --messages --no-save     by messages on one node, only to know
  kallima doctor --transport mpi --json doctor.json       all numbers, for a program to read
  kallima doctor --forget                                 what was found on machines named as this one)";

// Where the findings are kept, or why they are not.
std::string kept(const DoctorFlags& flags, const Findings& f, const Diagnosis& d) {
  if (flags.no_save || f.path == PathKind::threads) return "";
  try {
    return keep(f, d);
  } catch (const Error& error) {
    fmt::print(stderr, "kallima: {}\n", error.what());
    return "";
  }
}

void report(const DoctorFlags& flags, const Findings& f) {
  const Diagnosis d = judge(f);
  const std::string where = kept(flags, f, d);
  print_diagnosis(report_to(flags.run), d);
  if (!where.empty()) fmt::print(report_to(flags.run), "\nKept in {} for later runs.\n", where);
  write_json(flags.run, doctor_json(f, d, where));
}

void run_doctor(const DoctorFlags& flags, const Comm& comm, Crew& crew) {
  if (comm.size() < 2)
    throw UsageError("there is nothing to examine (one rank exchanges with nobody) use two ranks or more");
  together(comm.transport(), [&] {
    if (comm.rank() == 0) check_json_target(flags.run);
  });
  Findings findings;
  {
    Progress progress(comm.rank() == 0);
    findings = examine(comm, {.library = MpiWorld::library(),
                              .remedy = MpiWorld::remedy(),
                              .exchange_seconds = flags.quick ? 0.015 : Examination{}.exchange_seconds,
                              .with_tuning = [&](const Tuning& tuning) { return crew.with_tuning(comm, tuning); },
                              .say = [&](const std::string& what) { progress.step(what); }});
  }
  together(comm.transport(), [&] {
    if (comm.rank() == 0) report(flags, findings);
  });
}

void forget_found(const Crew& crew) {
  if (!crew.speaks()) return;
  fmt::print("{}\n", forget(MpiWorld::library()) ? "forgotten" : "there was nothing to forget");
}

}  // namespace

void add_doctor(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<DoctorFlags>();
  CLI::App* const app = program.add_subcommand(
      "doctor", "Tries what MPI does with messages while a rank computes; later runs go by what it finds");
  app->footer(doctor_examples);
  app->add_option("--ranks", flags->run.ranks, "How many ranks; default: 2, or what mpirun started")
      ->check(CLI::Range(2, 65536))
      ->type_name("N");
  app->add_option("--transport", flags->run.transport,
                  "threads (default): ranks are threads of this process; mpi: starts mpirun itself if need be")
      ->check(CLI::IsMember({"threads", "mpi"}));
  app->add_flag("--messages", flags->run.messages, "By messages even where ranks could read each other's memory");
  app->add_flag("--quick", flags->quick, "Shorter exchanges: a few seconds in all, and less sure");
  app->add_flag("--no-save", flags->no_save, "Only to know: later runs go on as before");
  app->add_flag("--forget", flags->forget, "Remove what was found with this MPI on machines named as this one");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (flags->forget) return forget_found(crew);
    if (flags->run.ranks == 0 && !MpiWorld::launched()) flags->run.ranks = 2;
    crew.run(flags->run, [&](const Comm& comm) { run_doctor(*flags, comm, crew); });
  });
}

}  // namespace kallima::cli
