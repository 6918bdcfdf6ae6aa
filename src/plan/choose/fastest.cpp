// Candidates are simulated on the planner's profile, and the one that takes least is taken; what is hardly faster is
// not worth another exchange, and what takes more memory than it should is not looked at where another does not.

#include "plan/choose/fastest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <future>
#include <map>
#include <mutex>

#include "base/text.hpp"
#include "kallima/forecast.hpp"
#include "plan/exchange/path.hpp"
#include "plan/forecast/charges.hpp"
#include "plan/forecast/planning_profile.hpp"

namespace kallima {
namespace {

constexpr double faster = 0.95;             // of the time: what another route must take at most
constexpr double larger = 1.5;              // times the memory, where all take more than they should: what is not taken
constexpr double hopeless = 8;              // times as long, roughly: what hides behind what cannot make up for it
constexpr std::size_t most_answers = 4096;  // remembered

// Slabs may be what the search for pencils finds, too.
bool goes_the_same_way(const Plan& a, const Plan& b) {
  return !a.way().empty() && a.way() == b.way() && a.layout_in() == b.layout_in() && a.layout_out() == b.layout_out();
}

// Its parts, one after another: where a simulation would take minutes, or is not worth it.
std::optional<double> roughly(const Candidate& c, const PlanOptions& options) try {
  const Plan& plan = *c.plan;
  const Charges charges = charges_for(plan.layout_in().ranks(), options);
  const Traffic sent = plan.traffic(0, Direction::forward);
  double levels = 0;
  for (const int axis : plan.problem().axes)
    levels += std::log2(static_cast<double>(plan.problem().shape[static_cast<std::size_t>(axis)]));
  const double points = static_cast<double>(element_count(plan.problem().shape)) / std::max(1, c.busy);
  return charges.exchange * plan.exchanges() + charges.message * static_cast<double>(sent.messages) +
         charges.word * static_cast<double>(sent.words) + charges.level * levels * points;
} catch (const Error&) {  // it has no schedule
  return std::nullopt;
}

// What ranks have at least: the most that one has, where a route leaves least to one.
Index least_share(const std::vector<Candidate>& all) {
  Index least = INT64_MAX;
  for (const Candidate& c : all) {
    Index most = 0;
    for (const int rank : {0, c.plan->layout_in().ranks() - 1})
      most = std::max({most, words(c.plan->layout_in().local_size(rank), c.plan->problem().data),
                       words(c.plan->layout_out().local_size(rank), c.plan->data_out())});
    least = std::min(least, most);
  }
  return least;
}

// Memory is saved (see settle()) where there is enough of it, and where messages can be listed again and again.
bool is_looked_at(const Candidate& c, Index share) {
  return share >= least_elements && c.plan->traffic(0, Direction::forward).messages <= most_messages;
}

// The way back of real data is another one: complex numbers become real at its end. One rank tells what it takes.
double words_backward(const Candidate& c, const PlanOptions& options) {
  if (c.plan->problem().data == Data::complex_) return 0;
  const Index points = words(c.plan->layout_in().local_size(0), c.plan->problem().data);
  const Index spectrum = words(c.plan->layout_out().local_size(0), c.plan->data_out());
  const bool in_place = options.placement == Placement::in_place;
  const Index arrays = in_place ? std::max(points, spectrum) : points + spectrum;
  return static_cast<double>(arrays + c.plan->workspace(0, Direction::backward));
}

// What a route takes, in units of what it should, and how many ranks always have something to do.
struct Burden {
  double memory = 1;
  int busy = 0;
};

// Whether that is so much more than another that the route is not taken; one that leaves fewer ranks idle may take
// more.
bool is_larger(const Burden& a, const Burden& b) {
  return a.memory > 1 && (b.memory <= 1 || (a.memory > larger * b.memory && a.busy <= b.busy));
}

struct Answers {
  std::mutex mutex;
  std::map<std::string, std::shared_future<Choice>> known;
};

Answers& answers() {
  static Answers one;
  return one;
}

std::string layout_key(const std::optional<Layout>& layout) { return layout ? layout_to_text(*layout) : "any"; }

std::string storage_key(const Storage& storage) {
  return storage.is_plain() ? "plain" : fmt::format("{}/{}", fmt::join(storage.order, ","), text(storage.padding));
}

std::string key_of(const Problem& p, int ranks, const PlanOptions& o) {
  std::string key = fmt::format("{:x} {} {} {} {} {} {}", planning_profile_hash(), ranks, text(p.shape),
                                static_cast<int>(p.precision), static_cast<int>(p.data), static_cast<int>(p.output),
                                fmt::join(p.axes, ","));
  for (const Kind kind : p.kinds) key += fmt::format(" k{}", static_cast<int>(kind));
  key += fmt::format(" {} {} {} {} {} {} {} {} {} {}", layout_key(p.in), layout_key(p.out), o.chunks, o.slices,
                     text(o.grid), static_cast<int>(o.order), static_cast<int>(o.exchange),
                     static_cast<int>(o.placement), static_cast<int>(o.alltoall), static_cast<int>(o.overlap));
  return key + fmt::format(" {} {} {} {}", fmt::join(o.radices, "x"), fmt::join(o.nodes, ","),
                           storage_key(p.storage_in), storage_key(p.storage_out));
}

}  // namespace

// What is not simulated is compared with what is, as if simulation added as much to it: cards that ranks share, links.
// One rank has nothing to choose. Of those that take as long within what a forecast can tell, the one that exchanges
// least often: what simulation leaves out adds to exchanges.
Choice fastest_of(const std::vector<Candidate>& all, const PlanOptions& options) {
  Choice choice{all.front().route};
  if (all.size() == 1 || all.front().plan->layout_in().ranks() == 1) return choice;
  const std::shared_ptr<const Profile> profile = planning_profile();
  const Index share = least_share(all);
  double least = 0, more_than_roughly = 1;
  Burden lightest;  // of what has been found so far
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool again = i > 0 && goes_the_same_way(*all[i].plan, *all[i - 1].plan);
    const auto before = again ? choice.seconds.find(all[i - 1].route) : choice.seconds.end();
    if (before != choice.seconds.end()) choice.seconds[all[i].route] = before->second;
    if (again) continue;
    std::optional<double> seconds = roughly(all[i], options);
    if (!seconds) continue;
    const double rough = *seconds;
    seconds = rough * more_than_roughly;
    Burden mine{.busy = all[i].busy > 0 ? all[i].busy : all[i].plan->layout_in().active_ranks()};
    if (least == 0 || lightest.memory > 1 || *seconds < hopeless * least)
      if (const auto simulated = candidate_forecast(all[i], options, *profile)) {
        seconds = simulated->seconds;
        if (all[i].plan->exchanges() > 0) more_than_roughly = simulated->seconds / rough;
        const double most = simulated->memory_limit * static_cast<double>(share);
        if (is_looked_at(all[i], share))
          mine.memory = std::max({1.0, simulated->memory_words / most, words_backward(all[i], options) / most});
      }
    if (least > 0 && is_larger(mine, lightest)) continue;
    if (least > 0 && is_larger(lightest, mine)) {
      choice.seconds.clear();
      least = 0;
    }
    if (least == 0 || mine.memory < lightest.memory) lightest = mine;
    choice.seconds[all[i].route] = *seconds;
    if (least == 0 || *seconds < least) least = *seconds;
  }
  int fewest = INT_MAX;
  for (const Candidate& c : all) {
    const auto found = choice.seconds.find(c.route);
    if (found == choice.seconds.end() || faster * found->second > least || c.plan->exchanges() >= fewest) continue;
    fewest = c.plan->exchanges();
    choice.route = c.route;
  }
  return choice;
}

Choice remembered_choice(const Problem& problem, int ranks, const PlanOptions& options,
                         const std::function<Choice()>& find) {
  const std::string key = key_of(problem, ranks, options);
  std::promise<Choice> mine;
  std::shared_future<Choice> answer;
  bool is_first = false;
  {
    const std::lock_guard lock(answers().mutex);
    if (answers().known.size() >= most_answers) answers().known.clear();
    const auto [known, is_new] = answers().known.try_emplace(key);
    if (is_new) known->second = mine.get_future().share();
    is_first = is_new;
    answer = known->second;
  }
  if (is_first) {
    try {
      mine.set_value(find());
    } catch (...) {  // whoever waits for the same gets it, too; whoever asks later tries again
      mine.set_exception(std::current_exception());
      const std::lock_guard lock(answers().mutex);
      answers().known.erase(key);
    }
  }
  return answer.get();
}

void forget_choices() {
  const std::lock_guard lock(answers().mutex);
  answers().known.clear();
}

}  // namespace kallima
