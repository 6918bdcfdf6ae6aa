// One row for each collective: its cost as it stands on the slides, slips included; as it should be where messages have
// prices; and in BSP (Valiant 1990). There a message belongs to the superstep after as many exchanges as had to come
// before it, so a rank that has the data sends all it ever will at once: the root of a binomial tree sends log P copies
// in the first superstep, and pipelining changes nothing. Words sent or received at most, supersteps and additions are
// counted for each algorithm; the slides' one superstep per butterfly belongs to direct sending.

#include "lab/theory/collective_forms.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kallima::theory {
namespace {

using C = CollectiveCase;

struct Count {
  double words = 0;      // the most that any rank sends or receives, summed over supersteps
  double syncs = 0;      // of communication and of computation
  double additions = 0;  // the most of any rank, summed over supersteps
};

Count tree(const C& c) { return {2 * c.s * (std::log2(c.P + 1.0) - 1), std::log2(c.P + 1.0) - 1}; }

Count binomial(const C& c) { return {c.s * c.height * (c.height + 1) / 2, 1.0 * c.height}; }

// The root sends 2 (P-1) segments, then rank k sends on P - k of them in superstep k.
Count ring(const C& c) { return {(2 * (c.P - 1.0) + c.P * (c.P - 1.0) / 2 - 1) * c.part(), c.P - 1.0}; }

// In superstep k whoever heads P/2^k ranks sends all but its own part.
Count scatter(const C& c) { return {2 * (c.s - c.part()) - c.height * c.part(), 1.0 * c.height}; }

Count gather(const C& c) { return {c.s - c.part(), 1.0 * c.height}; }

Count reduce_scatter(const C& c) { return {c.s - c.part(), 2.0 * c.height, c.s - c.part()}; }

Count reduce(const C& c) { return {2 * (c.s - c.part()), 3.0 * c.height, c.s - c.part()}; }

Count scan(const C& c) { return {c.s * c.height, 2.0 * c.height, (2.0 * c.height - 1) * c.s}; }

Count direct(const C& c) { return {c.s - c.part(), 1}; }

Count bruck(const C& c) { return {c.s / 2 * c.height, 1.0 * c.height}; }

double printed_allgather(const C& c, double a, double b) { return c.log_p * a + c.s * b; }

double printed_scatter(const C& c, double a, double b) { return 2 * c.log_p * a + c.s * b; }

double printed_both(const C& c, double a, double b) { return printed_scatter(c, a, b) + printed_allgather(c, a, b); }

double printed_direct(const C& c, double a, double b) { return c.P * a + c.s * b; }

// When the count of supersteps is exact: always, on powers of two, where P divides s, or both; a tree must be full.
enum class Exact { full_trees, powers, parts, powers_and_parts };

struct FormulaRow {
  const char* name;
  double (*printed)(const C&, double alpha, double beta);  // in alpha-beta
  int butterflies;                                         // BSP, printed: one superstep each
  Forms (*messages)(const C&);
  Count (*supersteps)(const C&);
  Exact exact;
  const char* correction;
};

constexpr const char* in_a_tree = "a binomial tree moves s (1 - 1/P) in log P messages";
constexpr const char* in_halves = "each half moves s (1 - 1/P); printed without the additions";
constexpr const char* one_by_one = "P - 1 messages and s (1 - 1/P) words";

constexpr FormulaRow rows[] = {
    {"broadcast-binary", [](const C& c, double a, double b) { return 2 * (std::log2(c.P + 1.0) - 1) * (a + c.s * b); },
     0, messages::binary, tree, Exact::full_trees, "as printed, on a full tree"},
    {"broadcast-binomial", [](const C& c, double a, double b) { return std::log2(c.P + 1.0) * (a + c.s * b); }, 0,
     messages::binomial, binomial, Exact::powers, "the height is ceil(log P), the root included"},
    {"broadcast-ring", [](const C& c, double a, double b) { return 2.0 * (c.P - 1) * (a + c.s / c.P * b); }, 0,
     messages::ring, ring, Exact::parts, "as printed"},
    {"broadcast-pipelined", [](const C& c, double a, double b) { return 2 * (c.log_p + c.s / c.k) * (a + c.k * b); }, 0,
     messages::pipelined, tree, Exact::full_trees, "2 (N + D - 1) packets; max(2g, 3o) each in LogP"},
    {"broadcast-double",  // with the best packets, in which the slide has it
     [](const C& c, double a, double b) {
       return 2 * c.log_p * a + 2 * std::sqrt(2 * c.s * c.log_p * a * b) + c.s * b;
     },
     0, messages::double_tree, nullptr, Exact::powers, "s beta only as the root feeds one child per tree"},
    {"broadcast-butterfly", printed_both, 2, messages::scatter_allgather, nullptr, Exact::powers,
     "each half moves s (1 - 1/P)"},
    {"scatter", printed_scatter, 1, messages::one_tree, scatter, Exact::powers_and_parts, in_a_tree},
    {"gather", printed_scatter, 1, messages::one_tree, gather, Exact::powers_and_parts, in_a_tree},
    {"allgather", printed_allgather, 1, messages::allgather, gather, Exact::powers_and_parts,
     "moves s (1 - 1/P) exactly"},
    {"reduce-scatter", printed_allgather, 1, messages::reduce_scatter, reduce_scatter, Exact::powers_and_parts,
     "moves s (1 - 1/P) exactly; printed without the additions"},
    {"reduce", printed_both, 2, messages::reduce, reduce, Exact::powers_and_parts, in_halves},
    {"allreduce", [](const C& c, double a, double b) { return 2 * printed_allgather(c, a, b); }, 2, messages::allreduce,
     reduce, Exact::powers_and_parts, in_halves},
    {"scan", nullptr, 0, messages::scan, scan, Exact::powers, "whole vectors in every round"},
    {"alltoall-direct", printed_direct, 1, messages::direct, direct, Exact::parts, one_by_one},
    {"alltoall-pairwise", printed_direct, 0, messages::direct, direct, Exact::parts, one_by_one},
    {"alltoall-bruck", [](const C& c, double a, double b) { return c.log_p * (a + c.s / 2 * b); }, 0, messages::bruck,
     bruck, Exact::powers_and_parts, "as printed, on powers of two"}};

constexpr FormulaRow no_formulas{"", nullptr, 0, [](const C&) { return Forms{}; }, nullptr, Exact::powers, ""};

const FormulaRow& row_of(const std::string& name) {
  const auto found =
      std::find_if(std::begin(rows), std::end(rows), [&](const FormulaRow& row) { return row.name == name; });
  return found == std::end(rows) ? no_formulas : *found;
}

using Cost = std::optional<double>;

Cost printed_on(const AlphaBeta& m, const FormulaRow& row, const C& c) {
  return row.printed == nullptr ? Cost() : row.printed(c, m.alpha, m.beta);
}

// LogP's packets are its words; LogGP's may be chosen.
Cost printed_on(const Logp& m, const FormulaRow& row, const C& c) {
  if (row.messages != messages::pipelined || c.k != 1) return {};
  return c.log_p * (m.L + 2 * m.g + m.o) + 2 * c.s * m.g;
}

Cost printed_on(const Loggp& m, const FormulaRow& row, const C& c) {
  if (row.messages != messages::pipelined) return {};
  return c.log_p * (m.L + 2 * m.g + m.o + 2 * c.k * m.G) + 2 * (c.s / c.k) * (m.g + c.k * m.G);
}

// With h = P one superstep is enough for a butterfly, and two for two of them: not the same algorithm.
Cost printed_on(const Bsp& m, const FormulaRow& row, const C& c) {
  return row.butterflies == 0 ? Cost() : row.butterflies * (m.l + 2 * m.g * c.s) / m.r;
}

Forms superstep_cost(const FormulaRow& row, const C& c, const Bsp& machine) {
  if (row.supersteps == nullptr || (row.exact == Exact::full_trees && !c.full)) return {};
  const Count count = row.supersteps(c);
  const bool of_powers = row.exact == Exact::powers || row.exact == Exact::powers_and_parts;
  const bool of_parts = row.exact == Exact::parts || row.exact == Exact::powers_and_parts;
  const double flops = 2 * count.additions + 2 * machine.g * count.words + count.syncs * machine.l;
  return {.corrected = flops / machine.r, .exact = (!of_powers || c.power) && (!of_parts || c.even)};
}

}  // namespace

std::optional<double> printed_cost(const Collective& c, const Machine& machine) {
  const C it(c, machine);
  return std::visit([&](const auto& m) { return printed_on(m, row_of(c.name), it); }, machine);
}

Forms corrected_cost(const Collective& c, const Machine& machine) {
  collective_in(c, 0);  // throws where there is no such collective on so many ranks
  if (c.ranks == 1 || c.words == 0) return {.corrected = 0, .exact = true};
  const FormulaRow& row = row_of(c.name);
  const C it(c, machine);
  const Bsp* const bsp = std::get_if<Bsp>(&machine);
  return bsp != nullptr ? superstep_cost(row, it, *bsp) : row.messages(it);
}

Forms forms(const Collective& c, const Machine& machine) {
  Forms it = corrected_cost(c, machine);
  it.printed = printed_cost(c, machine);
  it.note = std::holds_alternative<Bsp>(machine) ? "printed: sending directly, in one superstep for a butterfly"
                                                 : row_of(c.name).correction;
  return it;
}

}  // namespace kallima::theory
