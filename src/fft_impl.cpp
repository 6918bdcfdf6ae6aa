// Planning on every rank alike, and running. Whatever can fail does so on all ranks together, before any message is
// under way.

#include "fft_impl.hpp"

#include <cmath>

#include "base/check.hpp"

namespace kallima {
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

std::string describe(const Problem& p, const FftOptions& o) {
  return fmt::format(
      "shape {}, axes {}, precision {}, output {}, route {}, grid {}, chunks {}, order {}, radices {}, "
      "exchange {}, all-to-all {}, overlap {}, slices {}",
      text(p.shape), fmt::join(p.axes, ","), static_cast<int>(p.precision), static_cast<int>(p.output), o.plan.route,
      text(o.plan.grid), o.plan.chunks, static_cast<int>(o.plan.order), fmt::join(o.plan.radices, ","),
      static_cast<int>(o.plan.exchange), name(o.plan.alltoall), name(o.plan.overlap), o.plan.slices);
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
    : problem(std::move(asked)), comm(std::move(world)), options(std::move(given)) {
  problem.precision = precision_of<T>;
  agree(comm.transport(), hash(describe(problem, options)),
        fmt::format("the transform's arguments ({} here)", describe(problem, options)));
  transport = comm.transport().duplicate();
  if (!transport->all_views()) options.plan.exchange = Exchange::messages;
  together(*transport, [&] {
    compiled = compile(options.plan);
    points = static_cast<double>(transformed_count(problem));
  });
  if (choice_is_open()) choose_by_trying();
  pipeline = make_pipeline(compiled);
  taken.push_back(false);
}

// What a rank does by itself.
template <class T>
Compiled<T> detail::FftImpl<T>::compile(const PlanOptions& plan_options) const {
  Compiled<T> result{.plan = kallima::plan(problem, comm.size(), plan_options), .programs = {}};
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
    const Index tile = std::max(c.programs[0].tile_elements(), c.programs[1].tile_elements());
    const typename Pipeline<T>::Room room{c.size(Buffer::work), c.size(Buffer::inbox), tile};
    result = std::make_unique<Pipeline<T>>(*transport, room, tags);
  });
  result->add_slot();
  return result;
}

template <class T>
void detail::FftImpl<T>::check(std::span<const Complex> in, std::span<Complex> out, Direction direction) const {
  const bool forward = direction == Direction::forward;
  const Layout& from = forward ? compiled.plan->layout_in() : compiled.plan->layout_out();
  const Layout& to = forward ? compiled.plan->layout_out() : compiled.plan->layout_in();
  const bool shared = in.data() == out.data();  // in place the one array may be longer than one of the two needs
  const auto needs = [&](const char* name, std::size_t has, Index wants) {
    require(has == static_cast<std::size_t>(wants) || (shared && has > static_cast<std::size_t>(wants)),
            "array '{}' has {} elements on rank {}, but the layout gives it {}: size it with local_size_in() and "
            "local_size_out()",
            name, has, comm.rank(), wants);
  };
  needs("in", in.size(), from.local_size(comm.rank()));
  needs("out", out.size(), to.local_size(comm.rank()));
  const bool overlap = in.data() < out.data() + out.size() && out.data() < in.data() + in.size();
  require(!overlap || in.data() == out.data(),
          "arrays 'in' and 'out' overlap by {} elements but do not begin together: pass the same array or separate "
          "ones",
          std::min(in.data() + in.size(), static_cast<const Complex*>(out.data() + out.size())) -
              std::max(in.data(), static_cast<const Complex*>(out.data())));
}

template <class T>
T detail::FftImpl<T>::factor(Norm norm) const {
  const auto all = static_cast<long double>(points);
  return static_cast<T>(norm == Norm::none ? 1 : norm == Norm::ortho ? 1 / std::sqrt(all) : 1 / all);
}

template <class T>
Arrays<T> detail::FftImpl<T>::arrays(std::span<const Complex> in, std::span<Complex> out) {
  Arrays<T> a{.in = in, .out = out, .source = in.data(), .target = out.data()};
  const bool same = in.data() == out.data() && !in.empty();
  const bool planned_in_place = options.plan.placement == Placement::in_place;
  if (same == planned_in_place) return a;
  const auto needed = static_cast<Index>(std::max(in.size(), out.size()));
  const bool through_copy = same || in.size() > out.size();
  if (through_copy) {
    a.copy = kept.size() >= needed ? std::move(kept) : Array<Complex>(needed);
    kept = {};
  }
  if (!same && through_copy) a.target = a.copy.data();
  Complex* const moved = same ? a.copy.data() : a.target;
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
  pipeline->begin(slot, compiled.programs[direction == Direction::forward ? 0 : 1], a.source, a.target,
                  {.scale = factor(norm), .part = part, .trace = trace});
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
void detail::FftImpl<T>::run(Direction direction, std::span<const Complex> in, std::span<Complex> out, Norm norm,
                             Only part) {
  guarded([&] {
    check(in, out, direction);
    Arrays<T> a = arrays(in, out);
    end(begin(direction, a, norm, part), a);
  });
}

template <class T>
void detail::FftImpl<T>::run_many(Direction direction, std::span<const std::span<const Complex>> in,
                                  std::span<const std::span<Complex>> out, Norm norm) {
  guarded([&] {
    require(in.size() == out.size(), "{} arrays in and {} out do not fit: pass one of each for every transform",
            in.size(), out.size());
    std::vector<Arrays<T>> fields;
    for (std::size_t i = 0; i < in.size(); ++i) check(in[i], out[i], direction);
    std::vector<int> slots;
    for (std::size_t i = 0; i < in.size() + fields_at_once; ++i) {
      if (i >= fields_at_once && i - fields_at_once < in.size())
        end(slots[i - fields_at_once], fields[i - fields_at_once]);
      if (i >= in.size()) continue;
      fields.push_back(arrays(in[i], out[i]));
      slots.push_back(begin(direction, fields.back(), norm, Only::everything));
    }
  });
}

template <class T>
Pending<T> detail::FftImpl<T>::start(Direction direction, std::span<const Complex> in, std::span<Complex> out,
                                     Norm norm) {
  return guarded([&] {
    check(in, out, direction);
    Arrays<T> a = arrays(in, out);
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
