// The formulas as they should be, where messages have prices. They are sums of hops and gaps over the longest path, and
// equal the simulation where ranks do the same at the same time or each has one thing to do; where sends and receives
// of a rank compete for its processor they are estimates.

#include <algorithm>
#include <bit>
#include <cmath>

#include "lab/theory/collective_forms.hpp"

namespace kallima::theory {
namespace {

Price price_on(const AlphaBeta& m, double w) { return {m.alpha + w * m.beta, m.alpha + w * m.beta, 0}; }

Price price_on(const Logp& m, double w) {
  const double train = std::max(w, 1.0);
  return {2 * m.o + m.L + (train - 1) * m.g, std::max(train * m.g, m.o), m.o};
}

Price price_on(const Loggp& m, double w) { return {2 * m.o + m.L + w * m.G, std::max({m.g, w * m.G, m.o}), m.o}; }

Price price_on(const Bsp&, double) { return {}; }

// Rounds in which everybody sends to one and receives from one, each starting when the last is done.
class Rounds {
 public:
  explicit Rounds(const CollectiveCase& given) : c_(given), per_addition_(2 / flop_rate(given.machine)) {}

  Rounds& round(double words, double additions = 0) {
    const Price p = c_.price(words);
    const double start = std::max(ready_, next_send_);
    next_send_ = start + p.gap;
    taken_ = std::max(start + p.hop - p.overhead, taken_ + p.gap);
    ready_ = taken_ + p.overhead + additions * per_addition_;
    return *this;
  }
  Rounds& doubling() {
    for (int d = 1; d < c_.P; d *= 2) round(c_.part() * d);
    return *this;
  }
  Rounds& halving() {
    for (int d = c_.P / 2; d > 0; d /= 2) round(c_.part() * d, c_.part() * d);
    return *this;
  }
  double time() const { return ready_; }

 private:
  const CollectiveCase& c_;
  double per_addition_;
  double ready_ = 0;
  double next_send_ = 0;
  double taken_ = -1e300;
};

// A chain of messages of part, 2 part, 4 part, ... words in either order, each after the one before; the last to count
// is the smallest.
double chain(const CollectiveCase& c) {
  double time = c.height > 0 ? c.price(c.part()).hop : 0;
  for (int d = 2; d < c.P; d *= 2) time += std::max(c.price(c.part() * d).hop, c.price(c.part() * d).gap);
  return time;
}

bool hops_exceed_gaps(const CollectiveCase& c) {
  for (int d = 1; d < c.P; d *= 2)
    if (c.price(c.part() * d).hop < c.price(c.part() * d).gap) return false;
  return true;
}

bool receives_are_instant(const CollectiveCase& c) { return c.price(1).overhead == 0; }

}  // namespace

CollectiveCase::CollectiveCase(const Collective& collective, const Machine& on)
    : machine(on),
      s(static_cast<double>(collective.words)),
      P(collective.ranks),
      log_p(std::log2(P)),
      height(std::bit_width(static_cast<unsigned>(P) - 1)),
      power(std::has_single_bit(static_cast<unsigned>(P))),
      even(collective.words % P == 0),
      full(std::has_single_bit(static_cast<unsigned>(P) + 1)) {
  const Index wanted = collective.packet > 0 ? collective.packet : best_packet(collective);
  k = static_cast<double>(wanted);
  packet = std::min(k, s);
  N = std::ceil(s / packet);
  whole = collective.words % wanted == 0 || wanted >= collective.words;
}

Price CollectiveCase::price(double words) const {
  return std::visit([&](const auto& m) { return price_on(m, words); }, machine);
}

namespace messages {

// The last to hear of it: a left child a hop after its parent, a right child a gap later. Processor i's children are
// 2i+1 and 2i+2.
Forms binary(const CollectiveCase& c) {
  const Price p = c.price(c.s);
  double last = 0;
  for (int node = c.P - 1; node > 0 && 2 * node + 2 > c.P - 1; --node) {  // leaves, and whoever has one child
    double time = 0;
    for (int i = node; i > 0; i = (i - 1) / 2) time += p.hop + (i % 2 == 0 ? p.gap : 0);
    last = std::max(last, time);
  }
  return {.corrected = last, .exact = true};
}

Forms pipelined(const CollectiveCase& c) {
  const Price p = c.price(c.packet);
  const int depth = std::bit_width(static_cast<unsigned>(c.P)) - 1;
  const double period = std::max(2 * p.gap, 3 * p.overhead);
  const bool exact = c.full && c.whole && (c.N == 1 || p.gap >= 2 * p.overhead);  // else sends and receives collide
  return {.corrected = depth * (p.gap + p.hop) + (c.N - 1) * period, .exact = exact};
}

Forms binomial(const CollectiveCase& c) {
  const Price p = c.price(c.s);
  return {.corrected = p.hop + (c.height - 1) * std::max(p.hop, p.gap), .exact = c.power || p.hop == p.gap};
}

Forms ring(const CollectiveCase& c) {
  const Price p = c.price(c.part());
  const double time = (c.P - 1) * p.gap + p.hop + (c.P - 2) * std::max(p.hop, p.gap);
  return {.corrected = time, .exact = c.even && (receives_are_instant(c) || p.gap >= 2 * p.overhead)};
}

// Where a message holds both ends for all of its time: who has a packet sends it on at the next two steps, and N
// packets are fed one per step.
Forms double_tree(const CollectiveCase& c) {
  if (!std::holds_alternative<AlphaBeta>(c.machine)) return {};
  return {.corrected = (c.N + 2 * c.height - 2) * c.price(c.packet).hop, .exact = c.power && c.whole};
}

Forms one_tree(const CollectiveCase& c) { return {.corrected = chain(c), .exact = c.power && c.even}; }

Forms scatter_allgather(const CollectiveCase& c) {
  return {.corrected = 2 * chain(c), .exact = c.even && hops_exceed_gaps(c)};
}

Forms allgather(const CollectiveCase& c) { return {.corrected = Rounds(c).doubling().time(), .exact = c.even}; }

Forms reduce_scatter(const CollectiveCase& c) { return {.corrected = Rounds(c).halving().time(), .exact = c.even}; }

Forms allreduce(const CollectiveCase& c) {
  return {.corrected = Rounds(c).halving().doubling().time(), .exact = c.even};
}

Forms reduce(const CollectiveCase& c) {
  return {.corrected = Rounds(c).halving().time() + chain(c), .exact = c.even && hops_exceed_gaps(c)};
}

// The last rank adds everything it receives both to the sum of its group and to its prefix, but the last time.
Forms scan(const CollectiveCase& c) {
  Rounds rounds(c);
  for (int k = 1; k <= c.height; ++k) rounds.round(c.s, k < c.height ? 2 * c.s : c.s);
  return {.corrected = rounds.time(), .exact = true};
}

Forms direct(const CollectiveCase& c) {
  const Price p = c.price(c.part());
  return {.corrected = (c.P - 2) * p.gap + p.hop, .exact = c.even && (receives_are_instant(c) || c.P == 2)};
}

Forms bruck(const CollectiveCase& c) {
  Rounds rounds(c);
  for (int k = 0; k < c.height; ++k) rounds.round(c.s / 2);
  return {.corrected = rounds.time(), .exact = c.power && c.even};
}

}  // namespace messages
}  // namespace kallima::theory
