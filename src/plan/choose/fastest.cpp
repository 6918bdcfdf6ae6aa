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
constexpr double larger = 1.25;             // times the memory, where all take more than they should: what is not taken
constexpr double hopeless = 8;              // times as long, roughly: what hides behind what cannot make up for it
constexpr int most_ranks_cut = 8192;        // for parts to be compared
constexpr double near = 1.5;                // times as long: what other parts may make up for
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
// more, and twice as many have twice the memory.
bool is_larger(const Burden& a, const Burden& b) {
  const bool keeps_limit = b.memory <= 1 && a.busy < 2 * b.busy;
  return a.memory > 1 && (keeps_limit || (a.memory > larger * b.memory && a.busy <= b.busy));
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
  return key + fmt::format(" {} {} {} {} {} {}", fmt::join(o.radices, "x"), fmt::join(o.nodes, ","), o.per_host,
                           o.one_process, storage_key(p.storage_in), storage_key(p.storage_out));
}

}  // namespace

namespace {

// Candidates as they are usually cut, compared. What is not simulated is compared with what is, as if simulation added
// as much to it: cards that ranks share, links.
class CandidateRace {
 public:
  CandidateRace(const std::vector<Candidate>& all, const PlanOptions& options)
      : all_(all), options_(options), profile_(planning_profile()), share_(least_share(all)) {}

  Choice run(const ConsiderAgain& again) {
    for (std::size_t i = 0; i < all_.size(); ++i) add(i);
    if (again && cutting_is_open(options_) && share_ >= least_elements) cut(again);
    for (const auto& [route, as] : same_)
      if (const auto other = found_.find(as); other != found_.end()) found_[route] = other->second;
    Choice choice = taken();
    for (const auto& [route, cut] : found_) {
      choice.seconds[route] = cut.seconds;
      choice.cuttings[route] = cut.cutting;
    }
    return choice;
  }

 private:
  void add(std::size_t i) {
    const Candidate& it = all_[i];
    if (i > 0 && goes_the_same_way(*it.plan, *all_[i - 1].plan)) {
      same_[it.route] = all_[i - 1].route;
      return;
    }
    const std::optional<double> rough = roughly(it, options_);
    if (!rough) return;
    CutRoute mine{.seconds = *rough * more_than_roughly_};
    Burden burden{.busy = it.busy > 0 ? it.busy : it.plan->layout_in().active_ranks()};
    if (least_ == 0 || lightest_.memory > 1 || mine.seconds < hopeless * least_)
      if (const auto simulated = candidate_forecast(it, options_, *profile_)) {
        mine.seconds = simulated->seconds;
        if (it.plan->exchanges() > 0) more_than_roughly_ = simulated->seconds / *rough;
        const double most = simulated->memory_limit * static_cast<double>(share_);
        if (is_looked_at(it, share_)) {
          mine.memory_words = std::max(simulated->memory_words, words_backward(it, options_));
          mine.memory_limit = most;
          burden.memory = std::max(1.0, mine.memory_words / most);
        }
      }
    keep(it.route, mine, burden);
  }

  void keep(const std::string& route, const CutRoute& mine, const Burden& burden) {
    if (least_ > 0 && is_larger(burden, lightest_)) return;
    if (least_ > 0 && is_larger(lightest_, burden)) {
      found_.clear();
      least_ = 0;
    }
    if (least_ == 0 || burden.memory < lightest_.memory) lightest_ = burden;
    found_[route] = mine;
    if (least_ == 0 || mine.seconds < least_) least_ = mine.seconds;
  }

  // Of those that are not hopeless whether everything should go at once, of those that are near what parts they should
  // have. Where ranks are very many each plan takes as long to make as all others to compare.
  void cut(const ConsiderAgain& again) {
    if (all_.front().plan->layout_in().ranks() > most_ranks_cut) return;
    for (auto& [route, best] : found_) {
      const auto with = [&again, name = &route](const PlanOptions& options) { return again(*name, options); };
      if (best.seconds < hopeless * least_) try_at_once(best, options_, *profile_, with);
      if (best.seconds < near * least_) try_parts(best, options_, *profile_, with);
      least_ = std::min(least_, best.seconds);
    }
  }

  // Of those that take as long within what a forecast can tell, the one that exchanges least often, since what
  // simulation leaves out adds to exchanges; and the fastest of these. Threads of a process that read each
  // other's arrays exchange nothing.
  Choice taken() const {
    const bool exchanges_nothing = options_.one_process && options_.exchange == Exchange::views;
    Choice choice{all_.front().route};
    std::pair<int, double> least{INT_MAX, 0};
    for (const Candidate& c : all_) {
      const auto it = found_.find(c.route);
      if (it == found_.end() || faster * it->second.seconds > least_) continue;
      const std::pair mine{exchanges_nothing ? 0 : c.plan->exchanges(), it->second.seconds};
      if (mine >= least) continue;
      least = mine;
      choice.route = c.route;
    }
    return choice;
  }

  const std::vector<Candidate>& all_;
  const PlanOptions& options_;
  std::shared_ptr<const Profile> profile_;
  Index share_;
  std::map<std::string, CutRoute> found_;
  std::map<std::string, std::string> same_;  // what goes the same way as another
  double least_ = 0, more_than_roughly_ = 1;
  Burden lightest_;  // of what has been found so far
};

}  // namespace

// One rank has nothing to choose.
Choice fastest_of(const std::vector<Candidate>& all, const PlanOptions& options, const ConsiderAgain& again) {
  if (all.front().plan->layout_in().ranks() == 1) return {all.front().route};
  return CandidateRace(all, options).run(again);
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
