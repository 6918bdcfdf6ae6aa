// `kallima bench sort`: random doubles sorted by both methods, in turns with std::sort of all of them on one core and,
// on threads, libstdc++'s parallel sort.

#include <nlohmann/json.hpp>
#include <random>

#include "app/bench_job.hpp"
#include "app/link_rate.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "bench/race.hpp"
#include "bench/rival_exact.hpp"
#include "kallima/memory.hpp"
#include "kallima/sort.hpp"

namespace kallima::cli {
namespace {

struct SortBenchFlags {
  RunFlags run;
  Index count = 10'000'000;
  int reps = 3;
  std::string rate = "none";
};

struct SortRuns {
  Runs runs = {};
  double sent = 0, local_s = 0, waiting_s = 0;  // of the last run, the most of any rank
};

struct SortResult {
  SortRuns sample = {}, bitonic = {};
  Runs by_std = {}, parallel = {};
  int ranks = 1;
  std::string transport = {};
};

constexpr const char* bench_sort_examples = R"(Examples:
  kallima bench sort                                                  10^7 doubles on all cores
  kallima bench sort --count 100000000 --ranks 2 --transport mpi
  kallima netlab --hosts 2 --rate 1gbit -- bench sort --rate 1gbit    and how much of what is sent is hidden)";

std::vector<double> random_doubles(Index count, int seed) {
  std::mt19937_64 random(static_cast<std::uint64_t>(seed));
  std::vector<double> numbers(at(count));
  for (double& x : numbers) x = static_cast<double>(static_cast<std::int64_t>(random())) * 0x1p-63;
  return numbers;
}

// Sums of a rank's numbers, read as whole ones: the same before and after, however they are dealt out.
double checksum(Transport& transport, std::span<const double> part) {
  std::uint64_t sum = 0;
  for (const double x : part) sum += static_cast<std::uint64_t>(std::llround((x + 1) * 0x1p30)) % 1'000'003;
  return total(transport, static_cast<double>(sum));
}

bool is_sorted(Transport& transport, std::span<const double> part) {
  const std::vector<double> first = gathered(transport, part.empty() ? 2.0 : part.front());
  const std::vector<double> last = gathered(transport, part.empty() ? -2.0 : part.back());
  bool right = std::ranges::is_sorted(part);
  for (std::size_t r = 1; r < first.size(); ++r) right = right && last[r - 1] <= first[r];
  return largest(transport, right ? 0 : 1) == 0;
}

SortResult measured_sorts(const SortBenchFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  (void)parse_rate(flags.rate);
  const Index mine = Layout::slabs({flags.count}, comm.size()).local_size(comm.rank());
  check_memory(transport, 4 * 8 * mine + (comm.rank() == 0 ? 3 * 8 * flags.count : 0));
  std::vector<double> numbers, all;
  Array<double> part;
  together(transport, [&] {
    numbers = random_doubles(mine, comm.rank());
    if (comm.rank() == 0) all = random_doubles(flags.count, comm.size());
    part = Array<double>(mine);
  });
  SortResult result{.ranks = comm.size(), .transport = transport.name()};
  const double before = checksum(transport, numbers);
  Progress progress(comm.rank() == 0);
  const auto by_ranks = [&](SortMethod method, SortRuns& it) {
    std::ranges::copy(numbers, part.begin());
    SortReport report;
    it.runs.seconds.push_back(seconds_of(transport, [&] { report = sort(part.span(), comm, method); }));
    require(checksum(transport, part.span()) == before && is_sorted(transport, part.span()),
            "{} numbers are not sorted (on {} ranks)", flags.count, comm.size());
    it.sent = largest(transport, static_cast<double>(report.sent));
    it.local_s = largest(transport, report.local_seconds);
    it.waiting_s = largest(transport, report.waiting_seconds);
  };
  const auto by_first = [&](Runs& runs, const auto& action) {
    std::vector<double> some = all;
    runs.seconds.push_back(seconds_of(transport, [&] {
      if (comm.rank() == 0) action(some);
    }));
  };
  progress.step("sorts in turns");
  for (int k = 0; k < flags.reps; ++k) {
    by_ranks(SortMethod::sample, result.sample);
    by_ranks(SortMethod::bitonic, result.bitonic);
    by_first(result.by_std, [](std::span<double> x) { sort_by_std(x); });
    if (have_parallel_sort() && result.transport == "threads")
      by_first(result.parallel, [&](std::span<double> x) { sort_in_parallel(x, comm.size()); });
  }
  return result;
}

void tell_sorts(const SortBenchFlags& flags, const SortResult& r) {
  std::FILE* const to = report_to(flags.run);
  const LinkRate rate = parse_rate(flags.rate);
  nlohmann::ordered_json json{{"count", flags.count}, {"ranks", r.ranks}, {"transport", r.transport}};
  fmt::print(to, "{} random doubles on {} ranks, transport {}; medians of {}, checked\n", flags.count, r.ranks,
             r.transport, flags.reps);
  const auto ours = [&](const std::string& name, const SortRuns& it) {
    fmt::print(to, "{:24} {:8.3f} s, {:.3f} s of it before anything is sent; the busiest rank sends {:.0f} numbers\n",
               name, it.runs.median(), it.local_s, it.sent);
    json[name] = {
        {"seconds", it.runs.seconds}, {"local_s", it.local_s}, {"waiting_s", it.waiting_s}, {"sent_per_rank", it.sent}};
    if (!rate.limited() || it.sent == 0) return;
    const double wire = 64 * it.sent / static_cast<double>(rate.bits_per_second);
    const double hidden = std::max(0.0, 1 - it.waiting_s / wire);
    fmt::print(to, "{:24} {:8.3f} s on a link of {}; it waits {:.3f} s: {:.0f} % hidden\n", "", wire, flags.rate,
               it.waiting_s, 100 * hidden);
    json[name]["wire_s"] = wire;
    json[name]["hidden_share"] = hidden;
  };
  ours("sample", r.sample);
  ours("bitonic", r.bitonic);
  const auto theirs = [&](const std::string& key, const std::string& title, const Runs& runs) {
    if (runs.seconds.empty()) return;
    fmt::print(to, "{:24} {:8.3f} s, {:.2f} times as long as sample\n", title, runs.median(),
               runs.median() / r.sample.runs.median());
    json[key] = {{"seconds", runs.seconds}};
  };
  theirs("std", "std::sort, one core", r.by_std);
  theirs("parallel", fmt::format("parallel sort, {} thr.", r.ranks), r.parallel);
  write_json(flags.run, json.dump(2));
}

}  // namespace

void add_bench_sort(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<SortBenchFlags>();
  CLI::App* const app = add_bench_job(bench, crew, "sort", "Measures sorting by both methods, beside std::sort",
                                      bench_sort_examples, flags, measured_sorts, tell_sorts);
  app->add_option("--count", flags->count, "How many doubles; default: 10^7")
      ->check(CLI::Range(Index{1}, Index{1} << 40))
      ->type_name("N");
  app->add_option("--rate", flags->rate, "Of the links between hosts (500mbit, 1gbit): to say what was hidden")
      ->type_name("RATE");
}

}  // namespace kallima::cli
