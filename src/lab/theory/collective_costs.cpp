// The formulas as they should be, where messages have prices. They are sums of hops and gaps over the longest path, and
// equal the simulation where ranks do the same at the same time or each has one thing to do; where sends and receives
// of a rank compete for its processor they are estimates.

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "lab/theory/collective_case.hpp"
#include "lab/theory/collectives.hpp"
#include "lab/theory/superstep_costs.hpp"

namespace kallima::theory {
namespace {

// Rounds in which everybody sends to one and receives from one, each starting when the last is done.
class Rounds {
 public:
  explicit Rounds(const Case& given) : c_(given) {}
  void round(double words, double additions = 0) {
    const Price p = c_.price(words);
    const double start = std::max(ready_, next_send_);
    next_send_ = start + p.gap;
    taken_ = std::max(start + p.hop - p.overhead, taken_ + p.gap);
    ready_ = taken_ + p.overhead + additions * c_.per_addition;
  }
  double time() const { return ready_; }

 private:
  const Case& c_;
  double ready_ = 0;
  double next_send_ = 0;
  double taken_ = -1e300;
};

void doubling(Rounds& rounds, const Case& c) {
  for (int d = 1; d < c.P; d *= 2) rounds.round(c.part() * d);
}

void halving(Rounds& rounds, const Case& c) {
  for (int d = c.P / 2; d > 0; d /= 2) rounds.round(c.part() * d, c.part() * d);
}

// A chain of messages of part, 2 part, 4 part, ... words in either order, each after the one before; the last to count
// is the smallest.
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

Forms tree(const Case& c, double packet, double count, bool whole) {
  const Price p = c.price(packet);
  const int depth = std::bit_width(static_cast<unsigned>(c.P)) - 1;
  const double period = std::max(2 * p.gap, 3 * p.overhead);
  const bool exact = c.full && whole && (count == 1 || p.gap >= 2 * p.overhead);  // else sends and receives collide
  return {.corrected = depth * (p.gap + p.hop) + (count - 1) * period, .exact = exact};
}

// The last to hear of it: a left child a hop after its parent, a right child a gap later. Processor i's children are
// 2i+1 and 2i+2.
Forms binary(const Case& c) {
  const Price p = c.price(c.s);
  double last = 0;
  for (int node = c.P - 1; node > 0 && 2 * node + 2 > c.P - 1; --node) {  // leaves, and whoever has one child
    double time = 0;
    for (int i = node; i > 0; i = (i - 1) / 2) time += p.hop + (i % 2 == 0 ? p.gap : 0);
    last = std::max(last, time);
  }
  return {.corrected = last, .exact = true};
}

Forms pipelined(const Case& c) { return tree(c, c.packet, c.N, c.whole); }

Forms binomial(const Case& c) {
  const Price p = c.price(c.s);
  return {.corrected = p.hop + (c.height - 1) * std::max(p.hop, p.gap), .exact = c.power || p.hop == p.gap};
}

Forms ring(const Case& c) {
  const Price p = c.price(c.part());
  const double time = (c.P - 1) * p.gap + p.hop + (c.P - 2) * std::max(p.hop, p.gap);
  return {.corrected = time, .exact = c.even && (c.instant || p.gap >= 2 * p.overhead)};
}

// Who has a packet sends it on at the next two steps, and N packets are fed one per step.
Forms double_tree(const Case& c) {
  if (!c.links) return {};
  return {.corrected = (c.N + 2 * c.height - 2) * c.price(c.packet).hop, .exact = c.power && c.whole};
}

Forms one_tree(const Case& c) { return {.corrected = chain(c), .exact = c.power && c.even}; }

Forms scatter_allgather(const Case& c) { return {.corrected = 2 * chain(c), .exact = c.even && hops_exceed_gaps(c)}; }

Forms allgather(const Case& c) {
  Rounds rounds(c);
  doubling(rounds, c);
  return {.corrected = rounds.time(), .exact = c.even};
}

Forms reduce_scatter(const Case& c) {
  Rounds rounds(c);
  halving(rounds, c);
  return {.corrected = rounds.time(), .exact = c.even};
}

Forms allreduce(const Case& c) {
  Rounds rounds(c);
  halving(rounds, c);
  doubling(rounds, c);
  return {.corrected = rounds.time(), .exact = c.even};
}

Forms reduce(const Case& c) {
  Rounds rounds(c);
  halving(rounds, c);
  return {.corrected = rounds.time() + chain(c), .exact = c.even && hops_exceed_gaps(c)};
}

// The last rank adds everything it receives both to the sum of its group and to its prefix, but the last time.
Forms scan(const Case& c) {
  Rounds rounds(c);
  for (int k = 1; k <= c.height; ++k) rounds.round(c.s, k < c.height ? 2 * c.s : c.s);
  return {.corrected = rounds.time(), .exact = true};
}

Forms direct(const Case& c) {
  const Price p = c.price(c.part());
  return {.corrected = (c.P - 2) * p.gap + p.hop, .exact = c.even && (c.instant || c.P == 2)};
}

Forms bruck(const Case& c) {
  Rounds rounds(c);
  for (int k = 0; k < c.height; ++k) rounds.round(c.s / 2);
  return {.corrected = rounds.time(), .exact = c.power && c.even};
}

const std::map<std::string, Forms (*)(const Case&)>& network_forms() {
  static const std::map<std::string, Forms (*)(const Case&)> all{{"broadcast-binary", binary},
                                                                 {"broadcast-binomial", binomial},
                                                                 {"broadcast-ring", ring},
                                                                 {"broadcast-butterfly", scatter_allgather},
                                                                 {"broadcast-pipelined", pipelined},
                                                                 {"broadcast-double", double_tree},
                                                                 {"scatter", one_tree},
                                                                 {"gather", one_tree},
                                                                 {"allgather", allgather},
                                                                 {"reduce-scatter", reduce_scatter},
                                                                 {"reduce", reduce},
                                                                 {"allreduce", allreduce},
                                                                 {"scan", scan},
                                                                 {"alltoall-direct", direct},
                                                                 {"alltoall-pairwise", direct},
                                                                 {"alltoall-bruck", bruck}};
  return all;
}

template <class M>
Forms network_cost(const Collective& collective, const M& machine) {
  const auto form = network_forms().find(collective.name);
  return form == network_forms().end() ? Forms{} : form->second(case_of(collective, machine));
}

}  // namespace

Forms corrected_cost(const Collective& c, const Machine& machine) {
  collective_in(c, 0);  // throws where there is no such collective on so many ranks
  if (c.ranks == 1 || c.words == 0) return {.corrected = 0, .exact = true};
  return std::visit(
      [&]<class M>(const M& m) {
        if constexpr (std::is_same_v<M, Bsp>)
          return superstep_cost(c, m);
        else
          return network_cost(c, m);
      },
      machine);
}

}  // namespace kallima::theory
