// `kallima sort`: the numbers of a NumPy file in order.

#include "kallima/sort.hpp"

#include <CLI/CLI.hpp>
#include <bit>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "kallima/file.hpp"
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

// A file whose numbers change places and whose beginning stays as it is.
struct NumbersFile {
  std::string head;  // all that stands before the numbers
  std::string type;  // f8
  Index count = 0;
};

std::string between(const std::string& text, const std::string& key, char open, char close) {
  const std::size_t begin =
      text.find(open, text.find(key) == std::string::npos ? text.size() : text.find(key) + key.size());
  const std::size_t end = begin == std::string::npos ? begin : text.find(close, begin + 1);
  return end == std::string::npos ? "" : text.substr(begin + 1, end - begin - 1);
}

NumbersFile open_numbers(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  require(file.good(), "cannot read {} (there is no such file, or it may not be read) check the path", path);
  std::string start(12, '\0');
  file.read(start.data(), 12);
  require(file.gcount() == 12 && start.starts_with("\x93NUMPY"), "{} is no .npy file: make one with numpy.save", path);
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(start[i])); };
  const bool old = byte(6) == 1;
  const std::size_t length =
      (old ? 10 : 12) + byte(8) + (byte(9) << 8) + (old ? 0 : (byte(10) << 16) + (byte(11) << 24));
  require(length < 65536, "the header of {} is {} bytes long (it must be damaged) save it again", path, length);
  NumbersFile numbers;
  numbers.head.resize(length);
  file.seekg(0);
  file.read(numbers.head.data(), static_cast<std::streamsize>(length));
  require(static_cast<std::size_t>(file.gcount()) == length, "{} is truncated within its header: save it again", path);
  const std::string descr = between(numbers.head, "'descr':", '\'', '\''),
                    shape = between(numbers.head, "'shape':", '(', ')');
  numbers.type = descr.empty() ? "" : descr.substr(1);
  const bool known = descr.starts_with('<') && (numbers.type == "i4" || numbers.type == "i8" || numbers.type == "u4" ||
                                                numbers.type == "u8" || numbers.type == "f4" || numbers.type == "f8");
  require(known, "{} holds '{}', which is not sorted here (int32, int64, uint32, uint64, float32 and float64 are)",
          path, descr);
  const auto read = std::from_chars(shape.data(), shape.data() + shape.size(), numbers.count);
  require(read.ec == std::errc{} && std::string(read.ptr, shape.data() + shape.size()) == "," && numbers.count > 0,
          "{} has shape ({}), but one line of numbers is sorted: save x.ravel()", path, shape);
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
