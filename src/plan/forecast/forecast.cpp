#include "kallima/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.hpp"
#include "kallima/simulate.hpp"
#include "kallima/symmetry.hpp"
#include "plan/exchange/path.hpp"

namespace kallima {
namespace {

constexpr int few_ranks = 16;                // all of which are simulated
constexpr double usual_error = 0.15;         // where nobody knows better
constexpr double roofline_error = 0.5;       // of machines whose passes nobody has timed
constexpr std::size_t most_tasks = 200'000;  // of one rank, to be compared with others', or of all

// So that a few ranks, all of which are simulated, and many, for which one stands, are counted alike.
const SimulateOptions by_rounds{.sharing = Sharing::rounds};

bool computes(const Task& task) { return task.kind == TaskKind::compute || task.kind == TaskKind::copy; }

class Forecaster {
 public:
  Forecaster(const Plan& plan, const Profile& profile, const ForecastOptions& options)
      : plan_(plan), profile_(profile), options_(options), ranks_(plan.layout_in().ranks()) {
    int per_node = options.per_node;
    if (per_node == 0) per_node = profile.rates.passes.empty() ? profile.machine.node.ranks : profile.rates.cores;
    per_node_ = std::min(std::max(1, per_node), ranks_);
    const PlanOptions& how = plan.options();
    const bool lands = how.exchange == Exchange::messages && how.nodes.empty();
    machine_ = machine_for(profile, options.inside, per_node_, ranks_, lands ? Landing::copied : Landing::none);
    if (has_rates()) {
      const int at_work = profile.hosts_share_cores ? ranks_ : per_node_, cores = std::max(1, profile.rates.cores);
      cores_ = std::min(at_work, cores);
      sharing_ = std::max(1.0, static_cast<double>(at_work) / cores);
    }
    find_correction();
  }

  Forecast run() {
    result_.ranks = ranks_;
    const bool one_for_all = options_.one_for_all && machine_.topology.kind == Topology::Kind::crossbar;
    if (ranks_ <= few_ranks && !one_for_all)
      simulate_all();
    else
      simulate_some(one_for_all);
    if (result_.simulated != "all ranks" && !is_even()) note_memory(ranks_ - 1);
    result_.memory_limit = is_in_place() ? most_in_place : most_out_of_place;
    correct();
    return result_;
  }

 private:
  // What fewer ranks have more of, the last ones mostly have.
  bool is_even() const {
    const Layout& layout = plan_.layout_in();
    return layout.local_size(0) == layout.local_size(ranks_ - 1);
  }
  bool is_in_place() const { return plan_.options().placement == Placement::in_place; }
  bool has_rates() const { return !profile_.rates.passes.empty(); }

  void find_correction() {
    result_.error = has_rates() ? usual_error : roofline_error;
    const Joined joined = ranks_ > per_node_ ? Joined::hosts : options_.inside;
    const auto found = corrected_however_joined(profile_.rates.corrections,
                                                alike(plan_.problem(), plan_.options().route, ranks_, joined));
    if (!found) return;
    factor_ = found->factor;
    result_.error = found->error;
  }

  // Of the whole: where exchanges take most of the time, they are what is off.
  void correct() {
    for (double* const seconds : {&result_.seconds, &result_.computation_s, &result_.communication_s})
      *seconds *= factor_;
    result_.computation_s *= slowdown_;
    for (StageTime& stage : result_.stages) stage.seconds *= factor_ * slowdown_;
  }

  // Ranks that share a core have it to themselves while the others wait. How long these wait is what simulation says,
  // which depends on it: a few rounds bring the two together.
  double simulated_seconds(const Outline& outline, const SimulateOptions& how = {}) {
    constexpr int rounds = 5;
    Simulation it = simulate(outline, slowed(1), how);
    for (int i = 0; i < rounds && sharing_ > 1 && it.completion > 0; ++i) {
      const double busy = 1 - it.idle_max / it.completion;
      slowdown_ = 1 + (sharing_ - 1) * busy;
      it = simulate(outline, slowed(slowdown_), how);
    }
    return it.completion;
  }

  Machine slowed(double slowdown) const {
    Machine machine = machine_;
    auto* const model = std::get_if<Loggp>(&machine.model);
    if (model == nullptr || slowdown == 1) return machine;
    model->r /= slowdown;
    for (double* const time : {&model->o, &model->O, &machine.node.o, &machine.node.O}) *time *= slowdown;
    return machine;
  }

  RankSchedule priced_rank(int rank) {
    RankSchedule schedule = plan_.rank_schedule(rank, options_.direction);
    note_memory(schedule.size(Buffer::in), schedule.size(Buffer::out), schedule.workspace());
    tasks_ = std::max(tasks_, schedule.tasks.size());
    if (!has_rates()) return schedule;
    return priced(std::move(schedule), profile_.rates, plan_.problem().precision, cores_, flop_rate(machine_));
  }

  void note_memory(Index size_in, Index size_out, Index workspace) {
    const bool forward = options_.direction == Direction::forward;
    const Data of_points = plan_.problem().data, of_spectrum = spectrum_data(plan_.problem());
    const auto in = static_cast<double>(words(size_in, forward ? of_points : of_spectrum));
    const auto out = static_cast<double>(words(size_out, forward ? of_spectrum : of_points));
    result_.data_words = std::max({result_.data_words, in, out});
    const double arrays = is_in_place() ? std::max(in, out) : in + out;
    result_.memory_words = std::max(result_.memory_words, arrays + static_cast<double>(workspace));
  }

  void note_memory(int rank) {
    const Index points = plan_.layout_in().local_size(rank), spectrum = plan_.layout_out().local_size(rank);
    const bool forward = options_.direction == Direction::forward;
    note_memory(forward ? points : spectrum, forward ? spectrum : points, plan_.workspace(rank, options_.direction));
  }

  double seconds_of(const Task& task) const {
    const double flops = task.flops / flop_rate(machine_);
    if (has_rates() || memory_rate(machine_) == 0) return flops;
    const auto bytes = static_cast<double>(task.elements * word_bytes(plan_.problem().precision));
    return std::max(flops, bytes / memory_rate(machine_));
  }

  // Of the rank with most to do.
  void add_stages(const RankSchedule& schedule) {
    double sum = 0;
    std::vector<StageTime> stages;
    for (const Task& task : schedule.tasks) {
      if (!computes(task)) continue;
      const double seconds = seconds_of(task);
      sum += seconds;
      const auto found = std::ranges::find(stages, task.label, &StageTime::label);
      if (found == stages.end())
        stages.push_back({task.label, seconds});
      else
        found->seconds += seconds;
    }
    if (sum < result_.computation_s) return;
    result_.computation_s = sum;
    result_.stages = std::move(stages);
  }

  static RankSchedule without_work(RankSchedule schedule) {
    for (Task& task : schedule.tasks)
      if (computes(task)) {
        task.flops = 0;
        task.elements = 0;
      }
    return schedule;
  }

  void simulate_all() {
    Schedule all{.name = plan_.options().route, .direction = options_.direction, .exchanges = plan_.exchanges()};
    for (int rank = 0; rank < ranks_; ++rank) {
      all.ranks.push_back(priced_rank(rank));
      add_stages(all.ranks.back());
    }
    Outline whole = outline(all);
    whole.word_bytes = word_bytes(plan_.problem().precision);
    result_.seconds = simulated_seconds(whole, by_rounds);
    result_.simulated = "all ranks";
    if (!options_.alone || plan_.exchanges() == 0) return;
    for (RankSchedule& rank : all.ranks) rank = without_work(std::move(rank));
    whole = outline(all);
    whole.word_bytes = word_bytes(plan_.problem().precision);
    result_.communication_s = simulate(whole, slowed(slowdown_), by_rounds).completion;
  }

  void simulate_rank(const RankSchedule& own) {
    add_stages(own);
    Outline shared = outline_as_if_shared(plan_.options().route, ranks_, own);
    shared.word_bytes = word_bytes(plan_.problem().precision);
    result_.seconds = simulated_seconds(shared);
    result_.simulated = "one rank";
  }

  // Ranks that own more or less than others may send each other more or fewer messages than one sends to itself, which
  // then waits for what nobody sends.
  void simulate_some(bool one_for_all) {
    try {
      if (one_for_all)
        simulate_rank(priced_rank(0));
      else
        simulate_one();
    } catch (const Error&) {
      if (tasks_ == 0 || tasks_ * static_cast<std::size_t>(ranks_) > most_tasks) throw;
      simulate_all();
    }
  }

  void simulate_one() {
    std::map<int, RankSchedule> known;  // what shared_outline() asks for more than once
    const auto rank = [&](int r) -> const RankSchedule& {
      const auto found = known.find(r);
      return found != known.end() ? found->second : known.emplace(r, priced_rank(r)).first->second;
    };
    add_stages(rank(0));
    const std::string route = plan_.options().route;
    std::optional<Outline> shared;
    if (rank(0).tasks.size() <= most_tasks && plan_.layout_in().active_ranks() == ranks_)
      shared = shared_outline(route, ranks_, [&](int r) { return rank(r); });
    const bool alike = shared.has_value();
    if (!alike) shared = outline_as_if_shared(route, ranks_, rank(0));
    shared->word_bytes = word_bytes(plan_.problem().precision);
    result_.seconds = simulated_seconds(*shared);
    result_.simulated = alike ? "one rank for all" : "one rank";
    if (!options_.alone) return;
    Outline messages = outline_as_if_shared(route, ranks_, without_work(rank(0)), shared->peers);
    messages.word_bytes = shared->word_bytes;
    result_.communication_s = simulate(messages, slowed(slowdown_)).completion;
  }

  const Plan& plan_;
  const Profile& profile_;
  const ForecastOptions& options_;
  int ranks_;
  int per_node_ = 1;
  int cores_ = 1;          // of a node that are at work,
  double sharing_ = 1;     // by so many ranks each,
  double slowdown_ = 1;    // which take so many times as long
  std::size_t tasks_ = 0;  // of a rank
  Machine machine_;
  double factor_ = 1;
  Forecast result_;
};

}  // namespace

Correction alike(const Problem& asked, const std::string& route, int ranks, Joined joined) {
  const Problem problem = checked(asked);
  const int halved = halved_axis(problem);
  const bool fourier = std::ranges::all_of(problem.kinds, [](Kind kind) { return kind == Kind::fourier; });
  return {.route = route,
          .work = halved >= 0 ? LineWork::halved
                  : fourier   ? LineWork::complex_
                              : LineWork::cosine,
          .line = problem.axes.size() == 1,
          .uneven = halved >= 0 ? problem.shape[at(halved)] % 2 != 0 : fourier && problem.shape.back() % 2 != 0,
          .several = ranks > 1,
          .joined = joined,
          .points = static_cast<double>(element_count(problem.shape)) / ranks};
}

ForecastOptions joined_as(const PlanOptions& options, int ranks) {
  ForecastOptions how{.inside = options.one_process ? Joined::threads : Joined::views,
                      .per_node = std::max(1, options.per_host)};
  if (options.exchange == Exchange::views) how.per_node = ranks;
  if (options.nodes.empty()) return how;
  const auto seen = static_cast<int>(std::ranges::count(options.nodes, options.nodes.front()));
  if (options.per_host > seen) how.inside = Joined::node;
  how.per_node = std::max(seen, options.per_host);
  return how;
}

std::optional<Forecast> candidate_forecast(const Candidate& candidate, const PlanOptions& options,
                                           const Profile& profile) {
  const Plan& plan = *candidate.plan;
  ForecastOptions how = joined_as(options, plan.layout_in().ranks());
  how.alone = false;
  how.one_for_all = candidate.busy == plan.layout_in().ranks() && plan.layout_in().is_grid();
  try {
    if (plan.exchanges() > 1 && plan.traffic(0, Direction::forward).messages > most_messages) return std::nullopt;
    return forecast(plan, profile, how);
  } catch (const Error&) {  // it has no schedule
    return std::nullopt;
  }
}

Forecast forecast(const Plan& plan, const Profile& profile, const ForecastOptions& options) {
  return Forecaster(plan, profile, options).run();
}

}  // namespace kallima
