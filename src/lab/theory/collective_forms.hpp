#pragma once
// A collective on a machine as its formulas see it: a few numbers, and what a message of some words costs. A message
// can be used at the other end after a hop, the next one may leave after a gap; in alpha-beta both are alpha + w beta.

#include "lab/theory/collectives.hpp"

namespace kallima::theory {

struct Price {
  double hop = 0;
  double gap = 0;
  double overhead = 0;  // of the receiver, part of the hop
};

struct CollectiveCase {
  CollectiveCase(const Collective& collective, const Machine& machine);
  Price price(double words) const;  // on machines without supersteps
  double part() const { return s / P; }

  const Machine& machine;
  double s;
  int P;
  double log_p;   // log2 P
  int height;     // ceil(log2 P)
  bool power;     // P is a power of two
  bool even;      // P divides s
  bool full;      // a binary tree of P nodes is full
  double k;       // words of a packet
  double packet;  // at most all of them
  double N;       // packets
  bool whole;     // packets are all of one size
};

// The corrected costs where messages have prices, one function for each way of sending.
namespace messages {
Forms binary(const CollectiveCase& c);
Forms pipelined(const CollectiveCase& c);
Forms binomial(const CollectiveCase& c);
Forms ring(const CollectiveCase& c);
Forms double_tree(const CollectiveCase& c);
Forms one_tree(const CollectiveCase& c);
Forms scatter_allgather(const CollectiveCase& c);
Forms allgather(const CollectiveCase& c);
Forms reduce_scatter(const CollectiveCase& c);
Forms allreduce(const CollectiveCase& c);
Forms reduce(const CollectiveCase& c);
Forms scan(const CollectiveCase& c);
Forms direct(const CollectiveCase& c);
Forms bruck(const CollectiveCase& c);
}  // namespace messages

}  // namespace kallima::theory
