// `kallima bench kernels`: nanoseconds a point of lines by themselves, for each instruction set. A process uses one set
// from its start to its end, so that every other one is measured by a process of its own, which is this program again.

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/options.hpp"
#include "app/process.hpp"
#include "app/progress.hpp"
#include "bench/kernels.hpp"
#include "kallima/backend.hpp"

namespace kallima::cli {
namespace {

struct KernelFlags {
  RunFlags run;
  std::string lengths = "2,4,8,16,32,64,128,256,512,1024,2048,4096,8192,16384,32768,65536";
  std::string precision = "double";
  std::vector<std::string> sets;
  int reps = 10;
  std::string memory;
  std::string svg;
};

constexpr Index longest = 1 << 20;

constexpr const char* kernel_examples = R"(Examples:
  kallima bench kernels                                   lines of 2 to 65536 points; a minute or two for each set
  kallima bench kernels --svg kernels.svg                 and drawn
  kallima bench kernels --lengths 60,64,210,256 --isa avx2
  kallima bench kernels --precision single --json kernels.json

Each line is transformed from one array to another, on one core, by Kallima and by FFTW (FFTW_MEASURE) in turns. The
roofline is the least time that arithmetic (5 n log2 n flops) and memory (each point read and written once) leave a
line of n points, by the rates of multiplications and additions and of copies, both measured first.)";

KernelSpec spec_of(const KernelFlags& flags) {
  KernelSpec spec{.lengths = parse_numbers(flags.lengths, "--lengths"), .reps = flags.reps};
  if (!flags.memory.empty()) spec.out_of_cache_bytes = parse_bytes(flags.memory, "--memory");
  spec.precision = flags.precision == "single" ? Precision::single_ : Precision::double_;
  for (const Index n : spec.lengths)
    if (n < 2 || n > longest)
      throw UsageError(
          fmt::format("--lengths {} cannot be measured (lines have 2 to {} points) choose others", n, longest));
  std::sort(spec.lengths.begin(), spec.lengths.end());
  spec.lengths.erase(std::unique(spec.lengths.begin(), spec.lengths.end()), spec.lengths.end());
  return spec;
}

// What was asked for, from the plainest to the best; else what the environment names; else all.
std::vector<std::string> chosen_sets(const KernelFlags& flags) {
  const std::vector<std::string> known = instruction_sets();
  for (const std::string& name : flags.sets)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          fmt::format("--isa {} is none of this build's {} (or this processor does not have it) choose of {}", name,
                      known.size(), fmt::join(known, ", ")));
  if (flags.sets.empty()) return std::getenv("KALLIMA_ISA") != nullptr ? std::vector{instruction_set()} : known;
  std::vector<std::string> chosen;
  for (const std::string& name : known)
    if (std::find(flags.sets.begin(), flags.sets.end(), name) != flags.sets.end()) chosen.push_back(name);
  return chosen;
}

KernelSet measured_by_another(const std::string& set, const KernelFlags& flags) {
  const SignalWatch signals;
  std::vector<std::string> command{std::filesystem::read_symlink("/proc/self/exe"), "bench", "kernels", "--isa", set,
                                   "--lengths", flags.lengths, "--precision", flags.precision, "--reps",
                                   std::to_string(flags.reps), "--json"};
  if (!flags.memory.empty()) command.insert(command.end(), {"--memory", flags.memory});
  const Outcome done =
      run_job(command, signals, JobOutput::capture, [&] { ::setenv("KALLIMA_ISA", set.c_str(), 1); });
  require(done.status == 0, "the kernels of {} could not be measured (exit code {}): {}", set, done.status, done.err);
  return kernel_set_from(nlohmann::json::parse(done.out));
}

KernelReport measured(const KernelFlags& flags, const KernelSpec& spec) {
  KernelReport report{.precision = spec.precision, .reps = spec.reps, .fftw = fftw_build(spec.precision)};
  Progress progress(true);
  for (const std::string& set : chosen_sets(flags)) {
    const auto say = [&](const std::string& what) { progress.step(what); };
    if (set != instruction_set()) say("the kernels of " + set);
    report.sets.push_back(set == instruction_set() ? measure_kernels(spec, say) : measured_by_another(set, flags));
  }
  return report;
}

void run_kernels(const KernelFlags& flags) {
  const KernelSpec spec = spec_of(flags);
  check_json_target(flags.run);
  if (!flags.svg.empty()) check_writable(flags.svg, 0);
  const KernelReport report = measured(flags, spec);
  fmt::print(report_to(flags.run), "{}", kernel_table(report));
  if (!flags.svg.empty()) write_text(flags.svg, kernel_picture(report));
  write_json(flags.run, kernel_json(report));
}

}  // namespace

void add_bench_kernels(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<KernelFlags>();
  CLI::App* const app = bench.add_subcommand(
      "kernels", "Measures lines by themselves: nanoseconds a point, share of the roofline, and FFTW's beside them");
  app->footer(kernel_examples);
  app->add_option("--lengths", flags->lengths, "Points of a line; default: the powers of two from 2 to 65536")
      ->type_name("N1,N2,...");
  app->add_option("--isa", flags->sets, "Instruction sets; default: what KALLIMA_ISA names, or all of this processor")
      ->delimiter(',')
      ->type_name("SET1,...");
  app->add_option("--precision", flags->precision, "default: double")->check(CLI::IsMember({"double", "single"}));
  app->add_option("--reps", flags->reps, "Timed runs; default: 10")->check(CLI::Range(1, 1000000))->type_name("R");
  app->add_option("--memory", flags->memory,
                  "Of both arrays together, where they are out of cache; default: twice the last cache's, from 64MiB to 1GiB")
      ->type_name("SIZE");
  app->add_option("--svg", flags->svg, "Draw nanoseconds a point over the length")->type_name("FILE");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run_kernels(*flags);
  });
}

}  // namespace kallima::cli
