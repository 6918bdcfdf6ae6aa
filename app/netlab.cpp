// `kallima netlab`: any MPI program on a network of hosts that are namespaces of this machine, each with a link of a
// given rate.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/lab_launch.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

struct NetlabFlags {
  int hosts = 0;
  int per_host = 1;
  std::string rate;
  std::string mpi;
  bool clean = false;
};

constexpr const char* netlab_examples = R"(Examples:
  kallima netlab --hosts 4 --rate 1gbit -- bench --shape 128x128x128     this program, on four hosts
  kallima netlab --hosts 2 --rate 2.5gbit --mpi mpich -- ./my-mpi-program with its arguments
  kallima netlab --hosts 2 --rate none -- hostname
  kallima netlab --clean                                                 what a killed netlab has left)";

Arguments after_separator(const Arguments& arguments) {
  const auto at = std::find(arguments.begin(), arguments.end(), "--");
  return at == arguments.end() ? Arguments{} : Arguments(at + 1, arguments.end());
}

bool is_ours(const std::string& word, const CLI::App& program) {
  return !program.get_subcommands([&](const CLI::App* app) { return app->get_name() == word; }).empty();
}

Arguments complete(Arguments command, const CLI::App& program, Mpi mpi) {
  if (is_ours(command[0], program)) command.insert(command.begin(), "kallima");
  if (command[0] == "kallima") command[0] = own_program(mpi);
  return command;
}

int run_in_lab(const NetlabFlags& flags, const CLI::App& program, const Arguments& command) {
  const Mpi mpi = chosen_mpi(flags.mpi);
  const LinkRate rate = parse_rate(flags.rate);
  const LabJob job{
      .command = complete(command, program, mpi), .mpi = mpi, .launcher = launcher_of(mpi), .per_host = flags.per_host};
  try {
    NetworkLab lab(flags.hosts, rate);
    return lab.run(job).status;
  } catch (const Interrupted& signal) {
    return 128 + signal.signal;
  }
}

void clean() {
  require_lab_is_possible();
  const int labs = remove_abandoned_labs();
  if (labs == 0) return fmt::print("nothing was left behind\n");
  fmt::print("removed what {} killed {} left\n", labs, labs == 1 ? "netlab has" : "netlabs have");
}

void check(const NetlabFlags& flags, const Arguments& command) {
  if (MpiWorld::launched())
    throw UsageError("netlab cannot be one of several ranks (mpirun has started this process) start it without mpirun");
  if (flags.hosts == 0) throw UsageError("--hosts is missing (how many hosts?) write --hosts 4");
  if (flags.rate.empty()) throw UsageError("--rate is missing (how fast are their links?) write --rate 1gbit or none");
  if (command.empty())
    throw UsageError("there is no command (what are the hosts to run?) put one after --, as in -- bench");
}

}  // namespace

int arguments_for_us(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "netlab") return argc;
  return static_cast<int>(std::find(argv, argv + argc, std::string_view("--")) - argv);
}

void add_netlab(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<NetlabFlags>();
  CLI::App* const app = program.add_subcommand("netlab",
                                               "Runs a command as MPI ranks on hosts joined by links of a given "
                                               "rate:\nkallima netlab --hosts N --rate RATE -- COMMAND...");
  app->footer(netlab_examples);
  app->add_option("--hosts", flags->hosts, "How many hosts, 1 to 64")->check(CLI::Range(1, NetworkLab::most_hosts));
  app->add_option("--rate", flags->rate, "Of each link, in each direction: 500mbit, 1gbit, 2.5gbit; or none: no limit");
  app->add_option("--per-host", flags->per_host, "Ranks in each host; default: 1")->check(CLI::Range(1, 64));
  app->add_option("--mpi", flags->mpi, "Which MPI starts the ranks; default: the one of this program")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app->add_flag("--clean", flags->clean, "Remove what netlabs that were killed have left, and do no more");
  app->callback([flags, &program, &crew] {
    if (flags->clean) return clean();
    const Arguments command = after_separator(crew.arguments());
    check(*flags, command);
    std::exit(run_in_lab(*flags, program, command));  // the job's code, which need not be one of ours
  });
}

}  // namespace kallima::cli
