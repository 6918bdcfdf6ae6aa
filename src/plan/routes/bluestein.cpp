// A line of any length n as a convolution (Bluestein, IEEE Trans. Audio Electroacoustics 18, 1970). With the chirp
// w[j] = exp(-pi i j^2/n), 2jk = j^2 + k^2 - (k-j)^2 makes X[k] = w[k] sum_j (x[j] w[j]) conj(w[k-j]): a convolution of
// M points, which may be chosen so that the cyclic route transforms them with one exchange, all at once or slice by
// slice (slices.hpp). In a cyclic layout the points of the line are those of the longer one, on every rank, and nothing
// moves to pad them. The spectrum of the chirp's conjugate is made once, by a preparation, and serves both directions:
// the way back is the adjoint, that is, a correlation with the conjugate. Of reals only the h = n/2 + 1 first outputs
// are wanted, so that M >= n + h - 1 is enough. Their way back is that of a line whose second half is zero: each output
// and its conjugate add up to what the missing half would have made of it, once what is its own mirror image is halved.
// Cosines and sines of reals are twice the real part of such a sum, in which j and k begin at a half, or at one: chirps
// differ at either end then.

#include <algorithm>
#include <array>
#include <mutex>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/exchange/held.hpp"
#include "plan/routes/path_plan.hpp"
#include "plan/routes/sequence.hpp"
#include "plan/routes/slices.hpp"

namespace kallima {
namespace {

constexpr Index longest = Index{1} << 55;  // of lines: exponents are modulo 16n at most, or 4M, and M is a few n

struct BluesteinStatement {
  Problem problem;
  PlanOptions options;
  Layout in;
  Layout out;
  Convolution convolution;
  std::unique_ptr<Plan> inner = {};      // of a slice, in place
  std::unique_ptr<Plan> moves_in = {};   // from where the caller has the line, if that is not cyclic,
  std::unique_ptr<Plan> moves_out = {};  // and to where the result shall be
};

class BluesteinPlan : public Plan {
 public:
  explicit BluesteinPlan(BluesteinStatement s)
      : Plan(s.problem, s.options, s.in, s.out, 0, {}),
        s_(std::move(s)),
        n_(s_.problem.shape[0]),
        outputs_(spectrum_shape(s_.problem)[0]),
        slices_(s_.convolution, chirp_of(s_.problem.kinds[0], n_, outputs_), n_, outputs_),
        data_{s_.problem.data, spectrum_data(s_.problem)} {}

  // One after another: what comes from elsewhere, the slices, and what goes elsewhere.
  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const bool forward = direction == Direction::forward;
    const std::unique_ptr<Plan>&first = forward ? s_.moves_in : s_.moves_out,
          &last = forward ? s_.moves_out : s_.moves_in;
    const auto tasks_of = [&](const std::unique_ptr<Plan>& plan) {
      return plan ? plan->rank_schedule(rank, direction) : RankSchedule{};
    };
    RankSchedule coming = tasks_of(first), going = tasks_of(last);
    const Core core = core_of(rank);
    const Ends ends{.in = {forward ? points(rank) : outputs(rank), data_[forward ? 0 : 1], first != nullptr},
                    .out = {forward ? outputs(rank) : points(rank), data_[forward ? 1 : 0], last != nullptr}};
    RankSchedule all{.rank = rank, .data_in = ends.in.data, .data_out = ends.out.data};
    all.sizes[at(Buffer::in)] = first ? coming.size(Buffer::in) : ends.in.count;
    all.sizes[at(Buffer::out)] = last ? going.size(Buffer::out) : ends.out.count;
    const Index room = all.size(Buffer::out) / (all.data_out == Data::real_ ? 2 : 1);
    const Memory memory =
        memory_of(ends, room, slices_.words(rank), core, std::max(coming.size(Buffer::work), going.size(Buffer::work)));
    all.sizes[at(Buffer::work)] = memory.end;
    all.sizes[at(Buffer::inbox)] = std::max({core.inbox, coming.size(Buffer::inbox), going.size(Buffer::inbox)});
    all.sizes[at(Buffer::kept)] = kept(rank);
    Sequence sequence(std::move(all));
    sequence.add(0, std::move(coming), {{{Buffer::in}, memory.line, memory.moving, {Buffer::inbox}, {Buffer::kept}}});
    if (rank < s_.convolution.ranks) add_slices(sequence, rank, direction, core, ends, memory);
    sequence.add(1, std::move(going), {{memory.result, {Buffer::out}, memory.moving, {Buffer::inbox}, {Buffer::kept}}});
    return sequence.take();
  }

  std::optional<RankSchedule> preparation(int rank) const override {
    const RankSchedule inner = s_.inner->rank_schedule(rank, Direction::forward);
    const Index m = slices_.words(rank);
    Sequence all(
        {.rank = rank, .sizes = {0, kept(rank), std::max(m, inner.size(Buffer::work)), inner.size(Buffer::inbox)}});
    if (m == 0) return all.take();
    for (const Slice& slice : slices_.all()) {
      if (slice.mirrored) continue;
      const Region array{Buffer::out, slice.number * m};
      all.add(slices_.spectrum(slice, rank, {Buffer::work}, {array.buffer, array.base}));
      all.add(static_cast<int>(slice.number), inner, {{array, array, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}});
    }
    return all.take();
  }

  Traffic traffic(int rank, Direction direction) const override {
    Traffic sum;
    const auto add = [&](const Plan& plan, Direction way) {
      const Traffic more = plan.traffic(rank, way);
      sum.words += more.words;
      sum.messages += more.messages;
    };
    for (const Direction way : {Direction::forward, Direction::backward}) add(*s_.inner, way);
    sum.words *= s_.convolution.slices;
    sum.messages *= s_.convolution.slices;
    for (const Plan* plan : {s_.moves_in.get(), s_.moves_out.get()})
      if (plan != nullptr) add(*plan, direction);
    return sum;
  }

 private:
  Index mine(Index count, int rank) const {  // of so many that are dealt out
    const Index p = s_.convolution.ranks;
    return rank < p ? (count - rank + p - 1) / p : 0;
  }
  Index points(int rank) const { return mine(n_, rank); }
  Index outputs(int rank) const { return mine(outputs_, rank); }
  Index kept(int rank) const { return slices_.spectra() * slices_.words(rank); }

  // The two transforms of a slice, which is in one place.
  struct Core {
    RankSchedule there;
    RankSchedule back;
    Index work = 0;
    Index inbox = 0;
  };

  Core core_of(int rank) const {
    Core core;
    if (rank >= s_.convolution.ranks) return core;
    core.there = s_.inner->rank_schedule(rank, Direction::forward);
    core.back = s_.inner->rank_schedule(rank, Direction::backward);
    for (Task& task : core.back.tasks) task.label += " back";
    for (const RankSchedule* part : {&core.there, &core.back}) {
      core.work = std::max(core.work, part->size(Buffer::work));
      core.inbox = std::max(core.inbox, part->size(Buffer::inbox));
    }
    return core;
  }

  // What a rank has of the line and of the result, as slices take and leave it.
  struct Ends {
    struct End {
      Index count = 0;
      Data data = Data::complex_;
      bool moves = false;  // from where the caller has it, or to there
      Index size() const { return words(count, data); }
    };
    End in, out;
  };

  // Where the line is, the result, what slices have added to it so far, the slice, the workspace of its transforms, and
  // that of what moves before and after all slices.
  struct Memory {
    Region line{Buffer::in}, result{Buffer::out}, sum{Buffer::out}, slice{}, work{}, moving{};
    Index end = 0;
  };

  // The result's memory is free until something is moved there; in place, once the line has been moved from it. What
  // slices add takes the line's own place only when the last of them has been made of it.
  Memory memory_of(const Ends& ends, Index room, Index slice, const Core& core, Index moving) const {
    const bool in_place = s_.options.placement == Placement::in_place;
    bool free = ends.out.moves && (ends.in.moves || !in_place);
    Memory memory;
    const auto place = [&](Index size, bool may_be_out) {
      if (free && may_be_out && size <= room) return free = false, Region{Buffer::out};
      return Region{Buffer::work, std::exchange(memory.end, memory.end + size)};
    };
    if (ends.in.moves) memory.line = place(ends.in.size(), !in_place);
    if (ends.out.moves) memory.result = memory.sum = place(ends.out.size(), false);
    const bool in_one = in_place && !ends.in.moves && !ends.out.moves;
    if (in_one && s_.convolution.slices > 1) memory.sum = place(ends.out.size(), false);
    memory.slice = place(slice, true);
    memory.work = place(core.work, false);
    memory.moving = memory.slice.buffer == Buffer::work ? memory.slice : memory.work;
    memory.end = std::max(memory.end, memory.moving.base + moving);
    return memory;
  }

  void add_slices(Sequence& all, int rank, Direction direction, const Core& core, const Ends& ends,
                  const Memory& memory) const {
    const auto location = [](const Region& region, Data data) {
      const bool real = data == Data::real_;
      return Location{.buffer = region.buffer, .offset = (real ? 2 : 1) * region.base, .real = real};
    };
    const Location slice = location(memory.slice, Data::complex_), sum = location(memory.sum, ends.out.data),
                   result = location(memory.result, ends.out.data);
    const Slices::Line line{location(memory.line, ends.in.data), ends.in.count, halved_elements(s_.problem, direction)};
    const Regions regions{memory.slice, memory.slice, memory.work, {Buffer::inbox}, {Buffer::kept}};
    int part = 2;
    for (const Slice& one : slices_.all()) {
      const bool is_first = &one == &slices_.all().front(), is_last = &one == &slices_.all().back();
      const bool turned = one.mirrored != (direction == Direction::backward);
      all.add(slices_.taken(one, rank, direction, line, slice));
      all.add(part++, turned ? reversed(core.there) : core.there, regions);
      all.add(slices_.convolved(one, rank, direction, slice));
      all.add(part++, turned ? core.back : reversed(core.back), regions);
      all.add(slices_.added(one, rank, direction, slice,
                            {.before = is_first ? std::nullopt : std::optional(sum),
                             .after = is_last ? result : sum,
                             .count = ends.out.count}));
    }
  }

  static RankSchedule reversed(RankSchedule schedule) {
    for (Task& task : schedule.tasks)
      checks::visit_passes(task.steps, [](Pass& pass) { pass.reversed = !pass.reversed; });
    return schedule;
  }

  const Details& details() const override {
    std::call_once(once_, [&] {
      PlanOptions options = s_.inner->options();
      options.route = s_.options.route;
      options.placement = s_.options.placement;
      const int moves = (s_.moves_in ? 1 : 0) + (s_.moves_out ? 1 : 0);
      const int exchanges = static_cast<int>(2 * s_.convolution.slices) * s_.inner->exchanges() + moves;
      details_ = {std::move(options), exchanges, explain(exchanges)};
    });
    return details_;
  }

  std::string explain(int exchanges) const {
    const auto& [M, p, slices] = s_.convolution;
    const std::string parts = slices == 1 ? "" : fmt::format(" in {} slices", slices);
    std::string why = fmt::format(
        "{} exchanges: {} {} as a convolution with a chirp (Bluestein) of {}{}, which are transformed, multiplied and "
        "transformed back, cyclic to cyclic on {} ranks; the chirp's spectrum, {} words on a rank, is made when the "
        "plan is, and kept",
        exchanges, n_, data_[0] == Data::real_ ? "reals" : "points", M, parts, p, kept(0));
    if (s_.moves_in) why += fmt::format("; comes from {}", s_.in.text());
    if (s_.moves_out) why += fmt::format("; goes to {}", s_.out.text());
    if (p < s_.in.ranks()) why += fmt::format(" (uses {} of {} ranks)", p, s_.in.ranks());
    return why;
  }

  BluesteinStatement s_;
  Index n_, outputs_;  // the line's points, and those of its spectrum
  Slices slices_;
  std::array<Data, 2> data_;  // of the line, and of its spectrum
  mutable std::once_flag once_;
  mutable Details details_;
};

std::string trouble(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.shape.size() != 1 || problem.axes.empty()) return "it transforms arrays of one dimension only";
  if (problem.kinds[0] != Kind::fourier && problem.data != Data::real_)
    return "it knows cosines and sines of reals only";
  if (!problem.storage_in.is_plain() || !problem.storage_out.is_plain()) return "it takes arrays without gaps only";
  const Index n = problem.shape[0];
  if (ranks < 2 || n < 2) return fmt::format("{} points on {} ranks leave nothing to exchange", n, ranks);
  if (n > longest) return fmt::format("{} points are more than {}", n, longest);
  if (!options.grid.empty() && options.grid[0] > n) return fmt::format("{} ranks have {} points", options.grid[0], n);
  return {};
}

std::unique_ptr<Plan> redistribution(const Layout& from, const Layout& to, Data data, PlanOptions options) {
  if (from == to) return nullptr;
  options.alltoall = Alltoall::automatic;
  return plan_redistribution(from, to, data, options);
}

}  // namespace

Candidate consider_bluestein(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (std::string reason = trouble(problem, ranks, asked); !reason.empty()) return {.reason = std::move(reason)};
  const Index n = problem.shape[0];
  const Index outputs = spectrum_shape(problem)[0];
  const Index least = Slices::least_points(chirp_of(problem.kinds[0], n, outputs), n, outputs);
  const Convolution c = asked.grid.empty() ? choose_convolution(least, ranks) : convolution_on(least, asked.grid[0]);
  PlanOptions inside = asked;
  inside.grid = {c.ranks};
  inside.placement = Placement::in_place;
  Candidate inner = consider_cyclic(checked({.shape = {c.points / c.slices}}), ranks, inside);
  if (!inner.plan) return {.reason = std::move(inner.reason)};
  const Layout cyclic = Layout::cyclic(problem.shape, {c.ranks}, ranks),
               cyclic_out = Layout::cyclic(spectrum_shape(problem), {c.ranks}, ranks);
  Problem with_in = problem;
  with_in.in = problem.in.value_or(cyclic);
  const Layout in = *with_in.in, out = wanted_out(with_in).value_or(cyclic_out);
  std::unique_ptr<Plan> moves_in = redistribution(in, cyclic, problem.data, asked);
  std::unique_ptr<Plan> moves_out = redistribution(cyclic_out, out, spectrum_data(problem), asked);
  return {.plan = std::make_unique<BluesteinPlan>(BluesteinStatement{problem, asked, in, out, c, std::move(inner.plan),
                                                                     std::move(moves_in), std::move(moves_out)}),
          .busy = static_cast<int>(c.ranks)};
}

}  // namespace kallima
