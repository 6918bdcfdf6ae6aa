// Every cell of Table 1 of Czechowski et al. 2012 against the others: the factor that the doubling time gives, the
// value of 2020 that the printed factor gives, and the nodes that peak and node give. Values of 2010 are taken as they
// stand.

#include <fmt/format.h>

#include "lab/theory/exascale_claims.hpp"

namespace kallima::exascale {

namespace {

using theory::Interval;
using theory::Printed;
using theory::read_printed;

const char* const factors = "Table 1: growth in ten years";
const char* const values = "Table 1: values of 2020";
const char* const nodes = "Table 1: nodes, R_peak/C";

double number(const std::string& printed, const std::string& unit) {
  return read_printed(printed).value * theory::unit_factor(unit);
}

// The longer the doubling time, the smaller the growth.
Claim factor_claim(const Trend& row) {
  const Printed years = read_printed(row.doubling_years);
  return judged({.section = factors,
                 .claim = fmt::format("{}, doubling in {} years", row.parameter, row.doubling_years),
                 .where = "Table 1, factor",
                 .printed = row.factor,
                 .unit = "x"},
                {.printed = read_printed(row.factor),
                 .computed = growth(10, years.value),
                 .range = {growth(10, years.rounds_to_it.high), growth(10, years.rounds_to_it.low)}});
}

Claim value_claim(const Trend& row) {
  const double start = number(row.value_2010, row.unit_2010) / theory::unit_factor(row.unit_2020);
  const Printed factor = read_printed(row.factor);
  const Printed value = read_printed(row.value_2020);
  Claim claim = judged({.section = values,
                        .claim = fmt::format("{}, {} {}{}x {}", row.symbol, row.value_2010, row.unit_2010,
                                             row.unit_2010.empty() ? "" : " ", row.factor),
                        .where = "Table 1, value",
                        .printed = row.value_2020,
                        .unit = row.unit_2020},
                       {.printed = value,
                        .computed = start * factor.value,
                        .range = {start * factor.rounds_to_it.low, start * factor.rounds_to_it.high}});
  if (claim.verdict == Verdict::differs)
    claim.note =
        fmt::format("the printed value would be growth by {:.3g}, its doubling time gives {}", value.value / start,
                    theory::number_text(start * growth(10, read_printed(row.doubling_years).value)));
  return claim;
}

// The same with the node's peak as it was before rounding.
std::string unrounded_nodes(const Trend& c, double peak) {
  const double node = number(c.value_2010, c.unit_2010) * read_printed(c.factor).value;
  return fmt::format("nodes of {} {} x {} would be {}", c.value_2010, c.unit_2010, c.factor,
                     theory::number_text(peak / node));
}

// A machine of the peak R has R/C nodes. The digits of C say how exactly; those of R do not, it was chosen.
Claim nodes_2020_claim(const Trend& p, const Trend& c) {
  const Printed node = read_printed(c.value_2020);
  const double peak = printed_2020(trend("R_peak"));
  const double scale = peak / theory::unit_factor(c.unit_2020);
  return judged({.section = nodes,
                 .claim = fmt::format("{} of 2020, nodes of {} {}", p.symbol, c.value_2020, c.unit_2020),
                 .where = "Table 1, 2020",
                 .printed = p.value_2020,
                 .note = unrounded_nodes(c, peak)},
                {.printed = read_printed(p.value_2020),
                 .computed = scale / node.value,
                 .range = {scale / node.rounds_to_it.high, scale / node.rounds_to_it.low}});
}

Claim nodes_2010_claim(const Trend& p, const Trend& c) {
  const double computed = value_in(trend("R_peak"), 2010) / value_in(c, 2010);
  return judged({.section = nodes,
                 .claim = fmt::format("{} of 2010, nodes of {} {}", p.symbol, c.value_2010, c.unit_2010),
                 .where = "Table 1, 2010",
                 .printed = p.value_2010},
                {.printed = read_printed(p.value_2010), .computed = computed, .range = {computed, computed}});
}

// Nodes grow as the machine's peak does over the node's; the printed factor betrays which growth of the peak was used.
Claim nodes_factor_claim() {
  const Trend& p = trend("P_CPU");
  const Printed c = read_printed(trend("C_CPU").factor);
  const double r = read_printed(trend("R_peak").factor).value;
  const double doubled = growth(10, read_printed(trend("R_peak").doubling_years).value);
  return judged({.section = nodes,
                 .claim = "growth of nodes, R_peak's 1000 over C's 59.0",
                 .where = "Table 1, factor",
                 .printed = p.factor,
                 .unit = "x",
                 .note = fmt::format("with ten doublings, {:.0f}, it is {:.2f}", doubled, doubled / c.value)},
                {.printed = read_printed(p.factor),
                 .computed = r / c.value,
                 .range = {r / c.rounds_to_it.high, r / c.rounds_to_it.low}});
}

// The peak that a number of nodes belongs to, in EF/s, with the node's peak from 2010 and the printed factor.
std::string implied_peak(const std::string& lane) {
  const Trend& c = trend("C_" + lane);
  const Trend& p = trend("P_" + lane);
  const double node = number(c.value_2010, c.unit_2010) * read_printed(c.factor).value * 1e-18;
  const Interval i = read_printed(p.value_2020).rounds_to_it;
  return fmt::format("{} nodes are {:.2f} to {:.2f} EF/s", p.value_2020, i.low * node, i.high * node);
}

// Both lanes have the same machine peak, so that their nodes are as C_GPU to C_CPU, in any year.
Claim same_peak_claim() {
  const Printed printed = quotient(read_printed(trend("P_CPU").value_2020), read_printed(trend("P_GPU").value_2020));
  const double balance = value_in(trend("C_GPU"), 2010) / value_in(trend("C_CPU"), 2010);
  return judged({.section = nodes,
                 .claim = "P_CPU/P_GPU of 2020 is C_GPU/C_CPU, 515/50.4",
                 .where = "Table 1, 2020",
                 .printed = fmt::format("{:.2f}", printed.value),
                 .unit = "x",
                 .note = implied_peak("CPU") + ", " + implied_peak("GPU")},
                {.printed = printed, .computed = balance, .range = {balance, balance}});
}

Claim footnote_claim() {
  const double ratio = value_in(trend("Z_GPU"), 2010) / 512e3;
  return judged(
      {.section = nodes,
       .claim = "L1 and registers (2.7 MB) over L2 (512 KB)",
       .where = "Table 1, note b",
       .printed = "1",
       .unit = "x"},
      {.relation = theory::Relation::above, .printed = {1, {1, 1}}, .computed = ratio, .range = {ratio, ratio}});
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
    all.push_back(nodes_2010_claim(trend("P_" + lane), trend("C_" + lane)));
    all.push_back(nodes_2020_claim(trend("P_" + lane), trend("C_" + lane)));
  }
  for (const Claim& claim : {nodes_factor_claim(), same_peak_claim(), footnote_claim()}) all.push_back(claim);
  return all;
}

}  // namespace kallima::exascale
