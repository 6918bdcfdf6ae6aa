// `kallima demo`: the main job with no arguments, checked, timed and explained.

#include <CLI/CLI.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/report.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {

namespace {

// The largest cube up to 256 that fits, FFTW's copies and our workspace included, with room to spare.
Index demo_extent() {
  for (const Index n : {Index{256}, Index{128}})
    if (static_cast<std::uint64_t>(6 * 16 * n * n * n) < free_memory()) return n;
  return 64;
}

void explain_result(const BenchSpec& spec, const BenchResult& r) {
  fmt::print(
      "A transform of {} complex numbers ({}) on {} rank{}, each with its own part of the data.\n"
      "The result was compared with the exact answer, element by element; then it was timed{}.\n\n",
      element_count(spec.shape), text(spec.shape), r.ranks, r.ranks == 1 ? "" : "s",
      spec.against_fftw    ? ", in turns with FFTW"
      : spec.against_cufft ? ", in turns with cuFFT"
                           : "");
}

void explain_picture(const BenchResult& r) {
  fmt::print("\nWho did what when, in one run of {:.3f} s:\n\n{}\n", makespan(r.trace), draw_text(r.trace));
  if (r.exchanges == 0) {
    fmt::print(
        "One rank has all of the data and exchanges nothing. Try it with more: kallima bench --ranks 2 --draw\n");
    return;
  }
  fmt::print(
      "Every rank gives {} words to others, in {} exchange{}. Ranks of one process do not copy them: phase II reads "
      "the\n"
      "blocks where phase I of the other ranks has left them.\n",
      r.words_sent_per_rank, r.exchanges, r.exchanges == 1 ? "" : "s");
  if (r.hidden_share)
    fmt::print("{:.0f} % of the time that messages were under way was worked through.\n", 100 * *r.hidden_share);
}

void run_demo(BenchSpec spec, const std::string& device, const Comm& comm) {
  together(comm.transport(), [&] { spec.options.backend = device_backend(device, spec.precision, comm.rank()); });
  spec.against_cufft = !device.empty();
  spec.against_fftw = device.empty() && (comm.transport().name() == "threads" ? has_fftw() : have_fftw_mpi());
  BenchResult result;
  {
    Progress progress(comm.rank() == 0);
    result = measure(spec, comm, [&](const std::string& what) { progress.step(what); });
  }
  if (comm.rank() == 0) {
    explain_result(spec, result);
    print_table(stdout, spec, result);
    print_ratios(stdout, result);
    explain_picture(result);
    fmt::print("\nNext: kallima fft x.npy X.npy transforms a NumPy file; kallima --help shows the rest.\n");
  }
  require(result.correct(),
          "the result is wrong (relative error {:.2e}, at most {:.2e} is expected) please report this",
          result.worst_error(), result.bound);
}

}  // namespace

void add_demo(CLI::App& program, Crew& crew) {
  CLI::App* const app =
      program.add_subcommand("demo", "A 3-D transform on all cores: checked, timed against FFTW, drawn");
  app->footer("Examples:\n  kallima demo\n  kallima demo --device cuda\n  mpirun -n 2 kallima demo");
  auto run = std::make_shared<RunFlags>();
  add_device_flag(*app, run->device);
  app->callback([&crew, run] {
    const Index n = demo_extent();
    const BenchSpec spec{.shape = {n, n, n}, .reps = 5};
    if (!run->device.empty()) run->ranks = 1;
    crew.run(*run, [&](const Comm& comm) { run_demo(spec, run->device, comm); });
  });
}

}  // namespace kallima::cli
