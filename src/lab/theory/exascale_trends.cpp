// Table 1 of Czechowski et al. 2012: what a node and a machine are in 2010, how many years each number takes to double,
// and what the authors print for 2020. Both lanes double at the same rate, so that each rate stands twice.

#include <array>
#include <cmath>

#include "base/check.hpp"
#include "kallima/exascale.hpp"
#include "lab/theory/printed.hpp"

namespace kallima::exascale {

namespace {

const std::array<Trend, 15> rows{{
    {"peak", "C_CPU", "50.4", "GF/s", "1.7", "59.0", "3.0", "TF/s"},
    {"peak", "C_GPU", "515", "GF/s", "1.7", "59.0", "30", "TF/s"},
    {"cores", "rho_CPU", "6", "", "1.87", "40.7", "134", ""},
    {"cores", "rho_GPU", "448", "", "1.87", "40.7", "18k", ""},
    {"memory bandwidth", "beta_CPU", "21.3", "GB/s", "3.0", "9.7", "206", "GB/s"},
    {"memory bandwidth", "beta_GPU", "144", "GB/s", "3.0", "9.7", "1.4", "TB/s"},
    {"fast memory", "Z_CPU", "6", "MB", "2.0", "32.0", "192", "MB"},
    {"fast memory", "Z_GPU", "2.7", "MB", "2.0", "32.0", "86.4", "MB"},
    {"line size", "L_CPU", "64", "B", "10.2", "2.0", "128", "B"},
    {"line size", "L_GPU", "128", "B", "10.2", "2.0", "256", "B"},
    {"link bandwidth", "beta_link", "10", "GB/s", "2.25", "21.8", "218", "GB/s"},
    {"machine peak", "R_peak", "4", "PF/s", "1.0", "1000", "4", "EF/s"},
    {"system memory", "E", "635", "TB", "1.3", "208", "132", "PB"},
    {"nodes", "P_CPU", "79,400", "", "2.4", "17.4", "1.3M", ""},
    {"nodes", "P_GPU", "7,770", "", "2.4", "17.4", "135,000", ""},
}};

using Value = std::function<double(const std::string&)>;

Node node_of(Lane lane, const Value& value) {
  const std::string suffix = lane == Lane::cpu ? "_CPU" : "_GPU";
  return {.peak_flop_per_s = value("C" + suffix),
          .cores = value("rho" + suffix),
          .memory_bytes_per_s = value("beta" + suffix),
          .cache_bytes = value("Z" + suffix),
          .line_bytes = value("L" + suffix),
          .link_bytes_per_s = value("beta_link")};
}

}  // namespace

std::span<const Trend> table1() { return rows; }

const Trend& trend(const std::string& symbol) {
  for (const Trend& row : rows)
    if (row.symbol == symbol) return row;
  fail("Table 1 has no {} (it has C_CPU, beta_link, R_peak and others) check the spelling", symbol);
}

double growth(double years, double doubling_years) { return std::exp2(years / doubling_years); }

double value_in(const Trend& trend, double year) {
  const double start = theory::read_printed(trend.value_2010).value * theory::unit_factor(trend.unit_2010);
  return start * growth(year - 2010, theory::read_printed(trend.doubling_years).value);
}

double printed_2020(const Trend& trend) {
  return theory::read_printed(trend.value_2020).value * theory::unit_factor(trend.unit_2020);
}

Node node_in(Lane lane, double year) {
  return node_of(lane, [year](const std::string& symbol) { return value_in(trend(symbol), year); });
}

Node node_2020(Lane lane, Column column) {
  if (column == Column::extrapolated) return node_in(lane, 2020);
  return node_of(lane, [](const std::string& symbol) { return printed_2020(trend(symbol)); });
}

// The peak is the same in both columns: section 6 compares machines of 4 EF/s, and 1024 times 4 PF/s is not that.
Lanes lanes_2020(Column column) {
  return {.cpu = node_2020(Lane::cpu, column),
          .gpu = node_2020(Lane::gpu, column),
          .peak_flop_per_s = printed_2020(trend("R_peak"))};
}

}  // namespace kallima::exascale
