#pragma once
// Measures Kallima, and rivals if wanted, on a communicator: every repetition runs each of them once, so that whatever
// else the machine does strikes all alike. What ran when comes from runs of its own, since recording costs a little.

#include <optional>
#include <string>
#include <vector>

#include "bench/race.hpp"
#include "kallima/fft.hpp"
#include "kallima/overlap.hpp"

namespace kallima::cli {

struct BenchSpec {
  Shape shape;
  Precision precision = Precision::double_;
  Output output = Output::same;
  FftOptions options = {};
  int reps = 10;
  bool against_fftw = false;
  bool against_cufft = false;
  bool report = false;       // on the overlap, with both parts measured alone
  double skew_s = 0;         // by which ranks are delayed at most before each run
  bool parts = false;        // Kallima without overlap and its two parts alone run in turns, too
  int fields = 1;            // arrays that one run transforms
  bool host_arrays = false;  // in the host\'s memory, whatever the backend\'s is
};

struct BenchResult {
  Runs kallima = {};
  std::vector<Runs> parts = {};  // without overlap, computation, communication; empty unless asked for
  std::vector<Runs> rivals = {};
  int ranks = 0;
  int active_ranks = 0;
  std::string transport = {};
  std::string tuning = {};       // of messages,
  std::string tuning_from = {};  // and who chose it
  PlanOptions plan = {};
  std::string explanation = {};
  int exchanges = 0;
  Index words_sent_per_rank = 0;
  Index peak_bytes_per_rank = 0;
  ProgramSize program = {};  // of rank 0
  Index data_bytes_per_rank = 0;
  double plan_s = 0;
  double half_round_trip_s = 0;  // of the smallest message; with the parts only
  double flops = 0;
  double bound = 0;        // on the error
  double computing_s = 0;  // of the recorded runs, mean over the ranks at work
  double waiting_s = 0;
  std::optional<double> hidden_share = {};  // nothing where nothing is sent
  Trace trace = {};                         // the recorded run of median length
  std::optional<OverlapReport> overlap = {};
  WireReport wire = {};
  double worst_error() const;  // of Kallima's own runs
  bool correct() const;
};

// Collective; the result is complete on every rank. `say` is called on rank 0 with what is being done.
BenchResult measure(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say);

}  // namespace kallima::cli
