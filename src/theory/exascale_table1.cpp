// Every cell of Table 1 of Czechowski et al. 2012 against the others: the factor that the doubling time gives, the
// value of 2020 that the printed factor gives, and the nodes that peak and node give. Values of 2010 are taken as they
// stand.

#include <fmt/format.h>

#include "theory/exascale_claims.hpp"

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
    claim.note = fmt::format("the printed value would be growth by {:.3g}, its doubling time gives {:.4g}",
                             value.value / start, start * growth(10, read_printed(row.doubling_years).value));
  return claim;
}

// A machine of the peak has R/C nodes; the digits of C say how exactly. Those of R do not: it was chosen.
Claim nodes_claim(const std::string& symbol, const std::string& year, const Trend& node, const std::string& printed,
                  double peak, const std::string& node_peak, const std::string& unit) {
  const Printed c = read_printed(node_peak);
  const double scale = peak / theory::unit_factor(unit);
  return judged(
      {.section = nodes,
       .claim = fmt::format("{} of {}, nodes of {} {}", symbol, year, node_peak, unit),
       .where = "Table 1, " + year,
       .printed = printed,
       .unit = "",
       .note = year == "2020"
                   ? fmt::format("{} x {} {} would be {:.4g}", node.value_2010, node.factor, node.unit_2010,
                                 peak / (number(node.value_2010, node.unit_2010) * read_printed(node.factor).value))
                   : ""},
      {.printed = read_printed(printed),
       .computed = scale / c.value,
       .range = year == "2020" ? Interval{scale / c.rounds_to_it.high, scale / c.rounds_to_it.low}
                               : Interval{scale / c.value, scale / c.value}});
}

std::vector<Claim> lane_nodes(const std::string& lane) {
  const Trend& p = trend("P_" + lane);
  const Trend& c = trend("C_" + lane);
  const Trend& r = trend("R_peak");
  return {nodes_claim(p.symbol, "2010", c, p.value_2010, number(r.value_2010, r.unit_2010), c.value_2010, c.unit_2010),
          nodes_claim(p.symbol, "2020", c, p.value_2020, printed_2020(r), c.value_2020, c.unit_2020)};
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
  for (const char* lane : {"CPU", "GPU"})
    for (Claim& claim : lane_nodes(lane)) all.push_back(std::move(claim));
  for (const Claim& claim : {nodes_factor_claim(), same_peak_claim(), footnote_claim()}) all.push_back(claim);
  return all;
}

}  // namespace kallima::exascale
