#pragma once
// The twiddle factors of one Pass, tabulated when it is compiled. They vary along the line and with at most one loop.
// A table of all of them is made while it is small; otherwise the loop's index is cut into a coarse and a fine part
// with one table each, and a line is multiplied by a row of both. Every entry of every table is correct to the last
// bit. Tables are those of the forward direction and are shared by all passes of the process that need the same.

#include <complex>
#include <memory>
#include <vector>

#include "kallima/schedule.hpp"

namespace kallima::kernel {

template <class T>
class TwiddleTable {
 public:
  using Complex = std::complex<T>;

  TwiddleTable() = default;  // none

  // `together` consecutive indices of the last loop are handled at once by lane: where the factors vary with that
  // loop, the fine table then has a row for each line element and an entry for each lane. 0: line by line.
  TwiddleTable(const Twiddle& twiddle, Index length, const std::vector<Index>& loops, Index together);

  bool empty() const { return !coarse_; }
  int loop() const { return loop_; }  // the loop it varies with, -1 if with none
  bool by_lane() const { return by_lane_; }
  std::size_t bytes() const;

  // The coarse factors of a line for index i of that loop.
  const Complex* row(Index i) const { return coarse_->data() + i / fine_count_ * length_; }
  // The fine ones: for one line, or by lane, where `fine_count` lanes of one element are neighbours.
  const Complex* fine_row(Index i) const { return fine_ ? fine_->data() + i % fine_count_ * length_ : nullptr; }
  const Complex* fine_lanes() const { return fine_ ? fine_->data() : nullptr; }
  Index fine_count() const { return fine_count_; }

  void multiply(Complex* line, Index i, T scale, Direction direction) const;

 private:
  Index length_ = 0;
  int loop_ = -1;
  bool by_lane_ = false;
  Index fine_count_ = 1;
  std::shared_ptr<const std::vector<Complex>> coarse_;
  std::shared_ptr<const std::vector<Complex>> fine_;
};

}  // namespace kallima::kernel
