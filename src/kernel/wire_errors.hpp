#pragma once
// What it costs to send numbers in fewer bytes, added up while they are encoded: the squares of what is lost and of
// what there was. Sums of several ranks can be added to each other.

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

// What encoding has cost so far.
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

}  // namespace kallima::kernel
