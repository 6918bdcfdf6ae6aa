// `kallima redistribute`: an array from one layout to another, timed and checked.

#include "kallima/redistribute.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/array_part.hpp"
#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "app/problem_flags.hpp"
#include "bench/collect.hpp"
#include "bench/race.hpp"
#include "kallima/file.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

struct RedistributeFlags {
  RunFlags run;
  std::string in;
  std::string out;
  std::string shape;
  std::string from = "slab";
  std::string to = "pencil:0";
  int reps = 5;
};

constexpr const char* redistribute_examples = R"(Examples:
  kallima redistribute --shape 256x256x256 --from slab --to pencil:0 --ranks 4         how long, how much
  kallima redistribute --shape 4096x4096 --from block:4x1 --to cyclic:2x2 --ranks 4 --transport mpi
  kallima redistribute --in x.npy --out y.npy --from slab --to brick --ranks 8         y is x, written from bricks)";

struct Report {
  std::string transport = {};
  std::string explanation = {};
  Index words_sent = 0;  // by the busiest rank
  Index bytes_sent = 0;
  Runs runs = {};
  bool correct = false;
  int ranks = 0;
};

// What each element holds where there is no file: its own number, exactly.
template <class Item>
Item numbered(Index place) {
  if constexpr (requires(Item x) { x.real(); })
    return {static_cast<typename Item::value_type>(place % 8191), static_cast<typename Item::value_type>(place / 8191)};
  else
    return static_cast<Item>(place % 8388593);
}

template <class Item>
void fill_numbered(const Layout& layout, int rank, std::span<Item> part) {
  for (std::size_t t = 0; t < part.size(); ++t) {
    const Shape j = layout.global_index(rank, static_cast<Index>(t));
    Index place = 0;
    for (std::size_t k = 0; k < j.size(); ++k) place = place * layout.shape()[k] + j[k];
    part[t] = numbered<Item>(place);
  }
}

template <class Item>
void fill(const RedistributeFlags& flags, const ArrayHeader& header, const Layout& layout, Transport& transport,
          std::span<Item> part) {
  if (flags.in.empty()) return fill_numbered<Item>(layout, transport.rank(), part);
  read_array_part(transport, flags.in, header, layout, std::as_writable_bytes(part));
}

template <class Item>
Report move(const RedistributeFlags& flags, const ArrayHeader& header, const Layout& from, const Layout& to,
            const Comm& comm) {
  Transport& transport = comm.transport();
  const int rank = comm.rank();
  check_memory(transport, static_cast<Index>(sizeof(Item)) * (from.local_size(rank) + 2 * to.local_size(rank)));
  Redistribution<Item> redistribution(from, to, comm, fft_options(flags.run));
  Array<Item> in, out, expected;
  together(transport, [&] {
    in = Array<Item>(from.local_size(rank));
    out = Array<Item>(to.local_size(rank));
    expected = Array<Item>(to.local_size(rank));
  });
  fill<Item>(flags, header, from, transport, in.span());
  fill<Item>(flags, header, to, transport, expected.span());
  Report report{.transport = transport.name(), .explanation = redistribution.plan().explanation()};
  report.ranks = comm.size();
  redistribution.run(in.span(), out.span());
  for (int rep = 0; rep < flags.reps; ++rep)
    report.runs.seconds.push_back(seconds_of(transport, [&] { redistribution.run(in.span(), out.span()); }));
  const bool same = std::ranges::equal(out.span(), expected.span());
  report.correct = largest(transport, same ? 0 : 1) == 0;
  const Index sent = redistribution.plan().rank_schedule(rank, Direction::forward).words_sent();
  report.words_sent = static_cast<Index>(largest(transport, static_cast<double>(sent)));
  report.bytes_sent = report.words_sent * (header.precision == Precision::single_ ? 8 : 16);
  if (!flags.out.empty())
    write_array_part(transport, flags.out, header, to, std::as_bytes(std::span<const Item>(out.span())),
                     flush_of(flags.run));
  return report;
}

Report move_any(const RedistributeFlags& flags, const ArrayHeader& header, const Comm& comm) {
  const auto from = layout_from(flags.from, "--from", header.shape, comm.size());
  const auto to = layout_from(flags.to, "--to", header.shape, comm.size());
  if (!from || !to) throw UsageError("--from and --to must say where the array lies: any is no place");
  const bool single = header.precision == Precision::single_;
  if (header.data == Data::real_)
    return single ? move<float>(flags, header, *from, *to, comm) : move<double>(flags, header, *from, *to, comm);
  return single ? move<std::complex<float>>(flags, header, *from, *to, comm)
                : move<std::complex<double>>(flags, header, *from, *to, comm);
}

ArrayHeader header_of(const RedistributeFlags& flags, const Comm& comm) {
  ArrayHeader header;
  if (flags.in.empty()) {
    header.shape = parse_extents(flags.shape, "--shape");
    return header;
  }
  header = array_header(comm.transport(), flags.in);
  together(comm.transport(), [&] {
    require(header.order == ArrayOrder::c,
            "{} is in Fortran order (layouts are of arrays in C order) save it in C order", flags.in);
    require(!header.shape.empty(), "{} has no dimensions (there is nothing to deal out)", flags.in);
    if (!flags.out.empty()) check_array_target(flags.out, array_element_count(header) * item_bytes(header));
  });
  return header;
}

void tell(const RedistributeFlags& flags, const ArrayHeader& header, const Report& report) {
  const double seconds = report.runs.median();
  const double rate = static_cast<double>(report.bytes_sent) / seconds;
  fmt::print(report_to(flags.run), "{} ({}) from {} to {} on {} rank(s), transport {}\n{}\n", text(header.shape),
             dtype_text(header), flags.from, flags.to, report.ranks, report.transport, report.explanation);
  fmt::print(report_to(flags.run), "median of {} runs {:.3g} s; the busiest rank sends {} bytes, {:.3g} GB/s; {}\n",
             flags.reps, seconds, report.bytes_sent, 1e-9 * rate,
             report.correct ? "every element is in its place" : "WRONG");
  const nlohmann::ordered_json json{{"shape", header.shape},
                                    {"dtype", dtype_text(header)},
                                    {"from", flags.from},
                                    {"to", flags.to},
                                    {"ranks", report.ranks},
                                    {"transport", report.transport},
                                    {"explanation", report.explanation},
                                    {"seconds", seconds},
                                    {"words_sent_per_rank", report.words_sent},
                                    {"bytes_sent_per_rank", report.bytes_sent},
                                    {"bytes_per_second", rate},
                                    {"correct", report.correct}};
  write_json(flags.run, json.dump(2));
}

void run(const RedistributeFlags& flags, const Comm& comm) {
  together(comm.transport(), [&] {
    if (comm.rank() == 0) check_json_target(flags.run);
  });
  const ArrayHeader header = header_of(flags, comm);
  const Report report = move_any(flags, header, comm);
  together(comm.transport(), [&] {
    if (comm.rank() == 0) tell(flags, header, report);
  });
  require(report.correct, "elements are not where they should be: please report this with the command");
}

}  // namespace

void add_redistribute(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<RedistributeFlags>();
  flags->run.effort = "estimate";
  CLI::App* const app =
      program.add_subcommand("redistribute", "Takes an array from one layout to another: how long, how much is sent");
  app->footer(redistribute_examples);
  app->add_option("--in", flags->in, "A NumPy file to take")->type_name("FILE");
  app->add_option("--out", flags->out, "Where to write it, from the layout it has come to")->type_name("FILE");
  app->add_option("--shape", flags->shape, "Without a file: an array of complex numbers of this shape")
      ->type_name("N1xN2x...");
  constexpr const char* words =
      "block:4x2x1, cyclic:4x1x1, group:4x6/2x1, slab[:AXIS], pencil[:AXIS], brick or boxes:FILE";
  app->add_option("--from", flags->from, fmt::format("Layout: {}; default: slab", words))->type_name("LAYOUT");
  app->add_option("--to", flags->to, "Layout; default: pencil:0")->type_name("LAYOUT");
  app->add_option("--reps", flags->reps, "Timed runs; default: 5")->check(CLI::Range(1, 1000000))->type_name("R");
  add_run_flags(*app, flags->run);
  add_sync_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (flags->in.empty() == flags->shape.empty())
      throw UsageError("what to redistribute is not clear: give either a file (--in) or a shape (--shape)");
    if (flags->in.empty() && !flags->out.empty())
      throw UsageError("--out needs --in (without a file there is nothing worth writing)");
    crew.run(flags->run, [&](const Comm& comm) { run(*flags, comm); });
  });
}

}  // namespace kallima::cli
