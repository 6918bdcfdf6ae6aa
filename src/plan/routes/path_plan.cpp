#include "plan/routes/path_plan.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/check.hpp"
#include "plan/exchange/messages.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima {
namespace {

// Whether anything goes from one rank to another: two ranks have all mirror images of a cyclic line themselves.
bool moves_anything(const Held& from, const Stop& to) {
  if (!to.cells) return true;
  for (int a = 0; a < from.spread.ranks(); ++a)
    for (int b = 0; b < to.held.spread.ranks(); ++b) {
      const Block had = from.spread.owned(a), wanted = to.held.spread.owned(b);
      if (a != b && count_of(had) > 0 && count_of(wanted) > 0 && !to.cells({had, had}, {wanted, wanted}).empty())
        return true;
    }
  return false;
}

int exchanges_of(const Path& path) {
  int exchanges = 0;
  for (std::size_t i = 1; i < path.stops.size(); ++i) {
    const Stop& before = path.stops[i - 1];
    const Held from =
        before.result ? *before.result : after(before.seen ? *before.seen : before.held, before.transforms);
    exchanges += moves_anything(from, path.stops[i]) ? 1 : 0;
  }
  return exchanges;
}

bool plain_storage(const Problem& problem) { return problem.storage_in.is_plain() && problem.storage_out.is_plain(); }

// What its cuts make of the options that a path was settled with.
PlanOptions settled_options(const PathStatement& s) {
  PlanOptions options = s.options;
  const Path& path = s.paths.forward;
  // An array that becomes another one, larger or smaller, without going through blocks is worked on by way of a copy.
  const bool changes = s.in != s.out || s.problem.data != spectrum_data(s.problem) || !plain_storage(s.problem);
  if (changes && path.exchanges() == 0) options.placement = Placement::out_of_place;
  options.chunks = 1;
  for (std::size_t i = 1; i < path.stops.size(); ++i)
    options.chunks = std::max({options.chunks, path.stops[i].cut.count, arriving(path.stops[i]).count});
  if (path.exchanges() > 0) options.slices = path.stops.front().cut.count;
  return options;
}

// Plans that are compared are asked for one direction, and mostly for one rank's traffic: neither path is settled, nor
// are that rank's messages listed, before somebody asks, or twice.
class PathPlan : public Plan {
 public:
  explicit PathPlan(PathStatement s)
      : Plan(s.problem, s.options, s.in, s.out, s.paths.forward.exchanges(), s.explanation), statement_(std::move(s)) {}

  RankSchedule rank_schedule(int rank, Direction direction) const override {
    const Path& path = settled(direction);
    RankSchedule schedule = tasks_of(path, options(), rank);
    if (options().alltoall != Alltoall::bruck) return schedule;
    return relayed(std::move(schedule), path.stops.front().held.spread.active());
  }

  // Without the tasks, of which there may be very many, or without who waits for whom.
  Traffic traffic(int rank, Direction direction) const override {
    if (options().alltoall == Alltoall::bruck) return Plan::traffic(rank, direction);
    if (rank != 0) return listed(rank, direction);
    Once<Traffic>& known = traffic_[direction == Direction::forward ? 0 : 1];
    std::call_once(known.flag, [&] { known.value = listed(rank, direction); });
    return known.value;
  }

  Index workspace(int rank, Direction direction) const override {
    if (options().alltoall == Alltoall::bruck) return Plan::workspace(rank, direction);
    return workspace_of(settled(direction), options(), rank);
  }

 private:
  template <class T>
  struct Once {
    std::once_flag flag;
    T value = {};
  };

  const Details& details() const override {
    std::call_once(details_.flag, [&] {
      Path& path = statement_.paths.forward;
      settle(path, statement_.options);
      if (statement_.explain) statement_.explanation = statement_.explain(path);
      details_.value = {settled_options(statement_), exchanges_of(path), statement_.explanation};
    });
    return details_.value;
  }
  const Path& settled(Direction direction) const {
    details();
    if (direction == Direction::forward) return statement_.paths.forward;
    std::call_once(backward_, [&] { settle(statement_.paths.backward, statement_.options); });
    return statement_.paths.backward;
  }
  Traffic listed(int rank, Direction direction) const {
    const Path& path = settled(direction);
    const Messages messages(path, options(), rank);
    Traffic sum;
    for (std::size_t i = 0; i + 1 < path.stops.size(); ++i) {
      const Traffic more = messages.sent(i);
      sum.words += more.words;
      sum.messages += more.messages;
    }
    return sum;
  }

  mutable PathStatement statement_;
  mutable Once<Details> details_;
  mutable std::once_flag backward_;
  mutable std::array<Once<Traffic>, 2> traffic_;  // of rank 0, by direction
};

}  // namespace

std::unique_ptr<Plan> path_plan(PathStatement s) { return std::make_unique<PathPlan>(std::move(s)); }

std::string explanation(const Path& path, int ranks) {
  std::string steps;
  for (std::size_t i = 0; i < path.stops.size(); ++i) {
    const Stop& stop = path.stops[i];
    if (i > 0) steps += fmt::format("{}exchange to {}", steps.empty() ? "" : "; ", stop.name);
    std::string axes;
    for (const Transform& t : stop.transforms) axes += fmt::format("{}{}", axes.empty() ? "" : ", ", t.slot);
    if (!axes.empty()) steps += fmt::format("{}transform axis {}", steps.empty() ? "" : "; ", axes);
  }
  if (steps.empty()) steps = "store in another order";
  const int active = path.stops.front().held.spread.busy();
  const std::string idle = active < ranks ? fmt::format(" (uses {} of {} ranks)", active, ranks) : "";
  const int exchanges = exchanges_of(path);
  return fmt::format("{} exchange{}: {}{}", exchanges, exchanges == 1 ? "" : "s", steps, idle);
}

bool plain(const Problem& problem) {
  const auto fourier = [](Kind kind) { return kind == Kind::fourier; };
  return problem.data == Data::complex_ && !problem.in && !problem.out && plain_storage(problem) &&
         std::ranges::all_of(problem.kinds, fourier);
}

std::string straight_trouble(const PlanOptions& options) {
  if (options.alltoall != Alltoall::pairwise && options.alltoall != Alltoall::bruck) return {};
  return fmt::format("its blocks may differ in size and go straight to ranks i+1, i+2, ..., not {}",
                     name(options.alltoall));
}

}  // namespace kallima
