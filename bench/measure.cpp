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

// One that runs; where it is not this rank's to run, only the waiting is.
struct Entry {
  Runs runs;
  Rival* rival = nullptr;
};

class Race {
 public:
  Race(const BenchSpec& spec, Transport& transport) : spec_(spec), transport_(transport) {}

  void enter(Rival* rival, const std::string& name, const std::string& title) {
    entries_.push_back({.runs = {.name = name, .title = title}, .rival = rival});
  }

  // The first run of each is checked, a second warms up what the checking has cooled down.
  void check_and_warm_up() {
    for (Entry& entry : entries_) {
      if (entry.rival != nullptr) entry.rival->fill();
      run_once(entry);
      entry.runs.error = largest(transport_, entry.rival != nullptr ? entry.rival->error() : 0);
    }
    for (Entry& entry : entries_) run_once(entry);
  }

  void run_all() {
    for (int rep = 0; rep < spec_.reps; ++rep)
      for (Entry& entry : entries_) entry.runs.seconds.push_back(run_once(entry));
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  // Transforming its own output over and over would overflow, so in place the signal is put back, off the clock.
  double run_once(Entry& entry) {
    if (entry.rival != nullptr && spec_.options.plan.placement == Placement::in_place) entry.rival->fill();
    return seconds_of(transport_, [&] {
      if (entry.rival != nullptr) entry.rival->run();
    });
  }

  const BenchSpec& spec_;
  Transport& transport_;
  std::vector<Entry> entries_;
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

// All ranks must take the same turns, those without the rival, too.
void enter_all(Race& race, const std::vector<std::unique_ptr<Rival>>& rivals, Transport& transport) {
  std::string mine;
  for (const auto& rival : rivals) mine += rival->name() + '\n' + rival->title() + '\n';
  std::string rest = gather_texts(transport, mine)[0];
  for (std::size_t i = 0; !rest.empty(); ++i) {
    const std::size_t a = rest.find('\n'), b = rest.find('\n', a + 1);
    race.enter(i < rivals.size() ? rivals[i].get() : nullptr, rest.substr(0, a), rest.substr(a + 1, b - a - 1));
    rest = rest.substr(b + 1);
  }
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
  Race race(spec, transport);
  race.enter(&*ours, ours->name(), ours->title());
  enter_all(race, rivals, transport);
  say("checking");
  race.check_and_warm_up();
  say("measuring");
  race.run_all();
  const Recording recording = record(*ours, transport, result.active_ranks);
  result.trace = recording.trace;
  result.computing_s = recording.computing;
  result.waiting_s = recording.waiting;
  result.hidden_share = recording.hidden;
  for (const Entry& entry : race.entries())
    (entry.rival == &*ours ? result.kallima : result.rivals.emplace_back()) = entry.runs;
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

double Runs::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double Runs::fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Runs::slowest() const { return *std::max_element(seconds.begin(), seconds.end()); }

BenchResult measure(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say) {
  check_room(spec, comm);
  return spec.precision == Precision::single_ ? measure_as<float>(spec, comm, say)
                                              : measure_as<double>(spec, comm, say);
}

}  // namespace kallima::cli
