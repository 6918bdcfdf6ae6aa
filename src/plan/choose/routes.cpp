// The choice among the routes of routes.def.

#include <algorithm>
#include <iterator>

#include "base/check.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {

#define KALLIMA_ROUTE(identifier, name, summary) Answer consider_##identifier(const Problem&, int, const PlanOptions&);
#include "plan/choose/routes.def"
#undef KALLIMA_ROUTE

namespace {

constexpr Route routes[] = {
#define KALLIMA_ROUTE(identifier, name, summary) {name, summary, consider_##identifier},
#include "plan/choose/routes.def"
#undef KALLIMA_ROUTE
};

const Route& route_named(const std::string& name) {
  const auto found = std::find_if(std::begin(routes), std::end(routes), [&](const Route& r) { return r.name == name; });
  if (found == std::end(routes)) {
    std::string names = "auto";
    for (const Route& r : routes) names += fmt::format(", {}", r.name);
    fail("there is no route '{}': use one of {}", name, names);
  }
  return *found;
}

// Where layouts are free, what keeps most ranks busy is best; but chains, which exchange more often, must keep more
// than twice as many busy. In the table's order: a later one must be better to win.
bool is_busier(const Candidate& c, const Candidate& best) {
  const bool chain = c.route == "pencil" || c.route == "line";
  return c.busy > (chain ? 2 * best.busy : best.busy);
}

std::unique_ptr<Plan> best_of(std::vector<Candidate> all, bool free_to_choose) {
  Candidate* best = nullptr;
  for (Candidate& c : all) {
    if (!c.plan) continue;
    if (best == nullptr || (free_to_choose ? is_busier(c, *best) : c.cost < best->cost)) best = &c;
  }
  return best == nullptr ? nullptr : std::move(best->plan);
}

std::unique_ptr<Plan> plan_auto(const Problem& problem, int ranks, const PlanOptions& options) {
  std::vector<Candidate> all = candidates(problem, ranks, options);
  std::string reasons;
  for (const Candidate& c : all)
    if (!c.plan) reasons += fmt::format("; {}: {}", c.route, c.reason);
  std::unique_ptr<Plan> best = best_of(std::move(all), plain(problem));
  require(best != nullptr, "no route can transform shape {} on {} ranks with these options{}", text(problem.shape),
          ranks, reasons);
  return best;
}

void check_options(const Problem& problem, int ranks, const PlanOptions& options) {
  require(ranks >= 1, "{} ranks cannot transform anything: use at least 1", ranks);
  require(options.chunks >= 0, "{} chunks make no sense: use 1 or more, or 0 to let Kallima choose", options.chunks);
  require(options.slices >= 0, "{} slices make no sense: use 1 or more, or 0 to let Kallima choose", options.slices);
  require(options.overlap != Overlap::off || options.chunks <= 1,
          "{} chunks make no sense without overlap (everything is sent at once) leave out one of the two",
          options.chunks);
  for (const Index radix : options.radices)
    require(radix >= 2, "radix {} makes no sense: radices must be at least 2", radix);
  for (const auto* layout : {&problem.in, &problem.out})
    require(!*layout || (*layout)->ranks() == ranks, "a layout for {} ranks was given to a transform on {}",
            *layout ? (*layout)->ranks() : 0, ranks);
  if (options.grid.empty()) return;
  require(options.grid.size() == problem.shape.size(), "the grid {} has {} dimensions but the shape {} has {}",
          text(options.grid), options.grid.size(), text(problem.shape), problem.shape.size());
  Index product = 1;
  for (const Index p : options.grid) {
    require(p >= 1 && p <= ranks, "the grid {} does not fit {} ranks: its extents must multiply to {}",
            text(options.grid), ranks, ranks);
    product *= p;
    require(product <= ranks, "the grid {} does not fit {} ranks (it needs more): its extents must multiply to {}",
            text(options.grid), ranks, ranks);
  }
  require(product == ranks, "the grid {} does not fit {} ranks (it needs {}): its extents must multiply to {}",
          text(options.grid), ranks, product, ranks);
}

}  // namespace

std::vector<Candidate> candidates(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  std::vector<Candidate> all;
  for (const Route& route : routes) {
    Answer answer = route.consider(problem, ranks, options);
    const int owners = answer.plan ? answer.plan->layout_in().active_ranks() : 0;
    const int busy = answer.busy > 0 ? answer.busy : owners;
    all.push_back({std::string(route.name), std::move(answer.plan), std::move(answer.reason), answer.cost, busy});
  }
  return all;
}

std::unique_ptr<Plan> plan(const Problem& asked, int ranks, const PlanOptions& wanted) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, wanted);
  PlanOptions options = wanted;
  if (options.overlap == Overlap::off) options.chunks = 1;
  if (options.route == "auto") return plan_auto(problem, ranks, options);
  const Route& route = route_named(options.route);
  Answer answer = route.consider(problem, ranks, options);
  require(answer.plan != nullptr, "route {} does not apply to shape {} on {} ranks ({}): use route auto", route.name,
          text(problem.shape), ranks, answer.reason);
  return std::move(answer.plan);
}

std::string_view name(Alltoall alltoall) {
  constexpr std::string_view names[] = {"automatic", "direct", "pairwise", "bruck"};
  return names[static_cast<std::size_t>(alltoall)];
}

std::string_view name(Overlap overlap) {
  constexpr std::string_view names[] = {"automatic", "on", "off"};
  return names[static_cast<std::size_t>(overlap)];
}

std::vector<std::pair<std::string, std::string>> route_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Route& route : routes) names.emplace_back(route.name, route.summary);
  return names;
}

Plan::Plan(Problem problem, PlanOptions options, Layout in, Layout out, int exchanges, std::string explanation)
    : problem_(std::move(problem)),
      options_(std::move(options)),
      in_(std::move(in)),
      out_(std::move(out)),
      exchanges_(exchanges),
      explanation_(std::move(explanation)) {}

Schedule Plan::schedule(Direction direction) const {
  Schedule all{.name = options_.route, .direction = direction, .exchanges = exchanges_};
  for (int rank = 0; rank < in_.ranks(); ++rank) all.ranks.push_back(rank_schedule(rank, direction));
  return all;
}

}  // namespace kallima
