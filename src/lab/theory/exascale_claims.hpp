#pragma once
// Numbers as a paper prints them, and the claims of Czechowski et al. 2012 that are made of them. The digits say how
// exact a number is meant: to half a unit of the last one, where the zeros that end a number with a thousands separator
// (135,000) are no digits. Whether a computed number agrees follows from that alone, the same way for every claim.

#include "kallima/exascale.hpp"
#include "kallima/theory.hpp"

namespace kallima::exascale {

using theory::number_text;

struct Printed {
  double value = 0;
  double low = 0, high = 0;  // what is between them would have been printed like this, too
};

Printed read_printed(const std::string& text);  // 0.528, 1.3M, 350k, 79,400
double unit_factor(const std::string& unit);    // TF/s is 1e12, GB/s 1e9, B or nothing 1

// Of positive numbers; the result is as vague as they are.
inline Printed operator*(double a, const Printed& b) { return {a * b.value, a * b.low, a * b.high}; }
inline Printed operator/(double a, const Printed& b) { return {a / b.value, a / b.high, a / b.low}; }
inline Printed operator/(const Printed& a, const Printed& b) {
  return {a.value / b.value, a.low / b.high, a.high / b.low};
}

enum class Relation { equal, above, below, magnitude };  // magnitude: to the nearest power of ten

bool holds(Relation relation, const Printed& printed, double computed);
bool may_hold(Relation relation, const Printed& printed, const Printed& computed);  // as vague as it is

// The verdict on a claim, whose `printed` is read for its digits unless they are given. `computed` is what follows from
// the inputs as they are printed, with bounds as far as the digits of these allow.
Claim judged(Claim claim, const Printed& computed, Relation relation = Relation::equal,
             const std::optional<Printed>& given_digits = {});
Claim given(Claim claim, const std::string& note);  // not derivable: measured or chosen by the authors

inline Printed exactly(double value) { return {value, value, value}; }
void add_note(Claim& claim, const std::string& more);

std::vector<Claim> table1_claims();
std::vector<Claim> prediction_claims(double n);
std::vector<Claim> elsewhere_claims();

}  // namespace kallima::exascale
