// `kallima hide`: the rate of the links is swept from where the exchange takes far longer than the computation to where
// it takes far less, and at each rate Kallima runs in turns with its parts and its rivals, in a network lab.

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/hide_files.hpp"
#include "app/hide_page.hpp"
#include "app/hide_prediction.hpp"
#include "app/lab_launch.hpp"
#include "app/processor.hpp"
#include "app/progress.hpp"
#include "bench/rival.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

struct HideFlags {
  std::string shape = "256x256x256";
  int ranks = 2;
  std::string rates = "250mbit,500mbit,1gbit,2gbit,4gbit,8gbit,16gbit";
  std::string against = "fftw";
  std::string mpi;
  std::string tuning;
  int reps = 5;
  int fields = 1;
  std::string out = "hide";
};

constexpr const char* hide_examples = R"(Examples:
  kallima hide                                              256^3 on two hosts, 250 Mbit/s to 16 Gbit/s, about five minutes
  kallima hide --shape 16777216 --rates 1gbit,2gbit,4gbit   one dimension
  kallima hide --ranks 4 --rates 500mbit,1gbit,2gbit --out four
  kallima hide --fields 3 --against none                    three fields through one pipeline
  kallima hide --mpi mpich                                  needs the program kallima-mpich beside this one)";

// From the slowest to the fastest; no limit comes last.
std::vector<LinkRate> parse_rates(const std::string& text) {
  std::vector<LinkRate> rates;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    rates.push_back(parse_rate(text.substr(at, end - at)));
    at = end + 1;
  }
  const auto order = [](const LinkRate& rate) { return rate.bits_per_second - 1; };  // no limit: the largest
  std::sort(rates.begin(), rates.end(), [&](const LinkRate& a, const LinkRate& b) { return order(a) < order(b); });
  const auto same = [](const LinkRate& a, const LinkRate& b) { return a.bits_per_second == b.bits_per_second; };
  rates.erase(std::unique(rates.begin(), rates.end(), same), rates.end());
  return rates;
}

std::optional<double> bits_of(const LinkRate& rate) {
  return rate.limited() ? std::optional(static_cast<double>(rate.bits_per_second)) : std::nullopt;
}

// Everything that bench is asked for, rate by rate.
class Sweep {
 public:
  Sweep(const HideFlags& flags, Mpi mpi, bool rivals)
      : flags_(flags), mpi_(mpi), rivals_(rivals), program_(own_program(mpi)), launcher_(launcher_of(mpi)) {}

  // On links without limit communicating takes nothing but the processor. That comes first, since every prediction
  // needs it, and is a point of its own only if it was asked for.
  HideSweep run(const std::vector<LinkRate>& rates) {
    NetworkLab lab(flags_.ranks, {});
    const bool wanted = !rates.back().limited();
    const nlohmann::json unlimited = bench(lab, {}, wanted && rivals_);
    describe(unlimited);
    for (const LinkRate& rate : rates) {
      lab.set_rate(rate);
      add_point(rate.limited() ? bench(lab, rate, rivals_) : unlimited, rate);
    }
    return result_;
  }

 private:
  nlohmann::json bench(const NetworkLab& lab, const LinkRate& rate, bool rivals) const {
    Progress progress(true);
    progress.step(fmt::format("measuring on links of {}", rate.limited() ? rate.text() : "no limit"));
    const std::string file = fmt::format("{}/result.json", lab.name().folder());
    Arguments command{program_, "bench", "--parts", "--transport", "mpi", "--shape", flags_.shape, "--json", file};
    command.insert(command.end(), {"--reps", std::to_string(flags_.reps), "--fields", std::to_string(flags_.fields)});
    if (rivals) command.insert(command.end(), {"--against", "fftw"});
    if (!flags_.tuning.empty()) command.insert(command.end(), {"--tuning", flags_.tuning});
    const Outcome done =
        lab.run({.command = command, .mpi = mpi_, .launcher = launcher_, .output = JobOutput::capture});
    require(done.status == 0, "the ranks failed on links of rate {} (exit code {}) see what they have said",
            rate.text(), done.status);
    return nlohmann::json::parse(read_text(file));
  }

  void describe(const nlohmann::json& unlimited) {
    result_.shape = unlimited.at("shape").get<Shape>();
    result_.ranks = flags_.ranks;
    result_.fields = flags_.fields;
    result_.reps = flags_.reps;
    result_.mpi = unlimited.value("mpi", "");
    result_.latency_s = unlimited.at("half_round_trip_s");
    result_.cpu_per_word_s = cpu_per_word(unlimited);
  }

  void add_point(const nlohmann::json& measured, const LinkRate& rate) {
    HidePoint point = point_of(measured, bits_of(rate));
    point.tuning = measured.at("tuning").at("words");
    predict(point, measured, result_.cpu_per_word_s, core_count());
    if (result_.points.empty()) fmt::print("{}", hide_head(result_, point));
    fmt::print("{}", hide_row(point));
    std::fflush(stdout);
    result_.points.push_back(std::move(point));
  }

  const HideFlags& flags_;
  Mpi mpi_;
  bool rivals_;
  std::string program_;
  std::string launcher_;
  HideSweep result_;
};

void check(const HideFlags& flags) {
  if (MpiWorld::launched())
    throw UsageError("hide cannot be one of several ranks (mpirun has started this process) start it without mpirun");
  try {
    checked({.shape = parse_extents(flags.shape, "--shape")});
    if (!flags.tuning.empty()) tuned(flags.tuning);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

void run_hide(const HideFlags& flags, const std::string& command) {
  const std::vector<LinkRate> rates = parse_rates(flags.rates);
  const Mpi mpi = chosen_mpi(flags.mpi);
  const bool has_fftw = MpiWorld::available() && mpi == built_with() && have_fftw_mpi();
  require_lab_is_possible();
  prepare_hide_folder(flags.out);
  HideSweep sweep = Sweep(flags, mpi, flags.against == "fftw" && has_fftw).run(rates);
  sweep.command = command;
  sweep.processor = processor_name();
  sweep.cores = core_count();
  if (flags.against == "fftw" && !has_fftw)
    sweep.notes.push_back("FFTW-MPI was not measured: the one at hand is for another MPI library.");
  for (const std::string& note : sweep.notes) fmt::print("{}\n", note);
  write_hide_files(sweep, flags.out);
}

}  // namespace

void add_hide(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<HideFlags>();
  CLI::App* const app = program.add_subcommand(
      "hide", "Sweeps the rate of a network lab's links and shows how much of the exchange disappears; needs root");
  app->footer(hide_examples);
  app->add_option("--shape", flags->shape, "What to transform; default: 256x256x256")->type_name("N1xN2x...");
  app->add_option("--ranks", flags->ranks, "Hosts, one rank on each; default: 2")
      ->check(CLI::Range(2, NetworkLab::most_hosts))
      ->type_name("N");
  app->add_option("--rates", flags->rates, fmt::format("Of the links; none: no limit. Default: {}", flags->rates))
      ->type_name("R1,R2,...");
  app->add_option("--against", flags->against, "Rivals to run in turns; default: fftw, each of its output orders")
      ->check(CLI::IsMember({"fftw", "none"}));
  app->add_option("--mpi", flags->mpi, "Which MPI library; default: the one of this program")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  app->add_option("--reps", flags->reps, "Timed runs at each rate; default: 5")
      ->check(CLI::Range(1, 1000000))
      ->type_name("R");
  app->add_option("--fields", flags->fields, "Arrays that one run transforms, through one pipeline; default: 1")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  app->add_option("--tuning", flags->tuning, "How messages are moved on, as in bench")->type_name("WORDS");
  app->add_option("--out", flags->out, "Where to write hide.json, .csv, .svg, .png and .html; default: ./hide")
      ->type_name("DIR");
  app->callback([flags, &crew] {
    check(*flags);
    try {
      run_hide(*flags, fmt::format("kallima {}", fmt::join(crew.arguments(), " ")));
    } catch (const Interrupted& signal) {
      std::exit(128 + signal.signal);
    }
  });
}

}  // namespace kallima::cli
