#include "lab/theory/sahay_ledger.hpp"

#include <algorithm>
#include <iterator>

#include "kallima/theory.hpp"

namespace kallima::theory::sahay {
namespace {

constexpr const char* order[] = {"section 1.1, speedup",
                                 "speedup, waiting",
                                 "section 3.1, messages",
                                 "Theorem 3.1",
                                 "section 3.2, fixed allocation",
                                 "section 3.2, bad order",
                                 "bad order, stalling",
                                 "Definition 4.1, Proposition 4.1",
                                 "section 4.3, symmetry",
                                 "section 4.3, completion",
                                 "Lemma 4.1",
                                 "Lemma 4.1, its proof",
                                 "Corollary 4.1",
                                 "Lemma 4.2",
                                 "a*",
                                 "Theorem 4.1 (1)",
                                 "Theorem 4.1 (2)",
                                 "Theorem 4.1 (3)",
                                 "section 4.4, no idling",
                                 "section 4.4, as it must be read",
                                 "Lemma 5.1",
                                 "Fact 5.1",
                                 "Fact 5.2",
                                 "Fact 5.3",
                                 "Theorem 5.1, g > 2P - 2",
                                 "Theorem 5.1, g <= 2P - 2",
                                 "section 5, in general",
                                 "overhead o > 0, L = 0",
                                 "long messages, ready",
                                 "long messages, hidden"};

}  // namespace

void Ledger::note(const Words& words, const std::string& parameters, double printed, std::optional<double> corrected,
                  double simulated, const std::string& evidence) {
  Claim& it = find(words);
  const Claim::Case one{parameters, printed, corrected, simulated, evidence};
  it.example = one;
  ++it.cases;
  it.printed_agrees += same(printed, simulated);
  if (!same(printed, simulated) && !it.counterexample) it.counterexample = one;
  if (!corrected) return;
  ++it.corrected_cases;
  it.corrected_agrees += same(*corrected, simulated);
  if (!same(*corrected, simulated) && !it.corrected_counterexample) it.corrected_counterexample = one;
}

std::vector<Claim> Ledger::take() {
  const auto place = [](const Claim& claim) {
    return std::find(std::begin(order), std::end(order), claim.where) - std::begin(order);
  };
  std::stable_sort(claims_.begin(), claims_.end(), [&](const Claim& a, const Claim& b) { return place(a) < place(b); });
  return std::move(claims_);
}

Claim& Ledger::find(const Words& words) {
  for (Claim& claim : claims_)
    if (claim.where == words.where) return claim;
  claims_.push_back({.where = words.where, .printed = words.printed, .corrected = words.corrected});
  return claims_.back();
}

}  // namespace kallima::theory::sahay
