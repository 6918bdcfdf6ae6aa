#pragma once
// How long a plan would take on a machine, how sure that is, and what of it is what. Passes are priced by the machine's
// rates, or by its rates of flops and memory where it has no others, messages by its model, and the schedule is
// simulated: all its ranks where these are few, one for all where they do the same, and otherwise one rank as if they
// did.

#include <map>
#include <memory>
#include <optional>

#include "kallima/plan.hpp"
#include "kallima/profile.hpp"

namespace kallima {

struct ForecastOptions {
  Joined inside = Joined::views;  // how ranks of a node are joined
  int per_node = 0;               // ranks of a node; 0: as many as the profile has cores, or the machine says
  Direction direction = Direction::forward;
  bool alone = true;         // whether both parts alone are wanted, too
  bool one_for_all = false;  // rank 0 stands for all, also where these are few: enough where all do the same
};

struct StageTime {
  std::string label;
  double seconds = 0;  // of the rank with the most to do
};

struct Forecast {
  int ranks = 1;
  double seconds = 0;
  double error = 0;            // relative: 9 of 10 runs take between seconds / (1 + error) and seconds * (1 + error)
  double computation_s = 0;    // of the rank with the most to do,
  double communication_s = 0;  // and its exchanges, alone
  std::vector<StageTime> stages = {};
  std::string simulated = {};  // all ranks, one for all, one
  double data_words = 0;       // of these: the most that one has,
  double memory_words = 0;     // and the most that one needs, arrays and workspace,
  double memory_limit = 0;     // which plan() allows to be so many times the data where a route keeps to it
  double low() const { return seconds / (1 + error); }
  double high() const { return seconds * (1 + error); }
  double in_sequence() const { return computation_s + communication_s; }  // without overlap
};

Forecast forecast(const Plan& plan, const Profile& profile, const ForecastOptions& options = {});

// Ranks of nodes that options.nodes tells, of hosts with options.per_host of them that exchange messages, too, of one
// node where blocks are read in place, or each of its own.
ForecastOptions joined_as(const PlanOptions& options, int ranks);

// As plan() forecasts a candidate of its own: for ranks that are joined so. Nothing where that would take minutes (a
// rank sends very many messages in several exchanges), or where it could not be run (all of a huge array on one rank).
std::optional<Forecast> candidate_forecast(const Candidate& candidate, const PlanOptions& options,
                                           const Profile& profile);

// The profile by which plan() chooses among routes: that of a machine in general (usual_profile), unless another was
// set, as an Fft does with what was calibrated. As with routes that are added, all ranks of a job set the same one
// before they plan; null: the usual one.
std::shared_ptr<const Profile> planning_profile();
void plan_by(std::shared_ptr<const Profile> profile);

// All that plan() chooses from: what every route says, those that are compared as they are cut best, and by route the
// seconds that they take.
struct RouteComparison {
  std::vector<Candidate> candidates;
  std::string chosen = {};
  std::map<std::string, double> seconds = {};
};
RouteComparison compared(const Problem& problem, int ranks, const PlanOptions& options = {});

// By route, the seconds that plan() compared when it chose for this problem; it chooses now if it did not before.
std::map<std::string, double> compared_seconds(const Problem& problem, int ranks, const PlanOptions& options = {});

// And the options of one of these routes when it did: into how many parts its work was cut.
PlanOptions compared_options(const Problem& problem, int ranks, const PlanOptions& options, const std::string& route);

// What the correction of a problem's prediction goes by.
Correction alike(const Problem& problem, const std::string& route, int ranks, Joined joined);

}  // namespace kallima
