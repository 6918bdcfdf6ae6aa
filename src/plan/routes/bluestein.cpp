// A line of any length n as a convolution (Bluestein, IEEE Trans. Audio Electroacoustics 18, 1970). With the chirp
// w[j] = exp(-pi i j^2/n), 2jk = j^2 + k^2 - (k-j)^2 makes X[k] = w[k] sum_j (x[j] w[j]) conj(w[k-j]): a convolution of
// M >= 2n - 1 points, where M may be chosen so that the cyclic route transforms them with one exchange. In a cyclic
// layout the points of the line are those of the longer one, on every rank, and nothing moves to pad them. The chirp
// and the spectrum of its conjugate are made once, by a preparation, and serve both directions.

#include <algorithm>
#include <mutex>

#include "base/check.hpp"
#include "plan/choose/search.hpp"
#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "plan/routes/convolution.hpp"
#include "plan/routes/path_plan.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

constexpr Index longest = Index{1} << 56;  // of lines: the exponents of the chirp are modulo 2n, and M is a few n
constexpr Index multiplied_row = 2048;     // elements that are multiplied at a time

// Pieces of work in one memory, each of which waits for all of the one before.
class Sequence {
 public:
  explicit Sequence(RankSchedule empty) : all_(std::move(empty)) {}

  void add(Task task) {
    task.after = std::move(last_);
    last_ = {static_cast<int>(all_.tasks.size())};
    all_.tasks.push_back(std::move(task));
  }

  // Its messages get tags of their own.
  void add(RankSchedule part, const Regions& regions) {
    const auto first = static_cast<int>(all_.tasks.size()), end = first + static_cast<int>(part.tasks.size());
    std::vector<bool> awaited(part.tasks.size(), false);
    for (Task& task : part.tasks) {
      for (const int before : task.after) awaited[at(before)] = true;
      if (task.start >= 0) awaited[at(task.start)] = true;
      relocate(task, regions);
      renumber(task, [&](int t) { return first + t; });
      if (task.after.empty() && task.start < 0) task.after = last_;
      if (task.tag >= 0) task.tag = 2 * task.tag + parts_;
      checks::visit_passes(task.steps, [](Pass& pass) { pass.scaled = false; });
      all_.tasks.push_back(std::move(task));
    }
    ++parts_;
    if (first == end) return;
    last_.clear();
    for (int t = first; t < end; ++t)
      if (!awaited[at(t - first)]) last_.push_back(t);
  }

  RankSchedule take() { return std::move(all_); }

 private:
  RankSchedule all_;
  std::vector<int> last_;
  int parts_ = 0;
};

struct ChirpPlace {
  Buffer buffer = Buffer::work;
  Index offset = 0;
};

enum class Factors { as_kept, conjugated };

// Lines of `length`, `count` of them one behind the other.
void append_products(std::vector<Step>& steps, const ChirpPlace& x, const ChirpPlace& y, const ChirpPlace& to,
                     Index length, Index count, const Pass& like) {
  if (length == 0 || count == 0) return;
  const auto line = [&](const ChirpPlace& place, Index first) {
    return Piece{.buffer = place.buffer, .offset = place.offset, .first = first, .count = length, .strides = {length}};
  };
  Pass& pass = steps.emplace_back().pass = like;
  pass.action = Action::multiply;
  pass.length = length;
  pass.sources = {line(x, 0), line(y, length)};
  pass.targets = {line(to, 0)};
  pass.loops = {count};
}

// `count` products.
void append_product(std::vector<Step>& steps, const ChirpPlace& x, const ChirpPlace& y, const ChirpPlace& to,
                    Index count, const Pass& like) {
  const Index rows = count / multiplied_row, done = rows * multiplied_row;
  const auto rest = [&](const ChirpPlace& place) { return ChirpPlace{place.buffer, place.offset + done}; };
  append_products(steps, x, y, to, multiplied_row, rows, like);
  append_products(steps, rest(x), rest(y), rest(to), count - done, 1, like);
}

// `count` elements, `stride` apart.
void append_fill(std::vector<Step>& steps, const ChirpPlace& to, Index count, Index stride, const Pass& like) {
  if (count == 0) return;
  Pass& pass = steps.emplace_back().pass = like;
  pass.action = Action::fill;
  pass.length = count;
  pass.targets = {{.buffer = to.buffer, .offset = to.offset, .count = count, .stride = stride}};
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
      : Plan(s.problem, s.options, s.in, s.out, 0, {}), s_(std::move(s)), n_(s_.problem.shape[0]) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const bool forward = direction == Direction::forward;
    const std::unique_ptr<Plan>&first = forward ? s_.moves_in : s_.moves_out,
          &last = forward ? s_.moves_out : s_.moves_in;
    RankSchedule all = core(rank, forward ? Factors::as_kept : Factors::conjugated);
    if (first) all = joined(first->rank_schedule(rank, direction), std::move(all));
    if (last) all = joined(std::move(all), last->rank_schedule(rank, direction));
    if (!first && !last) return all;
    read_before_writing(all);
    return in_order(std::move(all));
  }

  std::optional<RankSchedule> preparation(int rank) const override {
    const Index mine = points(rank), m = convolved(rank);
    const RankSchedule inner = s_.inner->rank_schedule(rank, Direction::forward);
    Sequence all({.rank = rank, .sizes = {0, m + mine, inner.size(Buffer::work), inner.size(Buffer::inbox)}});
    if (m == 0) return all.take();
    all.add(chirps(rank));
    all.add(inner, {{{Buffer::out}, {Buffer::out}, {Buffer::work}, {Buffer::inbox}, {Buffer::kept}}});
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
  Index points(int rank) const {  // of the line
    const Index p = s_.convolution.ranks;
    return rank < p ? (n_ - rank + p - 1) / p : 0;
  }
  Index convolved(int rank) const {
    const Index p = s_.convolution.ranks;
    return rank < p ? s_.convolution.points / p : 0;
  }

  // What is kept: the spectrum of the chirp's conjugate, divided by M, and behind it the chirp.
  RankSchedule core(int rank, Factors factors) const {
    const Index mine = points(rank), m = convolved(rank);
    RankSchedule there = s_.inner->rank_schedule(rank, Direction::forward);
    RankSchedule back = s_.inner->rank_schedule(rank, Direction::backward);
    for (Task& task : back.tasks) {
      task.label += " back";
      checks::visit_passes(task.steps, [](Pass& pass) { pass.reversed = !pass.reversed; });
    }
    const Index work = m + std::max(there.size(Buffer::work), back.size(Buffer::work));
    const Index inbox = std::max(there.size(Buffer::inbox), back.size(Buffer::inbox));
    Sequence all({.rank = rank, .sizes = {mine, mine, work, inbox, m + mine}});
    if (m == 0) return all.take();
    const Regions regions{{{Buffer::work}, {Buffer::work}, {Buffer::work, m}, {Buffer::inbox}, {Buffer::kept}}};
    const ChirpPlace array{Buffer::work}, spectrum{Buffer::kept}, chirp{Buffer::kept, m};
    const Pass times{.conjugated = factors == Factors::conjugated};
    Pass scaled = times;
    scaled.scaled = true;
    std::vector<Step> pad, convolve, finish;
    append_product(pad, {Buffer::in}, chirp, array, mine, times);
    append_fill(pad, {Buffer::work, mine}, m - mine, 1, {});
    append_product(convolve, array, spectrum, array, m, times);
    append_product(finish, array, chirp, {Buffer::out}, mine, scaled);
    all.add(compute_task("chirp", 0, std::move(pad)));
    all.add(std::move(there), regions);
    all.add(compute_task("convolve", 0, std::move(convolve)));
    all.add(std::move(back), regions);
    all.add(compute_task("chirp back", 0, std::move(finish)));
    return all.take();
  }

  // A rank's points of the chirp, and of its conjugate over -n < j < n as M points: j = rank + p t, and M - j, which
  // goes up by p from the last one down.
  Task chirps(int rank) const {
    const Index p = s_.convolution.ranks, mine = points(rank), m = convolved(rank), lowest = p - rank;
    const Index mirrored = n_ - 1 >= lowest ? (n_ - 1 - lowest) / p + 1 : 0;
    Pass up{.twiddle = {.modulus = 2 * n_, .shift = rank, .step = p}};
    Pass conjugate = up;
    conjugate.conjugated = true;
    conjugate.divisor = s_.convolution.points;
    Pass mirror = conjugate;
    mirror.twiddle.shift = lowest;
    std::vector<Step> steps;
    append_fill(steps, {Buffer::out, m}, mine, 1, up);
    append_fill(steps, {Buffer::out}, mine, 1, conjugate);
    append_fill(steps, {Buffer::out, mine}, m - mine - mirrored, 1, {});
    append_fill(steps, {Buffer::out, m - 1}, mirrored, -1, mirror);
    return compute_task("chirp", 0, std::move(steps));
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
        "{} exchanges: {} points as a convolution with a chirp (Bluestein) of {}, which are transformed, multiplied "
        "and "
        "transformed back, cyclic to cyclic on {} ranks; the chirp and its spectrum, {} words on a rank, are made when "
        "the plan is, and kept",
        exchanges, n_, M, p, M / p + points(0));
    if (s_.moves_in) why += fmt::format("; comes from {}", s_.in.text());
    if (s_.moves_out) why += fmt::format("; goes to {}", s_.out.text());
    if (p < s_.in.ranks()) why += fmt::format(" (uses {} of {} ranks)", p, s_.in.ranks());
    return why;
  }

  BluesteinStatement s_;
  Index n_;
  mutable std::once_flag once_;
  mutable Details details_;
};

std::string trouble(const Problem& problem, int ranks, const PlanOptions& options) {
  if (problem.shape.size() != 1 || problem.axes.empty()) return "it transforms arrays of one dimension only";
  if (problem.data == Data::real_ || problem.kinds[0] != Kind::fourier) return "it takes complex numbers only";
  if (!problem.storage_in.is_plain() || !problem.storage_out.is_plain()) return "it takes arrays without gaps only";
  const Index n = problem.shape[0];
  if (ranks < 2 || n < 2) return fmt::format("{} points on {} ranks leave nothing to exchange", n, ranks);
  if (n > longest) return fmt::format("{} points are more than {}", n, longest);
  if (!options.grid.empty() && options.grid[0] > n) return fmt::format("{} ranks have {} points", options.grid[0], n);
  return {};
}

std::unique_ptr<Plan> redistribution(const Layout& from, const Layout& to, PlanOptions options) {
  if (from == to) return nullptr;
  options.alltoall = Alltoall::automatic;
  return plan_redistribution(from, to, Data::complex_, options);
}

}  // namespace

Candidate consider_bluestein(const Problem& problem, int ranks, const PlanOptions& asked) {
  if (std::string reason = trouble(problem, ranks, asked); !reason.empty()) return {.reason = std::move(reason)};
  const Index n = problem.shape[0];
  const Convolution c = asked.grid.empty() ? choose_convolution(n, ranks) : convolution_on(n, asked.grid[0]);
  PlanOptions inside = asked;
  inside.grid = {c.ranks};
  inside.placement = Placement::in_place;
  Candidate inner = consider_cyclic(checked({.shape = {c.points}}), ranks, inside);
  if (!inner.plan) return {.reason = std::move(inner.reason)};
  const Layout cyclic = Layout::cyclic(problem.shape, {c.ranks}, ranks);
  Problem with_in = problem;
  with_in.in = problem.in.value_or(cyclic);
  const Layout in = *with_in.in, out = wanted_out(with_in).value_or(cyclic);
  std::unique_ptr<Plan> moves_in = redistribution(in, cyclic, asked);
  std::unique_ptr<Plan> moves_out = redistribution(cyclic, out, asked);
  return {.plan = std::make_unique<BluesteinPlan>(BluesteinStatement{problem, asked, in, out, c, std::move(inner.plan),
                                                                     std::move(moves_in), std::move(moves_out)}),
          .busy = static_cast<int>(c.ranks)};
}

}  // namespace kallima
