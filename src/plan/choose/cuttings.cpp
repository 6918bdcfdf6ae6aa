#include "plan/choose/cuttings.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "plan/exchange/path.hpp"

namespace kallima {
namespace {

constexpr double worth_another = 0.98;                 // of the time: what another cutting must take at most
constexpr double worth_saving = 1.1;                   // or where memory is then as it should be
constexpr double much_faster = 0.5;                    // of the time: what may take more memory, where all take
constexpr double quarter_more = 1.25;                  // too much of it: so many times as much
constexpr int some_looked_at = 10, few_looked_at = 3;  // ranks, or all,
constexpr Index most_looked_at = 16384;                // if these have fewer messages together
constexpr Index most_simulated = 4096;                 // messages of a rank

constexpr std::array<Index, 3> numbers_of_slices{1, 4, 16};
constexpr std::array<Index, 4> numbers_of_chunks{1, 4, 16, 32};

double arrays_of(const Plan& plan, int rank) {
  const Index points = words(plan.layout_in().local_size(rank), plan.problem().data);
  const Index spectrum = words(plan.layout_out().local_size(rank), plan.data_out());
  const bool in_place = plan.options().placement == Placement::in_place;
  return static_cast<double>(in_place ? std::max(points, spectrum) : points + spectrum);
}

bool is_even(const Layout& layout) {
  return layout.is_grid() && std::ranges::all_of(layout.dims(), [](const Distribution& d) {
           return d.extent() % (d.parts() * d.cycle()) == 0;
         });
}

// Those of every row and column of a grid where ranks own differently: what one takes in the middle of a path does not
// show in its layouts.
std::set<int> ranks_to_look_at(const Plan& plan) {
  const int ranks = plan.layout_in().ranks();
  const bool even = is_even(plan.layout_in()) && is_even(plan.layout_out());
  const bool all_of_them = plan.traffic(0, Direction::forward).messages * ranks <= most_looked_at;
  const int count = std::min(ranks, all_of_them ? ranks : even ? few_looked_at : some_looked_at);
  int step = std::max(1, ranks / count);
  while (std::gcd(step, ranks) > 1) --step;
  std::set<int> all{0, ranks - 1};
  for (int k = 1; std::ssize(all) < count; ++k) all.insert(static_cast<int>(Index{k} * step % ranks));
  return all;
}

// Whether it could be simulated.
bool try_cutting(CutRoute& best, const Cutting& cutting, const PlanOptions& options, const Profile& profile,
                 const WithOptions& route) {
  const PlanOptions cut = with_cutting(options, cutting);
  const Candidate it = route(cut);
  if (!it.plan || it.plan->traffic(0, Direction::forward).messages > most_simulated) return false;
  const std::optional<Forecast> simulated = candidate_forecast(it, cut, profile);
  const bool may_save = best.memory_words > best.memory_limit;
  if (!simulated || simulated->seconds > (may_save ? worth_saving : worth_another) * best.seconds) return true;
  const double memory = best.memory_limit > 0 ? memory_both_ways(*it.plan) : 0;
  if (memory > best.memory_limit && simulated->seconds > worth_another * best.seconds) return true;
  const double most = may_save && simulated->seconds <= much_faster * best.seconds ? quarter_more * best.memory_words
                                                                                   : best.memory_words;
  if (memory > std::max(most, best.memory_limit)) return true;
  best.seconds = simulated->seconds;
  best.memory_words = memory;
  best.cutting = cutting;
  return true;
}

}  // namespace

PlanOptions with_cutting(PlanOptions options, const Cutting& cutting) {
  if (cutting == Cutting{}) return options;
  options.chunks = cutting.chunks;
  options.slices = cutting.slices;
  options.overlap = cutting.overlap;
  return options;
}

bool cutting_is_open(const PlanOptions& options) {
  return options.chunks == 0 && options.slices == 0 && options.overlap == Overlap::automatic &&
         options.radices.empty() && options.alltoall == Alltoall::automatic;
}

double memory_both_ways(const Plan& plan) {
  double most = 0;
  for (const int rank : ranks_to_look_at(plan)) {
    const Index workspace =
        std::max(plan.workspace(rank, Direction::forward), plan.workspace(rank, Direction::backward));
    most = std::max(most, arrays_of(plan, rank) + static_cast<double>(workspace));
  }
  return most;
}

void try_at_once(CutRoute& best, const PlanOptions& options, const Profile& profile, const WithOptions& route) {
  if (options.exchange == Exchange::messages) try_cutting(best, {.overlap = Overlap::off}, options, profile, route);
}

void try_parts(CutRoute& best, const PlanOptions& options, const Profile& profile, const WithOptions& route) {
  if (options.exchange == Exchange::messages)  // whoever has too many has more if cut finer
    for (const Index slices : numbers_of_slices)
      if (!try_cutting(best, {.slices = slices}, options, profile, route)) break;
  const Index slices = best.cutting.slices;
  for (const Index chunks : numbers_of_chunks)
    if (!try_cutting(best, {.chunks = chunks, .slices = slices}, options, profile, route)) break;
}

}  // namespace kallima
