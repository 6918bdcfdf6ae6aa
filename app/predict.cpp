// `kallima predict`: how long a transform would take, on how many ranks it should run, and whether such answers are
// right.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/history.hpp"
#include "app/own_ranks.hpp"
#include "app/prediction.hpp"
#include "app/problem_flags.hpp"
#include "app/progress.hpp"
#include "app/published.hpp"
#include "app/theory.hpp"
#include "app/validation.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {
namespace {

using Json = nlohmann::ordered_json;

struct PredictFlags {
  RunFlags run;
  ProblemFlags problem;
  std::string shape = "256x256x256";
  std::string precision = "double";
  std::string machine;
  std::string plot;
  int per_node = 0;
  std::string only;
  bool validate = false;
  bool quick = false;
  bool review = false;
};

constexpr const char* predict_examples = R"(Examples:
  kallima predict --shape 512x512x512 --ranks 2               here, by what kallima calibrate has measured
  kallima predict --shape 1024x1024x1024 --ranks 256 --transport mpi --plot scaling.svg
  kallima predict --shape 256x256x256 --kind r2c --ranks 2 --route pencil
  kallima predict --shape 2048x2048x2048 --ranks 1024 --machine other.json
  kallima predict --shape 1048576 --ranks 64 --machine loggp:L=2e-6,o=1e-6,g=1e-6,G=1.6e-9,r=4e9
  kallima predict --review                                    runs of kallima bench, beside what was predicted of them
  kallima predict --validate                                  many transforms, predicted, run and compared)";

double megabytes(double bytes) { return 1e-6 * bytes; }

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  return seconds >= 1e-3 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} us", 1e6 * seconds);
}

PredictionSpec spec_of(const PredictFlags& flags) {
  PredictionSpec spec;
  spec.shape = parse_extents(flags.shape, "--shape");
  spec.ranks = flags.run.ranks > 0 ? flags.run.ranks : core_count();
  spec.problem = [&flags](const Shape& shape, int ranks) {
    Problem problem = problem_from(flags.problem, shape, ranks);
    problem.precision = flags.precision == "single" ? Precision::single_ : Precision::double_;
    return problem;
  };
  spec.plan = plan_options(flags.run);
  const bool mpi = flags.run.transport == "mpi";
  spec.how.inside = !mpi ? Joined::threads : flags.run.messages ? Joined::node : Joined::views;
  spec.how.per_node = flags.per_node;
  spec.plan.one_process = !mpi;
  return spec;
}

std::string bars(double share) { return std::string(static_cast<std::size_t>(std::max(1.0, 40 * share)), '#'); }

bool is_scaled(const ScalingPoint& p) { return p.forecast.simulated == "scaled"; }

void print_scaling(std::FILE* to, const std::vector<ScalingPoint>& points, double word_bytes, const char* title) {
  double most = 0;
  for (const ScalingPoint& p : points) most = std::max(most, p.forecast.seconds);
  std::vector<TableRow> rows;
  for (const ScalingPoint& p : points) {
    const std::string seconds = (is_scaled(p) ? "~" : "") + time_text(p.forecast.seconds);
    rows.push_back(
        {{fmt::format("{}", p.forecast.ranks), text(p.shape), seconds, fmt::format("{:.0f} %", 100 * p.efficiency),
          fmt::format("{:.3g}", 1e-9 * word_bytes * p.forecast.memory_words), bars(p.forecast.seconds / most)}});
  }
  fmt::print(to, "\n{}",
             table_text({{title, Align::right},
                         {"shape"},
                         {"time", Align::right},
                         {"efficiency", Align::right},
                         {"GB a rank", Align::right},
                         {""}},
                        rows));
}

// The edge of a cube with as many points; 0: there are not three dimensions.
double edge_of(const Shape& shape) {
  return shape.size() == 3 ? std::cbrt(static_cast<double>(element_count(shape))) : 0;
}

std::vector<PublishedRun> runs_beside(const PredictionSpec& spec, const NamedProfile& machine) {
  return published_beside(machine.from, edge_of(spec.shape), spec.ranks);
}

void print_prediction(std::FILE* to, const PredictionSpec& spec, const WholePrediction& all,
                      const NamedProfile& machine) {
  const Forecast& f = all.forecast;
  fmt::print(to, "{} on {} rank{}, by {} ({} exchange{})\nmachine: {}\n", text(spec.shape), f.ranks,
             f.ranks == 1 ? "" : "s", all.route, all.exchanges, all.exchanges == 1 ? "" : "s", machine.from);
  if (!machine.assumed.empty())
    fmt::print(to, "its file leaves out, and is taken to have: {}\n", fmt::join(machine.assumed, ", "));
  fmt::print(to, "\n");
  fmt::print(to, "  {}, between {} and {} in 9 of 10 runs ({} simulated)\n", time_text(f.seconds), time_text(f.low()),
             time_text(f.high()), f.simulated);
  fmt::print(to, "  without overlap {}: computing {}, exchanging {}\n", time_text(f.in_sequence()),
             time_text(f.computation_s), time_text(f.communication_s));
  for (const StageTime& stage : f.stages)
    fmt::print(to, "    {:<32} {:>10}  {:.0f} %\n", stage.label, time_text(stage.seconds),
               100 * stage.seconds / std::max(1e-30, f.computation_s));
  fmt::print(to, "  memory of a rank: {:.4g} MB of arrays, {:.4g} MB of workspace; {:.4g} words sent\n",
             megabytes(all.memory.arrays), megabytes(all.memory.workspace), all.words_sent);
  print_scaling(to, all.strong, all.word_bytes, "ranks, this shape");
  print_scaling(to, all.weak, all.word_bytes, "ranks, as much each");
  if (std::ranges::any_of(all.strong, is_scaled))
    fmt::print(to, "\n~: not simulated, but scaled from the one that is: by points of a rank, and by words it sends\n");
  if (const std::vector<PublishedRun> beside = runs_beside(spec, machine); !beside.empty())
    fmt::print(to, "\n{}", published_text(beside, edge_of(spec.shape), spec.ranks, f.seconds, all.word_bytes));
  fmt::print(to, "\nfastest on {} ranks", all.best_ranks);
  if (all.slower_from > 0)
    fmt::print(to, "; on {} and more it is slower again\n", all.slower_from);
  else
    fmt::print(to, " of those above: more would do\n");
}

Json scaling_json(const std::vector<ScalingPoint>& points, double word_bytes) {
  Json all = Json::array();
  for (const ScalingPoint& p : points)
    all.push_back({{"ranks", p.forecast.ranks},
                   {"shape", p.shape},
                   {"predicted_s", p.forecast.seconds},
                   {"low_s", p.forecast.low()},
                   {"high_s", p.forecast.high()},
                   {"efficiency", p.efficiency},
                   {"simulated", p.forecast.simulated},
                   {"bytes_per_rank", word_bytes * p.forecast.memory_words}});
  return all;
}

Json prediction_json(const PredictionSpec& spec, const WholePrediction& all, const NamedProfile& machine) {
  const Forecast& f = all.forecast;
  Json json{{"shape", spec.shape},
            {"ranks", f.ranks},
            {"machine", machine.from},
            {"assumed", machine.assumed},
            {"route", all.route},
            {"exchanges", all.exchanges},
            {"predicted_s", f.seconds},
            {"low_s", f.low()},
            {"high_s", f.high()},
            {"without_overlap_s", f.in_sequence()},
            {"computation_s", f.computation_s},
            {"communication_s", f.communication_s},
            {"simulated", f.simulated},
            {"array_bytes_per_rank", all.memory.arrays},
            {"workspace_bytes_per_rank", all.memory.workspace},
            {"best_ranks", all.best_ranks}};
  json["slower_from"] = all.slower_from > 0 ? Json(all.slower_from) : Json(nullptr);
  for (const StageTime& stage : f.stages)
    json["stages"].push_back({{"label", stage.label}, {"seconds", stage.seconds}});
  json["strong"] = scaling_json(all.strong, all.word_bytes);
  json["weak"] = scaling_json(all.weak, all.word_bytes);
  json["published"] = published_json(runs_beside(spec, machine));
  return json;
}

void run_predict(const PredictFlags& flags) {
  check_json_target(flags.run);
  if (!flags.plot.empty()) check_writable(flags.plot, 0);
  const NamedProfile machine = profile_named(flags.machine);
  plan_by(std::make_shared<const Profile>(machine.profile));
  const PredictionSpec spec = spec_of(flags);
  const WholePrediction all = predicted(spec, machine.profile);
  print_prediction(report_to(flags.run), spec, all, machine);
  if (!flags.plot.empty()) {
    write_text(flags.plot, prediction_plot(all, fmt::format("{} {}", flags.problem.kind, text(spec.shape))));
    fmt::print(report_to(flags.run), "wrote {}\n", flags.plot);
  }
  write_json(flags.run, prediction_json(spec, all, machine).dump(2));
}

void run_review(const PredictFlags& flags) {
  check_json_target(flags.run);
  const std::vector<ValidationPoint> points = history();
  print_review(report_to(flags.run), points);
  write_json(flags.run, validation_json(points).dump(2));
}

// The same with processes of MPI, which this one starts.
std::vector<ValidationPoint> validated_by_mpi(const PredictFlags& flags, int ranks) {
  Arguments command{"predict", "--validate"};
  if (flags.quick) command.push_back("--quick");
  if (!flags.only.empty()) command.insert(command.end(), {"--only", flags.only});
  if (!flags.machine.empty()) command.insert(command.end(), {"--machine", flags.machine});
  return points_from(nlohmann::json::parse(json_of_own_ranks(ranks, command, "on MPI")));
}

std::vector<ValidationPoint> validated_here(const PredictFlags& flags, const Profile& profile, const Comm& comm) {
  together(comm.transport(), [&] {
    if (comm.rank() == 0) check_json_target(flags.run);
  });
  Progress progress(comm.rank() == 0);
  CalibrateOptions options{.thoroughness = flags.quick ? Thoroughness::quick : Thoroughness::usual, .only = flags.only};
  options.say = [&](double share, const std::string& what) {
    progress.step(fmt::format("{:.0f} % {}", 100 * share, what));
  };
  return validated(comm, profile, options);
}

// Jobs are started where no other thread is left that could take the signal of their end.
void run_validate(const PredictFlags& flags, Crew& crew) {
  const NamedProfile machine = profile_named(flags.machine);
  std::vector<ValidationPoint> points;
  int ranks = 1;
  crew.run(flags.run, [&](const Comm& comm) {
    std::vector<ValidationPoint> here = validated_here(flags, machine.profile, comm);
    if (comm.rank() != 0) return;
    points = std::move(here);
    ranks = comm.size();
  });
  if (!crew.speaks()) return;
  if (!MpiWorld::launched() && MpiWorld::available() && ranks > 1)
    for (ValidationPoint& p : validated_by_mpi(flags, ranks)) points.push_back(std::move(p));
  if (points.empty() && !MpiWorld::launched())
    throw Error(fmt::format("none of the transforms that are validated on 1 and {} ranks has '{}' in its name; "
                            "they are called 'c2c 64x64x64 by pencil on 2 ranks'",
                            ranks, flags.only));
  fmt::print(report_to(flags.run), "machine: {}\n\n", machine.from);
  print_validation(report_to(flags.run), points);
  write_json(flags.run, validation_json(points).dump(2));
}

}  // namespace

void add_predict(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<PredictFlags>();
  CLI::App* const app = program.add_subcommand(
      "predict", "Says how long a transform would take, here or elsewhere, and on how many ranks");
  app->footer(predict_examples);
  add_run_flags(*app, flags->run);
  app->add_option("--shape", flags->shape, "What to transform; default: 256x256x256")->type_name("N1xN2x...");
  add_problem_flags(*app, flags->problem, LayoutFlags::in_out);
  app->add_option("--precision", flags->precision, "default: double")->check(CLI::IsMember({"double", "single"}));
  app->add_option("--machine", flags->machine,
                  "A file of kallima calibrate, or a machine as of kallima simulate; default: what was calibrated here")
      ->type_name("M");
  app->add_option("--per-node", flags->per_node, "Ranks that share a node; default: its cores")
      ->check(CLI::Range(1, 65536));
  app->add_option("--plot", flags->plot, "Draw time over ranks, as SVG")->type_name("FILE");
  app->add_flag("--validate", flags->validate,
                "Predict many transforms, run them here on threads and MPI, and compare");
  app->add_flag("--quick", flags->quick, "Fewer of them")->needs("--validate");
  app->add_option("--only", flags->only, "Those with this in 'c2c 64x64x64 by pencil on 2 ranks'")
      ->type_name("TEXT")
      ->needs("--validate");
  app->add_flag("--review", flags->review,
                "Compare what kallima bench has measured so far with what was predicted of it")
      ->excludes("--validate");
  app->callback([flags, &crew] {
    if (flags->review && crew.speaks()) run_review(*flags);
    if (flags->review) return;
    if (flags->validate) return run_validate(*flags, crew);
    if (crew.speaks()) run_predict(*flags);
  });
}

}  // namespace kallima::cli
