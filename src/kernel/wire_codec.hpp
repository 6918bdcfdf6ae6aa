#pragma once
// Numbers as they travel: encoded and decoded in blocks of wire_block reals, whole ones one after the other and what is
// left at the end, so that a message may be done in parts that begin at blocks. `single` is an array of float.
// `shared_exponent` is, for each block, 16 bits of exponent and the mantissas, bits packed from the lowest up. A block
// with an infinity or a NaN in it is NaN throughout, which a transform would make of it anyway; `single` keeps both.

#include <cstddef>
#include <span>

#include "kallima/wire.hpp"

namespace kallima::kernel {

// A sum of squares, sum * 4^exponent: those of 1e300 and 1e-300 are beyond any double.
struct Squares {
  double sum = 0;
  int exponent = 0;
  void add(double more, int its_exponent) {
    if (its_exponent == exponent)
      sum += more;
    else
      add_far(more, its_exponent);
  }
  void add(const Squares& other) { add(other.sum, other.exponent); }

 private:
  void add_far(double more, int its_exponent);
};

// What it costs to send numbers in fewer bytes, added up while they are encoded: the squares of what is lost and of
// what there was. Those of several ranks can be added to each other.
struct WireErrors {
  Squares difference;
  Squares total;
  bool lost = false;  // a finite number arrives as infinity or NaN
  void add(double more_difference, double more_total, int exponent) {
    difference.add(more_difference, exponent);
    total.add(more_total, exponent);
  }
  void add(const WireErrors& other);
  double relative() const;  // L2; infinite where one was lost, 0 where nothing was sent
};

// For formats other than same, and for whatever precision the numbers have. `to` and `from` have encoded_bytes(). NaN
// and infinity are in no sum.
template <class T>
void encode(const Wire& wire, std::span<const T> reals, std::byte* to, WireErrors& errors);
template <class T>
void decode(const Wire& wire, const std::byte* from, std::span<T> reals);

}  // namespace kallima::kernel
