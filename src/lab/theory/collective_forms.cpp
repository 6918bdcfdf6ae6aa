// One row for each collective: its cost as it stands on the slides, slips included; as it should be where messages have
// prices; and in BSP (Valiant 1990).
//
// Where messages have prices, costs are sums of hops and gaps over the longest path, and equal the simulation where
// ranks do the same at the same time or each has one thing to do; where sends and receives of a rank compete for its
// processor they are estimates. A message can be used at the other end after a hop, the next one may leave after a gap;
// in alpha-beta both are alpha + w beta.
//
// In BSP a message belongs to the superstep after as many exchanges as had to come before it, so a rank that has the
// data sends all it ever will at once: the root of a binomial tree sends log P copies in the first superstep, and
// pipelining changes nothing. Words sent or received at most, supersteps and additions are counted for each algorithm;
// the slides' one superstep per butterfly belongs to direct sending.

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/check.hpp"
#include "lab/theory/collectives.hpp"

namespace kallima::theory {
namespace {

struct Price {
  double hop = 0, gap = 0;
  double overhead = 0;  // of the receiver, part of the hop
};

// A collective on a machine as its formulas see it.
struct Case {
  const Collective& collective;
  const Machine& machine;
  double s = static_cast<double>(collective.words);
  int P = collective.ranks;
  double log_p = std::log2(P);
  int height = theory::height(P);  // ceil(log2 P)
  bool power = std::has_single_bit(static_cast<unsigned>(P));
  bool even = collective.words % P == 0;
  bool full = std::has_single_bit(static_cast<unsigned>(P) + 1);  // is a binary tree of P nodes
  Index asked = collective.packet > 0 ? collective.packet : best_packet(collective);
  double k = static_cast<double>(asked);                                    // words of a packet
  double packet = std::min(k, s);                                           // at most all of them
  double N = std::ceil(s / packet);                                         // packets
  bool whole = collective.words % asked == 0 || asked >= collective.words;  // packets are all of one size

  double part() const { return s / P; }
  bool regular() const { return power && even; }
  Price price(double w) const {  // on machines without supersteps
    const double train = std::max(w, 1.0);
    if (const auto* m = std::get_if<AlphaBeta>(&machine.model))
      return {m->alpha + w * m->beta, m->alpha + w * m->beta, 0};
    if (const auto* m = std::get_if<Logp>(&machine.model))
      return {2 * m->o + m->L + (train - 1) * m->g, std::max(train * m->g, m->o), m->o};
    const auto& m = std::get<Loggp>(machine.model);
    return {2 * m.o + m.L + w * m.G, std::max({m.g, w * m.G, m.o}), m.o};
  }
};

struct Corrected {
  std::optional<double> cost = {};
  bool exact = false;
};

// Rounds in which everybody sends to one and receives from one, each starting when the last is done.
struct Round {
  double words;
  double additions = 0;
};

double time_of(const Case& c, const std::vector<Round>& rounds) {
  double ready = 0, next_send = 0, taken = -1e300;
  for (const auto& [words, additions] : rounds) {
    const Price p = c.price(words);
    const double start = std::max(ready, next_send);
    next_send = start + p.gap;
    taken = std::max(start + p.hop - p.overhead, taken + p.gap);
    ready = taken + p.overhead + additions * (2 / flop_rate(c.machine));
  }
  return ready;
}

std::vector<Round> doubling(const Case& c, std::vector<Round> rounds = {}) {  // after those
  for (int d = 1; d < c.P; d *= 2) rounds.push_back({c.part() * d});
  return rounds;
}

std::vector<Round> halving(const Case& c) {
  std::vector<Round> rounds;
  for (int d = c.P / 2; d > 0; d /= 2) rounds.push_back({c.part() * d, c.part() * d});
  return rounds;
}

// A chain of messages of part, 2 part, 4 part, ... words in either order, one after the other; the smallest ends it.
double chain(const Case& c) {
  double time = c.height > 0 ? c.price(c.part()).hop : 0;
  for (int d = 2; d < c.P; d *= 2) time += std::max(c.price(c.part() * d).hop, c.price(c.part() * d).gap);
  return time;
}

bool hops_exceed_gaps(const Case& c) {
  for (int d = 1; d < c.P; d *= 2)
    if (c.price(c.part() * d).hop < c.price(c.part() * d).gap) return false;
  return true;
}

bool receives_are_instant(const Case& c) { return c.price(1).overhead == 0; }

namespace messages {

// The last to hear of it: a left child (2i+1 of processor i) a hop after its parent, a right one (2i+2) a gap later.
Corrected binary(const Case& c) {
  const Price p = c.price(c.s);
  double last = 0;
  for (int node = c.P - 1; node > 0 && 2 * node + 2 > c.P - 1; --node) {  // leaves, and whoever has one child
    double time = 0;
    for (int i = node; i > 0; i = (i - 1) / 2) time += p.hop + (i % 2 == 0 ? p.gap : 0);
    last = std::max(last, time);
  }
  return {last, true};
}

Corrected pipelined(const Case& c) {
  const Price p = c.price(c.packet);
  const int depth = std::bit_width(static_cast<unsigned>(c.P)) - 1;
  const double period = std::max(2 * p.gap, 3 * p.overhead);
  const bool exact = c.full && c.whole && (c.N == 1 || p.gap >= 2 * p.overhead);  // else sends and receives collide
  return {depth * (p.gap + p.hop) + (c.N - 1) * period, exact};
}

Corrected binomial(const Case& c) {
  const Price p = c.price(c.s);
  return {p.hop + (c.height - 1) * std::max(p.hop, p.gap), c.power || p.hop == p.gap};
}

Corrected ring(const Case& c) {
  const Price p = c.price(c.part());
  const double time = (c.P - 1) * p.gap + p.hop + (c.P - 2) * std::max(p.hop, p.gap);
  return {time, c.even && (receives_are_instant(c) || p.gap >= 2 * p.overhead)};
}

// Where a message holds both ends for all of its time: who has a packet sends it on at the next two steps, and N
// packets are fed one per step.
Corrected double_tree(const Case& c) {
  if (!std::holds_alternative<AlphaBeta>(c.machine.model)) return {};
  return {(c.N + 2 * c.height - 2) * c.price(c.packet).hop, c.power && c.whole};
}

Corrected one_tree(const Case& c) { return {chain(c), c.power && c.even}; }
Corrected scatter_allgather(const Case& c) { return {2 * chain(c), c.even && hops_exceed_gaps(c)}; }
Corrected allgather(const Case& c) { return {time_of(c, doubling(c)), c.even}; }
Corrected reduce_scatter(const Case& c) { return {time_of(c, halving(c)), c.even}; }
Corrected allreduce(const Case& c) { return {time_of(c, doubling(c, halving(c))), c.even}; }
Corrected reduce(const Case& c) { return {time_of(c, halving(c)) + chain(c), c.even && hops_exceed_gaps(c)}; }

// The last rank adds everything it receives both to the sum of its group and to its prefix, but the last time.
Corrected scan(const Case& c) {
  std::vector<Round> rounds(at(c.height), {c.s, 2 * c.s});
  rounds.back().additions = c.s;
  return {time_of(c, rounds), true};
}

Corrected direct(const Case& c) {
  const Price p = c.price(c.part());
  return {(c.P - 2) * p.gap + p.hop, c.even && (receives_are_instant(c) || c.P == 2)};
}

Corrected bruck(const Case& c) { return {time_of(c, std::vector<Round>(at(c.height), {c.s / 2})), c.power && c.even}; }

}  // namespace messages

// In BSP: the most words that any rank sends or receives, summed over supersteps; supersteps of communication and of
// computation; the most additions of any rank, summed likewise.
Corrected bsp(const Case& c, double words, double syncs, double additions, bool exact) {
  const Bsp& m = std::get<Bsp>(c.machine.model);
  return {(2 * additions + 2 * m.g * words + syncs * m.l) / m.r, exact};
}

Corrected tree(const Case& c) {
  if (!c.full) return {};
  return bsp(c, 2 * c.s * (std::log2(c.P + 1.0) - 1), std::log2(c.P + 1.0) - 1, 0, true);
}
Corrected binomial(const Case& c) { return bsp(c, c.s * c.height * (c.height + 1) / 2, c.height, 0, c.power); }

// The root sends 2 (P-1) segments, then rank k sends on P - k of them in superstep k.
Corrected ring(const Case& c) {
  return bsp(c, (2 * (c.P - 1.0) + c.P * (c.P - 1.0) / 2 - 1) * c.part(), c.P - 1.0, 0, c.even);
}

// In superstep k whoever heads P/2^k ranks sends all but its own part.
Corrected scatter(const Case& c) {
  return bsp(c, 2 * (c.s - c.part()) - c.height * c.part(), c.height, 0, c.regular());
}
Corrected gather(const Case& c) { return bsp(c, c.s - c.part(), c.height, 0, c.regular()); }
Corrected reduce_scatter(const Case& c) { return bsp(c, c.s - c.part(), 2 * c.height, c.s - c.part(), c.regular()); }
Corrected reduce(const Case& c) { return bsp(c, 2 * (c.s - c.part()), 3 * c.height, c.s - c.part(), c.regular()); }
Corrected scan(const Case& c) { return bsp(c, c.s * c.height, 2 * c.height, (2 * c.height - 1) * c.s, c.power); }
Corrected direct(const Case& c) { return bsp(c, c.s - c.part(), 1, 0, c.even); }
Corrected bruck(const Case& c) { return bsp(c, c.s / 2 * c.height, c.height, 0, c.regular()); }
Corrected uncounted(const Case&) { return {}; }
double printed_allgather(const Case& c, double a, double b) { return c.log_p * a + c.s * b; }
double printed_scatter(const Case& c, double a, double b) { return 2 * c.log_p * a + c.s * b; }
double printed_both(const Case& c, double a, double b) { return printed_scatter(c, a, b) + printed_allgather(c, a, b); }
double printed_direct(const Case& c, double a, double b) { return c.P * a + c.s * b; }

struct FormulaRow {
  std::string_view name;
  double (*printed)(const Case&, double alpha, double beta);  // in alpha-beta
  int butterflies;                                            // BSP, printed: one superstep each
  Corrected (*messages)(const Case&);
  Corrected (*supersteps)(const Case&);
  const char* correction;
};

constexpr const char* in_a_tree = "a binomial tree moves s (1 - 1/P) in log P messages";
constexpr const char* in_halves = "each half moves s (1 - 1/P); printed without the additions";
constexpr const char* one_by_one = "P - 1 messages and s (1 - 1/P) words";

constexpr FormulaRow rows[] = {
    {"broadcast-binary",
     [](const Case& c, double a, double b) { return 2 * (std::log2(c.P + 1.0) - 1) * (a + c.s * b); }, 0,
     messages::binary, tree, "as printed, on a full tree"},
    {"broadcast-binomial", [](const Case& c, double a, double b) { return std::log2(c.P + 1.0) * (a + c.s * b); }, 0,
     messages::binomial, binomial, "the height is ceil(log P), the root included"},
    {"broadcast-ring", [](const Case& c, double a, double b) { return 2.0 * (c.P - 1) * (a + c.s / c.P * b); }, 0,
     messages::ring, ring, "as printed"},
    {"broadcast-pipelined", [](const Case& c, double a, double b) { return 2 * (c.log_p + c.s / c.k) * (a + c.k * b); },
     0, messages::pipelined, tree, "2 (N + D - 1) packets; max(2g, 3o) each in LogP"},
    {"broadcast-double",  // with the best packets, in which the slide has it
     [](const Case& c, double a, double b) {
       return 2 * c.log_p * a + 2 * std::sqrt(2 * c.s * c.log_p * a * b) + c.s * b;
     },
     0, messages::double_tree, uncounted, "s beta only as the root feeds one child per tree"},
    {"broadcast-butterfly", printed_both, 2, messages::scatter_allgather, uncounted, "each half moves s (1 - 1/P)"},
    {"scatter", printed_scatter, 1, messages::one_tree, scatter, in_a_tree},
    {"gather", printed_scatter, 1, messages::one_tree, gather, in_a_tree},
    {"allgather", printed_allgather, 1, messages::allgather, gather, "moves s (1 - 1/P) exactly"},
    {"reduce-scatter", printed_allgather, 1, messages::reduce_scatter, reduce_scatter,
     "moves s (1 - 1/P) exactly; printed without the additions"},
    {"reduce", printed_both, 2, messages::reduce, reduce, in_halves},
    {"allreduce", [](const Case& c, double a, double b) { return 2 * printed_allgather(c, a, b); }, 2,
     messages::allreduce, reduce, in_halves},
    {"scan", nullptr, 0, messages::scan, scan, "whole vectors in every round"},
    {"alltoall-direct", printed_direct, 1, messages::direct, direct, one_by_one},
    {"alltoall-pairwise", printed_direct, 0, messages::direct, direct, one_by_one},
    {"alltoall-bruck", [](const Case& c, double a, double b) { return c.log_p * (a + c.s / 2 * b); }, 0,
     messages::bruck, bruck, "as printed, on powers of two"}};

constexpr FormulaRow no_formulas{"", nullptr, 0, uncounted, uncounted, ""};

const FormulaRow& row_of(const std::string& name) {
  const auto found = std::ranges::find(rows, name, &FormulaRow::name);
  return found == std::end(rows) ? no_formulas : *found;
}

std::optional<double> printed(const FormulaRow& row, const Case& c) {
  const bool pipelined = row.messages == messages::pipelined;
  if (const auto* m = std::get_if<AlphaBeta>(&c.machine.model); m != nullptr && row.printed != nullptr)
    return row.printed(c, m->alpha, m->beta);
  if (const auto* m = std::get_if<Logp>(&c.machine.model); m != nullptr && pipelined && c.k == 1)  // packets are words
    return c.log_p * (m->L + 2 * m->g + m->o) + 2 * c.s * m->g;
  if (const auto* m = std::get_if<Loggp>(&c.machine.model); m != nullptr && pipelined)
    return c.log_p * (m->L + 2 * m->g + m->o + 2 * c.k * m->G) + 2 * (c.s / c.k) * (m->g + c.k * m->G);
  // With h = P one superstep is enough for a butterfly, and two for two of them: not the same algorithm.
  if (const auto* m = std::get_if<Bsp>(&c.machine.model); m != nullptr && row.butterflies > 0)
    return row.butterflies * (m->l + 2 * m->g * c.s) / m->r;
  return {};
}

}  // namespace

Comparison forms(const Collective& c, const Machine& machine) {
  collective_in(c, 0);  // throws where there is no such collective on so many ranks
  const FormulaRow& row = row_of(c.name);
  const Case it{c, machine};
  const bool in_supersteps = std::holds_alternative<Bsp>(machine.model);
  Corrected corrected{0, true};
  if (c.ranks > 1 && c.words > 0) corrected = (in_supersteps ? row.supersteps : row.messages)(it);
  const std::string packet = c.packet > 0 ? fmt::format(", k={}", c.packet) : "";
  return {.subject = c.name,
          .parameters = fmt::format("{}, P={}, s={}{}", text(machine), c.ranks, c.words, packet),
          .printed = printed(row, it),
          .corrected = corrected.cost,
          .exact = corrected.exact,
          .note = in_supersteps ? "printed: sending directly, in one superstep for a butterfly" : row.correction};
}

}  // namespace kallima::theory
