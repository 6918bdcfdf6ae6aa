// Planning on every rank alike, and running. Whatever can fail does so on all ranks together, before any message is
// under way.

#include "fft/impl.hpp"

#include <cmath>

#include "base/check.hpp"

namespace kallima {

std::string describe(const Layout& layout) {
  if (layout.is_grid()) return layout.text();
  std::string boxes = "boxes";
  for (int rank = 0; rank < layout.ranks(); ++rank)
    for (const Progression& p : layout.owned(rank)) boxes += fmt::format(" {}+{}", p.first, p.count);
  return boxes;
}

namespace {

constexpr std::size_t fields_at_once = 2;  // of forward_many: one travels while the other is computed

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float>    ? Precision::single_
                                   : std::is_same_v<T, double> ? Precision::double_
                                                               : Precision::long_double;

std::uint64_t hash(const std::string& text) {  // FNV-1a
  std::uint64_t h = 14695981039346656037ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

std::string describe(const std::optional<Layout>& layout) { return layout ? describe(*layout) : "any"; }

std::string describe(const Problem& p) {
  std::vector<int> kinds;
  for (const Kind kind : p.kinds) kinds.push_back(static_cast<int>(kind));
  return fmt::format(
      "shape {}, axes {}, kinds {}, data {}, precision {}, output {}, in {} stored {} padded {}, out {} stored {} "
      "padded {}",
      text(p.shape), fmt::join(p.axes, ","), fmt::join(kinds, ","), static_cast<int>(p.data),
      static_cast<int>(p.precision), static_cast<int>(p.output), describe(p.in), fmt::join(p.storage_in.order, ","),
      fmt::join(p.storage_in.padding, ","), describe(p.out), fmt::join(p.storage_out.order, ","),
      fmt::join(p.storage_out.padding, ","));
}

std::string describe(const FftOptions& o) {
  return fmt::format(
      "route {}, grid {}, chunks {}, order {}, radices {}, exchange {}, all-to-all {}, overlap {}, slices {}, wire {} "
      "of "
      "{} bits and tolerance {}",
      o.plan.route, text(o.plan.grid), o.plan.chunks, static_cast<int>(o.plan.order), fmt::join(o.plan.radices, ","),
      static_cast<int>(o.plan.exchange), name(o.plan.alltoall), name(o.plan.overlap), o.plan.slices,
      name(o.wire.format), o.wire.bits, o.wire.tolerance);
}

Problem with_precision(Problem problem, Precision precision) {
  problem.precision = precision;
  return problem;
}

Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

template <class T>
int tags_of(const Compiled<T>& c) {
  int tags = 1;
  for (const Program<T>& program : c.programs)
    for (const Task& task : program.schedule().tasks) tags = std::max(tags, task.tag + 1);
  return tags;
}

}  // namespace

template <class T>
detail::FftImpl<T>::FftImpl(Problem asked, Comm world, FftOptions given)
    : FftImpl([problem = with_precision(asked, precision_of<T>),
               ranks = world.size()](const PlanOptions& o) { return kallima::plan(problem, ranks, o); },
              describe(with_precision(asked, precision_of<T>)), world, std::move(given)) {
  points = static_cast<double>(transformed_count(asked));
}

template <class T>
detail::FftImpl<T>::FftImpl(Planner how, const std::string& description, Comm world, FftOptions given)
    : planner(std::move(how)), comm(std::move(world)), options(std::move(given)) {
  const std::string all = fmt::format("{}, {}", description, describe(options));
  agree(comm.transport(), hash(all), fmt::format("the transform's arguments ({} here)", all));
  transport = comm.transport().duplicate();
  if (!transport->all_views()) options.plan.exchange = Exchange::messages;
  together(*transport, [&] {
    settle_wire();
    compiled = compile(options.plan);
  });
  if (choice_is_open()) choose_by_trying();
  pipeline = make_pipeline(compiled);
  taken.push_back(false);
}

// What a rank does by itself.
template <class T>
Compiled<T> detail::FftImpl<T>::compile(const PlanOptions& plan_options) const {
  Compiled<T> result{.plan = planner(plan_options), .programs = {}};
  for (const Direction d : {Direction::forward, Direction::backward})
    result.programs.emplace_back(result.plan->rank_schedule(comm.rank(), d), d, options.effort);
  return result;
}

// Collective.
template <class T>
std::unique_ptr<Pipeline<T>> detail::FftImpl<T>::make_pipeline(const Compiled<T>& c) const {
  std::unique_ptr<Pipeline<T>> result;
  const int tags = largest_of_all(*transport, tags_of(c));
  together(*transport, [&] {
    Index tile = 0;
    for (const Program<T>& program : c.programs) tile = std::max(tile, program.tile_elements());
    typename Pipeline<T>::Room room{c.size(Buffer::work), c.size(Buffer::inbox), tile};
    for (const Program<T>& program : c.programs) {
      const WireRoom encoded(program.schedule(), wire.wire, sizeof(T));
      room.sending = std::max(room.sending, encoded.sending());
      if (!transport->all_views()) room.receiving = std::max(room.receiving, encoded.receiving());
    }
    result = std::make_unique<Pipeline<T>>(*transport, room, tags, wire.wire);
  });
  result->add_slot();
  return result;
}

template <class T>
typename detail::FftImpl<T>::Side detail::FftImpl<T>::side(Direction before) const {
  const Plan& plan = *compiled.plan;
  const auto size = [&](std::size_t program) { return compiled.programs[program].schedule().size(Buffer::in); };
  if (before == Direction::forward) return {plan.data_in(), size(0)};
  return {plan.data_out(), size(1)};
}

template <class T>
void detail::FftImpl<T>::check(const Reals<const T>& in, const Reals<T>& out, const Side& from, const Side& to) const {
  const bool shared = in.reals.data() == out.reals.data();  // the one array may be longer than one of the two needs
  const auto needs = [&](const char* name, Data has_data, Data wants_data, std::size_t has, Index wants) {
    require(has_data == wants_data, "array '{}' holds {} numbers, but this transform's {} {} (Problem::data): pass {}",
            name, has_data == Data::real_ ? "real" : "complex", name,
            wants_data == Data::real_ ? "is real" : "is complex",
            wants_data == Data::real_ ? "reals" : "complex numbers");
    require(has == static_cast<std::size_t>(wants) || (shared && has > static_cast<std::size_t>(wants)),
            "array '{}' has {} elements on rank {}, but the layout gives it {}: size it with local_size_in() and "
            "local_size_out()",
            name, has, comm.rank(), wants);
  };
  needs("in", in.data, from.data, in.items(), from.size);
  needs("out", out.data, to.data, out.items(), to.size);
  const T* const in_end = in.reals.data() + in.reals.size();
  const T* const out_begin = out.reals.data();
  const T* const out_end = out_begin + out.reals.size();
  const bool overlap = in.reals.data() < out_end && out_begin < in_end;
  require(!overlap || shared,
          "arrays 'in' and 'out' overlap by {} numbers but do not begin together: pass the same array or separate ones",
          std::min(in_end, out_end) - std::max(in.reals.data(), out_begin));
}

template <class T>
T detail::FftImpl<T>::factor(Norm norm) const {
  const auto all = static_cast<long double>(points);
  return static_cast<T>(norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(all) : 1 / all);
}

template <class T>
Arrays<T> detail::FftImpl<T>::arrays(std::span<const T> in, std::span<T> out) {
  Arrays<T> a{.in = in, .out = out, .source = in.data(), .target = out.data()};
  const bool same = in.data() == out.data() && !in.empty();
  const bool planned_in_place = compiled.plan->options().placement == Placement::in_place;
  if (same == planned_in_place) return a;
  const auto needed = static_cast<Index>((std::max(in.size(), out.size()) + 1) / 2);
  const bool through_copy = same || in.size() > out.size();
  if (through_copy) {
    a.copy = kept.size() >= needed ? std::move(kept) : Array<Complex>(needed);
    kept = {};
  }
  T* const copy = reinterpret_cast<T*>(a.copy.data());
  if (!same && through_copy) a.target = copy;
  T* const moved = same ? copy : a.target;
  std::copy(in.begin(), in.end(), moved);
  a.source = moved;
  return a;
}

// Begins a run in the first free slot, the same on every rank, or in a new one. Collective.
template <class T>
int detail::FftImpl<T>::begin(Direction direction, Arrays<T>& a, Norm norm, Only part) {
  const auto slot = static_cast<int>(std::find(taken.begin(), taken.end(), false) - taken.begin());
  if (slot == pipeline->slots()) {
    pipeline->add_slot();
    taken.push_back(false);
  }
  taken[static_cast<std::size_t>(slot)] = true;
  pipeline->begin(
      slot, compiled.programs[direction == Direction::forward ? 0 : 1], reinterpret_cast<const Complex*>(a.source),
      reinterpret_cast<Complex*>(a.target),
      {.scale = factor(norm), .part = part, .trace = trace, .tally = part == Only::everything ? &tally : nullptr});
  if (part == Only::everything) ++tally.transforms;
  return slot;
}

template <class T>
void detail::FftImpl<T>::end(int slot, Arrays<T>& a) {
  while (!pipeline->over(slot))
    if (!pipeline->advance()) pipeline->rest();
  pipeline->release(slot);
  taken[static_cast<std::size_t>(slot)] = false;
  if (a.target != a.out.data()) std::copy_n(a.target, a.out.size(), a.out.data());
  if (a.copy.size() > kept.size()) kept = std::move(a.copy);
}

template <class T>
void detail::FftImpl<T>::run(Direction direction, const Reals<const T>& in, const Reals<T>& out, Norm norm, Only part) {
  guarded([&] {
    check(in, out, side(direction), side(opposite(direction)));
    Arrays<T> a = arrays(in.reals, out.reals);
    end(begin(direction, a, norm, part), a);
  });
}

template <class T>
void detail::FftImpl<T>::run_many(Direction direction, const std::vector<Reals<const T>>& in,
                                  const std::vector<Reals<T>>& out, Norm norm) {
  guarded([&] {
    require(in.size() == out.size(), "{} arrays in and {} out do not fit: pass one of each for every transform",
            in.size(), out.size());
    std::vector<Arrays<T>> fields;
    for (std::size_t i = 0; i < in.size(); ++i) check(in[i], out[i], side(direction), side(opposite(direction)));
    std::vector<int> slots;
    for (std::size_t i = 0; i < in.size() + fields_at_once; ++i) {
      if (i >= fields_at_once && i - fields_at_once < in.size())
        end(slots[i - fields_at_once], fields[i - fields_at_once]);
      if (i >= in.size()) continue;
      fields.push_back(arrays(in[i].reals, out[i].reals));
      slots.push_back(begin(direction, fields.back(), norm, Only::everything));
    }
  });
}

template <class T>
Pending<T> detail::FftImpl<T>::start(Direction direction, const Reals<const T>& in, const Reals<T>& out, Norm norm) {
  return guarded([&] {
    check(in, out, side(direction), side(opposite(direction)));
    Arrays<T> a = arrays(in.reals, out.reals);
    const int slot = begin(direction, a, norm, Only::everything);
    while (pipeline->advance() && !pipeline->over(slot)) {
    }
    return Pending<T>(std::make_unique<typename Pending<T>::State>(*this, slot, std::move(a)));
  });
}

template <class T>
bool Pending<T>::test() {
  if (!state_) return true;
  return state_->fft.guarded([&] {
    state_->fft.pipeline->advance();
    return state_->fft.pipeline->over(state_->slot);
  });
}

template <class T>
void Pending<T>::wait() {
  if (!state_) return;
  const std::unique_ptr<State> state = std::move(state_);
  state->fft.guarded([&] { state->fft.end(state->slot, state->arrays); });
}

template struct detail::FftImpl<float>;
template struct detail::FftImpl<double>;
template struct detail::FftImpl<long double>;
template bool Pending<float>::test();
template bool Pending<double>::test();
template bool Pending<long double>::test();
template void Pending<float>::wait();
template void Pending<double>::wait();
template void Pending<long double>::wait();

}  // namespace kallima
