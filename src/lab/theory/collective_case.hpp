#pragma once
// A collective on a machine as its formulas see it: a few numbers, and what a message of some words costs. A message
// can be used at the other end after a hop, the next one may leave after a gap; in alpha-beta both are alpha + w beta.

#include <functional>

#include "kallima/collective.hpp"
#include "kallima/machine.hpp"

namespace kallima::theory {

struct Price {
  double hop = 0;
  double gap = 0;
  double overhead = 0;  // of the receiver, part of the hop
};

Price price(const AlphaBeta& machine, double words);
Price price(const Logp& machine, double words);
Price price(const Loggp& machine, double words);

// All that the forms below need to know.
struct Case {
  std::function<Price(double)> price = {};
  double per_addition = 0;  // time of a complex addition
  double s = 0;
  int P = 1;
  int height = 0;     // ceil(log2 P)
  bool power = true;  // P is a power of two
  bool even = true;   // P divides s
  double packet = 1;
  double N = 0;         // packets
  bool whole = true;    // packets are all of one size
  bool full = true;     // a binary tree of P nodes is full
  bool instant = true;  // receives need no processor
  bool links = false;   // a message holds both ends for all of its time: alpha-beta
  double part() const { return s / P; }
};

Case case_of(const Collective& collective);  // all but what the machine decides

template <class M>
Case case_of(const Collective& collective, const M& machine) {
  Case c = case_of(collective);
  c.price = [&machine](double words) { return price(machine, words); };
  c.per_addition = 2 / machine.r;
  c.instant = c.price(1).overhead == 0;
  c.links = std::is_same_v<M, AlphaBeta>;
  return c;
}

}  // namespace kallima::theory
