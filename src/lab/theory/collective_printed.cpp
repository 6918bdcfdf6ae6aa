// The formulas as they stand on the slides, slips included.

#include <cmath>
#include <map>

#include "lab/theory/collectives.hpp"

namespace kallima::theory {
namespace {

struct Sizes {
  double P, log_p, s, k;
};

using AlphaBetaForm = double (*)(const Sizes&, double alpha, double beta);

double allgather(const Sizes& z, double alpha, double beta) { return z.log_p * alpha + z.s * beta; }

double scatter(const Sizes& z, double alpha, double beta) { return 2 * z.log_p * alpha + z.s * beta; }

// With the best packets, in which the slide has it.
double double_tree(const Sizes& z, double alpha, double beta) {
  return 2 * z.log_p * alpha + 2 * std::sqrt(2 * z.s * z.log_p * alpha * beta) + z.s * beta;
}

const std::map<std::string, AlphaBetaForm>& alpha_beta_forms() {
  static const std::map<std::string, AlphaBetaForm> all{
      {"broadcast-binary",
       [](const Sizes& z, double a, double b) { return 2 * (std::log2(z.P + 1) - 1) * (a + z.s * b); }},
      {"broadcast-binomial", [](const Sizes& z, double a, double b) { return std::log2(z.P + 1) * (a + z.s * b); }},
      {"broadcast-ring", [](const Sizes& z, double a, double b) { return 2 * (z.P - 1) * (a + z.s / z.P * b); }},
      {"broadcast-pipelined",
       [](const Sizes& z, double a, double b) { return 2 * (z.log_p + z.s / z.k) * (a + z.k * b); }},
      {"broadcast-double", double_tree},
      {"broadcast-butterfly", [](const Sizes& z, double a, double b) { return scatter(z, a, b) + allgather(z, a, b); }},
      {"scatter", scatter},
      {"gather", scatter},
      {"allgather", allgather},
      {"reduce-scatter", allgather},
      {"reduce", [](const Sizes& z, double a, double b) { return allgather(z, a, b) + scatter(z, a, b); }},
      {"allreduce", [](const Sizes& z, double a, double b) { return 2 * allgather(z, a, b); }},
      {"alltoall-direct", [](const Sizes& z, double a, double b) { return z.P * a + z.s * b; }},
      {"alltoall-pairwise", [](const Sizes& z, double a, double b) { return z.P * a + z.s * b; }},
      {"alltoall-bruck", [](const Sizes& z, double a, double b) { return z.log_p * (a + z.s / 2 * b); }}};
  return all;
}

std::optional<double> cost(const Collective& c, const Sizes& z, const AlphaBeta& m) {
  const auto form = alpha_beta_forms().find(c.name);
  if (form == alpha_beta_forms().end()) return std::nullopt;
  return form->second(z, m.alpha, m.beta);
}

// LogP's packets are its words; LogGP's may be chosen.
std::optional<double> cost(const Collective& c, const Sizes& z, const Logp& m) {
  if (c.name != "broadcast-pipelined" || z.k != 1) return std::nullopt;
  return z.log_p * (m.L + 2 * m.g + m.o) + 2 * z.s * m.g;
}

std::optional<double> cost(const Collective& c, const Sizes& z, const Loggp& m) {
  if (c.name != "broadcast-pipelined") return std::nullopt;
  return z.log_p * (m.L + 2 * m.g + m.o + 2 * z.k * m.G) + 2 * (z.s / z.k) * (m.g + z.k * m.G);
}

// With h = P one superstep is enough for a butterfly, and two for two of them: not the same algorithm.
std::optional<double> cost(const Collective& c, const Sizes& z, const Bsp& m) {
  static const std::map<std::string, int> butterflies{
      {"scatter", 1},   {"gather", 1}, {"allgather", 1},      {"reduce-scatter", 1}, {"broadcast-butterfly", 2},
      {"allreduce", 2}, {"reduce", 2}, {"alltoall-direct", 1}};
  const auto found = butterflies.find(c.name);
  if (found == butterflies.end()) return std::nullopt;
  return found->second * (m.l + 2 * m.g * z.s) / m.r;
}

}  // namespace

std::optional<double> printed_cost(const Collective& c, const Machine& machine) {
  const double P = c.ranks;
  const Sizes z{P, std::log2(P), static_cast<double>(c.words),
                static_cast<double>(c.packet > 0 ? c.packet : best_packet(c))};
  return std::visit([&](const auto& m) { return cost(c, z, m); }, machine);
}

double printed_packet(const Machine& machine, int ranks, Index words) {
  const double shape = static_cast<double>(words) / std::log2(ranks);
  if (const auto* m = std::get_if<AlphaBeta>(&machine)) return std::sqrt(shape * m->alpha / m->beta);
  if (const auto* m = std::get_if<Loggp>(&machine)) return std::sqrt(shape * m->g / m->G);
  return 1;
}

double printed_ring_limit(int ranks) { return std::log2(ranks) / 2; }

double ring_limit_of_printed_costs(int ranks) {
  const double P = ranks;
  return P * std::log2(P + 1) / (2 * (P - 1));
}

}  // namespace kallima::theory
