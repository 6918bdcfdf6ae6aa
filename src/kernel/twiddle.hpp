#pragma once
// The twiddle factors of one Pass, tabulated when it is compiled. A table of all of them is made while it is small;
// otherwise the index of the varying loop is cut into a coarse and a fine part with one table each, and a line is
// multiplied by a row of both. Every entry of every table is correct to the last bit.

#include <complex>
#include <vector>

#include "kallima/schedule.hpp"

namespace kallima::kernel {

template <class T>
class TwiddleTable {
 public:
  TwiddleTable(const Twiddle& twiddle, Index length, const std::vector<Index>& loops, Direction direction);

  bool empty() const { return coarse_.empty(); }
  int loop() const { return loop_; }  // the loop it varies with, -1 if with none
  std::size_t bytes() const { return (coarse_.size() + fine_.size()) * sizeof(std::complex<T>); }

  // The factors for index i of that loop, when one row holds them all.
  bool single_row() const { return fine_.empty(); }
  const std::complex<T>* row(Index i) const { return &coarse_[static_cast<std::size_t>(i * length_)]; }

  void multiply(std::complex<T>* line, Index i, T scale) const;

 private:
  Index length_ = 0;
  int loop_ = -1;
  Index fine_count_ = 1;
  std::vector<std::complex<T>> coarse_;
  std::vector<std::complex<T>> fine_;
};

template <class T>
void multiply(std::complex<T>* line, Index count, T scale);

}  // namespace kallima::kernel
