// `kallima bench butterfly`: the Walsh-Hadamard transform as a butterfly of a caller's nodes, and beside it the time of
// memory-bound passes: so many copies of the array as there are passes over memory that do four levels each. Both run
// in turns. A Walsh function goes in, so that one value that is not zero must come out, in its place.

#include <bit>
#include <nlohmann/json.hpp>

#include "app/bench_job.hpp"
#include "app/memory_check.hpp"
#include "app/progress.hpp"
#include "bench/collect.hpp"
#include "bench/race.hpp"
#include "kallima/memory.hpp"
#include "kallima/network.hpp"

namespace kallima::cli {
namespace {

struct ButterflyFlags {
  RunFlags run;
  int levels = 26;
  int reps = 10;
};

struct ButterflyResult {
  Runs network = {}, copy = {};
  int ranks = 1;
  Index memory_bytes = 0;  // of a rank: both arrays and the workspace
  Index words_sent = 0;
  int passes = 1;  // of four levels each
  double passes_s() const { return passes * copy.median(); }
  double ratio() const { return network.median() / passes_s(); }
};

constexpr const char* butterfly_examples = R"(Examples:
  kallima bench butterfly                          Walsh-Hadamard of 2^26 doubles
  kallima bench butterfly --levels 24 --ranks 4 --transport mpi

Beside it stands the time of memory-bound passes: copies of the array by the same ranks, one for every four levels.)";

// Row j of the butterfly has +1 or -1; its transform is n at one place and 0 elsewhere.
Index wave(Index n) { return n / 3 | 1; }

// Calls value(row of the butterfly, local index) for all that a rank has: neighbours in rows of the matrix.
void each_value(const Layout& layout, int rank, const auto& value) {
  const Shape local = layout.local_shape(rank);
  for (Index t = 0; t < local[0] * local[1]; t += local[1]) {
    const Shape at = layout.global_index(rank, t);
    for (Index k = 0; k < local[1]; ++k) value(at[0] * layout.shape()[1] + at[1] + k, t + k);
  }
}

void fill(const Layout& layout, int rank, Index n, Array<double>& in) {
  each_value(layout, rank, [&](Index row, Index t) {
    in[t] = std::popcount(static_cast<std::uint64_t>(row & wave(n))) % 2 != 0 ? -1 : 1;
  });
}

bool is_right(const Layout& layout, int rank, Index n, const Array<double>& out) {
  bool right = true;
  each_value(layout, rank,
             [&](Index row, Index t) { right = right && out[t] == (row == wave(n) ? static_cast<double>(n) : 0); });
  return right;
}

ButterflyResult measured_butterfly(const ButterflyFlags& flags, const Comm& comm) {
  Transport& transport = comm.transport();
  const Index n = Index{1} << flags.levels;
  check_memory(transport, 3 * static_cast<Index>(sizeof(double)) * n / comm.size());
  ButterflyNetwork<double> network(n, hadamard_node, comm, plan_options(flags.run));
  const int rank = comm.rank();
  Array<double> in, out;
  together(transport, [&] {
    in = Array<double>(network.layout_in().local_size(rank));
    out = Array<double>(network.layout_out().local_size(rank));
  });
  fill(network.layout_in(), rank, n, in);
  ButterflyResult result{.ranks = comm.size(), .passes = (flags.levels + 3) / 4};
  result.memory_bytes = static_cast<Index>(sizeof(double)) *
                        (in.size() + out.size() + network.plan().workspace(rank, Direction::forward));
  result.words_sent = network.plan().traffic(rank, Direction::forward).words;
  Progress progress(rank == 0);
  progress.step("Walsh-Hadamard transforms and copies in turns");
  network.run(in.span(), out.span());
  const bool right = is_right(network.layout_out(), rank, n, out);
  require(largest(transport, right ? 0 : 1) == 0, "a Walsh function's transform is not one value (on {} ranks)",
          comm.size());
  for (int k = 0; k < flags.reps; ++k) {
    result.network.seconds.push_back(seconds_of(transport, [&] { network.run(in.span(), out.span()); }));
    result.copy.seconds.push_back(
        seconds_of(transport, [&] { std::copy_n(in.data(), std::min(in.size(), out.size()), out.data()); }));
  }
  return result;
}

void tell_butterfly(const ButterflyFlags& flags, const ButterflyResult& r) {
  constexpr double mb = 1e6;
  fmt::print(
      report_to(flags.run),
      "Walsh-Hadamard of 2^{} doubles on {} ranks: {:.1f} ms (fastest {:.1f}), median of {}; checked\n"
      "a copy of the array: {:.2f} ms; {} memory-bound passes, of four levels each: {:.1f} ms; {:.2f} times that\n"
      "{:.1f} MB a rank with both arrays; each sends {} values, once\n",
      flags.levels, r.ranks, 1e3 * r.network.median(), 1e3 * r.network.fastest(), flags.reps, 1e3 * r.copy.median(),
      r.passes, 1e3 * r.passes_s(), r.ratio(), static_cast<double>(r.memory_bytes) / mb, r.words_sent);
  write_json(flags.run, nlohmann::ordered_json{{"levels", flags.levels},
                                               {"ranks", r.ranks},
                                               {"seconds", r.network.seconds},
                                               {"copy_seconds", r.copy.seconds},
                                               {"passes", r.passes},
                                               {"ratio", r.ratio()},
                                               {"memory_bytes", r.memory_bytes},
                                               {"words_sent", r.words_sent}}
                            .dump(2));
}

}  // namespace

void add_bench_butterfly(CLI::App& bench, Crew& crew) {
  auto flags = std::make_shared<ButterflyFlags>();
  add_bench_job(bench, crew, "butterfly",
                "Measures a butterfly of a caller's nodes (Walsh-Hadamard) beside memory-bound passes",
                butterfly_examples, flags, measured_butterfly, tell_butterfly)
      ->add_option("--levels", flags->levels, "Of the butterfly, which has 2^K rows; default: 26")
      ->check(CLI::Range(2, 36))
      ->type_name("K");
}

}  // namespace kallima::cli
