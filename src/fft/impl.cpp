// Planning on every rank alike, and running. Whatever can fail while planning does so on all ranks together.

#include "fft/impl.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.hpp"

namespace kallima {
namespace {

// Of forward_many: one travels while the other is computed; where a bus has two directions, one in each, too.
std::size_t fields_at_once(const Backend& backend) { return backend.in_order() ? 2 : 3; }

FftOptions with_backend(FftOptions options, Precision precision) {
  if (!options.backend) options.backend = cpu_backend(precision);
  return options;
}

}  // namespace

detail::FftImpl::FftImpl(const Problem& asked, Comm world, FftOptions given)
    : FftImpl([asked, ranks = world.size()](const PlanOptions& o) { return kallima::plan(asked, ranks, o); },
              arguments_of(asked), world, with_backend(given, asked.precision), asked) {
  points = static_cast<double>(transformed_count(asked));
}

detail::FftImpl::FftImpl(Planner how, Arguments what, Comm world, FftOptions given, std::optional<Problem> asked)
    : planner(std::move(how)), asked_problem(std::move(asked)), comm(std::move(world)), options(std::move(given)) {
  const Arguments more = arguments_of(options);
  const std::string title = fmt::format("({} {})", what[0].first, what[0].second);
  constexpr std::array words{"forward", "backward", "a rehearsal of computation", "a rehearsal of communication",
                             "apply"};
  for (std::size_t k = 0; k < verbs; ++k) names[k] = call_name(fmt::format("{} {} of the plan", words[k], title));
  planned_in = comm.transport().announce({call_name("planning " + title)});
  what.insert(what.end(), more.begin(), more.end());
  agree(comm.transport(), what);
  transport = options.backend->carrier(comm.transport().duplicate());
  if (!transport->all_views()) {
    options.plan.exchange = Exchange::messages;
    if (options.wire == Wire{}) options.plan.nodes = nodes_of(*transport);  // what is encoded needs a landing area
  }
  options.plan.one_process = transport->one_process() && options.wire == Wire{};
  if (options.plan.exchange == Exchange::messages && options.plan.per_host == 0)
    options.plan.per_host = ranks_of_a_host(*transport);
  if (comm.size() > 1 && options.plan.route == "auto") share_profile(*transport);
  together(*transport, [&] { settle_wire(); });
  if (route_is_open()) choose_route();
  together(*transport, [&] { programs.emplace(compile(options.plan)); });
  prepare();
  if (choice_is_open()) choose_by_trying();
  pipeline =
      make_pipeline({&programs->planned(Direction::forward).program, &programs->planned(Direction::backward).program});
  taken.emplace_back();
}

// Plans that differ in how they exchange keep the same.
void detail::FftImpl::prepare() {
  std::optional<RankSchedule> before;
  together(*transport, [&] {
    before = programs->plan().preparation(comm.rank());
    if (!before) return;
    kept_bytes = buffer_bytes(*before, Buffer::out, options.backend->element());
    kept = options.backend->allocate(kept_bytes);
  });
  if (before)
    execute(*before, Direction::forward, comm, {}, {kept.get(), kept_bytes},
            {.backend = options.backend, .effort = options.effort});
}

// What a rank does by itself.
Programs detail::FftImpl::compile(const PlanOptions& plan_options) const {
  return {planner(plan_options), comm.rank(), options.backend, options.effort,
          [this](RankSchedule schedule) { return with_wire(std::move(schedule)); }};
}

RankSchedule detail::FftImpl::with_wire(RankSchedule schedule) const {
  return encoded(std::move(schedule), wire.wire, options.backend->element().real_bytes(),
                 transport->all_views() ? EncodedLanding::view : EncodedLanding::inbox);
}

std::unique_ptr<Pipeline> detail::FftImpl::make_pipeline(std::initializer_list<const Program*> of) const {
  std::size_t work = 0;
  int tags = 0;
  for (const Program* program : of) {
    work = std::max(work, program->bytes(Buffer::work));
    tags = std::max(tags, program->tags());
  }
  agree_on_messages(*transport, of);
  auto result = std::make_unique<Pipeline>(*transport, options.backend, work, largest_of_all(*transport, tags));
  result->add_slot();
  together(*transport, [&] {
    for (const Program* program : of) result->reserve(0, *program);
  });
  return result;
}

void detail::FftImpl::check(const char* name, std::span<const std::byte> array, std::optional<Data> holds, bool shared,
                            Direction begins) const {
  const Plan& plan = programs->plan();
  const Data wants = begins == Direction::forward ? plan.data_in() : plan.data_out();
  require(!holds || *holds == wants, "array '{}' holds {} numbers, but this transform's {} {} (Problem::data): pass {}",
          name, holds == Data::real_ ? "real" : "complex", name, wants == Data::real_ ? "is real" : "is complex",
          wants == Data::real_ ? "reals" : "complex numbers");
  const std::size_t item = options.backend->element().bytes_of(wants), has = array.size() / item;
  const auto needed = static_cast<std::size_t>(programs->size(begins, Buffer::in));
  require((has == needed && array.size() % item == 0) || (shared && has > needed),
          "array '{}' has {} elements on rank {}, but the layout gives it {}: size it with local_size_in() and "
          "local_size_out()",
          name, has, comm.rank(), needed);
}

// `from` and `to` are the directions that begin with what `in` and `out` hold. The one array of both may be longer than
// one of the two needs.
void detail::FftImpl::check(const ArrayIn& in, const ArrayOut& out, Direction from, Direction to) const {
  const bool shared = in.bytes.data() == out.bytes.data();
  check("in", in.bytes, in.data, shared, from);
  check("out", out.bytes, out.data, shared, to);
  const std::byte* const in_end = in.bytes.data() + in.bytes.size();
  const std::byte* const out_end = out.bytes.data() + out.bytes.size();
  const bool overlap = in.bytes.data() < out_end && out.bytes.data() < in_end;
  require(!overlap || shared,
          "arrays 'in' and 'out' overlap by {} bytes but do not begin together: pass the same array or separate ones",
          std::min(in_end, out_end) - std::max<const std::byte*>(in.bytes.data(), out.bytes.data()));
}

long double detail::FftImpl::factor(Norm norm) const {
  const auto all = static_cast<long double>(points);
  return norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(all) : 1 / all;
}

// Of a run whose messages count.
RunOptions detail::FftImpl::counted(const Compiled& compiled, Norm norm, int transforms) {
  const auto element = static_cast<Index>(options.backend->element().bytes);
  tally.transforms += transforms;
  tally.bytes_plain += compiled.sent.plain * element / 2;
  tally.bytes_sent += compiled.sent.sent * element / 2;
  return {.scale = factor(norm), .kept = kept.get(), .trace = trace, .errors = &tally.errors};
}

// Begins a run in the first free slot, the same on every rank, or in a new one. Collective.
int detail::FftImpl::begin(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm, Only part) {
  check(in, out, direction, opposite(direction));
  const bool same = in.bytes.data() == out.bytes.data() && !in.bytes.empty();
  const Placement planned = programs->plan().options().placement;
  const Placement placement = in.bytes.empty() ? planned : same ? Placement::in_place : Placement::out_of_place;
  const Compiled& compiled = programs->of({direction, placement, part});
  const Verb verb = part == Only::computation         ? Verb::computation
                    : part == Only::communication     ? Verb::communication
                    : direction == Direction::forward ? Verb::forward
                                                      : Verb::backward;
  announce(verb);
  const auto slot = static_cast<int>(std::ranges::find(taken, std::optional<Verb>{}) - taken.begin());
  if (slot == pipeline->slots()) {
    pipeline->add_slot();
    taken.emplace_back();
  }
  taken[at(slot)] = verb;
  RunOptions run{.kept = kept.get(), .trace = trace};
  if (part == Only::everything) run = counted(compiled, norm, 1);
  run.kind = static_cast<int>(verb);
  pipeline->begin(slot, compiled.program, in.bytes.data(), out.bytes.data(), run);
  return slot;
}

void detail::FftImpl::end(int slot) {
  announce(*taken[at(slot)]);
  pipeline->finish(slot);
  taken[at(slot)].reset();
}

void detail::FftImpl::run(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm, Only part) {
  guarded([&] { end(begin(direction, in, out, norm, part)); });
}

void detail::FftImpl::run_many(Direction direction, std::span<const ArrayIn> in, std::span<const ArrayOut> out,
                               Norm norm) {
  guarded([&] {
    require(in.size() == out.size(), "{} arrays in and {} out do not fit: pass one of each for every transform",
            in.size(), out.size());
    for (std::size_t i = 0; i < in.size(); ++i) check(in[i], out[i], direction, opposite(direction));
    std::vector<int> slots;
    const std::size_t at_once = fields_at_once(*options.backend);
    for (std::size_t i = 0; i < in.size() + at_once; ++i) {
      if (i >= at_once && i - at_once < in.size()) end(slots[i - at_once]);
      if (i < in.size()) slots.push_back(begin(direction, in[i], out[i], norm));
    }
  });
}

AnyPending detail::FftImpl::start(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm) {
  return guarded([&] {
    const int slot = begin(direction, in, out, norm);
    while (pipeline->advance() && !pipeline->over(slot)) {
    }
    return AnyPending(*this, slot);
  });
}

bool AnyPending::test() {
  if (fft_ == nullptr) return true;
  return fft_->guarded([&] {
    fft_->pipeline->advance();
    return fft_->pipeline->over(slot_);
  });
}

void AnyPending::wait() {
  if (fft_ == nullptr) return;
  detail::FftImpl& fft = *std::exchange(fft_, nullptr);
  fft.guarded([&] { fft.end(slot_); });
}

}  // namespace kallima
