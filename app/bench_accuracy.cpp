// `kallima bench accuracy`: the error of lines of every length, against long double, as a multiple of FFTW's.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/options.hpp"
#include "app/progress.hpp"
#include "bench/accuracy.hpp"
#include "bench/fftw_build.hpp"
#include "kallima/backend.hpp"

namespace kallima::cli {
namespace {

struct AccuracyFlags {
  RunFlags run;
  Index from = 1, to = 4096, every = 1;
  std::vector<std::string> kinds = {"c2c"};
  std::string precision = "double", effort = "estimate";
  double limit = 1.2;
};

const std::vector<std::string> all_kinds = {"c2c",  "r2c",  "c2r",  "dct1", "dct2", "dct3",
                                            "dct4", "dst1", "dst2", "dst3", "dst4"};

struct KindAccuracy {
  std::string kind;
  std::vector<AccuracyPoint> points = {};

  const AccuracyPoint& worst() const {
    return *std::max_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.ratio() < b.ratio(); });
  }
  const AccuracyPoint& largest() const {
    return *std::max_element(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.kallima < b.kallima; });
  }
  double median_ratio() const {
    std::vector<double> ratios;
    for (const AccuracyPoint& point : points) ratios.push_back(point.ratio());
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    return ratios[ratios.size() / 2];
  }
  std::vector<AccuracyPoint> above(double limit) const {
    std::vector<AccuracyPoint> found;
    std::copy_if(points.begin(), points.end(), std::back_inserter(found),
                 [&](const AccuracyPoint& point) { return !point.within(limit); });
    return found;
  }
};

constexpr const char* accuracy_examples = R"(Examples:
  kallima bench accuracy                                     complex lines of 1 to 4096 points
  kallima bench accuracy --kind r2c,dct2 --every 7           every seventh length
  kallima bench accuracy --kind all --precision single
  kallima bench accuracy --from 1009 --to 1009               one

Errors are relative, in L2, of transforms of random numbers on one rank. They are compared with a textbook's transform
in long double, which some processors do not have: all lengths of a kind then take ten minutes and more.
The exit code is 1 where an error is above --limit times FFTW's.)";

Precision precision_of(const AccuracyFlags& flags) {
  return flags.precision == "single" ? Precision::single_ : Precision::double_;
}

KindAccuracy accuracy_of(const std::string& kind, const AccuracyFlags& flags, const Comm& comm, Progress& progress) {
  AccuracySpec spec{.kind = kind, .precision = precision_of(flags)};
  spec.beside_fftw = !fftw_build(spec.precision).version.empty();
  spec.effort = flags.effort == "measure" ? Effort::measure : Effort::estimate;
  KindAccuracy result{kind};
  for (Index n = flags.from; n <= flags.to; n += flags.every) {
    if (!is_length_of(kind, n)) continue;
    if (result.points.size() % 64 == 0) progress.step(fmt::format("{} of {} points", kind, n));
    result.points.push_back(line_accuracy(spec, n, comm));
  }
  require(!result.points.empty(), "--from {} --to {} has no length that {} is defined for", flags.from, flags.to, kind);
  return result;
}

std::string row(const KindAccuracy& r, double limit, bool beside_fftw) {
  const AccuracyPoint &large = r.largest(), &worst = r.worst();
  const std::string ours =
      fmt::format("{:<6}{:>9}   {:.2e} ({})", r.kind, r.points.size(), large.kallima, large.length);
  if (!beside_fftw) return ours + "\n";
  return fmt::format("{:<38}{:>8.2f}{:>8.2f} ({}){:>10}\n", ours, r.median_ratio(), worst.ratio(), worst.length,
                     r.above(limit).size());
}

nlohmann::ordered_json json_of(const KindAccuracy& r, const std::vector<AccuracyPoint>& too_large) {
  nlohmann::ordered_json points, above = nlohmann::ordered_json::array();
  for (const AccuracyPoint& p : r.points)
    points.push_back({{"length", p.length}, {"error", p.kallima}, {"fftw_error", p.fftw}});
  for (const AccuracyPoint& p : too_large) above.push_back(p.length);
  return {{"kind", r.kind}, {"points", points}, {"above", above}};
}

// Returns how many are above the limit.
std::size_t tell(const AccuracyFlags& flags, const std::vector<KindAccuracy>& results) {
  const FftwBuild fftw = fftw_build(precision_of(flags));
  const bool beside = !fftw.version.empty();
  std::FILE* const to = report_to(flags.run);
  fmt::print(to, "{} precision, {} kernels{}\n", flags.precision, instruction_set(),
             beside ? ", beside " + title(fftw) : "; FFTW is not in this build");
  fmt::print(to, "kind    lengths   largest error{}\n",
             beside ? fmt::format("    times FFTW's: median   worst   above {}", flags.limit) : "");
  std::size_t above = 0;
  nlohmann::ordered_json kinds;
  for (const KindAccuracy& r : results) {
    fmt::print(to, "{}", row(r, flags.limit, beside));
    const std::vector<AccuracyPoint> too_large = beside ? r.above(flags.limit) : std::vector<AccuracyPoint>{};
    for (const AccuracyPoint& p : too_large)
      fmt::print(to, "  {} of {} points: {:.3e}, FFTW's {:.3e}\n", r.kind, p.length, p.kallima, p.fftw);
    above += too_large.size();
    kinds.push_back(json_of(r, too_large));
  }
  write_json(flags.run, nlohmann::ordered_json{{"precision", flags.precision},
                                               {"isa", instruction_set()},
                                               {"fftw", title(fftw)},
                                               {"limit", flags.limit},
                                               {"kinds", kinds}}
                            .dump(2));
  return above;
}

void run_accuracy(const AccuracyFlags& flags, Crew& crew) {
  const std::vector<std::string>& kinds = flags.kinds == std::vector<std::string>{"all"} ? all_kinds : flags.kinds;
  for (const std::string& kind : kinds)
    if (std::find(all_kinds.begin(), all_kinds.end(), kind) == all_kinds.end())
      throw UsageError(
          fmt::format("--kind {} is not understood (it is none of {} kinds) use c2c, r2c, c2r, dct1 to "
                      "dct4, dst1 to dst4, or all",
                      kind, all_kinds.size()));
  if (flags.from > flags.to)
    throw UsageError(fmt::format("--from {} is above --to {}: exchange them", flags.from, flags.to));
  check_json_target(flags.run);
  crew.run(flags.run, [&](const Comm& comm) {
    std::vector<KindAccuracy> results;
    {
      Progress progress(true);
      for (const std::string& kind : kinds) results.push_back(accuracy_of(kind, flags, comm, progress));
    }
    const std::size_t above = tell(flags, results);
    require(above == 0, "{} error{} above {} times FFTW's", above, above == 1 ? " is" : "s are", flags.limit);
  });
}

}  // namespace

void add_bench_accuracy(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<AccuracyFlags>();
  flags->run.ranks = 1;
  CLI::App* const app = bench.add_subcommand(
      "accuracy", "Measures the errors of lines of every length against long double, beside FFTW's");
  app->footer(accuracy_examples);
  constexpr Index longest = 1 << 20;
  app->add_option("--from", flags->from, "The shortest line; default: 1")->check(CLI::Range(Index{1}, longest));
  app->add_option("--to", flags->to, "The longest; default: 4096")->check(CLI::Range(Index{1}, longest));
  app->add_option("--every", flags->every, "Of these only every K-th; default: 1")
      ->check(CLI::Range(Index{1}, longest))
      ->type_name("K");
  app->add_option("--kind", flags->kinds, "c2c (default), r2c, c2r, dct1 to dct4, dst1 to dst4, or all")
      ->delimiter(',')
      ->type_name("KIND,...");
  app->add_option("--precision", flags->precision, "default: double")->check(CLI::IsMember({"double", "single"}));
  app->add_option("--effort", flags->effort, "Of FFTW's planner; default: estimate, since measuring takes long")
      ->check(CLI::IsMember({"estimate", "measure"}));
  app->add_option("--limit", flags->limit, "Times FFTW's error; default: 1.2")->check(CLI::Range(0.0, 1e6));
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] { run_accuracy(*flags, crew); });
}

}  // namespace kallima::cli
