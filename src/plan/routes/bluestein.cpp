// A line of any length n as a convolution (Bluestein, IEEE Trans. Audio Electroacoustics 18, 1970). With the chirp
// w[j] = exp(-pi i j^2/n), 2jk = j^2 + k^2 - (k-j)^2 makes X[k] = w[k] sum_j (x[j] w[j]) conj(w[k-j]): a convolution of
// M points, which may be chosen so that the cyclic route transforms them with one exchange. In a cyclic layout the
// points of the line are those of the longer one, on every rank, and nothing moves to pad them. The chirp and the
// spectrum of its conjugate are made once, by a preparation, and serve both directions: the way back is the adjoint,
// that is, a correlation with the conjugate. Of reals only the h = n/2 + 1 first outputs are wanted, so that M >= n + h
// - 1 is enough. Their way back is that of a line whose second half is zero: each output and its conjugate add up to
// what the missing half would have made of it, once what is its own mirror image is halved. Cosines and sines of reals
// are twice the real part of such a sum, in which j and k begin at a half, or at one: chirps differ at either end then.

#include <algorithm>
#include <array>
#include <mutex>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/exchange/held.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "plan/routes/convolution.hpp"
#include "plan/routes/elementwise.hpp"
#include "plan/routes/path_plan.hpp"
#include "plan/routes/sequence.hpp"

namespace kallima {
namespace {

constexpr Index longest = Index{1} << 56;  // of lines: exponents of chirps are modulo 16n at most, and M is a few n

// Element j of a line is multiplied by exp(-2 pi i (in + unit j)^2 / modulus), and those of its result as well, but for
// where these begin.
struct Chirp {
  Index modulus, unit = 1, in = 0, out = 0;
  bool sine = false;  // the result is turned by a quarter: its real part is what the imaginary one would be
};

// exp(-pi i (j + a)(k + b) / m) is what cosines and sines are made of; in halves, a and b are whole.
Chirp chirp_of(Kind kind, Index n) {
  switch (kind) {
    case Kind::dct1:
      return {16 * (n - 1), 2, 0, 0};
    case Kind::dct2:
      return {16 * n, 2, 1, 0};
    case Kind::dct3:
      return {16 * n, 2, 0, 1};
    case Kind::dct4:
      return {16 * n, 2, 1, 1};
    case Kind::dst1:
      return {16 * (n + 1), 2, 2, 2, true};
    case Kind::dst2:
      return {16 * n, 2, 1, 2, true};
    case Kind::dst3:
      return {16 * n, 2, 2, 1, true};
    case Kind::dst4:
      return {16 * n, 2, 1, 1, true};
    default:
      return {2 * n};
  }
}

// What of a line counts half, since it is its own mirror image.
std::vector<Index> ends_of(Kind kind, Index n) {
  if (kind == Kind::dct1) return {0, n - 1};
  if (kind == Kind::dct3) return {0};
  if (kind == Kind::dst3) return {n - 1};
  return {};
}

struct BluesteinStatement {
  Problem problem;
  PlanOptions options;
  Layout in;
  Layout out;
  Convolution convolution;
  std::unique_ptr<Plan> inner = {};      // of the convolution's points, in place
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
        chirp_(chirp_of(s_.problem.kinds[0], n_)),
        data_{s_.problem.data, spectrum_data(s_.problem)} {}

  // One after another, in the same memory: what comes from elsewhere, the convolution, and what goes elsewhere. The
  // line stands behind the convolution's points while it moves, and these are where moving has its workspace.
  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const bool forward = direction == Direction::forward;
    const std::unique_ptr<Plan>&first = forward ? s_.moves_in : s_.moves_out,
          &last = forward ? s_.moves_out : s_.moves_in;
    const auto tasks_of = [&](const std::unique_ptr<Plan>& plan) {
      return plan ? plan->rank_schedule(rank, direction) : RankSchedule{};
    };
    RankSchedule coming = tasks_of(first), going = tasks_of(last);
    const Data before = data_[forward ? 0 : 1], after = data_[forward ? 1 : 0];
    const Index given = forward ? points(rank) : outputs(rank), wanted = forward ? outputs(rank) : points(rank);
    RankSchedule all{.rank = rank,
                     .sizes = {first ? coming.size(Buffer::in) : given, last ? going.size(Buffer::out) : wanted}};
    all.data_in = before;
    all.data_out = after;
    Core core = core_of(rank, direction, all.size(Buffer::out) / (after == Data::real_ ? 2 : 1));
    const Index m = convolved(rank);
    const Index line_in = std::max(m, coming.size(Buffer::work)), line_out = std::max(m, going.size(Buffer::work));
    all.sizes[at(Buffer::work)] =
        std::max({core.work, first ? line_in + words(given, before) : 0, last ? line_out + words(wanted, after) : 0});
    all.sizes[at(Buffer::inbox)] = std::max({core.inbox, coming.size(Buffer::inbox), going.size(Buffer::inbox)});
    all.sizes[at(Buffer::kept)] = kept(rank);
    const Region in = first ? Region{Buffer::work, line_in} : Region{Buffer::in},
                 out = last ? Region{Buffer::work, line_out} : Region{Buffer::out};
    Sequence sequence(std::move(all));
    sequence.add(0, std::move(coming), {{{Buffer::in}, in, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}});
    if (m > 0) add_core(sequence, rank, direction, std::move(core), in, out);
    sequence.add(3, std::move(going), {{out, {Buffer::out}, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}});
    return sequence.take();
  }

  std::optional<RankSchedule> preparation(int rank) const override {
    const RankSchedule inner = s_.inner->rank_schedule(rank, Direction::forward);
    const Index work = std::max(inner.size(Buffer::work), chirp_.sine ? outputs(rank) : 0);
    Sequence all({.rank = rank, .sizes = {0, kept(rank), work, inner.size(Buffer::inbox)}});
    if (convolved(rank) == 0) return all.take();
    all.add(chirps(rank));
    all.add(0, inner, {{{Buffer::out}, {Buffer::out}, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}});
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
  Index convolved(int rank) const { return mine(s_.convolution.points, rank); }

  bool of_reals() const { return data_[0] == Data::real_; }
  bool is_apart() const { return chirp_.in != chirp_.out || chirp_.sine; }  // the result has a chirp of its own

  // The spectrum of the chirp's conjugate, divided by M, behind it the chirps, and for reals what halves a number.
  Index kept(int rank) const {
    const Index m = convolved(rank);
    return m + points(rank) + (is_apart() ? outputs(rank) : 0) + (of_reals() && m > 0 ? 1 : 0);
  }
  Location chirp(Buffer buffer, int rank, bool of_result) const {
    return {buffer, convolved(rank) + (of_result && is_apart() ? points(rank) : 0)};
  }
  Location half(Buffer buffer, int rank) const { return {buffer, kept(rank) - 1}; }

  // The two transforms of the convolution, as they are in its memory: the points, and behind them their workspace, some
  // of which is in the result's memory.
  struct Core {
    RankSchedule there;
    RankSchedule back;
    Index work = 0;
    Index inbox = 0;
  };

  Core core_of(int rank, Direction direction, Index words_of_out) const {
    const Index m = convolved(rank);
    Core core;
    if (m == 0) return core;
    core.there = s_.inner->rank_schedule(rank, Direction::forward);
    core.back = s_.inner->rank_schedule(rank, Direction::backward);
    for (Task& task : core.back.tasks) task.label += " back";
    // There is forward and back is backward in either direction.
    for (Task& task : (direction == Direction::forward ? core.back : core.there).tasks)
      checks::visit_passes(task.steps, [](Pass& pass) { pass.reversed = !pass.reversed; });
    for (RankSchedule* part : {&core.there, &core.back}) {
      if (s_.options.exchange == Exchange::messages) move_work(*part, Buffer::kept, words_of_out);
      core.work = std::max(core.work, m + part->size(Buffer::work));
      core.inbox = std::max(core.inbox, part->size(Buffer::inbox));
    }
    return core;
  }

  void add_core(Sequence& all, int rank, Direction direction, Core core, const Region& from, const Region& to) const {
    const bool forward = direction == Direction::forward;
    const Index given = forward ? points(rank) : outputs(rank), wanted = forward ? outputs(rank) : points(rank);
    const Index m = convolved(rank);
    const Regions regions{{{Buffer::work}, {Buffer::work}, {Buffer::work, m}, {Buffer::inbox}, {Buffer::out}}};
    const auto line = [&](const Region& region, Data data) {
      const bool real = data == Data::real_;
      return Location{.buffer = region.buffer, .offset = (real ? 2 : 1) * region.base, .real = real};
    };
    const Location array{Buffer::work};
    Pass times{.conjugated = !forward};
    std::vector<Step> convolve, finish;
    append_product(convolve, array, {Buffer::kept}, array, m, times);
    all.add(compute_task("chirp", 0, padding(rank, line(from, data_[forward ? 0 : 1]), given, times)));
    all.add(1, std::move(core.there), regions);
    all.add(compute_task("convolve", 0, std::move(convolve)));
    all.add(2, std::move(core.back), regions);
    times.scaled = true;
    append_product(finish, array, chirp(Buffer::kept, rank, forward), line(to, data_[forward ? 1 : 0]), wanted, times);
    all.add(compute_task("chirp back", 0, std::move(finish)));
  }

  // The line times the chirp, and zeros behind it. On the way back to reals outputs 0 and n/2 would count twice, and
  // their imaginary parts, which no spectrum of reals has, are not looked at.
  std::vector<Step> padding(int rank, const Location& line, Index given, const Pass& times) const {
    const Index p = s_.convolution.ranks;
    const bool forward = !times.conjugated;
    std::vector<Step> steps;
    append_product(steps, line, chirp(Buffer::kept, rank, !forward), {Buffer::work}, given, times);
    append_fill(steps, {Buffer::work, given}, convolved(rank) - given, 1, {});
    for (const Index k : halved(forward))
      if (k % p == rank) append_halved(steps, rank, line, k / p, times);
    return steps;
  }

  std::vector<Index> halved(bool forward) const {
    const Kind kind = s_.problem.kinds[0];
    if (kind != Kind::fourier) return ends_of(forward ? kind : inverse(kind), n_);
    if (forward || !of_reals()) return {};
    return n_ % 2 == 0 ? std::vector<Index>{0, n_ / 2} : std::vector<Index>{0};
  }

  void append_halved(std::vector<Step>& steps, int rank, const Location& line, Index number, const Pass& times) const {
    const Index unit = line.real ? 1 : 2;
    const Location real_part{.buffer = line.buffer, .offset = unit * (line.offset + number), .real = true};
    const Location to{Buffer::work, number};
    Location by = chirp(Buffer::kept, rank, times.conjugated);
    by.offset += number;
    append_product(steps, real_part, half(Buffer::kept, rank), to, 1, {});
    append_product(steps, to, by, to, 1, times);
  }

  // A rank's points of the chirps, and of its conjugate over -n < j < outputs as M points: j = rank + p t, and M - j,
  // which goes up by p from the last one down.
  Task chirps(int rank) const {
    const Index p = s_.convolution.ranks, ahead = outputs(rank), m = convolved(rank), lowest = p - rank;
    const Index mirrored = n_ - 1 >= lowest ? (n_ - 1 - lowest) / p + 1 : 0;
    const auto squares = [&](Index begin, Index first) {
      return Pass{.twiddle = {chirp_.modulus, (begin + chirp_.modulus) % chirp_.modulus + chirp_.unit * first,
                              chirp_.unit * p}};
    };
    Pass conjugate = squares(chirp_.out - chirp_.in, rank), mirror = squares(chirp_.in - chirp_.out, lowest);
    for (Pass* pass : {&conjugate, &mirror}) {
      pass->conjugated = true;
      pass->divisor = s_.convolution.points;
    }
    std::vector<Step> steps;
    append_fill(steps, chirp(Buffer::out, rank, false), points(rank), 1, squares(chirp_.in, rank));
    if (is_apart()) append_fill(steps, chirp(Buffer::out, rank, true), ahead, 1, squares(chirp_.out, rank));
    if (chirp_.sine) append_turned(steps, chirp(Buffer::out, rank, true), ahead);
    append_fill(steps, {Buffer::out}, ahead, 1, conjugate);
    append_fill(steps, {Buffer::out, ahead}, m - ahead - mirrored, 1, {});
    append_fill(steps, {Buffer::out, m - 1}, mirrored, -1, mirror);
    if (of_reals()) append_fill(steps, half(Buffer::out, rank), 1, 1, {.twiddle = {.modulus = 1}, .divisor = 2});
    return compute_task("chirp", 0, std::move(steps));
  }

  // Times i, which is the conjugate of exp(-2 pi i / 4).
  static void append_turned(std::vector<Step>& steps, const Location& numbers, Index count) {
    append_fill(steps, {Buffer::work}, count, 1, {.twiddle = {.modulus = 4, .shift = 1}, .conjugated = true});
    append_product(steps, numbers, {Buffer::work}, numbers, count, {});
  }

  const Details& details() const override {
    std::call_once(once_, [&] {
      PlanOptions options = s_.inner->options();
      options.route = s_.options.route;
      options.placement = s_.options.placement;
      const int moves = (s_.moves_in ? 1 : 0) + (s_.moves_out ? 1 : 0);
      const int exchanges = 2 * s_.inner->exchanges() + moves;
      details_ = {std::move(options), exchanges, explain(exchanges)};
    });
    return details_;
  }

  std::string explain(int exchanges) const {
    const auto& [M, p] = s_.convolution;
    std::string why = fmt::format(
        "{} exchanges: {} {} as a convolution with a chirp (Bluestein) of {}, which are transformed, multiplied and "
        "transformed back, cyclic to cyclic on {} ranks; the chirp and its spectrum, {} words on a rank, are made when "
        "the plan is, and kept",
        exchanges, n_, of_reals() ? "reals" : "points", M, p, kept(0));
    if (s_.moves_in) why += fmt::format("; comes from {}", s_.in.text());
    if (s_.moves_out) why += fmt::format("; goes to {}", s_.out.text());
    if (p < s_.in.ranks()) why += fmt::format(" (uses {} of {} ranks)", p, s_.in.ranks());
    return why;
  }

  BluesteinStatement s_;
  Index n_, outputs_;  // the line's points, and those of its spectrum
  Chirp chirp_;
  std::array<Data, 2> data_;  // of the line, and of its spectrum
  mutable std::once_flag once_;
  mutable Details details_;
};

std::string trouble(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.shape.size() != 1 || problem.axes.empty()) return "it transforms arrays of one dimension only";
  if (problem.kinds[0] != Kind::fourier && problem.data != Data::real_) return "it knows cosines and sines of reals only";
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
  const Index least = n + spectrum_shape(problem)[0] - 1;
  const Convolution c = asked.grid.empty() ? choose_convolution(least, ranks) : convolution_on(least, asked.grid[0]);
  PlanOptions inside = asked;
  inside.grid = {c.ranks};
  inside.placement = Placement::in_place;
  Candidate inner = consider_cyclic(checked({.shape = {c.points}}), ranks, inside);
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
