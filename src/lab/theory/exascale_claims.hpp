#pragma once
// How the claims of Czechowski et al. 2012 are put together: the statements of Table 1, of section 6 and of the rest
// each in their own file, the verdict in one place.

#include "kallima/exascale.hpp"
#include "kallima/theory.hpp"
#include "lab/theory/printed.hpp"

namespace kallima::exascale {

// The verdict on a claim, whose `printed` is read for its digits unless they are given. `computed` is what follows from
// the inputs as they are printed, with bounds as far as the digits of these allow.
Claim judged(Claim claim, const theory::Printed& computed, theory::Relation relation = theory::Relation::equal);
Claim judged(Claim claim, const theory::Printed& computed, theory::Relation relation, const theory::Printed& printed);
Claim given(Claim claim, const std::string& note);  // not derivable: measured or chosen by the authors

inline theory::Printed exactly(double value) { return {value, {value, value}}; }
void add_note(Claim& claim, const std::string& more);

std::vector<Claim> table1_claims();
std::vector<Claim> prediction_claims(double n);
std::vector<Claim> elsewhere_claims();

}  // namespace kallima::exascale
