// The table of routes, and the choice among them.

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/check.hpp"
#include "base/text.hpp"
#include "kallima/forecast.hpp"
#include "plan/choose/fastest.hpp"
#include "plan/routes/path_plan.hpp"

namespace kallima {
namespace {

// The library's own routes come first. Of those that keep as many ranks busy as can be, `auto` takes the one that the
// planner's profile says is fastest; where the caller asks for layouts, or for more than Fourier transforms of complex
// numbers, of those that keep half of them busy. Ranks may be threads, which plan at once.
struct RouteTable {
  std::mutex mutex;
  std::vector<Route> routes{
      {"local", "no exchange: ranks transform lines they hold whole, or one rank does it all", consider_local},
      {"cyclic", "one exchange, cyclic to cyclic; needs ranks p with p*p dividing the extent", consider_cyclic},
      {"group-cyclic", "several exchanges, cyclic to cyclic; one axis, powers of two, any ranks p below the points",
       consider_group_cyclic},
      {"slab", "transposes between blocks of two axes; any sizes", consider_slab},
      {"pencil", "an exchange for each axis that is dealt out; any sizes, kinds and layouts", consider_pencil, 2},
      {"line", "up to three exchanges; one axis of any composite length, complex or real data, any layouts",
       consider_line, 2},
      {"bluestein",
       "a convolution with a chirp, two to eight exchanges; one axis of any length, primes too, complex or real, cosines "
       "of reals, any layouts",
       consider_bluestein, 0}};
  const std::ptrdiff_t own = std::ssize(routes);
};

RouteTable& table() {
  static RouteTable all;
  return all;
}

std::vector<Route> all_routes() {
  const std::lock_guard lock(table().mutex);
  return table().routes;
}

auto find_route(std::vector<Route>& routes, const std::string& name) {
  return std::ranges::find_if(routes, [&](const Route& r) { return r.name == name; });
}

Route route_named(const std::string& name) {
  std::vector<Route> routes = all_routes();
  const auto found = find_route(routes, name);
  if (found == routes.end()) {
    std::string names = "auto";
    for (const Route& r : routes) names += fmt::format(", {}", r.name);
    fail("there is no route '{}': use one of {}", name, names);
  }
  return *found;
}

Candidate candidate_of(const Route& route, const Problem& problem, int ranks, PlanOptions options) {
  options.route = route.name;
  if (options.overlap == Overlap::off) options.chunks = 1;
  Candidate candidate = route.consider(problem, ranks, options);
  candidate.route = route.name;
  if (candidate.plan && candidate.busy == 0) candidate.busy = candidate.plan->layout_in().active_ranks();
  return candidate;
}

// What every route says, in the order of the table.
std::vector<Candidate> answers(const std::vector<Route>& routes, const Problem& problem, int ranks,
                               const PlanOptions& options) {
  std::vector<Candidate> all;
  for (const Route& route : routes) all.push_back(candidate_of(route, problem, ranks, options));
  return all;
}

// Whoever has many ranks has them in order to use them, and their memory: what a route should keep busy to be looked
// at, or half of them where the caller's layouts may make fewer the better choice.
int ranks_to_use(const std::vector<Candidate>& all, const std::vector<Route>& routes) {
  int busy = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int reluctance = all[i].plan ? routes[i].reluctance : 0;
    if (reluctance > 0 && (busy == 0 || all[i].busy > reluctance * busy)) busy = all[i].busy;
  }
  return busy;
}

// Those that are compared, which are taken out of `all`: their plans are gone there.
std::vector<Candidate> rivals(std::vector<Candidate>& all, const std::vector<Route>& routes, const Problem& problem,
                              int ranks) {
  const int busy = ranks_to_use(all, routes), least = plain(problem) ? busy : (busy + 1) / 2;
  std::vector<Candidate> some;
  std::string reasons;
  for (Candidate& c : all) {
    if (!c.plan) reasons += fmt::format("; {}: {}", c.route, c.reason);
    if (c.plan && c.busy >= least) some.push_back(std::exchange(c, Candidate{.route = c.route}));
  }
  require(!some.empty(), "no route can transform shape {} on {} ranks with these options{}", text(problem.shape), ranks,
          reasons);
  return some;
}

// Those with which the route was compared.
PlanOptions options_of(const Choice& choice, const std::string& route, const PlanOptions& options) {
  const auto found = choice.cuttings.find(route);
  return found == choice.cuttings.end() ? options : with_cutting(options, found->second);
}

Choice choice_among(const std::vector<Candidate>& all, const Problem& problem, int ranks, const PlanOptions& options) {
  return fastest_of(all, options, [&](const std::string& route, const PlanOptions& others) {
    return candidate_of(route_named(route), problem, ranks, others);
  });
}

Choice choice_for(const Problem& problem, int ranks, const PlanOptions& options, std::unique_ptr<Plan>& plan) {
  return remembered_choice(problem, ranks, options, [&] {
    const std::vector<Route> routes = all_routes();
    std::vector<Candidate> said = answers(routes, problem, ranks, options), all = rivals(said, routes, problem, ranks);
    Choice choice = choice_among(all, problem, ranks, options);
    if (options_of(choice, choice.route, options) == options)
      plan = std::move(std::ranges::find(all, choice.route, &Candidate::route)->plan);
    return choice;
  });
}

std::unique_ptr<Plan> plan_auto(const Problem& problem, int ranks, const PlanOptions& options) {
  std::unique_ptr<Plan> plan;
  const Choice choice = choice_for(problem, ranks, options, plan);
  if (plan) return plan;
  return candidate_of(route_named(choice.route), problem, ranks, options_of(choice, choice.route, options)).plan;
}

void check_options(const Problem& problem, int ranks, const PlanOptions& options) {
  require(ranks >= 1, "{} ranks cannot transform anything: use at least 1", ranks);
  require(options.chunks >= 0, "{} chunks make no sense: use 1 or more, or 0 to let Kallima choose", options.chunks);
  require(options.slices >= 0, "{} slices make no sense: use 1 or more, or 0 to let Kallima choose", options.slices);
  require(options.overlap != Overlap::off || options.chunks <= 1,
          "{} chunks make no sense without overlap (everything is sent at once) leave out one of the two",
          options.chunks);
  require(options.nodes.empty() || static_cast<int>(options.nodes.size()) == ranks,
          "{} nodes are given for {} ranks: give the number of each rank's, or none", options.nodes.size(), ranks);
  for (const Index radix : options.radices)
    require(radix >= 2, "radix {} makes no sense: radices must be at least 2", radix);
  for (const auto* layout : {&problem.in, &problem.out})
    require(!*layout || (*layout)->ranks() == ranks, "a layout for {} ranks was given to a transform on {}",
            *layout ? (*layout)->ranks() : 0, ranks);
  if (options.grid.empty()) return;
  require(options.grid.size() == problem.shape.size(), "the grid {} has {} dimensions but the shape {} has {}",
          text(options.grid), options.grid.size(), text(problem.shape), problem.shape.size());
  Index product = 1;
  for (const Index p : options.grid) product = p >= 1 && p <= ranks / product ? product * p : ranks + 1;
  require(product == ranks, "the grid {} does not fit {} ranks: its extents must multiply to {}", text(options.grid),
          ranks, ranks);
}

}  // namespace

std::vector<Candidate> candidates(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  return answers(all_routes(), problem, ranks, options);
}

RouteComparison compared(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  const std::vector<Route> routes = all_routes();
  RouteComparison all{.candidates = answers(routes, problem, ranks, options)};
  std::vector<Candidate> some = rivals(all.candidates, routes, problem, ranks);
  const Choice choice = choice_among(some, problem, ranks, options);
  for (Candidate& c : some) {
    const PlanOptions cut = options_of(choice, c.route, options);
    if (cut != options) c = candidate_of(route_named(c.route), problem, ranks, cut);
    *std::ranges::find(all.candidates, c.route, &Candidate::route) = std::move(c);
  }
  all.chosen = choice.route;
  all.seconds = choice.seconds;
  return all;
}

std::unique_ptr<Plan> plan(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  if (options.route == "auto") return plan_auto(problem, ranks, options);
  Candidate candidate = candidate_of(route_named(options.route), problem, ranks, options);
  require(candidate.plan != nullptr, "route {} does not apply to shape {} on {} ranks ({}): use route auto",
          options.route, text(problem.shape), ranks, candidate.reason);
  return std::move(candidate.plan);
}

std::map<std::string, double> compared_seconds(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  std::unique_ptr<Plan> plan;
  return choice_for(problem, ranks, options, plan).seconds;
}

PlanOptions compared_options(const Problem& asked, int ranks, const PlanOptions& options, const std::string& route) {
  const Problem problem = checked(asked);
  check_options(problem, ranks, options);
  std::unique_ptr<Plan> plan;
  PlanOptions of_route = options_of(choice_for(problem, ranks, options, plan), route, options);
  of_route.route = route;
  return of_route;
}

void add_route(Route route) {
  require(!route.name.empty() && route.consider != nullptr,
          "a route '{}' cannot be added (it needs a name and a function): give both", route.name);
  const std::lock_guard lock(table().mutex);
  std::vector<Route>& routes = table().routes;
  require(route.name != "auto" && find_route(routes, route.name) == routes.end(),
          "a route '{}' cannot be added (the name is taken): give it another", route.name);
  routes.push_back(std::move(route));
  forget_choices();
}

void remove_route(const std::string& name) {
  const std::lock_guard lock(table().mutex);
  std::vector<Route>& routes = table().routes;
  const auto found = find_route(routes, name);
  require(found - routes.begin() >= table().own && found != routes.end(),
          "route '{}' cannot be removed (nobody has added it): name one that was added", name);
  routes.erase(found);
  forget_choices();
}

std::string_view name(Alltoall a) { return word_for(a, {"automatic", "direct", "pairwise", "bruck"}); }
std::string_view name(Overlap overlap) { return word_for(overlap, {"automatic", "on", "off"}); }

std::vector<std::pair<std::string, std::string>> route_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Route& route : all_routes()) names.emplace_back(route.name, route.summary);
  return names;
}

Plan::Plan(Problem problem, PlanOptions options, Layout in, Layout out, int exchanges, std::string explanation)
    : problem_(std::move(problem)),
      in_(std::move(in)),
      out_(std::move(out)),
      details_{std::move(options), exchanges, std::move(explanation)} {}

Traffic Plan::traffic(int rank, Direction direction) const {
  const RankSchedule schedule = rank_schedule(rank, direction);
  const auto sends = [](const Task& t) { return t.kind == TaskKind::send_start; };
  return {schedule.words_sent(), std::ranges::count_if(schedule.tasks, sends)};
}

Index Plan::workspace(int rank, Direction direction) const { return rank_schedule(rank, direction).workspace(); }

Schedule Plan::schedule(Direction direction) const {
  Schedule all{.name = options().route, .direction = direction, .exchanges = exchanges()};
  if (options().placement == Placement::in_place) all.aliasing = Aliasing::in_is_out;
  for (int rank = 0; rank < in_.ranks(); ++rank) {
    all.ranks.push_back(rank_schedule(rank, direction));
    if (std::optional<RankSchedule> before = preparation(rank)) all.preparation.push_back(std::move(*before));
  }
  return all;
}

}  // namespace kallima
