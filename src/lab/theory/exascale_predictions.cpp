// Every number of section 6 of Czechowski et al. 2012, and of the figures it speaks of, as a function of a World: the
// machines of 2020 with the scenarios that follow. Evaluated with the printed column; at the corners that the digits of
// that column allow; and with equation (2) read in the two ways that were found to fit, which shows what they explain.

#include <fmt/format.h>

#include "kallima/theory.hpp"
#include "lab/theory/exascale_claims.hpp"
#include "lab/theory/exascale_world.hpp"

namespace kallima::exascale {

namespace {

using theory::Relation;

struct Statement {
  const char* where;
  const char* claim;
  const char* printed;
  const char* unit;
  Relation relation;
  double (*value)(const World&);
  const char* note = "";
};

struct Given {
  const char* where;
  const char* claim;
  const char* printed;
  const char* unit;
  const char* note;
};

const char* const rate = "prediction 1";
const char* const race = "prediction 2";
const char* const fig5 = "Figure 5, caption";
const char* const move = "prediction 3";
const char* const stack = "xPU stacking";

const std::vector<Statement>& statements() {
  static const std::vector<Statement> all{
      {rate, "rate of the FFT on the GPU-like machine", "2.8", "PF/s", Relation::equal, fft_rate},
      {rate, "that rate as a share of 4 EF/s", "0.08", "%", Relation::equal, share_of_peak},
      {rate, "the printed 2.8 PF/s over the printed 4 EF/s", "0.08", "%", Relation::equal, printed_share},
      {race, "CPU-1 faster than GPU, same peak", "3.2", "x", Relation::equal, speedup},
      {race, "communication over flop time, GPU", "1000", "x", Relation::magnitude, over_flops},
      {race, "T_net/T_mem, GPU", "2.8", "x", Relation::equal, net_over_mem},
      {race, "T_net of CPU-1 over GPU's, \"nearly 1/5\"", "0.2", "x", Relation::equal, net_of<1>},
      {race, "T_mem of CPU-1 over GPU's", "1", "x", Relation::below, mem_of<1>},
      {race, "processors of CPU-1 over GPU's", "10", "x", Relation::above, nodes_of<1>},
      {race, "processors of CPU-1", "1M", "", Relation::equal, nodes<1>},
      {race, "processors of CPU-2", "350k", "", Relation::equal, nodes<2>},
      {race, "peak of CPU-2", "1", "EF/s", Relation::equal, cpu2_peak},
      {race, "peak of the printed 350k nodes of 3.0 TF/s", "1", "EF/s", Relation::equal, printed_cpu2_peak},
      {race, "T_mem of CPU-2 over GPU's", "1", "x", Relation::above, mem_of<2>},
      {race, "T_net of CPU-2 over GPU's", "1", "x", Relation::below, net_of<2>},
      {race, "max{T_mem, T_net} of GPU and CPU-3", "0.528", "s", Relation::equal, longest},
      {race, "processors of CPU-3", "295k", "", Relation::equal, nodes<3>},
      {race, "processors of CPU-3 over GPU's", "2.25", "x", Relation::equal, nodes_of<3>},
      {race, "T_mem + T_net of CPU-3 over GPU's", "1", "x", Relation::above, sum_of<3>},
      {fig5, "largest T_net of CPU-1, 2, 3 over GPU's", "1", "x", Relation::below, largest_net},
      {move, "T_mem/T_net, 3-D torus, largest 2010-2020", "1", "", Relation::below, largest_ratio<0>},
      {move, "growth of it, 3-D torus", "1", "x", Relation::below, growth_of<0>},
      {move, "ideal mapping over bisection, 3-D, 2020", "10", "x", Relation::equal, ideal_gain,
       "both for two exchanges; (4) as printed bounds one, which would double it"},
      {move, "growth of T_mem/T_net, 3-D torus, ideal", "1", "x", Relation::above, growth_of<1>},
      {move, "growth of T_mem/T_net, 4-D torus", "1", "x", Relation::above, growth_of<2>},
      {move, "growth of T_mem/T_net, 5-D torus", "1", "x", Relation::above, growth_of<3>},
      {move, "growth of T_mem/T_net, 6-D torus", "1", "x", Relation::above, growth_of<4>},
      {move, "\"well-balanced\": least change, 3-D to 6-D", "4", "D", Relation::equal, flattest},
      {move, "T_mem/T_net in 2020, largest up to 6-D", "1", "", Relation::above, largest_2020},
      {move, "ten-year growth of C_node/R_peak", "1", "x", Relation::below, spread_growth},
      {move, "ten-year growth of beta_link/beta_mem", "1", "x", Relation::above, bandwidth_growth},
      {stack, "growth of cores over growth of cache", "1", "x", Relation::above, cores_over_cache},
      {"introduction", "CPU faster than GPU, both of 1 EF/s", "1", "x", Relation::above, speedup_1ef},
  };
  return all;
}

constexpr Given givens[] = {
    {"prediction 1", "today's best share of peak of a 3-D FFT", "0.5", "%", "measured by the authors"},
    {"prediction 2", "side n of the problem", "21,000", "", "chosen by the authors, after Gahvari and Gropp"},
    {"Figure 6", "side n of the problem in 2010", "4096", "", "chosen by the authors"},
};

// What the two fits would give, where they change the verdict or have one to explain.
std::string fits(const Statement& s, const Worlds& worlds, const Claim& claim, const theory::Printed& printed) {
  const double twice = s.value(worlds.bytes_twice);
  const double lines = s.value(worlds.bytes_twice_in_lines);
  const bool same = theory::same(twice, *claim.computed) && theory::same(lines, *claim.computed);
  const bool explains = claim.verdict == Verdict::differs || !holds(s.relation, printed, lines);
  if (same || !explains) return "";
  return fmt::format("fits after the fact: 16 bytes applied twice {}, and Z in lines without max() {}",
                     theory::number_text(twice), theory::number_text(lines));
}

Claim judge_statement(const Statement& s, const Worlds& worlds) {
  const theory::Printed printed = theory::read_printed(s.printed);
  Claim claim = judged({.section = "Section 6",
                        .claim = s.claim,
                        .where = s.where,
                        .printed = s.printed,
                        .unit = s.unit,
                        .note = s.note},
                       {.relation = s.relation,
                        .printed = printed,
                        .computed = s.value(worlds.printed),
                        .range = worlds.range(s.value)});
  const std::string fitted = fits(s, worlds, claim, printed);
  if (!fitted.empty()) claim.note += (claim.note.empty() ? "" : "; ") + fitted;
  return claim;
}

}  // namespace

std::vector<Claim> prediction_claims(double n) {
  const Worlds worlds(n);
  std::vector<Claim> all;
  for (const Statement& s : statements()) all.push_back(judge_statement(s, worlds));
  for (const Given& g : givens)
    all.push_back({.section = "Section 6",
                   .claim = g.claim,
                   .where = g.where,
                   .printed = g.printed,
                   .unit = g.unit,
                   .printed_value = theory::read_printed(g.printed).value,
                   .note = g.note});
  return all;
}

}  // namespace kallima::exascale
