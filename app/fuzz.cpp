// `kallima fuzz`: random transforms on random layouts, each compared with a textbook's.

#include <CLI/CLI.hpp>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/fuzz_run.hpp"
#include "app/fuzz_watch.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {
namespace {

using Json = nlohmann::ordered_json;

struct FuzzFlags {
  RunFlags run;  // --json, --transport
  Index cases = 1000;
  std::uint64_t seed = 1;
  std::optional<Index> only;
  std::string device;
  FuzzLimits limits;
  double case_seconds = 60;
  bool stop = false;
};

constexpr const char* fuzz_examples = R"(Examples:
  kallima fuzz --cases 20000 --seed 1                       on threads
  kallima fuzz --cases 2000 --transport mpi                 starts 12 ranks once; every case takes some of them
  kallima fuzz --cases 2000 --transport both                each case on both
  kallima fuzz --device cuda --max-ranks 4                  on a device, which the ranks share
  kallima fuzz --seed 1 --case 17                           that one again, with what it was and how it went)";

struct Tally {
  Index runs = 0;
  Index failed = 0;
  Index validated = 0;
  double worst = 0;  // error relative to tolerance
  Index worst_case = 0;
  std::map<std::string, Index> kinds, routes, transports, dimensions;
  std::map<int, Index> ranks;
  std::vector<std::string> failures;
  double seconds = 0;
};

class Fuzzer {
 public:
  Fuzzer(const FuzzFlags& flags, Crew& crew, int rank, bool on_mpi)
      : flags_(flags),
        crew_(crew),
        rank_(rank),
        on_mpi_(on_mpi),
        watch_(flags.case_seconds, rank == 0 ? Stands::for_others : Stands::alone) {}

  Tally run();

 private:
  bool on_threads() const { return !on_mpi_ || flags_.run.transport == "both"; }
  void one(Index number);
  void count(const FuzzCase& it, const FuzzTruth& truth, const FuzzOutcome& outcome, const std::string& transport);
  void fail_with(const FuzzCase& it, const std::string& wrong, const std::string& transport);
  const Comm& first(int ranks, Exchange exchange);

  const FuzzFlags& flags_;
  Crew& crew_;
  const int rank_;
  const bool on_mpi_;
  std::map<std::pair<int, Exchange>, Comm> comms_;
  FuzzWatch watch_;
  Tally tally_;
};

const Comm& Fuzzer::first(int ranks, Exchange exchange) {
  const auto found = comms_.find({ranks, exchange});
  if (found != comms_.end()) return found->second;
  return comms_.emplace(std::pair(ranks, exchange), crew_.first(ranks, exchange)).first->second;
}

void Fuzzer::fail_with(const FuzzCase& it, const std::string& wrong, const std::string& transport) {
  ++tally_.failed;
  const std::string line = fmt::format("{} --transport {}: {} ({})", command(it), transport, wrong, problem_text(it));
  tally_.failures.push_back(line);
  if (rank_ == 0) fmt::print(stderr, "FAILED {}\n", line);
}

void Fuzzer::count(const FuzzCase& it, const FuzzTruth& truth, const FuzzOutcome& outcome,
                   const std::string& transport) {
  ++tally_.runs;
  ++tally_.transports[transport];
  ++tally_.kinds[kind_group(it)];
  ++tally_.routes[outcome.route.empty() ? "none" : outcome.route];
  ++tally_.ranks[it.ranks];
  ++tally_.dimensions[fmt::format("{}-D", it.problem.shape.size())];
  if (!outcome.wrong.empty()) return fail_with(it, outcome.wrong, transport);
  const double error = std::max(outcome.forward, outcome.backward) / truth.tolerance;
  if (error > tally_.worst) tally_.worst = error, tally_.worst_case = it.number;
  if (flags_.only && rank_ == 0)
    fmt::print(report_to(flags_.run),
               "{} on {}: {}\n  route {}, errors {:.2e} and {:.2e}, at most {:.2e} is expected\n", command(it),
               transport, problem_text(it), outcome.route, outcome.forward, outcome.backward, truth.tolerance);
}

// Ranks that a case does not need go on to the next that does.
void Fuzzer::one(Index number) {
  FuzzCase it = fuzz_case(flags_.seed, number, flags_.limits);
  it.device = flags_.device;
  if (!it.device.empty() && it.problem.precision == Precision::long_double) it.problem.precision = Precision::double_;
  if (rank_ >= it.ranks) return;
  watch_.begin(fmt::format("{} --transport {} ({})", command(it), on_mpi_ ? "mpi" : "threads", problem_text(it)));
  const FuzzTruth truth = truth_of(it);
  if (it.validates && rank_ == 0) {
    ++tally_.validated;
    if (const std::string wrong = validation_of(it); !wrong.empty()) fail_with(it, wrong, "threads");
  }
  if (on_threads() && rank_ == 0) count(it, truth, run_case_on_threads(it, truth), "threads");
  if (on_mpi_) count(it, truth, run_case(it, truth, first(it.ranks, it.options.plan.exchange)), "mpi");
  watch_.end();
}

Tally Fuzzer::run() {
  const auto begin = std::chrono::steady_clock::now();
  const Index first = flags_.only.value_or(0);
  const Index end = flags_.only ? first + 1 : flags_.cases;
  for (Index number = first; number < end; ++number) {
    one(number);
    // The other ranks do not know, and need not: they are ended.
    if (flags_.stop && tally_.failed > 0 && rank_ == 0) {
      if (on_mpi_) crew_.abandon("stopped at the first failure (--stop)");
      break;
    }
  }
  tally_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return tally_;
}

template <class Counts>
std::string text_of(const Counts& counts) {
  std::string all;
  for (const auto& [name, count] : counts) all += fmt::format("{}{} {}", all.empty() ? "" : ", ", name, count);
  return all;
}

template <class Counts>
Json json_of(const Counts& counts) {
  Json json = Json::object();
  for (const auto& [name, count] : counts) json[fmt::format("{}", name)] = count;
  return json;
}

void print(const FuzzFlags& flags, const Tally& tally) {
  std::FILE* const to = report_to(flags.run);
  fmt::print(to, "{} runs of random transforms, seed {}: {} failed, {:.1f} s\n", tally.runs, flags.seed, tally.failed,
             tally.seconds);
  fmt::print(to, "  kinds      {}\n  routes     {}\n  ranks: runs ", text_of(tally.kinds), text_of(tally.routes));
  for (const auto& [ranks, count] : tally.ranks) fmt::print(to, " {}: {}", ranks, count);
  fmt::print(to, "\n  arrays     {}\n  transports {}\n", text_of(tally.dimensions), text_of(tally.transports));
  fmt::print(to, "  schedules proven valid for {} cases\n", tally.validated);
  fmt::print(to, "  worst error {:.2f} of what is allowed, in case {}\n", tally.worst, tally.worst_case);
}

std::string json_text(const FuzzFlags& flags, const Tally& tally) {
  Json json{{"seed", flags.seed}, {"runs", tally.runs}, {"failed", tally.failed}, {"validated", tally.validated}};
  json["worst_error_of_tolerance"] = tally.worst;
  json["worst_case"] = tally.worst_case;
  json["kinds"] = json_of(tally.kinds);
  json["routes"] = json_of(tally.routes);
  json["ranks"] = json_of(tally.ranks);
  json["dimensions"] = json_of(tally.dimensions);
  json["transports"] = json_of(tally.transports);
  json["failures"] = tally.failures;
  json["seconds"] = tally.seconds;
  return json.dump(2);
}

// The report is rank 0's, which has taken part in every case.
void fuzz(const FuzzFlags& flags, Crew& crew, int rank, bool on_mpi) {
  if (rank == 0) check_json_target(flags.run);
  device_backend(flags.device, Precision::double_, rank);  // or else once, not in each case
  const Tally tally = Fuzzer(flags, crew, rank, on_mpi).run();
  if (rank != 0) return;
  print(flags, tally);
  write_json(flags.run, json_text(flags, tally));
  require(tally.failed == 0, "{} of {} random transforms failed; the lines above run each of them again", tally.failed,
          tally.runs);
}

void start(FuzzFlags& flags, Crew& crew) {
  if (flags.run.transport.empty()) flags.run.transport = MpiWorld::launched() ? "mpi" : "threads";
  if (flags.run.transport == "threads") {
    if (crew.speaks()) fuzz(flags, crew, 0, false);
    return;
  }
  RunFlags job = flags.run;
  job.transport = "mpi";
  job.ranks = flags.limits.max_ranks;
  crew.run(job, [&](const Comm& comm) { together(comm.transport(), [&] { fuzz(flags, crew, comm.rank(), true); }); });
}

}  // namespace

void add_fuzz(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<FuzzFlags>();
  CLI::App* const app =
      program.add_subcommand("fuzz", "Random transforms on random layouts, each compared with a textbook's");
  app->footer(fuzz_examples);
  app->add_option("--cases", flags->cases, "How many; default: 1000")->check(CLI::Range(Index{1}, Index{1} << 40));
  app->add_option("--seed", flags->seed, "default: 1");
  app->add_option("--case", flags->only, "Only this one, as a failure names it")->type_name("K");
  app->add_option("--transport", flags->run.transport, "threads (default), mpi (starts mpirun itself) or both")
      ->check(CLI::IsMember({"threads", "mpi", "both"}));
  app->add_option("--max-ranks", flags->limits.max_ranks, "default: 12")->check(CLI::Range(1, 64))->type_name("P");
  app->add_option("--max-extent", flags->limits.max_extent, "default: 70")
      ->check(CLI::Range(Index{1}, Index{1000}))
      ->type_name("N");
  app->add_option("--case-seconds", flags->case_seconds, "A case that takes longer ends the run; default: 60")
      ->check(CLI::Range(1.0, 1e6))
      ->type_name("S");
  add_device_flag(*app, flags->device);
  app->add_flag("--stop", flags->stop, "At the first failure");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] { start(*flags, crew); });
}

}  // namespace kallima::cli
