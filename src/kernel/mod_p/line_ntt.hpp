#pragma once
// Transforms of lines modulo p, many lines at a time, one per lane: decimation in frequency, in place, which leaves the
// outputs in another order that whoever writes them elsewhere undoes for nothing. A line too long for that is R * Q:
// transforms across it, factors, transforms along it, in a tile of a few rows.

#include "kallima/backend.hpp"
#include "kernel/mod_p/residue_codelets.hpp"

namespace kallima::kernel {

// All powers of a root of unity as products of two table entries each.
class ResidueRoots {
 public:
  ResidueRoots(const PrimeField& field, Index n, Direction direction);
  double power(Int128 k) const;  // any k
  std::size_t bytes() const { return (fine_.size() + coarse_.size()) * sizeof(std::uint64_t); }

 private:
  const PrimeField& field_;
  Index n_;
  Index step_;
  std::vector<std::uint64_t> fine_, coarse_;
};

class LineNtt {
 public:
  LineNtt(const PrimeField& field, Index n, Direction direction);
  void run(const ResidueRows& x, const Progress& progress) const;  // rows in natural order
  const std::vector<Index>& order() const { return order_; }       // the row that output k has come to
  Index length() const { return static_cast<Index>(order_.size()); }

 private:
  struct Level {
    ResidueStage stage;
    std::vector<double> factors, roots;
  };
  Modulus modulus_;
  std::vector<Level> levels_;
  std::vector<Index> order_;
};

// One line at a time, of any length whose factors are small.
class LongLineNtt {
 public:
  LongLineNtt(const PrimeField& field, Index n, Direction direction);
  // The line's `length` neighbours become its transform, in natural order, in `to`; `from` is spoilt.
  void run(double* from, double* to, double* tile, const Progress& progress) const;
  Index tile_doubles() const { return rows_.length() * rows_at_once; }
  static Index columns_of(Index n);  // R; 1 where there is no good one

 private:
  static constexpr Index rows_at_once = 8;
  Modulus modulus_;
  LineNtt columns_, rows_;
  ResidueRoots roots_;
};

}  // namespace kallima::kernel
