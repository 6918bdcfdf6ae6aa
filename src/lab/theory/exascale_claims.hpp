#pragma once
// How the claims of Czechowski et al. 2012 are put together: the statements of Table 1, of section 6 and of the rest
// each in their own file, the verdict in one place.

#include "kallima/exascale.hpp"
#include "lab/theory/printed.hpp"

namespace kallima::exascale {

// What is judged: `computed` as the inputs are printed, `range` as far as their digits allow.
struct Evidence {
  theory::Relation relation = theory::Relation::equal;
  theory::Printed printed;
  double computed = 0;
  theory::Interval range{};
};

Claim judged(Claim claim, const Evidence& evidence);

std::vector<Claim> table1_claims();
std::vector<Claim> prediction_claims(double n);
std::vector<Claim> elsewhere_claims();

}  // namespace kallima::exascale
