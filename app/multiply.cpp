// `kallima multiply`: the product of two numbers in files, or the square of one.

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "app/number_file.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

struct MultiplyFlags {
  RunFlags run;
  std::string a, b, out;
  std::string format = "decimal";
};

constexpr const char* multiply_examples = R"(Examples:
  kallima multiply --a a.txt --b b.txt --out c.txt                     decimal digits in text files
  kallima multiply --a a.txt --out c.txt                               without --b: the square of a
  kallima multiply --a a.bin --b b.bin --out c.bin --format raw        bytes, lowest first
  kallima multiply --a a.txt --b b.txt --out c.txt --format hex --ranks 4 --transport mpi
  mpirun -n 4 kallima multiply --a a.txt --b b.txt --out c.txt         over the hosts of a job)";

struct MultiplyReport {
  Index digits_a = 0, digits_b = 0, digits = 0;
  double read_s = 0, plan_s = 0, multiply_s = 0, write_s = 0;
  double bytes = 0;       // of memory, the most of any rank
  double words_sent = 0;  // the same
  std::string explanation = {};
  std::string transport = {};
  int ranks = 0;
};

// Runs a step, which all ranks do, and says how long it took.
double timed_step(Transport& transport, Progress& progress, const std::string& what, const auto& step) {
  progress.step(what);
  const auto begin = std::chrono::steady_clock::now();
  step();
  transport.barrier();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

MultiplyReport multiply_files(const MultiplyFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  const NumberFormat format = number_format_named(flags.format);
  const bool square = flags.b.empty();
  NumberFile a, b;
  together(transport, [&] {
    a = open_number(flags.a, format);
    b = square ? a : open_number(flags.b, format);
    if (comm.rank() == 0) check_writable(flags.out, a.digits + b.digits + 1);
  });
  agree(transport,
        {{"digits of " + flags.a, fmt::format("{}", a.digits)}, {"digits of " + flags.b, fmt::format("{}", b.digits)}});
  MultiplyReport report{.digits_a = a.digits, .digits_b = b.digits, .transport = transport.name()};
  report.ranks = comm.size();
  Progress progress(comm.rank() == 0);
  std::optional<IntegerProduct> plan;
  report.plan_s = timed_step(transport, progress, "planning", [&] {
    check_memory(transport, 20 * 8 * (a.words() + b.words()) / comm.size());  // about what the plan and arrays take
    plan.emplace(a.words(), b.words(), comm, IntegerOptions{.base = base_of(format)});
  });
  Array<std::uint64_t> x, y;
  together(transport, [&] {
    x = Array<std::uint64_t>(plan->local_words());
    if (!square) y = Array<std::uint64_t>(plan->local_words());
  });
  report.read_s = timed_step(transport, progress, "reading", [&] {
    read_number(transport, a, plan->first_word(), x.span());
    if (!square) read_number(transport, b, plan->first_word(), y.span());
  });
  report.multiply_s = timed_step(transport, progress, "multiplying", [&] {
    square ? plan->square(x.span(), x.span()) : plan->multiply(x.span(), y.span(), x.span());
  });
  report.write_s = timed_step(transport, progress, "writing", [&] {
    report.digits = write_number(transport, flags.out, format, plan->first_word(), x.span());
  });
  const auto held = static_cast<double>(plan->memory_bytes()) + 8.0 * static_cast<double>(x.size() + y.size());
  report.bytes = largest(transport, held);
  report.words_sent = largest(transport, static_cast<double>(plan->words_sent()));
  report.explanation = plan->explanation();
  return report;
}

void tell(const MultiplyFlags& flags, const MultiplyReport& r) {
  const char* const unit = flags.format == "raw" ? "bytes" : flags.format == "hex" ? "hexadecimal digits" : "digits";
  fmt::print(report_to(flags.run), "{} -> {}: {} by {} {}, the product has {}\n", flags.a, flags.out, r.digits_a,
             r.digits_b, unit, r.digits);
  fmt::print(report_to(flags.run), "{} rank(s), transport {}: {}\n", r.ranks, r.transport, r.explanation);
  fmt::print(
      report_to(flags.run),
      "plan {:.3g} s, read {:.3g} s, multiply {:.3g} s, write {:.3g} s; {:.3g} MB of memory and {:.3g} MB sent by "
      "the busiest rank\n",
      r.plan_s, r.read_s, r.multiply_s, r.write_s, 1e-6 * r.bytes, 8e-6 * r.words_sent);
  const nlohmann::ordered_json json{{"digits_a", r.digits_a},
                                    {"digits_b", r.digits_b},
                                    {"digits", r.digits},
                                    {"format", flags.format},
                                    {"ranks", r.ranks},
                                    {"transport", r.transport},
                                    {"explanation", r.explanation},
                                    {"plan_s", r.plan_s},
                                    {"read_s", r.read_s},
                                    {"multiply_s", r.multiply_s},
                                    {"write_s", r.write_s},
                                    {"memory_bytes_per_rank", r.bytes},
                                    {"words_sent_per_rank", r.words_sent}};
  write_json(flags.run, json.dump(2));
}

void run_multiply(const MultiplyFlags& flags, const Comm& comm) {
  together(comm.transport(), [&] {
    if (comm.rank() == 0) check_json_target(flags.run);
  });
  const MultiplyReport report = multiply_files(flags, comm);
  together(comm.transport(), [&] {
    if (comm.rank() == 0) tell(flags, report);
  });
}

}  // namespace

void add_multiply(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<MultiplyFlags>();
  CLI::App* const app = program.add_subcommand("multiply", "Multiplies natural numbers that may fill many hosts");
  app->footer(multiply_examples);
  app->add_option("--a", flags->a, "A file with the first factor")->type_name("FILE")->required();
  app->add_option("--b", flags->b, "The second; without it: the square of the first")->type_name("FILE");
  app->add_option("--out", flags->out, "Where to write the product")->type_name("FILE")->required();
  app->add_option("--format", flags->format,
                  "Of all files: decimal, hex or raw (bytes, lowest first); default: decimal")
      ->type_name("FORMAT");
  add_rank_flags(*app, flags->run);
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    number_format_named(flags->format);
    crew.run(flags->run, [&](const Comm& comm) { run_multiply(*flags, comm); });
  });
}

}  // namespace kallima::cli
