// `kallima bench`: how fast, how accurate, how well hidden, and how that compares.

#include <CLI/CLI.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/device_prediction.hpp"
#include "app/files.hpp"
#include "app/history.hpp"
#include "app/problem_flags.hpp"
#include "app/progress.hpp"
#include "bench/kinds.hpp"
#include "bench/report.hpp"
#include "kallima/cuda.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {

namespace {

struct BenchFlags {
  RunFlags run;
  ProblemFlags problem;
  std::string shape = "256x256x256";
  std::string precision = "double";
  std::string output = "same";
  std::string against;
  std::string kernel = "own";
  std::string trace;
  std::string place = "device";
  std::string device_memory;
  int reps = 10;
  double skew_ms = 0;
  bool report = false;
  int fields = 1;
  bool parts = false;
  bool in_place = false;
  bool apply = false;
  bool simulated = false;
  bool draw = false;
};

constexpr const char* bench_examples = R"(Examples:
  kallima bench --shape 256x256x256 --against fftw                       threads, against FFTW with as many
  kallima bench --shape 256x256x256 --ranks 2 --transport mpi --against fftw
  kallima bench --shape 16777216 --precision single --reps 20
  kallima bench --shape 128x128x128 --route cyclic --chunks 8 --draw     with a picture of who did what when
  kallima bench --shape 256x256x256 --ranks 2 --transport mpi --report   what is hidden, and what keeps it from more
  kallima bench --shape 128x128x128 --ranks 4 --skew 10                  when ranks come up to 10 ms late
  kallima bench --shape 128x128x128 --ranks 2 --transport mpi --parts    how much of the exchange is hidden
  kallima bench --shape 256x256x256 --transport mpi --wire single        send doubles as floats; what that costs
  kallima bench --shape 256x256x256 --kind r2c --against c2c             what reals save
  kallima bench --shape 256x256x256 --in-layout brick --out-layout pencil
  kallima bench --shape 128x128x128 --fields 3                           the components of a vector field at once
  kallima bench --shape 256x256x256 --json result.json                   for a program to read
  kallima bench --device cuda --against cufft --ranks 1                  on a GPU, in turns with cuFFT
  kallima bench --device cuda --against cufft --ranks 1 --apply          forward, times factors, and backward
  kallima bench --device cuda --place host --fields 8 --ranks 1          arrays of the host through the GPU
  kallima bench --device cuda --ranks 1 --simulated                      what was to be expected of a GPU, too
  kallima bench kernels --svg kernels.svg                                lines by themselves, against FFTW's lines
  kallima bench accuracy                                                 errors of lines of every length, beside FFTW's
  kallima bench butterfly                                                Walsh-Hadamard, beside memory-bound passes
  kallima bench ntt                                                      transforms modulo a prime, beside complex ones
  kallima bench multiply --digits 100000000                              integers, beside GMP's
  kallima bench sort --count 100000000                                   numbers, beside std::sort
  kallima bench simulate                                                 the simulator itself)";

BenchSpec spec_of(const BenchFlags& flags) {
  BenchSpec spec{.shape = parse_extents(flags.shape, "--shape"),
                 .options = fft_options(flags.run),
                 .reps = flags.reps,
                 .against_fftw = flags.against == "fftw",
                 .against_cufft = flags.against == "cufft",
                 .report = flags.report,
                 .skew_s = 1e-3 * flags.skew_ms,
                 .parts = flags.parts,
                 .fields = flags.fields};
  spec.precision = flags.precision == "single" ? Precision::single_ : Precision::double_;
  if (flags.kernel == "fftw") spec.options.backend = fftw_backend(spec.precision);
  spec.output = flags.output == "any" || flags.problem.out == "any" ? Output::any : Output::same;
  if (flags.in_place) spec.options.plan.placement = Placement::in_place;
  try {
    checked({.shape = spec.shape});
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  return spec;
}

// What is compared with cuFFT is transformed where that is.
void put_on_device(const BenchFlags& flags, const Comm& comm, BenchSpec& spec) {
  require(flags.against != "cufft" || !flags.run.device.empty(), "--against cufft is for devices: add --device cuda");
  require(flags.against != "fftw" || flags.run.device.empty(),
          "--against fftw is for processors: with --device, compare with cuFFT (--against cufft)");
  require(
      !flags.simulated || (!flags.run.device.empty() && comm.size() == 1),
      "--simulated is for one rank with a device (without one every run is predicted): add --device cuda --ranks 1");
  const Place place = flags.place == "host" ? Place::host : Place::device;
  require(place == Place::device || (!flags.run.device.empty() && comm.size() == 1 && flags.against.empty()),
          "--place host is for one rank with a device, and has no rival: add --device cuda --ranks 1");
  if (const auto backend = device_backend(flags.run.device, spec.precision, comm.rank(), place))
    spec.options.backend = backend;
  if (place == Place::device) return;
  const Index room = flags.device_memory.empty() ? 0 : parse_bytes(flags.device_memory, "--device-memory");
  add_route(cuda_streamed_route(static_cast<std::size_t>(room)));
  spec.options.plan.route = "streamed";
  spec.host_arrays = true;
}

void print_prediction(std::FILE* to, const ValidationPoint& point) {
  fmt::print(to, "predicted {:.4g} ms, measured {:.4g} ms: {:+.1f} %\n", 1e3 * point.predicted_s,
             1e3 * point.measured_s, 100 * (point.predicted_s / point.measured_s - 1));
}

// On one rank. What was measured is of the host, with its call and wait.
void print_simulated(std::FILE* to, const DevicePrediction& it, double measured) {
  fmt::print(to, "simulated {:.4g} ms ({}), measured {:.4g} ms: {:+.1f} %\n", 1e3 * it.seconds,
             it.machine.empty() ? "passes timed by themselves" : "passes timed by themselves, on " + it.machine,
             1e3 * measured, 100 * (it.seconds / measured - 1));
}

void run_bench(const BenchFlags& flags, BenchSpec spec, const Comm& comm) {
  together(comm.transport(), [&] {
    put_on_device(flags, comm, spec);
    if (comm.rank() != 0) return;
    check_json_target(flags.run);
    if (!flags.trace.empty()) check_writable(flags.trace, 0);
  });
  BenchResult result;
  {
    Progress progress(comm.rank() == 0);
    result = measure(spec, comm, [&](const std::string& what) { progress.step(what); });
    add_library(result.trace);
    if (result.overlap) result.overlap->settings = result.trace.settings;
  }
  together(comm.transport(), [&] {
    if (comm.rank() != 0) return;
    print_table(report_to(flags.run), spec, result);
    print_ratios(report_to(flags.run), result);
    if (spec.fields == 1 && flags.kernel == "own" && flags.skew_ms == 0 && flags.run.device.empty())
      print_prediction(report_to(flags.run),
                       remembered({.shape = spec.shape, .precision = spec.precision, .output = spec.output},
                                  result.plan, comm, result.kallima.median()));
    if (flags.simulated && comm.size() == 1) {
      const Problem problem{.shape = spec.shape, .precision = spec.precision};
      print_simulated(
          report_to(flags.run),
          predicted_on_device(*kallima::plan(problem, 1, result.plan), spec.fields, first_device(flags.run.device)),
          result.kallima.median());
      fmt::print(report_to(flags.run), "{}",
                 paper_model(problem, flags.place == "host", first_device(flags.run.device),
                             result.kallima.median() / spec.fields));
    }
    if (result.overlap) fmt::print(report_to(flags.run), "\n{}", text(*result.overlap));
    if (flags.draw) fmt::print(report_to(flags.run), "\n{}", draw_text(result.trace));
    if (!flags.trace.empty()) write_text(flags.trace, to_perfetto_json(result.trace));
    write_json(flags.run, json_text(spec, result));
  });
  require(result.correct(),
          "the result is wrong (relative error {:.2e}, at most {:.2e} is expected) please report this",
          result.worst_error(), result.bound);
}

bool is_plain(const BenchFlags& flags) {
  return flags.problem.kind == "c2c" && flags.problem.axes.empty() && flags.problem.in == "any" &&
         (flags.problem.out.empty() || flags.problem.out == "any") && flags.against != "c2c" && !flags.apply;
}

void run_kind(const BenchFlags& flags, BenchSpec spec, const Comm& comm) {
  together(comm.transport(), [&] { put_on_device(flags, comm, spec); });
  KindSpec kind{.problem = problem_from(flags.problem, spec.shape, comm.size(), spec.output),
                .options = spec.options,
                .reps = spec.reps,
                .against_complex = flags.against == "c2c",
                .against_fftw = flags.against == "fftw",
                .against_cufft = flags.against == "cufft",
                .apply = flags.apply,
                .traced = flags.draw || !flags.trace.empty()};
  kind.problem.precision = spec.precision;
  require(!kind.against_fftw || comm.transport().name() == "threads",
          "--against fftw compares only plain complex transforms on mpi: use --transport threads");
  together(comm.transport(), [&] {
    if (comm.rank() != 0) return;
    check_json_target(flags.run);
    if (!flags.trace.empty()) check_writable(flags.trace, 0);
  });
  require(!kind.apply || flags.against.empty() || kind.against_cufft,
          "--apply has no rival but cuFFT (this is {}): leave --against out, or add --device cuda --against cufft",
          flags.against);
  KindResult result = kind.apply ? measure_factors(kind, comm) : measure_kind(kind, comm);
  add_library(result.trace);
  together(comm.transport(), [&] {
    if (comm.rank() != 0) return;
    print_kind(report_to(flags.run), kind, result);
    if (flags.simulated && comm.size() == 1) {
      const int device = first_device(flags.run.device);
      print_simulated(report_to(flags.run),
                      kind.apply ? DevicePrediction{cuda_apply_seconds(kind.problem, device)}
                                 : predicted_on_device(*kallima::plan(kind.problem, 1, kind.options.plan), 1, device),
                      result.kallima.runs.median());
    }
    if (flags.draw) fmt::print(report_to(flags.run), "\n{}", draw_text(result.trace));
    if (!flags.trace.empty()) write_text(flags.trace, to_perfetto_json(result.trace));
    write_json(flags.run, kind_json(kind, result));
  });
  require(result.correct(),
          "the result is wrong (relative error {:.2e}, at most {:.2e} is expected) please report this",
          result.kallima.runs.error.value_or(0), result.bound);
}

void check_plain_only(const BenchFlags& flags) {
  if (flags.parts || flags.report || flags.fields != 1 || flags.in_place || flags.skew_ms > 0)
    throw UsageError(
        "--parts, --report, --fields, --skew and --in-place are for c2c in layouts of "
        "Kallima's choice: leave them out with --kind, --axes, --apply, --in-layout and --out-layout");
  if (flags.apply && (flags.draw || !flags.trace.empty()))
    throw UsageError("--apply records nothing: leave --draw and --trace out");
}

}  // namespace

void add_bench(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<BenchFlags>();
  flags->run.effort = "measure";
  CLI::App* const app = program.add_subcommand("bench", "Measures a transform, checks it and compares it with FFTW");
  app->footer(bench_examples);
  app->add_option("--shape", flags->shape, "What to transform; default: 256x256x256")->type_name("N1xN2x...");
  app->add_option("--precision", flags->precision, "default: double")->check(CLI::IsMember({"double", "single"}));
  app->add_option("--reps", flags->reps, "Timed runs; default: 10")->check(CLI::Range(1, 1000000))->type_name("R");
  app->add_option(
         "--against", flags->against,
         "Run this in turns: FFTW with threads, or FFTW-MPI; with another --kind, Kallima's c2c; with --device, "
         "cuFFT on the whole array")
      ->check(CLI::IsMember({"fftw", "c2c", "cufft"}));
  app->add_option("--kernel", flags->kernel, "Whose transforms of lines are used; default: own")
      ->check(CLI::IsMember({"own", "fftw"}));
  app->add_flag("--parts", flags->parts,
                "Run in turns, too: Kallima without overlap, its computation alone, its communication alone");
  app->add_option("--fields", flags->fields, "Arrays that one run transforms, through one pipeline; default: 1")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  app->add_option("--output", flags->output,
                  "Result in the layout of the input (same, default) or wherever it is (any)")
      ->check(CLI::IsMember({"same", "any"}));
  app->add_flag("--in-place", flags->in_place, "Input and output in one array");
  app->add_flag("--apply", flags->apply, "Transform, multiply the spectrum by factors, and transform back");
  app->add_flag("--simulated", flags->simulated,
                "With --device, on one rank: what the simulator expects, from passes and a bus that are timed by "
                "themselves");
  app->add_option("--trace", flags->trace, "What ran when, for ui.perfetto.dev")->type_name("FILE");
  app->add_flag("--report", flags->report,
                "What each rank and stage did, how much of the exchange was hidden, the bound max(computation, "
                "communication), each measured alone, and what kept the run from it");
  app->add_option("--skew", flags->skew_ms,
                  "Delay a random half of the ranks by up to MS milliseconds before each run; times are then from the "
                  "last arrival to the end")
      ->check(CLI::Range(0.0, 1e6))
      ->type_name("MS");
  app->add_flag("--draw", flags->draw, "What ran when, as text");
  add_problem_flags(*app, flags->problem, LayoutFlags::in_layout_out_layout);
  add_run_flags(*app, flags->run);
  add_device_flag(*app, flags->run.device);
  app->add_option("--place", flags->place, "With --device: where the arrays are, in its memory (default) or the host's")
      ->check(CLI::IsMember({"device", "host"}));
  app->add_option("--device-memory", flags->device_memory,
                  "With --place host: bytes of the device's memory for each array under way; default: what it takes")
      ->type_name("4GiB");
  add_bench_kernels(*app, crew);
  add_bench_accuracy(*app, crew);
  add_bench_simulate(*app, crew);
  add_bench_butterfly(*app, crew);
  add_bench_ntt(*app, crew);
  add_bench_multiply(*app, crew);
  add_bench_sort(*app, crew);
  app->callback([flags, app, &crew] {
    if (!app->get_subcommands().empty()) return;
    const BenchSpec spec = spec_of(*flags);
    if (!is_plain(*flags)) {
      check_plain_only(*flags);
      return crew.run(flags->run, [&](const Comm& comm) { run_kind(*flags, spec, comm); });
    }
    crew.run(flags->run, [&](const Comm& comm) { run_bench(*flags, spec, comm); });
  });
}

}  // namespace kallima::cli
