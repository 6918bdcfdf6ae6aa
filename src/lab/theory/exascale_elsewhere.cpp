// Numbers of Czechowski et al. 2012 outside Table 1 and section 6 that can be checked against each other, and those of
// its measurements that section 6 leans on, which cannot.

#include <array>

#include "lab/theory/exascale_claims.hpp"

namespace kallima::exascale {

namespace {

using theory::Interval;
using theory::read_printed;
using theory::Relation;

constexpr const char* section = "Sections 2 to 5";
constexpr const char* measured = "measured by the authors";

Claim checked(Claim claim, double computed, Interval range, Relation relation = Relation::equal) {
  claim.section = section;
  const theory::Printed printed = read_printed(claim.printed);
  return judged(std::move(claim), {relation, printed, computed, range});
}

Claim checked(Claim claim, double computed, Relation relation = Relation::equal) {
  return checked(std::move(claim), computed, {computed, computed}, relation);
}

Claim anton() {
  const double gflop_per_s = flop_count(32) / 4e-6 * 1e-9;
  return checked(
      {.claim = "32^3 points in 4 microseconds on Anton", .where = "section 2", .printed = "614", .unit = "GF/s"},
      gflop_per_s);
}

// 6,392 nodes with two chips of twelve cores, each core a sixth of Table 1's processor of six.
Claim hopper_peak() {
  const theory::Printed c = read_printed(trend("C_CPU").value_2010);
  const double processors = 6392.0 * 24 / 6 * 1e-6;
  return checked(
      {.claim = "Hopper's peak: 6,392 nodes x 4 x C_CPU", .where = "section 5.1", .printed = "1.288", .unit = "PF/s"},
      processors * c.value, {processors * c.rounds_to_it.low, processors * c.rounds_to_it.high});
}

Claim hopper_cores() {
  return checked(
      {.claim = "cores of 4,096 nodes of two 12-core chips", .where = "section 5.1", .printed = "98,304", .unit = ""},
      4096.0 * 24);
}

Claim hopper_torus() {
  constexpr std::array<double, 3> extents{17, 8, 24};
  return checked({.claim = "nodes of a torus of 17 x 8 x 24",
                  .where = "section 5.1",
                  .printed = "6,392",
                  .unit = "",
                  .note = "with two nodes at each place there is room for 6528"},
                 extents[0] * extents[1] * extents[2]);
}

Claim pcie_gap() {
  return checked(
      {.claim = "GPU memory over PCIe bandwidth, 144/8", .where = "section 5.3.1", .printed = "10", .unit = "x"},
      value_in(trend("beta_GPU"), 2010) / 8e9, Relation::magnitude);
}

Claim given(const char* where, const char* claim, const char* printed, const char* unit) {
  return {.section = section,
          .claim = claim,
          .where = where,
          .printed = printed,
          .unit = unit,
          .printed_value = read_printed(printed).value,
          .note = measured};
}

}  // namespace

std::vector<Claim> elsewhere_claims() {
  return {anton(),
          hopper_cores(),
          hopper_peak(),
          hopper_torus(),
          pcie_gap(),
          given("section 2", "1-D FFT record, K computer", "34.7", "TF/s"),
          given("section 5.2.1", "constant A of equation (2)", "6.3", ""),
          given("section 5.2.2", "time in local transposes, DiGPUFFT", "16", "%"),
          given("section 5.2.2", "time in FFT computation, DiGPUFFT", "21", "%"),
          given("section 5.3.1", "time between CPU and GPU, DiGPUFFT", "27", "%"),
          given("section 5.3.1", "largest gain of GPU over CPU, Keeneland", "20", "%")};
}

}  // namespace kallima::exascale
