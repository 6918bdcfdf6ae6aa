#include "lab/theory/collective_case.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kallima::theory {

Price price(const AlphaBeta& m, double w) { return {m.alpha + w * m.beta, m.alpha + w * m.beta, 0}; }

Price price(const Logp& m, double w) {
  const double train = std::max(w, 1.0);
  return {2 * m.o + m.L + (train - 1) * m.g, std::max(train * m.g, m.o), m.o};
}

Price price(const Loggp& m, double w) { return {2 * m.o + m.L + w * m.G, std::max({m.g, w * m.G, m.o}), m.o}; }

Case case_of(const Collective& collective) {
  const auto P = static_cast<unsigned>(collective.ranks);
  const Index packet = collective.packet > 0 ? collective.packet : best_packet(collective);
  Case c;
  c.s = static_cast<double>(collective.words);
  c.P = collective.ranks;
  c.height = std::bit_width(P - 1);
  c.power = std::has_single_bit(P);
  c.even = collective.words % collective.ranks == 0;
  c.packet = static_cast<double>(std::min(packet, collective.words));
  c.N = std::ceil(c.s / c.packet);
  c.whole = collective.words % packet == 0 || packet >= collective.words;
  c.full = std::has_single_bit(P + 1);
  return c;
}

}  // namespace kallima::theory
