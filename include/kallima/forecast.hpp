#pragma once
// How long a plan would take on a machine, how sure that is, and what of it is what. Passes are priced by the machine's
// rates, or by its rates of flops and memory where it has no others, messages by its model, and the schedule is
// simulated: all its ranks where these are few, one for all where they do the same, and otherwise one rank as if they
// did.

#include "kallima/plan.hpp"
#include "kallima/profile.hpp"

namespace kallima {

struct ForecastOptions {
  Joined inside = Joined::views;  // how ranks of a node are joined
  int per_node = 0;               // ranks of a node; 0: as many as the profile has cores, or the machine says
  Direction direction = Direction::forward;
  bool alone = true;  // whether both parts alone are wanted, too
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
  double low() const { return seconds / (1 + error); }
  double high() const { return seconds * (1 + error); }
  double in_sequence() const { return computation_s + communication_s; }  // without overlap
};

Forecast forecast(const Plan& plan, const Profile& profile, const ForecastOptions& options = {});

// Of a candidate of plan()'s: for ranks of nodes that options.nodes tells, or of one node where blocks are read in
// place, or each of its own.
Forecast candidate_forecast(const Plan& plan, const PlanOptions& options, const Profile& profile);

// What corrections go by: complex, halved or cosine.
LineWork work_of(const Problem& problem);

}  // namespace kallima
