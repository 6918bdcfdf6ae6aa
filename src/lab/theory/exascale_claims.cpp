// The verdict on a number of Czechowski et al. 2012. It follows from the digits that are printed, the same way for
// every claim.

#include "lab/theory/exascale_claims.hpp"

#include <iterator>

#include "base/check.hpp"

namespace kallima::exascale {

namespace {

void add_note(std::string& note, const std::string& more) { note += (note.empty() ? "" : "; ") + more; }

// A lone digit such as 1 is soon agreed with, which the reader should know.
bool is_coarse(const Evidence& e) {
  const theory::Interval& i = e.printed.rounds_to_it;
  return e.relation == theory::Relation::equal && i.high - i.low > e.printed.value / 2;
}

bool is_bound(theory::Relation relation) {
  return relation == theory::Relation::above || relation == theory::Relation::below;
}

// The rounding of inputs excuses no further what a lone digit already leaves open.
Verdict verdict_on(const Evidence& e) {
  if (holds(e.relation, e.printed, e.computed)) return Verdict::agrees;
  return !is_coarse(e) && may_hold(e.relation, e.printed, e.range) ? Verdict::within_inputs : Verdict::differs;
}

const char* sign(theory::Relation relation) {
  switch (relation) {
    case theory::Relation::above:
      return "> ";
    case theory::Relation::below:
      return "< ";
    case theory::Relation::magnitude:
      return "~ ";
    case theory::Relation::equal:
      break;
  }
  return "";
}

}  // namespace

Claim judged(Claim claim, const Evidence& e) {
  claim.printed = sign(e.relation) + claim.printed;
  claim.printed_value = e.printed.value;
  claim.computed = e.computed;
  if (!is_bound(e.relation)) claim.difference = e.computed / e.printed.value - 1;
  claim.verdict = verdict_on(e);
  if (claim.verdict == Verdict::agrees && e.relation == theory::Relation::magnitude)
    add_note(claim.note, "claimed and compared as an order of magnitude only");
  if (claim.verdict == Verdict::within_inputs)
    add_note(claim.note, fmt::format("{} to {} with the rounding of its inputs", theory::number_text(e.range.low),
                                     theory::number_text(e.range.high)));
  if (claim.verdict == Verdict::agrees && is_coarse(e))
    add_note(claim.note,
             fmt::format("one digit: all from {} to {} rounds to it", theory::number_text(e.printed.rounds_to_it.low),
                         theory::number_text(e.printed.rounds_to_it.high)));
  return claim;
}

std::vector<Claim> claims(double n) {
  require(n >= 2, "no model for n = {} (there is nothing to transform) give 2 or more", n);
  std::vector<Claim> all = table1_claims();
  for (std::vector<Claim>& part : std::vector{prediction_claims(n), elsewhere_claims()})
    all.insert(all.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
  return all;
}

const char* text(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees:
      return "agrees";
    case Verdict::within_inputs:
      return "within inputs";
    case Verdict::differs:
      return "does not follow";
    case Verdict::given:
      break;
  }
  return "not derivable";
}

}  // namespace kallima::exascale
