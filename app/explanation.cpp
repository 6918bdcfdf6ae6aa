#include "app/explanation.hpp"

#include <algorithm>

#include "app/check.hpp"
#include "kallima/forecast.hpp"
#include "kallima/wisdom.hpp"

namespace kallima::cli {
namespace {

RouteAccount account_of(const Plan& plan) {
  const Traffic traffic = plan.traffic(0, Direction::forward);
  RouteAccount account{.route = plan.options().route, .reason = {}, .exchanges = plan.exchanges()};
  account.words_sent = traffic.words;
  account.messages = traffic.messages;
  account.steps = plan.explanation();
  account.active_ranks = plan.layout_in().active_ranks();
  return account;
}

constexpr Index most_messages = 16384;                   // of a rank, on a way of several exchanges
constexpr Index most_words_of_kernels = Index{1} << 24;  // of a rank: tables of more take long to make

// Who waits for whom on such a way, of which the program's size depends, takes minutes to find out for many messages.
Memory memory_of(const Plan& plan, const RouteAccount& account, Precision precision) {
  const auto words = [](Index size, Data data) { return data == Data::real_ ? (size + 1) / 2 : size; };
  Memory memory{.in = words(plan.layout_in().local_size(0), plan.data_in()),
                .out = words(plan.layout_out().local_size(0), plan.data_out()),
                .workspace = plan.workspace(0, Direction::backward)};
  if (account.exchanges > 1 && account.messages > most_messages) {
    memory.workspace = std::max(memory.workspace, plan.workspace(0, Direction::forward));
    return memory;
  }
  const RankSchedule s = plan.rank_schedule(0, Direction::forward);
  memory.workspace = std::max(memory.workspace, s.workspace());
  memory.program = program_size(s);
  if (account.messages <= most_messages && std::max(memory.in, memory.out) <= most_words_of_kernels)
    memory.kernels = kernel_size(s, Direction::forward, cpu_backend(precision));
  return memory;
}

// What plan() has compared is known, and others are simulated now.
void predict(RouteAccount& account, const Candidate& c, const PlanOptions& options,
             const std::map<std::string, double>& known) {
  if (const auto found = known.find(c.route); found != known.end()) {
    account.predicted_s = found->second;
    return;
  }
  const std::optional<Forecast> found = candidate_forecast(c, options, *planning_profile());
  if (!found) return;
  account.predicted_s = found->seconds;
  account.memory = found->memory_words / std::max(1.0, found->data_words);
  account.memory_limit = found->memory_limit;
}

std::vector<RouteAccount> accounts(const RouteComparison& all, const Problem& problem, int ranks,
                                   const PlanOptions& options) {
  std::vector<RouteAccount> routes;
  const std::map<std::string, double> measured = wisdom_of(problem, ranks, options);
  for (const Candidate& c : all.candidates) {
    RouteAccount account = c.plan ? account_of(*c.plan) : RouteAccount{.route = c.route, .reason = c.reason};
    account.route = c.route;
    if (c.plan) predict(account, c, options, all.seconds);
    if (const auto found = measured.find(c.route); found != measured.end()) account.measured_s = found->second;
    account.busy = c.busy;
    routes.push_back(std::move(account));
  }
  return routes;
}

std::string verdict_on(const RouteAccount& it, const RouteAccount& best) {
  if (it.route == best.route) return "chosen: the fastest, as predicted, of those that keep as many ranks busy";
  if (!it.reason.empty()) return it.reason;
  if (it.busy < best.busy) return fmt::format("keeps {} ranks busy, not {}", it.busy, best.busy);
  if (it.predicted_s <= 0 || best.predicted_s <= 0)
    return "not simulated: very many messages in several exchanges, or too much for one rank";
  const double times = it.predicted_s / best.predicted_s;
  if (it.memory > it.memory_limit && times < 1.05)
    return fmt::format("takes {:.1f} times a rank's data, more than {:.1f}", it.memory, it.memory_limit);
  if (times < 1.05) return "as fast, by prediction, within 5 %: what exchanges less, or comes first, is taken";
  return fmt::format("predicted to take {:.2f} times as long", times);
}

Saving saving(Problem problem, int ranks, PlanOptions options, const std::string& freedom, bool free_in,
              bool free_out) {
  if (free_in) problem.in = {};
  if (free_out) problem.out = {};
  if (free_out) problem.output = Output::any;
  options.route = "auto";
  const RouteAccount account = account_of(*plan(problem, ranks, options));
  return {freedom, account.exchanges, account.words_sent};
}

// Only what is asked for can be let go.
std::vector<Saving> savings_of(const Problem& problem, int ranks, const PlanOptions& options) {
  std::vector<Saving> savings;
  const bool in = problem.in.has_value();
  const bool out = problem.out.has_value() || (problem.output == Output::same && in);
  if (out) savings.push_back(saving(problem, ranks, options, "the result may lie anywhere (--out any)", false, true));
  if (in && problem.out)
    savings.push_back(saving(problem, ranks, options, "the input may lie anywhere (--in any)", true, false));
  if (in && out) savings.push_back(saving(problem, ranks, options, "both may (--in any --out any)", true, true));
  if (!in && !out && problem.output == Output::same)
    savings.push_back(
        saving(problem, ranks, options, "the result may lie elsewhere than the input (--out any)", true, true));
  return savings;
}

bool in_blocks(const Layout& layout, std::size_t dim) {
  return layout.is_grid() && layout.dims()[dim].parts() > 1 && layout.dims()[dim].cycle() == 1;
}

// A line that blocks deal out at both ends.
std::string why_so_many(const Problem& problem, const Plan& plan) {
  if (problem.axes.size() != 1) return "";
  const auto axis = static_cast<std::size_t>(problem.axes[0]);
  const int exchanges = plan.exchanges();
  if (exchanges < 3 || !in_blocks(plan.layout_in(), axis) || !in_blocks(plan.layout_out(), axis)) return "";
  return fmt::format(
      "{} exchanges are the fewest found that keep the ranks at work. In block order the first butterflies of any FFT "
      "reach across ranks, and so do the last ones of one that began with its neighbours: data must move before and "
      "after (to cyclic, {} on the way from cyclic to cyclic, back to blocks). One less is enough if one end may be "
      "cyclic, two less if both may.",
      exchanges, exchanges == 3 ? "the one exchange" : fmt::format("{} exchanges", exchanges - 2));
}

}  // namespace

Explanation explain(const Problem& asked, int ranks, const PlanOptions& options) {
  const Problem problem = checked(asked);
  const RouteComparison it = compared(problem, ranks, options);
  const auto chosen = std::ranges::find(it.candidates, it.chosen, &Candidate::route);
  const Plan& best = *chosen->plan;
  Explanation all{.problem = problem, .ranks = ranks, .in = best.layout_in(), .out = best.layout_out()};
  all.routes = accounts(it, problem, ranks, options);
  all.chosen = static_cast<std::size_t>(chosen - it.candidates.begin());
  for (RouteAccount& route : all.routes) route.verdict = verdict_on(route, all.routes[all.chosen]);
  all.memory = memory_of(best, all.routes[all.chosen], problem.precision);
  all.placement = best.options().placement;
  all.savings = savings_of(problem, ranks, options);
  all.why = why_so_many(problem, best);
  return all;
}

}  // namespace kallima::cli
