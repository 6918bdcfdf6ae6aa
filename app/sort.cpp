// `kallima sort`: the numbers of a NumPy file in order.

#include "kallima/sort.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "kallima/array_file.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {
namespace {

struct SortFlags {
  RunFlags run;
  std::string in, out;
  std::string method = "sample";
};

constexpr const char* sort_examples = R"(Examples:
  kallima sort --in x.npy --out y.npy                       as numpy.sort(x) of a line of numbers
  kallima sort --in x.npy --out y.npy --ranks 4 --transport mpi
  kallima sort --in x.npy --out y.npy --method bitonic      along Batcher's network, to compare)";

constexpr std::array<std::string_view, 6> sorted_types{"i4", "i8", "u4", "u8", "f4", "f8"};

// A file whose numbers change places and whose beginning stays as it is.
struct NumbersFile {
  std::string head;  // all that stands before the numbers
  std::string type;  // f8
  Index count = 0;
};

NumbersFile open_numbers(const std::string& path) {
  const ArrayName name = array_name(path);
  require(name.format == ArrayFormat::npy, "{} is no .npy file: make one with numpy.save", path);
  const ArrayHeader header = read_array_header(name);
  const std::string dtype = dtype_text(header);
  const bool known =
      header.bytes == ByteOrder::little && std::ranges::find(sorted_types, dtype.substr(1)) != sorted_types.end();
  require(known, "{} holds '{}', which is not sorted here (int32, int64, uint32, uint64, float32 and float64 are)",
          path, dtype);
  require(header.shape.size() == 1, "{} has {} dimensions, but one line of numbers is sorted: save x.ravel()", path,
          header.shape.size());
  NumbersFile numbers{.head = std::string(static_cast<std::size_t>(header.data_offset), '\0'), .type = dtype.substr(1)};
  numbers.count = header.shape[0];
  std::ifstream file(path, std::ios::binary);
  require(!!file.read(numbers.head.data(), header.data_offset), "cannot read {} any more: check the disk", path);
  return numbers;
}

struct SortFileReport {
  NumbersFile file = {};
  SortReport sort = {};
  double read_s = 0, write_s = 0, sent = 0;
  int ranks = 0;
  std::string transport = {};
};

template <class T>
void sort_part(const SortFlags& flags, const Comm& comm, SortFileReport& report) {
  static_assert(std::endian::native == std::endian::little);
  Transport& transport = comm.transport();
  const Layout layout = Layout::slabs({report.file.count}, comm.size());
  const auto head = static_cast<Index>(report.file.head.size());
  check_memory(transport, 3 * static_cast<Index>(sizeof(T)) * layout.local_size(comm.rank()));
  Array<T> part;
  together(transport, [&] { part = Array<T>(layout.local_size(comm.rank())); });
  Progress progress(comm.rank() == 0);
  progress.step("reading");
  report.read_s = seconds_of(
      transport, [&] { read_part(transport, flags.in, head, layout, sizeof(T), std::as_writable_bytes(part.span())); });
  progress.step("sorting");
  report.sort = sort(part.span(), comm, flags.method == "bitonic" ? SortMethod::bitonic : SortMethod::sample);
  progress.step("writing");
  const std::string temporary = temporary_name(flags.out, gathered(transport, random_token())[0]);
  std::optional<Replacement> replacement;
  together(transport, [&] {
    if (comm.rank() == 0) replacement.emplace(temporary, flags.out);
  });
  report.write_s = seconds_of(transport, [&] {
    write_part(transport, temporary, std::as_bytes(std::span(report.file.head)), layout, sizeof(T),
               std::as_bytes(std::span<const T>(part.span())));
  });
  together(transport, [&] {
    if (replacement) replacement->commit();
  });
}

SortFileReport sort_file(const SortFlags& flags, const Comm& comm) {
  SortFileReport report;
  together(comm.transport(), [&] {
    report.file = open_numbers(flags.in);
    const Index bytes = report.file.type[1] == '4' ? 4 : 8;
    if (comm.rank() == 0) check_writable(flags.out, report.file.count * bytes + 65536);
  });
  agree(comm.transport(), {{"header of " + flags.in, report.file.head}});
  const std::string& type = report.file.type;
  if (type == "i4") sort_part<std::int32_t>(flags, comm, report);
  if (type == "i8") sort_part<std::int64_t>(flags, comm, report);
  if (type == "u4") sort_part<std::uint32_t>(flags, comm, report);
  if (type == "u8") sort_part<std::uint64_t>(flags, comm, report);
  if (type == "f4") sort_part<float>(flags, comm, report);
  if (type == "f8") sort_part<double>(flags, comm, report);
  const auto most = [&](double mine) { return largest(comm.transport(), mine); };
  report.sent = most(static_cast<double>(report.sort.sent));
  report.sort.local_seconds = most(report.sort.local_seconds);
  report.sort.total_seconds = most(report.sort.total_seconds);
  report.sort.waiting_seconds = most(report.sort.waiting_seconds);
  report.ranks = comm.size();
  report.transport = comm.transport().name();
  return report;
}

void tell_sort(const SortFlags& flags, const SortFileReport& r) {
  fmt::print(report_to(flags.run), "{} -> {}: {} numbers ({}) sorted, method {}, on {} rank(s), transport {}\n",
             flags.in, flags.out, r.file.count, r.file.type, flags.method, r.ranks, r.transport);
  fmt::print(
      report_to(flags.run),
      "read {:.3g} s, sort {:.3g} s (of which {:.3g} s on its own part and {:.3g} s waiting), write {:.3g} s; the "
      "busiest rank sends {:.0f} numbers\n",
      r.read_s, r.sort.total_seconds, r.sort.local_seconds, r.sort.waiting_seconds, r.write_s, r.sent);
  const nlohmann::ordered_json json{{"count", r.file.count},
                                    {"dtype", r.file.type},
                                    {"method", flags.method},
                                    {"ranks", r.ranks},
                                    {"transport", r.transport},
                                    {"read_s", r.read_s},
                                    {"sort_s", r.sort.total_seconds},
                                    {"local_s", r.sort.local_seconds},
                                    {"waiting_s", r.sort.waiting_seconds},
                                    {"write_s", r.write_s},
                                    {"sent_per_rank", r.sent}};
  write_json(flags.run, json.dump(2));
}

}  // namespace

void add_sort(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<SortFlags>();
  CLI::App* const app = program.add_subcommand("sort", "Sorts the numbers of a NumPy file over ranks");
  app->footer(sort_examples);
  app->add_option("--in", flags->in, "A NumPy file with one line of numbers")->type_name("FILE")->required();
  app->add_option("--out", flags->out, "Where to write them in order; NaNs come last")->type_name("FILE")->required();
  app->add_option("--method", flags->method, "sample (default): all travel once; bitonic: along Batcher's network")
      ->check(CLI::IsMember({"sample", "bitonic"}));
  add_rank_flags(*app, flags->run);
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    crew.run(flags->run, [&](const Comm& comm) {
      together(comm.transport(), [&] {
        if (comm.rank() == 0) check_json_target(flags->run);
      });
      const SortFileReport report = sort_file(*flags, comm);
      together(comm.transport(), [&] {
        if (comm.rank() == 0) tell_sort(*flags, report);
      });
    });
  });
}

}  // namespace kallima::cli
