// The order of things: plan, allocate, check the answer, warm up, time in turns, record. Where only rank 0 has a rival
// to run (FFTW's threads) the other ranks sleep in a barrier meanwhile and leave it the cores.

#include "bench/measure.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/memory_check.hpp"
#include "base/check.hpp"
#include "bench/analytic.hpp"
#include "bench/collect.hpp"
#include "kallima/memory.hpp"

namespace kallima::cli {

namespace {

// Kallima in the shape of a Rival, so that one loop runs all.
template <class T>
class Ours : public Rival {
 public:
  using Complex = std::complex<T>;

  Ours(const BenchSpec& spec, const Comm& comm)
      : fft_({.shape = spec.shape, .precision = spec.precision, .output = spec.output}, comm, spec.options),
        in_place_(spec.options.plan.placement == Placement::in_place) {
    together(comm.transport(), [&] {
      in_ = Array<Complex>(std::max(fft_.local_size_in(), in_place_ ? fft_.local_size_out() : 0));
      if (!in_place_) out_ = Array<Complex>(fft_.local_size_out());
    });
  }

  std::string name() const override { return "kallima"; }
  std::string title() const override { return "Kallima"; }
  void fill() override { fill_signal<T>(axes_of(fft_.layout_in(), rank()), in_.span()); }
  void run() override { fft_.forward(in_.span(), in_place_ ? in_.span() : out_.span()); }
  double error() override {
    const std::span<const Complex> result = in_place_ ? in_.span() : out_.span();
    return relative_error(fft_.comm().transport(), spectrum_error<T>(axes_of(fft_.layout_out(), rank()), result));
  }

  int rank() const { return fft_.comm().rank(); }
  Fft<T>& fft() { return fft_; }
  std::size_t array_bytes() const { return static_cast<std::size_t>(in_.size() + out_.size()) * sizeof(Complex); }
  std::size_t data_bytes() const { return static_cast<std::size_t>(in_.size()) * sizeof(Complex); }

 private:
  Fft<T> fft_;
  bool in_place_;
  Array<Complex> in_;
  Array<Complex> out_;
};

struct Recording {
  Trace trace;
  double computing = 0;
  double waiting = 0;
  double hidden = 1;
  double span = 0;
};

Recording summary(Trace trace, int active) {
  Recording recording{.trace = std::move(trace), .hidden = 0};
  for (int rank = 0; rank < active; ++rank) {
    const RankTimes times = rank_times(recording.trace, rank);
    recording.computing += times.computing / active;
    recording.waiting += times.waiting / active;
    recording.hidden += times.hidden_share / active;
  }
  recording.span = makespan(recording.trace);
  return recording;
}

template <class T>
Recording record(Ours<T>& ours, Transport& transport, int active) {
  std::vector<Recording> recordings;
  for (int run = 0; run < 3; ++run) {
    Trace mine;
    ours.fft().record(&mine);
    transport.barrier();
    ours.run();
    ours.fft().record(nullptr);
    recordings.push_back(summary(gather(ours.fft().comm(), mine), active));
  }
  std::sort(recordings.begin(), recordings.end(), [](const auto& a, const auto& b) { return a.span < b.span; });
  return recordings[1];
}

std::vector<std::unique_ptr<Rival>> rivals_for(const BenchSpec& spec, const Comm& comm) {
  std::vector<std::unique_ptr<Rival>> rivals;
  if (!spec.against_fftw) return rivals;
  const RivalSpec rival{spec.shape, spec.precision, spec.options.effort, spec.options.plan.placement};
  together(comm.transport(), [&] {
    if (comm.transport().name() != "threads")
      rivals = make_fftw_mpi(rival, comm);
    else if (comm.rank() == 0)
      rivals.push_back(make_fftw_threads(rival, comm.size()));
  });
  return rivals;
}

template <class T>
void describe(Ours<T>& ours, Transport& transport, BenchResult& result) {
  Fft<T>& fft = ours.fft();
  const auto sent = static_cast<double>(fft.plan().rank_schedule(ours.rank(), Direction::forward).words_sent());
  const auto peak = static_cast<double>(ours.array_bytes() + fft.workspace_bytes());
  result.words_sent_per_rank = static_cast<Index>(largest(transport, sent));
  result.peak_bytes_per_rank = static_cast<Index>(largest(transport, peak));
  result.data_bytes_per_rank = static_cast<Index>(largest(transport, static_cast<double>(ours.data_bytes())));
  result.ranks = transport.size();
  result.active_ranks = fft.layout_in().active_ranks();
  result.transport = transport.name();
  result.tuning = text(transport.tuning());
  result.tuning_from = transport.tuning_from();
  result.plan = fft.plan().options();
  result.explanation = fft.plan().explanation();
  result.exchanges = fft.plan().exchanges();
  result.flops = flop_count(fft.plan().problem());
  result.bound = error_bound(element_count(fft.plan().problem().shape), fft.plan().problem().precision);
}

template <class T>
BenchResult measure_as(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say) {
  Transport& transport = comm.transport();
  BenchResult result;
  std::optional<Ours<T>> ours;
  say("planning");
  result.plan_s = seconds_of(transport, [&] { ours.emplace(spec, comm); });
  describe(*ours, transport, result);
  if (spec.against_fftw) say("planning FFTW");
  const std::vector<std::unique_ptr<Rival>> rivals = rivals_for(spec, comm);
  std::vector<Rival*> all{&*ours};
  for (const auto& rival : rivals) all.push_back(rival.get());
  Race race(all, transport, spec.options.plan.placement);
  say("checking");
  race.check_and_warm_up();
  say("measuring");
  for (int rep = 0; rep < spec.reps; ++rep) race.run_each();
  const Recording recording = record(*ours, transport, result.active_ranks);
  result.trace = recording.trace;
  result.computing_s = recording.computing;
  result.waiting_s = recording.waiting;
  result.hidden_share = recording.hidden;
  result.kallima = race.runs().front();
  result.rivals.assign(race.runs().begin() + 1, race.runs().end());
  return result;
}

// Arrays of ours, and FFTW's, before any is taken.
void check_room(const BenchSpec& spec, const Comm& comm) {
  const Index item = spec.precision == Precision::single_ ? 8 : 16;
  const Index arrays = spec.options.plan.placement == Placement::in_place ? 1 : 2;
  const Index share = (element_count(spec.shape) - 1) / comm.size() + 1;
  check_memory(comm.transport(), share * item * arrays * (spec.against_fftw ? 2 : 1));
}

}  // namespace

BenchResult measure(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say) {
  check_room(spec, comm);
  return spec.precision == Precision::single_ ? measure_as<float>(spec, comm, say)
                                              : measure_as<double>(spec, comm, say);
}

}  // namespace kallima::cli
