// Every number of section 6 of Czechowski et al. 2012, and of the figures it speaks of, as a function of an Outlook:
// the machines of 2020 with the scenarios that follow. Evaluated with the printed column; at the corners that the
// digits of that column allow; and with equation (2) read in the two ways that were found to fit, which shows what they
// explain. All quantities rise or fall with each input, so that corners bound them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ranges>

#include "lab/theory/exascale_claims.hpp"

namespace kallima::exascale {
namespace {

using enum Relation;

constexpr double peta = 1e15;
constexpr double exa = 1e18;

struct Outlook {
  double n;
  Lanes lanes;
  Reading reading;
  std::vector<System> systems = scenarios(n, lanes, reading);  // GPU, CPU-1, CPU-2, CPU-3
  Ratios ratios = memory_to_network_2010_2020(reading);        // Figure 6
  const System& gpu() const { return systems[0]; }
};

// Of system or line i. The GPU-like machine is what others are compared with.
double nodes(const Outlook& w, std::size_t i) { return w.systems[i].nodes; }
double nodes_of(const Outlook& w, std::size_t i) { return nodes(w, i) / nodes(w, 0); }
double net_of(const Outlook& w, std::size_t i) { return w.systems[i].times.network_s / w.gpu().times.network_s; }
double mem_of(const Outlook& w, std::size_t i) { return w.systems[i].times.memory_s / w.gpu().times.memory_s; }
double growth_of(const Outlook& w, std::size_t i) {
  return w.ratios.lines[i].ratios.back() / w.ratios.lines[i].ratios.front();
}

// Nothing overlaps.
double fft_rate(const Outlook& w, std::size_t = 0) { return flop_count(w.n) / w.gpu().times.sum_s() / peta; }

double faster_than_gpu(const std::vector<System>& systems) {
  return systems[0].times.sum_s() / systems[1].times.sum_s();
}

double ten_years(const char* symbol) { return growth(10, read_printed(trend(symbol).doubling_years).value); }

struct Statement {
  const char* where;
  const char* claim;
  const char* printed;
  const char* unit;
  Relation relation;
  double (*value)(const Outlook&, std::size_t which);  // in the unit; none: measured or chosen
  std::size_t which = 0;
  const char* note = "";
  double in(const Outlook& w) const { return value(w, which); }
};

const char* const rate = "prediction 1";
const char* const race = "prediction 2";
const char* const move = "prediction 3";

const Statement statements[] = {
    {rate, "rate of the FFT on the GPU-like machine", "2.8", "PF/s", equal, fft_rate},
    {rate, "that rate as a share of 4 EF/s", "0.08", "%", equal,
     [](const Outlook& w, auto) { return 100 * fft_rate(w) * peta / w.lanes.peak_flop_per_s; }},
    {rate, "the printed 2.8 PF/s over the printed 4 EF/s", "0.08", "%", equal,
     [](const Outlook&, auto) { return 100 * 2.8 * peta / printed_2020(trend("R_peak")); }},
    {race, "CPU-1 faster than GPU, same peak", "3.2", "x", equal,
     [](const Outlook& w, auto) { return faster_than_gpu(w.systems); }},
    {race, "communication over flop time, GPU", "1000", "x", magnitude,
     [](const Outlook& w, auto) {
       return w.gpu().times.sum_s() / flop_time_s(w.n, w.gpu().nodes, w.gpu().node.peak_flop_per_s);
     }},
    {race, "T_net/T_mem, GPU", "2.8", "x", equal,
     [](const Outlook& w, auto) { return w.gpu().times.network_s / w.gpu().times.memory_s; }},
    {race, "T_net of CPU-1 over GPU's, \"nearly 1/5\"", "0.2", "x", equal, net_of, 1},
    {race, "T_mem of CPU-1 over GPU's", "1", "x", below, mem_of, 1},
    {race, "processors of CPU-1 over GPU's", "10", "x", above, nodes_of, 1},
    {race, "processors of CPU-1", "1M", "", equal, nodes, 1},
    {race, "processors of CPU-2", "350k", "", equal, nodes, 2},
    {race, "peak of CPU-2", "1", "EF/s", equal,
     [](const Outlook& w, auto) { return nodes(w, 2) * w.lanes.cpu.peak_flop_per_s / exa; }},
    {race, "peak of the printed 350k nodes of 3.0 TF/s", "1", "EF/s", equal,
     [](const Outlook& w, auto) { return 350e3 * w.lanes.cpu.peak_flop_per_s / exa; }},
    {race, "T_mem of CPU-2 over GPU's", "1", "x", above, mem_of, 2},
    {race, "T_net of CPU-2 over GPU's", "1", "x", below, net_of, 2},
    {race, "max{T_mem, T_net} of GPU and CPU-3", "0.528", "s", equal,
     [](const Outlook& w, auto) { return w.gpu().times.longest_s(); }},
    {race, "processors of CPU-3", "295k", "", equal, nodes, 3},
    {race, "processors of CPU-3 over GPU's", "2.25", "x", equal, nodes_of, 3},
    {race, "T_mem + T_net of CPU-3 over GPU's", "1", "x", above,
     [](const Outlook& w, auto) { return w.systems[3].times.sum_s() / w.gpu().times.sum_s(); }},
    {"Figure 5, caption", "largest T_net of CPU-1, 2, 3 over GPU's", "1", "x", below,
     [](const Outlook& w, auto) {
       return std::max({net_of(w, 1), net_of(w, 2), net_of(w, 3)});
     }},
    {move, "T_mem/T_net, 3-D torus, largest 2010-2020", "1", "", below,
     [](const Outlook& w, auto) { return *std::ranges::max_element(w.ratios.lines[0].ratios); }},
    {move, "growth of it, 3-D torus", "1", "x", below, growth_of, 0},
    {move, "ideal mapping over bisection, 3-D, 2020", "10", "x", equal,
     [](const Outlook& w, auto) {
       const double link = w.lanes.cpu.link_bytes_per_s;
       return torus_bisection_time_s(w.n, nodes(w, 1), link) / torus_ideal_time_s(w.n, nodes(w, 1), link);
     },
     0, "both for two exchanges; (4) as printed bounds one, which would double it"},
    {move, "growth of T_mem/T_net, 3-D torus, ideal", "1", "x", above, growth_of, 1},
    {move, "growth of T_mem/T_net, 4-D torus", "1", "x", above, growth_of, 2},
    {move, "growth of T_mem/T_net, 5-D torus", "1", "x", above, growth_of, 3},
    {move, "growth of T_mem/T_net, 6-D torus", "1", "x", above, growth_of, 4},
    {move, "\"well-balanced\": least change, 3-D to 6-D", "4", "D", equal,
     [](const Outlook& w, auto) {  // among the bisection estimates; line 1 is the ideal mapping
       const auto change = [&](std::size_t line) { return std::abs(std::log(growth_of(w, line))); };
       const std::size_t line = std::ranges::min(std::initializer_list<std::size_t>{0, 2, 3, 4}, {}, change);
       return line == 0 ? 3.0 : static_cast<double>(line + 2);
     }},
    {move, "T_mem/T_net in 2020, largest up to 6-D", "1", "", above,
     [](const Outlook& w, auto) {
       return std::ranges::max(w.ratios.lines | std::views::transform([](const Line& l) { return l.ratios.back(); }));
     }},
    {move, "ten-year growth of C_node/R_peak", "1", "x", below,
     [](const Outlook&, auto) { return ten_years("C_CPU") / ten_years("R_peak"); }},
    {move, "ten-year growth of beta_link/beta_mem", "1", "x", above,
     [](const Outlook&, auto) { return ten_years("beta_link") / ten_years("beta_CPU"); }},
    {"xPU stacking", "growth of cores over growth of cache", "1", "x", above,
     [](const Outlook&, auto) { return ten_years("rho_CPU") / ten_years("Z_CPU"); }},
    {"introduction", "CPU faster than GPU, both of 1 EF/s", "1", "x", above,
     [](const Outlook& w, auto) {
       return faster_than_gpu(scenarios(w.n, {w.lanes.cpu, w.lanes.gpu, 1 * exa}, w.reading));
     }},
    {rate, "today's best share of peak of a 3-D FFT", "0.5", "%", equal, nullptr, 0, "measured by the authors"},
    {race, "side n of the problem", "21,000", "", equal, nullptr, 0, "chosen by the authors, after Gahvari and Gropp"},
    {"Figure 6", "side n of the problem in 2010", "4096", "", equal, nullptr, 0, "chosen by the authors"},
};

// What the printed digits of the inputs allow. The caches play no part: a line of n words fits them at any rounding.
std::vector<Outlook> corners_of(double n) {
  std::vector<Outlook> all;
  for (unsigned mask = 0; mask < 32; ++mask) {
    const auto end = [mask](const char* symbol, unsigned bit) {
      const Printed digits = read_printed(trend(symbol).value_2020);
      return ((mask >> bit & 1u) != 0 ? digits.high : digits.low) * unit_factor(trend(symbol).unit_2020);
    };
    Lanes lanes = lanes_2020(Column::printed);
    lanes.cpu.peak_flop_per_s = end("C_CPU", 0);
    lanes.gpu.peak_flop_per_s = end("C_GPU", 1);
    lanes.cpu.memory_bytes_per_s = end("beta_CPU", 2);
    lanes.gpu.memory_bytes_per_s = end("beta_GPU", 3);
    lanes.cpu.link_bytes_per_s = lanes.gpu.link_bytes_per_s = end("beta_link", 4);
    all.push_back({n, lanes, Reading::printed});
  }
  return all;
}

// What two other readings of equation (2) would give, where they change the verdict or have one to explain.
std::string fits(const Statement& s, const Claim& claim, double twice, double lines) {
  const bool same = theory::same(twice, *claim.computed) && theory::same(lines, *claim.computed);
  const bool explains = claim.verdict == Verdict::differs || !holds(s.relation, read_printed(s.printed), lines);
  if (same || !explains) return "";
  return fmt::format("fits after the fact: 16 bytes applied twice {}, and Z in lines without max() {}",
                     number_text(twice), number_text(lines));
}

}  // namespace

std::vector<Claim> prediction_claims(double n) {
  const std::vector<Outlook> corners = corners_of(n);
  const Lanes lanes = lanes_2020(Column::printed);
  const Outlook as_printed{n, lanes, Reading::printed}, twice{n, lanes, Reading::bytes_twice},
      in_lines{n, lanes, Reading::bytes_twice_in_lines};
  std::vector<Claim> all;
  for (const Statement& s : statements) {
    Claim claim{"Section 6", s.claim, s.where, s.printed, s.unit};
    if (s.value == nullptr) {
      all.push_back(given(claim, s.note));
      continue;
    }
    Printed computed = exactly(s.in(as_printed));
    for (const Outlook& corner : corners) {
      computed.low = std::min(computed.low, s.in(corner));
      computed.high = std::max(computed.high, s.in(corner));
    }
    add_note(claim, s.note);
    claim = judged(claim, computed, s.relation);
    add_note(claim, fits(s, claim, s.in(twice), s.in(in_lines)));
    all.push_back(std::move(claim));
  }
  return all;
}

}  // namespace kallima::exascale
