// Every cell of Table 1 of Czechowski et al. 2012 against the others: the factor that the doubling time gives, the
// value of 2020 that the printed factor gives, and the nodes that peak and node give. Those of 2010 stand as printed.

#include <fmt/format.h>

#include "lab/theory/exascale_claims.hpp"

namespace kallima::exascale {
namespace {

const char* const factors = "Table 1: growth in ten years";
const char* const values = "Table 1: values of 2020";
const char* const node_counts = "Table 1: nodes, R_peak/C";

// The node's peak in 2020 as it was before rounding.
double grown(const Trend& row) { return value_in(row, 2010) * read_printed(row.factor).value; }

// The longer the doubling time, the smaller the growth.
Claim factor_claim(const Trend& row) {
  const auto [years, shortest, longest] = read_printed(row.doubling_years);
  return judged({factors, fmt::format("{}, doubling in {} years", row.parameter, row.doubling_years), "Table 1, factor",
                 row.factor, "x"},
                {growth(10, years), growth(10, longest), growth(10, shortest)});
}

Claim value_claim(const Trend& row) {
  const double start = value_in(row, 2010) / unit_factor(row.unit_2020);
  const std::string claim = fmt::format("{}, {} {}{}x {}", row.symbol, row.value_2010, row.unit_2010,
                                        row.unit_2010.empty() ? "" : " ", row.factor);
  Claim it = judged({values, claim, "Table 1, value", row.value_2020, row.unit_2020}, start * read_printed(row.factor));
  if (it.verdict == Verdict::differs)
    it.note =
        fmt::format("the printed value would be growth by {:.3g}, its doubling time gives {}", it.printed_value / start,
                    number_text(start * growth(10, read_printed(row.doubling_years).value)));
  return it;
}

// A machine of the peak R has R/C nodes. The digits of C say how exactly; those of R do not, it was chosen.
Claim nodes_2020_claim(const Trend& p, const Trend& c) {
  const double peak = printed_2020(trend("R_peak"));
  Claim it{node_counts, fmt::format("{} of 2020, nodes of {} {}", p.symbol, c.value_2020, c.unit_2020), "Table 1, 2020",
           p.value_2020};
  add_note(it, fmt::format("nodes of {} {} x {} would be {}", c.value_2010, c.unit_2010, c.factor,
                           number_text(peak / grown(c))));
  return judged(it, peak / unit_factor(c.unit_2020) / read_printed(c.value_2020));
}

// Nodes grow as the machine's peak does over the node's; the printed factor betrays which growth of the peak was used.
Claim nodes_factor_claim() {
  const Printed c = read_printed(trend("C_CPU").factor);
  const double doubled = growth(10, read_printed(trend("R_peak").doubling_years).value);
  Claim it{node_counts, "growth of nodes, R_peak's 1000 over C's 59.0", "Table 1, factor", trend("P_CPU").factor, "x"};
  add_note(it, fmt::format("with ten doublings, {:.0f}, it is {:.2f}", doubled, doubled / c.value));
  return judged(it, read_printed(trend("R_peak").factor).value / c);
}

// The peak that a number of nodes belongs to, in EF/s, with the node's peak from 2010 and the printed factor.
std::string implied_peak(const std::string& lane) {
  const std::string& count = trend("P_" + lane).value_2020;
  const Printed peak = grown(trend("C_" + lane)) * 1e-18 * read_printed(count);
  return fmt::format("{} nodes are {:.2f} to {:.2f} EF/s", count, peak.low, peak.high);
}

// Both lanes have the same machine peak, so that their nodes are as C_GPU to C_CPU, in any year.
Claim same_peak_claim() {
  const Printed printed = read_printed(trend("P_CPU").value_2020) / read_printed(trend("P_GPU").value_2020);
  Claim it{node_counts, "P_CPU/P_GPU of 2020 is C_GPU/C_CPU, 515/50.4", "Table 1, 2020",
           fmt::format("{:.2f}", printed.value), "x"};
  add_note(it, implied_peak("CPU") + ", " + implied_peak("GPU"));
  return judged(it, exactly(value_in(trend("C_GPU"), 2010) / value_in(trend("C_CPU"), 2010)), Relation::equal, printed);
}

}  // namespace

std::vector<Claim> table1_claims() {
  std::vector<Claim> all;
  std::string last;
  for (const Trend& row : table1()) {
    if (row.parameter != last) all.push_back(factor_claim(row));  // both lanes share it
    last = row.parameter;
  }
  for (const Trend& row : table1()) all.push_back(value_claim(row));
  for (const std::string lane : {"CPU", "GPU"}) {
    const Trend &p = trend("P_" + lane), &c = trend("C_" + lane);
    all.push_back(judged({node_counts, fmt::format("{} of 2010, nodes of {} {}", p.symbol, c.value_2010, c.unit_2010),
                          "Table 1, 2010", p.value_2010},
                         exactly(value_in(trend("R_peak"), 2010) / value_in(c, 2010))));
    all.push_back(nodes_2020_claim(p, c));
  }
  all.push_back(nodes_factor_claim());
  all.push_back(same_peak_claim());
  all.push_back(judged({node_counts, "L1 and registers (2.7 MB) over L2 (512 KB)", "Table 1, note b", "1", "x"},
                       exactly(value_in(trend("Z_GPU"), 2010) / 512e3), Relation::above));
  return all;
}

}  // namespace kallima::exascale
