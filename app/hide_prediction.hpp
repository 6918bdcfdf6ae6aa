#pragma once
// What LogGP says of a point that was measured: the same schedule, simulated on a machine whose numbers come from the
// lab. Computing alone gives the rate r, communicating alone the gap G per word, the smallest message the latency L.
// The overhead o is the processor's time for a whole block, TCP's work on it included; it is found where the links have
// no limit, since there communicating alone takes nothing else.

#include <nlohmann/json.hpp>

#include "app/hide_sweep.hpp"
#include "kallima/machine.hpp"
#include "kallima/outline.hpp"
#include "kallima/plan.hpp"

namespace kallima::cli {

// What one rank has to do, the busiest of them.
struct Load {
  double flops = 0;
  Index words = 0;   // sent
  Index blocks = 0;  // in which they are sent
};

Load load_of(const Outline& outline);

PlanOptions plan_of(const nlohmann::json& bench);      // the options that bench reports
Outline outline_of(const nlohmann::json& bench);       // of that plan, for one field
double cpu_per_word(const nlohmann::json& unlimited);  // seconds, from a bench on links without limit

struct Measured {
  double computation_s = 0;
  double communication_s = 0;
  double latency_s = 0;
};

Loggp machine_for(const Load& load, const Measured& measured, double cpu_per_word_s, int ranks);

// Fills in what `point` has of machines and predictions. `bench` is what it was made from, on so many cores for all
// ranks.
void predict(HidePoint& point, const nlohmann::json& bench, double cpu_per_word_s, int cores);

}  // namespace kallima::cli
