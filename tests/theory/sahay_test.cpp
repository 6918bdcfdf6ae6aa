#include <gtest/gtest.h>

#include <map>

#include "kallima/theory.hpp"
#include "lab/theory/sahay_formulas.hpp"
#include "lab/theory/sahay_runs.hpp"

namespace kallima::theory::sahay {
namespace {

TEST(Sahay, the_simulation_finds_what_needs_correcting_and_no_more) {
  std::map<std::string, std::string> found;
  for (const CheckedClaim& claim : check_claims({.max_n = 256, .max_P = 16, .max_g = 14, .latencies = {0, 5, 50}})) {
    EXPECT_GT(claim.cases, 0) << claim.where;
    EXPECT_TRUE(claim.corrected_holds()) << claim.where;
    if (!claim.printed_holds()) found[claim.where] = claim.counterexample->parameters;
  }
  const std::map<std::string, std::string> known{{"section 1.1, speedup", "(8, 2, 12, 0)"},
                                                 {"section 3.2, fixed allocation", "(4, 2)"},
                                                 {"section 3.2, bad order", "(16, 4, 1, 0)"},
                                                 {"Lemma 4.1, its proof", "m = 2, a = 1"},
                                                 {"a*", "(8, 2, 2)"},
                                                 {"Theorem 4.1 (3)", "(8, 2, 1)"},
                                                 {"section 4.4, no idling", "(8, 2, 6)"},
                                                 {"Fact 5.2", "(16, 4)"},
                                                 {"Theorem 5.1, g <= 2P - 2", "(16, 4, 3, 0)"}};
  EXPECT_EQ(found, known);
}

TEST(Sahay, formulas_give_the_values_worked_out_by_hand) {
  const PhaseSizes s{1024, 8};
  EXPECT_EQ(simple_time(s, 12, 0), 2612);
  EXPECT_EQ(waiting_time(s, last_send_corrected(s, 12), 0), 1843);
  EXPECT_EQ(input_driven_corrected(s, 12, 0), 1503);
  EXPECT_EQ(waiting_time(s, last_send_corrected(s, 5), 5), 1280);
  EXPECT_EQ(last_send_printed(PhaseSizes{8, 2}, 1), 5);
  EXPECT_EQ(input_driven_printed(PhaseSizes{16, 4}, 3, 0), 17);
}

TEST(Sahay, eight_outputs_of_four_processors_come_at_the_times_of_figure_two) {
  EXPECT_EQ(Runs(32, 4).output_times(), (std::vector<Index>{7, 8, 11, 12, 19, 20, 23, 24}));
}

TEST(Sahay, an_empty_grid_is_refused) {
  EXPECT_THROW(check_claims({.max_n = 2}), Error);
  EXPECT_THROW(check_claims({.latencies = {}}), Error);
}

}  // namespace
}  // namespace kallima::theory::sahay
