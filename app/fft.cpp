// `kallima fft`: the transform of a NumPy file.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/files.hpp"
#include "app/transform_file.hpp"
#include "bench/overlap_json.hpp"
#include "bench/wire_text.hpp"

namespace kallima::cli {

namespace {

struct FftFlags {
  RunFlags run;
  std::string in;
  std::string out;
  bool inverse = false;
  ProblemFlags problem;
  Index last_extent = 0;
  std::string norm;
  std::string orthogonalize;
  std::string memory;
  int compress = 0;
  std::string trace;
  bool report = false;
};

constexpr const char* fft_examples = R"(Examples:
  kallima fft x.npy X.npy                        as numpy.fft.fftn(x)
  kallima fft X.npy x.npy --inverse              as numpy.fft.ifftn(X)
  kallima fft x.npy X.npy --axes 0,2             along axes 0 and 2 only
  kallima fft x.npy X.npy --kind r2c             as numpy.fft.rfftn(x): half of the spectrum
  kallima fft X.npy x.npy --kind c2r --last-extent 99   as numpy.fft.irfftn(X, s=(..., 99))
  kallima fft x.npy X.npy --kind dct2            as scipy.fft.dctn(x); --inverse as idctn
  kallima fft x.npy X.npy --norm ortho           as fftn(x, norm="ortho"); also backward, forward
  kallima fft x.npy X.npy --kind dct2 --norm ortho   as scipy.fft.dctn(x, norm="ortho")
  kallima fft run.npz:velocity X.npy             one array of several
  kallima fft a.h5:u b.h5:spectrum               HDF5, where Kallima was built with it
  kallima fft x.raw:f4:512x512 X.npy             mere numbers: their type, shape and, if not 0, first byte
  kallima fft large.npy X.npy --memory 1G        piece by piece, for what does not fit into memory
  kallima fft x.npy X.npy --transport mpi --ranks 4
  mpirun -n 4 kallima fft x.npy X.npy            the same
  kallima fft x.npy X.npy --wire tolerance:1e-6  send fewer bytes, for a result that is off by no more
  kallima fft x.npy X.npy --trace t.json         what ran when; open it in ui.perfetto.dev
  kallima fft x.npy X.npy --report               what was hidden, and what kept it from more)";

FileJob job_of(const FftFlags& flags) {
  FileJob job{.in = flags.in,
              .out = flags.out,
              .direction = flags.inverse ? Direction::backward : Direction::forward,
              .options = fft_options(flags.run),
              .traced = flags.report || !flags.trace.empty()};
  job.norm = norm_named(flags.norm, job.direction);
  job.orthogonal = flags.orthogonalize.empty() ? job.norm == Norm::ortho : flags.orthogonalize == "yes";
  job.flush = flush_of(flags.run);
  job.memory = flags.memory.empty() ? 0 : parse_bytes(flags.memory, "--memory");
  if (job.memory > 0 && job.traced)
    throw UsageError("--memory has no trace or report (it is many transforms) leave one out");
  job.compress = flags.compress;
  if (job.compress > 0 && array_name(flags.out).format != ArrayFormat::hdf5)
    throw UsageError("--compress is for .h5 files (others are written as they are) write NAME.h5, or leave it out");
  if (job.compress > 0 && job.memory > 0) throw UsageError("--compress does not go piece by piece: leave --memory out");
  job.problem = flags.problem;
  job.device = flags.run.device;
  job.last_extent = flags.last_extent;
  return job;
}

nlohmann::json json_of(const FftFlags& flags, const FileReport& report) {
  nlohmann::json json = {{"in", flags.in},
                         {"out", flags.out},
                         {"inverse", flags.inverse},
                         {"shape", report.header.shape},
                         {"dtype_in", dtype_text(report.header)},
                         {"dtype_out", dtype_text(report.result)},
                         {"shape_out", report.result.shape},
                         {"kind", flags.problem.kind},
                         {"fortran_order", report.header.order == ArrayOrder::fortran},
                         {"ranks", report.ranks},
                         {"transport", report.transport},
                         {"route", report.route},
                         {"explanation", report.explanation},
                         {"exchanges", report.exchanges},
                         {"words_sent_per_rank", report.words_sent_per_rank},
                         {"peak_bytes_per_rank", report.peak_bytes_per_rank},
                         {"plan_s", report.plan_s},
                         {"read_s", report.read_s},
                         {"transform_s", report.transform_s},
                         {"write_s", report.write_s}};
  const Wire asked = wire_named(flags.run.wire);
  if (asked != Wire{}) json["wire"] = wire_json(asked, report.wire);
  if (flags.report) json["overlap"] = overlap_json(overlap_report(report.trace));
  return json;
}

void print_report(const FftFlags& flags, const FileReport& report) {
  std::FILE* const to = report_to(flags.run);
  const std::string shape =
      report.header.shape.empty() ? "a 0-dimensional array, taken as one element" : text(report.header.shape);
  fmt::print(to, "{} -> {}: {}transform of {} ({}{})\n", flags.in, flags.out, flags.inverse ? "inverse " : "", shape,
             dtype_text(report.header), report.header.order == ArrayOrder::fortran ? ", Fortran order" : "");
  fmt::print(to, "{} rank(s), transport {}, route {}: {}\n", report.ranks, report.transport, report.route,
             report.explanation);
  fmt::print(to, "read {:.3f} s, planned {:.3f} s, transformed {:.3f} s, wrote {:.3f} s\n", report.read_s,
             report.plan_s, report.transform_s, report.write_s);
  fmt::print(to, "{}", wire_line(wire_named(flags.run.wire), report.wire));
}

void run_fft(const FftFlags& flags, const FileJob& job, const Comm& comm) {
  together(comm.transport(), [&] {
    if (comm.rank() != 0) return;
    if (!flags.trace.empty()) check_writable(flags.trace, 0);
    check_json_target(flags.run);
  });
  FileReport report;
  {
    Progress progress(comm.rank() == 0);
    report = transform_file(job, comm, progress);
    add_library(report.trace);
  }
  together(comm.transport(), [&] {
    if (comm.rank() != 0) return;
    print_report(flags, report);
    if (flags.report) fmt::print(report_to(flags.run), "\n{}", text(overlap_report(report.trace)));
    if (!flags.trace.empty()) write_text(flags.trace, to_perfetto_json(report.trace));
    write_json(flags.run, json_of(flags, report).dump(2));
  });
}

}  // namespace

void add_fft(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<FftFlags>();
  flags->run.effort = "estimate";  // a plan for one transform should not cost more than the transform
  CLI::App* const app = program.add_subcommand(
      "fft", "Transforms an array of any dimension in a file, as numpy.fft.fftn, rfftn and scipy.fft.dctn");
  app->footer(fft_examples);
  app->add_option("in,--in", flags->in, "x.npy, x.npz:member, x.h5:dataset or x.raw:f8:64x64; numbers of any type")
      ->required()
      ->type_name("FILE");
  app->add_option("out,--out", flags->out, "X.npy, X.npz:member, X.h5:dataset or X.raw; may be the same file")
      ->required()
      ->type_name("FILE");
  app->add_flag("--inverse", flags->inverse, "The inverse transform");
  app->add_option("--last-extent", flags->last_extent,
                  "From half a spectrum: how many reals its axis becomes; default: the even number that fits")
      ->check(CLI::Range(Index{1}, array_element_limit))
      ->type_name("N");
  add_problem_flags(*app, flags->problem, LayoutFlags::in_layout_out_layout);
  app->add_option("--norm", flags->norm,
                  "NumPy's: backward (default) scales the inverse by 1/N, forward the other way, ortho both by "
                  "1/sqrt(N); or none and full, which scale this one by 1 or 1/N")
      ->check(CLI::IsMember(norm_names()));
  app->add_option("--orthogonalize", flags->orthogonalize,
                  "Scale the edges of cosine and sine transforms as SciPy does; default: yes with --norm ortho")
      ->check(CLI::IsMember({"yes", "no"}));
  app->add_option(
         "--memory", flags->memory,
         "Transform piece by piece, in about so many bytes (1.5G, 800M) on all ranks together: for arrays of two "
         "and more dimensions that do not fit")
      ->type_name("BYTES");
  app->add_option("--compress", flags->compress, "Compress the dataset of an .h5 file: 1 (fast) to 9 (small)")
      ->check(CLI::Range(1, 9))
      ->type_name("LEVEL");
  app->add_option("--trace", flags->trace, "What ran when, for ui.perfetto.dev")->type_name("FILE");
  app->add_flag("--report", flags->report,
                "What each rank and stage did, how much of the exchange was hidden, and what kept it from more");
  add_run_flags(*app, flags->run);
  add_device_flag(*app, flags->run.device);
  add_sync_flag(*app, flags->run);
  app->callback([flags, &crew] {
    flags->inverse = flags->inverse || flags->problem.kind.find("c2r") != std::string::npos;
    const FileJob job = job_of(*flags);
    crew.run(flags->run, [&](const Comm& comm) { run_fft(*flags, job, comm); });
  });
}

}  // namespace kallima::cli
