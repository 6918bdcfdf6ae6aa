// What measure_kind() found, for people and for programs.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/fftw_build.hpp"
#include "bench/kinds.hpp"

namespace kallima::cli {

void print_memory(std::FILE* to, Index peak, Index data) {
  const double mib = 1024 * 1024;
  fmt::print(to, "{:.1f} MiB per rank at peak, {:.2f} x its data of {:.1f} MiB\n", static_cast<double>(peak) / mib,
             static_cast<double>(peak) / static_cast<double>(std::max<Index>(1, data)),
             static_cast<double>(data) / mib);
}

std::string size_text(const ProgramSize& program) {
  const Index each = static_cast<Index>(program.bytes) / std::max<Index>(1, program.messages);
  return fmt::format("{:.1f} kB for {} message{} of a rank, sent and received{}",
                     1e-3 * static_cast<double>(program.bytes), program.messages, program.messages == 1 ? "" : "s",
                     program.messages > 0 ? fmt::format(": {} bytes each", each) : "");
}

namespace {

void print_runs(std::FILE* to, const Runs& runs) {
  fmt::print(to, "{:<34}{:>11.6f}{:>11.6f}{:>11.6f}   {:.1e}\n", runs.title, runs.median(), runs.fastest(),
             runs.slowest(), runs.error.value_or(0));
}

nlohmann::ordered_json json_of(const Runs& runs) {
  return {{"median_s", runs.median()},
          {"min_s", runs.fastest()},
          {"max_s", runs.slowest()},
          {"error", runs.error.value_or(0)},
          {"seconds", runs.seconds}};
}

nlohmann::ordered_json json_of(const KindEntry& entry) {
  nlohmann::ordered_json json = json_of(entry.runs);
  json["route"] = entry.route;
  json["exchanges"] = entry.exchanges;
  json["words_sent_per_rank"] = entry.words_sent_per_rank;
  json["data_bytes_per_rank"] = entry.data_bytes_per_rank;
  json["peak_bytes_per_rank"] = entry.peak_bytes_per_rank;
  json["program_bytes"] = entry.program.bytes;
  json["messages"] = entry.program.messages;
  json["explanation"] = entry.explanation;
  return json;
}

double words_ratio(const KindResult& r) {
  const auto words = static_cast<double>(r.complex->words_sent_per_rank);
  return words > 0 ? static_cast<double>(r.kallima.words_sent_per_rank) / words : 1;
}

}  // namespace

void print_kind(std::FILE* to, const KindSpec& spec, const KindResult& r) {
  fmt::print(to, "{} on {} rank(s), transport {}, route {}: {}\n", text(spec.problem.shape), r.ranks, r.transport,
             r.kallima.route, r.kallima.explanation);
  fmt::print(to, "{:<34}{:>11}{:>11}{:>11}   error\n", "seconds", "median", "fastest", "slowest");
  print_runs(to, r.kallima.runs);
  if (r.complex) print_runs(to, r.complex->runs);
  if (r.fftw) print_runs(to, *r.fftw);
  if (spec.against_fftw) fmt::print(to, "{}\n", title(fftw_build(spec.problem.precision)));
  fmt::print(to, "the busiest rank sends {} words in {} exchange(s)\n", r.kallima.words_sent_per_rank,
             r.kallima.exchanges);
  print_memory(to, r.kallima.peak_bytes_per_rank, r.kallima.data_bytes_per_rank);
  fmt::print(to, "program: {}\n", size_text(r.kallima.program));
  if (r.complex)
    fmt::print(to, "of complex to complex: {:.2f} of the time, {:.2f} of the words\n",
               r.kallima.runs.median() / r.complex->runs.median(), words_ratio(r));
  if (r.fftw)
    fmt::print(to, "{} takes {:.2f} x as long as Kallima\n", r.fftw->title, r.fftw->median() / r.kallima.runs.median());
}

std::string kind_json(const KindSpec& spec, const KindResult& r) {
  nlohmann::ordered_json json{{"shape", spec.problem.shape}, {"ranks", r.ranks}, {"transport", r.transport}};
  json["reps"] = spec.reps;
  json["kallima"] = json_of(r.kallima);
  json["bound"] = r.bound;
  if (r.complex) {
    json["c2c"] = json_of(*r.complex);
    json["time_ratio"] = r.kallima.runs.median() / r.complex->runs.median();
    json["words_ratio"] = words_ratio(r);
  }
  if (r.fftw) {
    json[spec.against_cufft ? "cufft" : "fftw"] = json_of(*r.fftw);
    if (spec.against_fftw) json["fftw_build"] = nlohmann::json(fftw_build(spec.problem.precision));
  }
  return json.dump(2);
}

}  // namespace kallima::cli
