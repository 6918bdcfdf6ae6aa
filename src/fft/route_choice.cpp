// Which route to take, where that is open and worth trying: the best few by prediction are run, and what they took is
// remembered. All ranks do what the first one knows, or measures. Where a route decides in which layouts the caller's
// data are, only Effort::patient tries: programs should not find them elsewhere because a run took longer by chance.

#include <algorithm>

#include "fft/impl.hpp"
#include "fft/wisdom_book.hpp"
#include "kallima/forecast.hpp"

namespace kallima {
namespace {

constexpr Index least_elements = 1 << 15;  // of a rank: fewer take less time than trying is worth
constexpr double near_best = 1.3;          // predicted times that trying might put in another order
constexpr std::size_t few = 3;

// Of the routes there are: what others have learnt may name one that a program had added.
std::string shortest(std::map<std::string, double> seconds) {
  const auto names = route_names();
  std::erase_if(seconds, [&](const auto& it) {
    return std::ranges::find(names, it.first, &std::pair<std::string, std::string>::first) == names.end();
  });
  const auto best = std::ranges::min_element(seconds, {}, [](const auto& it) { return it.second; });
  return best == seconds.end() ? "" : best->first;
}

// Of those that were compared what is nearly as fast as the one that is chosen.
std::vector<std::string> routes_to_try(const Problem& problem, int ranks, const PlanOptions& options) {
  const std::string chosen = plan(problem, ranks, options)->options().route;
  std::vector<std::pair<double, std::string>> all;
  for (const auto& [route, seconds] : compared_seconds(problem, ranks, options)) all.emplace_back(seconds, route);
  const auto best = std::ranges::find(all, chosen, &std::pair<double, std::string>::second);
  if (best == all.end()) return {};
  const double least = best->first;
  std::ranges::stable_sort(all, {}, &std::pair<double, std::string>::first);
  std::vector<std::string> routes;
  for (const auto& [seconds, route] : all)
    if (seconds <= near_best * least && routes.size() < few) routes.push_back(route);
  return routes;
}

}  // namespace

bool detail::FftImpl::route_is_open() const {
  const bool settled =
      asked_problem && asked_problem->in && (asked_problem->out || asked_problem->output == Output::same);
  if (!settled && options.effort != Effort::patient) return false;
  return asked_problem && comm.size() > 1 && options.plan.route == "auto" && options.effort != Effort::estimate &&
         options.wire == Wire{} && element_count(asked_problem->shape) / comm.size() >= least_elements;
}

void detail::FftImpl::choose_route() {
  const PlanOptions asked = options.plan;
  const std::string known = gathered(*transport, shortest(wisdom_of(*asked_problem, comm.size(), asked)))[0];
  if (!known.empty()) {
    options.plan = compared_options(*asked_problem, comm.size(), asked, known);
    return;
  }
  std::vector<std::string> routes;
  together(*transport, [&] { routes = routes_to_try(*asked_problem, comm.size(), asked); });
  if (routes.size() < 2) return;
  std::map<std::string, double> seconds;
  for (const std::string& route : routes) {
    options.plan = compared_options(*asked_problem, comm.size(), asked, route);
    together(*transport, [&] { programs.emplace(compile(options.plan)); });
    prepare();
    if (const std::optional<double> time = seconds_of_a_run()) seconds[route] = *time;
  }
  programs.reset();
  options.plan = seconds.empty() ? asked : compared_options(*asked_problem, comm.size(), asked, shortest(seconds));
  if (comm.rank() == 0 && seconds.size() > 1) learn_wisdom(*asked_problem, comm.size(), asked, seconds);
}

}  // namespace kallima
