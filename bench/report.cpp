// Times as a table, then one sentence per rival; the same numbers as nested JSON objects.

#include "bench/report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/fftw_build.hpp"
#include "bench/kinds.hpp"
#include "bench/overlap_json.hpp"
#include "bench/wire_text.hpp"
#include "kallima/job.hpp"

namespace kallima::cli {

namespace {

void print_row(std::FILE* to, const Runs& runs, double flops) {
  fmt::print(to, "{:<34}{:>11.6f}{:>11.6f}{:>11.6f}{:>11.6f}", runs.title, runs.median(), runs.fastest(), runs.p95(),
             runs.slowest());
  if (runs.error)
    fmt::print(to, "{:>9.2f}   {:.1e}\n", flops / runs.median() * 1e-9, *runs.error);
  else
    fmt::print(to, "{:>9}   -\n", "-");
}

nlohmann::json times_of(const Runs& runs, double flops) {
  nlohmann::json times = {{"median_s", runs.median()},
                          {"min_s", runs.fastest()},
                          {"max_s", runs.slowest()},
                          {"p95_s", runs.p95()},
                          {"seconds", runs.seconds}};
  if (runs.error) times.update({{"gflops", flops / runs.median() * 1e-9}, {"error", *runs.error}});
  return times;
}

// All that it takes to plan the same schedule again.
nlohmann::json plan_json(const PlanOptions& plan) {
  return {{"route", plan.route},
          {"grid", plan.grid},
          {"chunks", plan.chunks},
          {"slices", plan.slices},
          {"order", plan.order == Order::chunk_first ? "chunk" : "destination"},
          {"radices", plan.radices},
          {"alltoall", name(plan.alltoall)},
          {"overlap", name(plan.overlap)},
          {"exchange", plan.exchange == Exchange::messages ? "messages" : "views"}};
}

void print_bound(std::FILE* to, const BenchResult& r) {
  const double computing = r.parts[1].median(), communicating = r.parts[2].median();
  const double bound = std::max(computing, communicating), ours = r.kallima.median();
  fmt::print(to,
             "bound max(computation, communication) {:.6f} s: kallima takes {:.2f} x, their sum would be {:.2f} x\n",
             bound, ours / bound, (computing + communicating) / bound);
}

}  // namespace

void print_table(std::FILE* to, const BenchSpec& spec, const BenchResult& r) {
  fmt::print(to, "{}, {} precision, {} rank{}, transport {}, route {}\n{}\n\n", text(spec.shape),
             name_of(spec.precision), r.ranks, r.ranks == 1 ? "" : "s", r.transport, r.plan.route, r.explanation);
  fmt::print(to, "{:<34}{:>11}{:>11}{:>11}{:>11}{:>9}   error\n",
             fmt::format("seconds, {} runs each in turn", spec.reps), "median", "min", "p95", "max", "Gflop/s");
  if (spec.skew_s > 0)
    fmt::print(to, "from the last arrival; half of the ranks come up to {:g} ms late\n", 1e3 * spec.skew_s);
  print_row(to, r.kallima, r.flops);
  for (const Runs& runs : r.parts) print_row(to, runs, r.flops);
  for (const Runs& runs : r.rivals) print_row(to, runs, r.flops);
  if (spec.against_fftw) fmt::print(to, "{}\n", title(fftw_build(spec.precision)));
  fmt::print(to, "\nerror {:.1e} against the analytic answer: {} (bound {:.1e})\n", r.worst_error(),
             r.correct() ? "correct" : "WRONG", r.bound);
  fmt::print(to, "{} words {} per rank in {} exchange{}; computing {:.4f} s, waiting {:.4f} s{}\n",
             r.words_sent_per_rank, r.hidden_share ? "sent" : "given to others", r.exchanges,
             r.exchanges == 1 ? "" : "s", r.computing_s, r.waiting_s,
             r.hidden_share ? fmt::format(", {:.0f} % of the communication hidden", 100 * *r.hidden_share) : "");
  fmt::print(to, "{}", wire_line(spec.options.wire, r.wire, r.kallima.error));
  print_memory(to, r.peak_bytes_per_rank, r.data_bytes_per_rank);
  fmt::print(to, "program: {}\n", size_text(r.program));
  fmt::print(to, "planned in {:.2f} s\n", r.plan_s);
}

void print_ratios(std::FILE* to, const BenchResult& result) {
  if (!result.parts.empty()) print_bound(to, result);
  for (const Runs& runs : result.rivals)
    fmt::print(to, "kallima is {:.2f} x as fast as {}\n", runs.median() / result.kallima.median(), runs.title);
}

std::string json_text(const BenchSpec& spec, const BenchResult& r) {
  nlohmann::json kallima = times_of(r.kallima, r.flops);
  kallima.update({{"words_sent_per_rank", r.words_sent_per_rank},
                  {"exchanges", r.exchanges},
                  {"hidden_share", r.hidden_share ? nlohmann::json(*r.hidden_share) : nlohmann::json()},
                  {"computing_s", r.computing_s},
                  {"waiting_s", r.waiting_s},
                  {"plan_s", r.plan_s},
                  {"error_bound", r.bound},
                  {"correct", r.correct()},
                  {"peak_bytes_per_rank", r.peak_bytes_per_rank},
                  {"data_bytes_per_rank", r.data_bytes_per_rank},
                  {"program_bytes", r.program.bytes},
                  {"messages", r.program.messages},
                  {"active_ranks", r.active_ranks},
                  {"explanation", r.explanation}});
  nlohmann::json json = {{"shape", spec.shape},       {"ranks", r.ranks},
                         {"transport", r.transport},  {"tuning", {{"words", r.tuning}, {"from", r.tuning_from}}},
                         {"route", r.plan.route},     {"grid", r.plan.grid},
                         {"chunks", r.plan.chunks},   {"precision", name_of(spec.precision)},
                         {"reps", spec.reps},         {"fields", spec.fields},
                         {"plan", plan_json(r.plan)}, {"kallima", kallima}};
  if (spec.skew_s > 0) json["skew_ms"] = 1e3 * spec.skew_s;
  if (spec.options.wire != Wire{}) json["wire"] = wire_json(spec.options.wire, r.wire);
  if (r.overlap) json["overlap"] = overlap_json(*r.overlap);
  for (const Runs& runs : r.parts) json[runs.name] = times_of(runs, r.flops);
  if (r.transport == "mpi") json["mpi"] = MpiWorld::library();
  if (!r.parts.empty()) json["half_round_trip_s"] = r.half_round_trip_s;
  if (spec.against_fftw) json["fftw_build"] = fftw_build(spec.precision);
  for (const Runs& runs : r.rivals) {
    nlohmann::json& rival = spec.against_cufft ? json[runs.name] : json["fftw"][runs.name];
    rival = times_of(runs, r.flops);
    rival["ratio"] = runs.median() / r.kallima.median();
  }
  return json.dump(2);
}

}  // namespace kallima::cli
