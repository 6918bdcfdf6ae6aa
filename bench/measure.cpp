// The order of things: plan, allocate, check the answer, warm up, time in turns, record. Where only rank 0 has a rival
// to run (FFTW's threads) the other ranks sleep in a barrier meanwhile and leave it the cores.

#include "bench/measure.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "app/check.hpp"
#include "app/memory_check.hpp"
#include "bench/collect.hpp"
#include "bench/ours.hpp"
#include "bench/ping.hpp"

namespace kallima::cli {

namespace {

constexpr int rehearsals = 5;

template <class T>
Fft<T> make_fft(const BenchSpec& spec, const Comm& comm) {
  return Fft<T>({.shape = spec.shape, .precision = spec.precision, .output = spec.output}, comm, spec.options);
}

// Everything of Kallima's that runs.
template <class T>
struct Own {
  Own(const BenchSpec& spec, const Comm& comm) : fft(make_fft<T>(spec, comm)) {
    together(comm.transport(), [&] {
      fields.emplace(fft, spec.fields, spec.options.plan.placement, spec.options.backend, spec.host_arrays);
    });
    whole.emplace(fft, *fields, "kallima",
                  spec.fields == 1 ? "Kallima" : fmt::format("Kallima, {} fields", spec.fields));
  }

  void add_parts(BenchSpec spec, const Comm& comm) {
    spec.options.plan.route = fft.plan().options().route;  // on the same arrays: its layouts must be those
    spec.options.plan.grid = fft.plan().options().grid;
    spec.options.plan.overlap = Overlap::off;
    spec.options.plan.chunks = 0;
    plain.emplace(make_fft<T>(spec, comm));
    parts.push_back(std::make_unique<Ours<T>>(*plain, *fields, "kallima_no_overlap", "Kallima without overlap"));
    for (const Only part : {Only::computation, Only::communication})
      parts.push_back(std::make_unique<PartAlone<T>>(fft, *fields, part));
  }

  Fft<T> fft;
  std::optional<Fields<T>> fields;
  std::optional<Fft<T>> plain;
  std::optional<Ours<T>> whole;
  std::vector<std::unique_ptr<Rival>> parts;
};

struct Recording {
  Trace trace;
  double computing = 0;
  double waiting = 0;
  std::optional<double> hidden = {};
  double span = 0;
};

Recording summary(Trace trace, int active) {
  Recording recording{.trace = std::move(trace)};
  for (int rank = 0; rank < active; ++rank) {
    const RankTimes times = rank_times(recording.trace, rank);
    recording.computing += times.computing / active;
    recording.waiting += times.waiting / active;
  }
  recording.hidden = hidden_share(recording.trace);
  recording.span = makespan(recording.trace);
  return recording;
}

template <class T>
Recording record(Own<T>& ours, Transport& transport, int active, const Skew& skew) {
  std::vector<Recording> recordings;
  for (int run = 0; run < 3; ++run) {
    Trace mine;
    ours.fft.record(&mine);
    transport.barrier();
    sleep_for(skew.delays(run)[static_cast<std::size_t>(transport.rank())]);
    ours.whole->run();
    ours.fft.record(nullptr);
    recordings.push_back(summary(gather(ours.fft.comm(), mine), active));
  }
  std::sort(recordings.begin(), recordings.end(), [](const auto& a, const auto& b) { return a.span < b.span; });
  return recordings[1];
}

// How long a part takes without the other, as the median of a few runs.
template <class T>
double seconds_alone(Own<T>& ours, Transport& transport, Only part, bool in_place) {
  PartAlone<T> alone(ours.fft, *ours.fields, part);
  Runs runs;
  for (int run = 0; run < rehearsals; ++run) {
    if (in_place) ours.whole->fill();  // values that grow without end may take longer
    runs.seconds.push_back(seconds_of(transport, [&] { alone.run(); }));
  }
  return runs.median();
}

// On a device kernels do not slow each other's host down, and a schedule without its exchange has passes that must wait
// for each other where they had not: what the busiest rank computed is the better figure.
double seconds_computed(const Trace& trace) {
  std::map<int, double> by_rank;
  for (const Event& event : trace.events)
    if (event.task >= 0 && event.kind == TaskKind::compute) by_rank[event.rank] += event.end - event.begin;
  double most = 0;
  for (const auto& [rank, seconds] : by_rank) most = std::max(most, seconds);
  return most;
}

template <class T>
OverlapReport report_on(Own<T>& ours, Transport& transport, const Trace& trace, bool in_place, bool on_device) {
  return overlap_report(trace,
                        Alone{.computation = on_device ? seconds_computed(trace)
                                                       : seconds_alone(ours, transport, Only::computation, in_place),
                              .communication = seconds_alone(ours, transport, Only::communication, in_place)});
}

using Rivals = std::vector<std::unique_ptr<Rival>>;

Rivals rivals_for_one_field(const BenchSpec& spec, const Comm& comm) {
  Rivals rivals;
  const RivalSpec rival{spec.shape, spec.precision, spec.options.effort, spec.options.plan.placement};
  together(comm.transport(), [&] {
    if (spec.against_cufft) {
      if (comm.rank() == 0)
        rivals.push_back(make_cufft({.shape = spec.shape, .precision = spec.precision}, spec.options));
      return;
    }
    if (comm.transport().name() != "threads")
      rivals = make_fftw_mpi(rival, comm);
    else if (comm.rank() == 0)
      rivals.push_back(make_fftw_threads(rival, comm.size()));
  });
  return rivals;
}

Rivals rivals_for(const BenchSpec& spec, const Comm& comm) {
  std::vector<Rivals> by_kind;
  for (int field = 0; (spec.against_fftw || spec.against_cufft) && field < spec.fields; ++field) {
    Rivals rivals = rivals_for_one_field(spec, comm);
    by_kind.resize(rivals.size());
    for (std::size_t i = 0; i < rivals.size(); ++i) by_kind[i].push_back(std::move(rivals[i]));
  }
  Rivals all;
  for (Rivals& kind : by_kind)
    all.push_back(kind.size() == 1 ? std::move(kind[0]) : std::make_unique<InSequence>(std::move(kind)));
  return all;
}

template <class T>
void describe(const Own<T>& ours, int fields, Transport& transport, BenchResult& result) {
  const Fft<T>& fft = ours.fft;
  const auto sent = static_cast<double>(fft.plan().traffic(transport.rank(), Direction::forward).words);
  const auto peak = static_cast<double>(ours.fields->bytes() + fft.workspace_bytes());
  result.words_sent_per_rank = static_cast<Index>(largest(transport, sent)) * fields;
  result.peak_bytes_per_rank = static_cast<Index>(largest(transport, peak));
  result.data_bytes_per_rank = static_cast<Index>(largest(transport, static_cast<double>(ours.fields->data_bytes())));
  result.program = fft.program_size();
  result.ranks = transport.size();
  result.active_ranks = fft.layout_in().active_ranks();
  result.transport = transport.name();
  result.tuning = text(fft.tuning());
  result.tuning_from = fft.tuning_from();
  result.plan = fft.plan().options();
  result.explanation = fft.plan().explanation();
  result.exchanges = fft.plan().exchanges();
  result.flops = flop_count(fft.plan().problem()) * fields;
  result.wire = fft.wire_report();
  result.bound =
      error_bound(element_count(fft.plan().problem().shape), fft.plan().problem().precision) + result.wire.choice.limit;
}

// Kallima first, then its parts, then the rivals.
template <class T>
std::vector<Rival*> starters(Own<T>& ours, const Rivals& rivals) {
  std::vector<Rival*> all{&*ours.whole};
  for (const auto& part : ours.parts) all.push_back(part.get());
  for (const auto& rival : rivals) all.push_back(rival.get());
  return all;
}

template <class T>
void keep_recording(Own<T>& ours, Transport& transport, BenchResult& result, const Skew& skew) {
  Recording recording = record(ours, transport, result.active_ranks, skew);
  result.trace = std::move(recording.trace);
  result.computing_s = recording.computing;
  result.waiting_s = recording.waiting;
  result.hidden_share = recording.hidden;
}

template <class T>
BenchResult measure_as(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say) {
  Transport& transport = comm.transport();
  BenchResult result;
  std::optional<Own<T>> ours;
  say("planning");
  result.plan_s = seconds_of(transport, [&] { ours.emplace(spec, comm); });
  if (spec.parts) ours->add_parts(spec, comm);
  if (spec.against_fftw) say("planning FFTW");
  const Rivals rivals = rivals_for(spec, comm);
  const Skew skew{.longest = spec.skew_s, .ranks = transport.size()};
  Race race(starters(*ours, rivals), transport, spec.options.plan.placement, skew);
  say("checking");
  race.check_and_warm_up();
  describe(*ours, spec.fields, transport, result);
  say("measuring");
  for (int rep = 0; rep < spec.reps; ++rep) race.run_each();
  if (spec.parts) result.half_round_trip_s = half_round_trip(transport);
  keep_recording(*ours, transport, result, skew);
  if (spec.report) {
    const auto& backend = spec.options.backend;
    const bool in_place = spec.options.plan.placement == Placement::in_place;
    result.overlap = report_on(*ours, transport, result.trace, in_place, backend && backend->place() == Place::device);
  }
  const auto first_rival = race.runs().begin() + 1 + static_cast<std::ptrdiff_t>(ours->parts.size());
  result.kallima = race.runs().front();
  result.parts.assign(race.runs().begin() + 1, first_rival);
  result.rivals.assign(first_rival, race.runs().end());
  return result;
}

// Arrays of ours, and FFTW's, before any is taken.
void check_room(const BenchSpec& spec, const Comm& comm) {
  const Index item = spec.precision == Precision::single_ ? 8 : 16;
  const Index arrays = spec.options.plan.placement == Placement::in_place ? 1 : 2;
  const Index share = (element_count(spec.shape) - 1) / comm.size() + 1;
  check_memory(comm.transport(), share * item * arrays * spec.fields * (spec.against_fftw ? 2 : 1));
}

}  // namespace

// What is no number stays, since no bound is above it.
double BenchResult::worst_error() const {
  double worst = kallima.error.value_or(0);
  for (const Runs& runs : parts)
    if (runs.error && !(*runs.error <= worst)) worst = *runs.error;
  return worst;
}

bool BenchResult::correct() const { return worst_error() <= bound; }

BenchResult measure(const BenchSpec& spec, const Comm& comm, const std::function<void(const std::string&)>& say) {
  check_room(spec, comm);
  return spec.precision == Precision::single_ ? measure_as<float>(spec, comm, say)
                                              : measure_as<double>(spec, comm, say);
}

}  // namespace kallima::cli
