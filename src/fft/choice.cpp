// What only trying can tell: whether to send the first blocks while others are made, since where nothing moves messages
// on, or the network is faster than the copies it takes, that costs more than it hides; and whether large pieces are
// worth their risk. That everything is exchanged at once is not tried: it takes one more array. Large pieces cost the
// processor less, but have to ask before they leave, and on a slow network the two directions may then take turns.
// Plans made with less than Effort::measure are not worth trying: they overlap, with the tuning there is.

#include <algorithm>
#include <chrono>
#include <cstring>

#include "fft/impl.hpp"

namespace kallima {
namespace {

constexpr std::size_t large_piece = 256 * 1024;
constexpr double worth = 0.98;  // of the time: what the other way must take at most to be chosen
constexpr int most_runs = 10;
constexpr double long_enough = 0.1;  // seconds of trying, for chance to have no say
constexpr double close = 0.95;       // times that differ by less are the same
constexpr double idle_share = 0.1;   // with more waiting than this the processor has time for small pieces

// Memory for two arrays, either of which may be worked in; false on all ranks where one of them has too little. What
// has only been read would be one page of zeros, which no memory is asked for.
bool allocate_for(Transport& transport, const Program& program, std::shared_ptr<std::byte>& from,
                  std::shared_ptr<std::byte>& to) {
  const std::size_t bytes = std::max(program.bytes(Buffer::in), program.bytes(Buffer::out));
  try {
    together(transport, [&] {
      from = program.backend().allocate(bytes);
      to = program.backend().allocate(bytes);
      if (program.backend().place() == Place::host) std::memset(from.get(), 0, bytes);
    });
  } catch (const std::exception&) {  // then there is no trying
    return false;
  }
  return true;
}

struct Trial {
  double seconds = 0;
  double waiting = 0;  // share of the time
};

// One run, as the slowest rank sees it.
template <class Run>
Trial timed(Transport& transport, const Run& run) {
  transport.barrier();
  Trace trace;
  const auto begin = std::chrono::steady_clock::now();
  run(&trace);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  const double seconds = largest_of_all(transport, passed.count());
  return {seconds, largest_of_all(transport, rank_times(trace, transport.rank()).waiting) / seconds};
}

// The fastest of several runs, after one that does not count. A lost packet makes a run last a fifth of a second
// longer, and the first runs lose most of them: a time counts only when another run has come close to it.
template <class Run>
Trial trial_of(Transport& transport, const Run& run) {
  run(nullptr);
  Trial best = timed(transport, run);
  double spent = best.seconds;
  bool confirmed = false;
  for (int i = 1; i < most_runs && (spent < long_enough || !confirmed); ++i) {
    const Trial next = timed(transport, run);
    spent += next.seconds;
    const auto [fast, slow] = std::minmax(next.seconds, best.seconds);
    confirmed = fast > close * slow || (confirmed && fast == best.seconds);
    if (next.seconds < best.seconds) best = next;
  }
  return best;
}

}  // namespace

std::optional<double> detail::FftImpl::seconds_of_a_run() {
  std::shared_ptr<std::byte> in, out;
  const Program& program = programs->planned(Direction::forward).program;
  if (!allocate_for(*transport, program, in, out)) return std::nullopt;
  const bool in_place = programs->plan().options().placement == Placement::in_place;
  const std::unique_ptr<Pipeline> tried = make_pipeline({&program});
  const Trial trial = trial_of(*transport, [&](Trace* recorded) {
    tried->begin(0, program, in_place ? out.get() : in.get(), out.get(), {.kept = kept.get(), .trace = recorded});
    tried->finish(0);
  });
  return trial.seconds;
}

bool detail::FftImpl::choice_is_open() const {
  const PlanOptions& p = options.plan;
  return p.overlap == Overlap::automatic && p.exchange == Exchange::messages && p.chunks == 0 && p.radices.empty() &&
         options.effort != Effort::estimate && programs->plan().exchanges() > 0;
}

void detail::FftImpl::choose_by_trying() {
  PlanOptions in_one_go = options.plan;
  in_one_go.slices = 1;
  std::optional<Programs> other;
  together(*transport, [&] { other.emplace(compile(in_one_go)); });
  std::shared_ptr<std::byte> in, out;
  if (!allocate_for(*transport, programs->planned(Direction::forward).program, in, out)) return;
  const bool in_place = programs->plan().options().placement == Placement::in_place;
  const auto try_out = [&](const Programs& p) {
    const Program& program = p.planned(Direction::forward).program;
    const std::unique_ptr<Pipeline> tried = make_pipeline({&program});
    return trial_of(*transport, [&](Trace* recorded) {
      tried->begin(0, program, in_place ? out.get() : in.get(), out.get(), {.kept = kept.get(), .trace = recorded});
      tried->finish(0);
    });
  };
  Trial best = try_out(*programs);
  const Tuning usual = transport->tuning();
  const std::string from = transport->tuning_from();
  const bool may_change = from == "default" || from == "doctor";
  if (may_change && best.waiting < idle_share && usual.piece_bytes < large_piece) {
    Tuning large = usual;
    large.piece_bytes = large_piece;
    transport->retune(large, "planner");
    const Trial other_trial = try_out(*programs);
    if (other_trial.seconds > best.seconds / worth)
      transport->retune(usual, from);
    else
      best = other_trial;
  }
  if (try_out(*other).seconds < worth * best.seconds) programs = std::move(other);
}

}  // namespace kallima
