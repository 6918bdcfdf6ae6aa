// From a task's steps to forms that have a price. What a pass reads or writes was last touched by an earlier step of
// the innermost body that has one, or in the last run: so many bytes of this rank ago, by which one knows the cache.

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "machine/rates/pass_prices.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

constexpr Index way_bytes = 16 * 1024;    // of a first-level cache that addresses tell apart
constexpr Index crowded = 16;             // rows at one place of it are more than it holds
constexpr Index longest_twiddled = 4096;  // beyond, factors are few besides all that is done
constexpr Index few_lines = 4;            // stand along, whatever stands beside them
constexpr double cache_line = 64;         // bytes

using Place = std::pair<Buffer, bool>;  // a buffer, or what was received

Place place_of(const Piece& piece) { return {piece.buffer, piece.recv >= 0}; }

double lines_of(const Pass& pass) {
  double lines = 1;
  for (const Index loop : pass.loops) lines *= static_cast<double>(loop);
  return lines;
}

bool stands_along(const Pass& pass, const Piece& piece) {
  if (pass.loops.empty() || pass.loops.back() < few_lines) return true;
  const Index lane = std::abs(piece.strides.back()), line = piece.count > 1 ? std::abs(piece.stride) : lane + 1;
  return line < lane;
}

// Neither a line's elements nor its neighbours' stand side by side: they are moved one by one.
bool is_spread(const Pass& pass, const Piece& piece) {
  const bool lanes_apart = pass.loops.empty() || pass.loops.back() < few_lines || std::abs(piece.strides.back()) > 1;
  return lanes_apart && piece.count > 1 && std::abs(piece.stride) > 1;
}

bool is_spread(const Pass& pass) {
  if (pass.sources.empty() || pass.targets.empty()) return false;
  return is_spread(pass, pass.sources.front()) || is_spread(pass, pass.targets.front());
}

Stance stance_of(const Pass& pass) {
  if (pass.sources.empty() || pass.targets.empty()) return Stance::along;
  if (pass.action == Action::move && is_spread(pass)) return Stance::turned;
  const bool in = stands_along(pass, pass.sources.front()), out = stands_along(pass, pass.targets.front());
  return in != out ? Stance::turned : in ? Stance::along : Stance::across;
}

LineWork work_of(const Pass& pass) {
  if (pass.action == Action::chirp) return LineWork::chirp;
  if (pass.action == Action::multiply) return LineWork::product;
  if (pass.action != Action::transform) return LineWork::move;
  if (pass.kind == Kind::real_to_half || pass.kind == Kind::half_to_real) return LineWork::halved;
  if (pass.kind != Kind::fourier) return LineWork::cosine;
  const bool twiddled = pass.twiddle.modulus > 0;  // by ones, too: one rank may stand for others
  const bool by_line = twiddled && pass.twiddle.loop + 1 == std::ssize(pass.loops);
  if (by_line && pass.length <= longest_twiddled) return LineWork::twiddled;
  if (twiddled) return LineWork::shifted;
  return pass.sources.size() > 1 || pass.targets.size() > 1 ? LineWork::dealt : LineWork::complex_;
}

// Where rows begin in a way, there are as many places as they are apart by different remainders of it.
bool rows_meet(const Pass& pass, const Piece& piece, double element_bytes) {
  if (piece.count < 2 || piece.stride == 0) return false;
  const Index apart = std::abs(piece.stride) * static_cast<Index>(element_bytes);
  return pass.length >= crowded * (way_bytes / std::gcd(apart, way_bytes));
}
// Rows of lines side by side, one of which does not begin as many bytes into a cache line as the next.
bool is_uneven(const Pass& pass, double element_bytes) {
  const auto uneven = [&](const Piece& piece) {
    const double bytes = element_bytes / (piece.real ? 2 : 1);
    return !stands_along(pass, piece) && piece.count > 1 &&
           std::fmod(static_cast<double>(std::abs(piece.stride)) * bytes, cache_line) != 0;
  };
  return std::ranges::any_of(pass.sources, uneven) || std::ranges::any_of(pass.targets, uneven);
}
bool rows_meet(const Pass& pass, double element_bytes) {
  const auto meet = [&](const Piece& piece) {
    return !stands_along(pass, piece) && rows_meet(pass, piece, element_bytes);
  };
  return std::ranges::any_of(pass.sources, meet) || std::ranges::any_of(pass.targets, meet);
}

// Rows that a pass comes to there, besides those of as many lines in groups of the usual size, for which it is timed.
double rows_besides(const Pass& pass, const Piece& piece, double element_bytes) {
  if (piece.count < 2 || static_cast<double>(std::abs(piece.stride)) * element_bytes < cache_line) return 0;
  const bool side_by_side = !pass.loops.empty() && std::abs(piece.strides.back()) == 1;
  const double groups = lines_of(pass) / static_cast<double>(side_by_side ? pass.loops.back() : 1);
  return static_cast<double>(piece.count) * std::max(0.0, groups - lines_of(pass) / usual_lanes);
}

// Of cache lines that come from memory, what there is for each byte that a pass takes of them: more than one where
// neighbours, along the line, a loop or a repeat around it, stand further apart than they are long.
double fetched_for(const Pass& pass, const Piece& piece, double element_bytes) {
  Index closest = piece.count > 1 ? std::abs(piece.stride) : std::numeric_limits<Index>::max(), run = piece.count;
  const auto inner = static_cast<std::ptrdiff_t>(piece.strides.size()) - std::ssize(pass.loops);
  for (std::ptrdiff_t d = 0; d < std::ssize(piece.strides); ++d) {
    const Index stride = std::abs(piece.strides[static_cast<std::size_t>(d)]);
    const Index count = d < inner ? closest : pass.loops[static_cast<std::size_t>(d - inner)];
    if (stride == 0 || stride >= closest || count < 2) continue;
    closest = stride;
    run = count;
  }
  const double taken = element_bytes * static_cast<double>(closest == 1 ? run : 1);
  const double apart = closest == 1 ? cache_line : element_bytes * static_cast<double>(closest);
  return std::max(1.0, std::min(apart, cache_line) / taken);
}

bool in_place(const Pass& pass) {
  if (pass.sources.empty() || pass.targets.empty()) return false;
  const Piece &from = pass.sources.front(), &to = pass.targets.front();
  return place_of(from) == place_of(to) && from.offset == to.offset && from.strides == to.strides;
}

class TaskPricer {
 public:
  TaskPricer(const Rates& rates, Precision precision, int busy, double far)
      : prices_(rates, busy), precision_(precision), far_(far) {
    element_bytes_ = precision == Precision::single_ ? 8 : precision == Precision::double_ ? 16 : 32;
  }

  double seconds(const Task& task) { return seconds(task.steps, {}); }

 private:
  using Known = std::map<Place, double>;  // how long ago a place was touched, in bytes; not in it: far

  double bytes_in(const Pass& pass) const { return bytes_of(pass, pass.sources); }
  double bytes_out(const Pass& pass) const { return bytes_of(pass, pass.targets); }
  double bytes_of(const Pass& pass, const std::vector<Piece>& end) const {
    return lines_of(pass) * static_cast<double>(reals_of(end)) * element_bytes_ / 2;
  }

  // By place, the most that one of the steps touches there.
  void touch(const std::vector<Step>& steps, double times, Known& bytes) const {
    for (const Step& step : steps) {
      if (!step.body.empty()) {
        touch(step.body, times * static_cast<double>(step.repeat), bytes);
        continue;
      }
      for (const auto* pieces : {&step.pass.sources, &step.pass.targets}) {
        if (pieces->empty()) continue;
        double& most = bytes[place_of(pieces->front())];
        most = std::max(most, times * (pieces == &step.pass.sources ? bytes_in(step.pass) : bytes_out(step.pass)));
      }
    }
  }

  double seconds(const std::vector<Step>& steps, const Known& before) {
    Known here;
    if (steps.size() > 1) touch(steps, 1, here);
    double together = 0;
    for (const auto& [place, bytes] : here) together += bytes;
    Known known = before;
    double sum = 0;
    for (const Step& step : steps) {
      const auto times = static_cast<double>(step.body.empty() ? 1 : step.repeat);
      sum += times * (step.body.empty() ? seconds(step.pass, known) : seconds(step.body, known));
      Known touched;
      touch({step}, 1, touched);
      for (const auto& [place, bytes] : touched) known[place] = std::min(together, far_);
    }
    return sum;
  }

  double seconds(const Pass& pass, const Known& known) {
    const auto since = [&](const std::vector<Piece>& pieces) {
      const auto found = pieces.empty() ? known.end() : known.find(place_of(pieces.front()));
      return found == known.end() ? far_ : found->second;
    };
    PassForm form{.of = {stance_of(pass), work_of(pass), precision_},
                  .length = pass.length,
                  .in_place = in_place(pass),
                  .meets = rows_meet(pass, element_bytes_),
                  .uneven = is_uneven(pass, element_bytes_),
                  .bytes = bytes_in(pass) + bytes_out(pass),
                  .lines = lines_of(pass)};
    const double of_rows = rows(pass);
    const bool in_rows = pass.action == Action::move && is_spread(pass) && of_rows > 0;
    if (in_rows) form.of.stance = Stance::along;  // what comes on top of that is known
    form.groups = form.lines / static_cast<double>(pass.loops.empty() ? 1 : pass.loops.back());
    const double in = bytes_in(pass) / std::max(1.0, form.bytes);
    const auto fetched = [&](const std::vector<Piece>& pieces) {
      return pieces.empty() || in_rows
                 ? 1
                 : fetched_for(pass, pieces.front(), element_bytes_ / (pieces.front().real ? 2 : 1));
    };
    form.footprint = since(pass.sources);
    form.fetched = fetched(pass.sources);
    const double by_source = prices_.seconds(form);
    form.footprint = since(pass.targets);
    form.fetched = fetched(pass.targets);
    return in * by_source + (1 - in) * prices_.seconds(form) + of_rows;
  }

  double rows(const Pass& pass) const {
    double sum = 0;
    for (const auto* end : {&pass.sources, &pass.targets}) {
      const auto access = end == &pass.sources ? PassPrices::Access::read : PassPrices::Access::write;
      for (const Piece& piece : *end) {
        const double bytes = element_bytes_ / (piece.real ? 2 : 1), count = rows_besides(pass, piece, bytes);
        if (count > 0) sum += count * prices_.row_seconds(pass.length, rows_meet(pass, piece, bytes), access);
      }
    }
    return sum;
  }

  PassPrices prices_;
  Precision precision_;
  double far_;
  double element_bytes_;
};

double held_bytes(const RankSchedule& schedule, Precision precision) {
  const double element = precision == Precision::single_ ? 8 : precision == Precision::double_ ? 16 : 32;
  double bytes = 0;
  for (const Buffer b : buffers)
    bytes += static_cast<double>(schedule.size(b)) * element / (schedule.data(b) == Data::real_ ? 2 : 1);
  return bytes;
}

}  // namespace

std::vector<double> task_seconds(const RankSchedule& schedule, const Rates& rates, Precision precision, int busy) {
  TaskPricer pricer(rates, precision, busy, held_bytes(schedule, precision));
  std::vector<double> seconds;
  for (const Task& task : schedule.tasks) seconds.push_back(task.steps.empty() ? 0 : pricer.seconds(task));
  return seconds;
}

RankSchedule priced(RankSchedule schedule, const Rates& rates, Precision precision, int busy, double flops_per_s) {
  const std::vector<double> seconds = task_seconds(schedule, rates, precision, busy);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    Task& task = schedule.tasks[i];
    if (task.kind != TaskKind::compute && task.kind != TaskKind::copy) continue;
    task.flops = seconds[i] * flops_per_s;
    task.elements = 0;
  }
  return schedule;
}

}  // namespace kallima
