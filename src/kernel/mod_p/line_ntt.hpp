#pragma once
// Transforms of lines modulo p, many lines at a time, one per lane: decimation in frequency, in place, which leaves the
// outputs in another order that whoever writes them elsewhere undoes for nothing. Lines too long for the first cache
// are R * Q: transforms across them, factors, transforms along them.

#include <memory>

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

// What transforms rows of a tile, each of which is one element of all its lines.
class RowsNtt {
 public:
  virtual ~RowsNtt() = default;
  // In natural order. The tile is the memory that it said it needs.
  virtual void run(const ResidueRows& x, double* tile, const Progress& progress) const = 0;
  virtual Index tile_doubles(Index lanes) const = 0;
  const std::vector<Index>& order() const { return order_; }  // the row that output k has come to
  Index length() const { return static_cast<Index>(order_.size()); }

 protected:
  explicit RowsNtt(Index n) : order_(at(n), 0) {}
  std::vector<Index> order_;
};

// Level by level, where all rows are in the first cache.
class LevelsNtt final : public RowsNtt {
 public:
  LevelsNtt(const PrimeField& field, Index n, Direction direction);
  void run(const ResidueRows& x, double* tile, const Progress& progress) const override;
  Index tile_doubles(Index) const override { return 0; }

 private:
  struct NttLevel {
    ResidueStage stage;
    std::vector<double> factors, roots;
  };
  Modulus modulus_;
  std::vector<NttLevel> levels_;
};

// R rows at a time, a few of their neighbours with them, and then Q rows at a time.
class FourStepNtt final : public RowsNtt {
 public:
  FourStepNtt(const PrimeField& field, Index n, Index R, Direction direction);
  void run(const ResidueRows& x, double* tile, const Progress& progress) const override;
  Index tile_doubles(Index lanes) const override;

 private:
  Modulus modulus_;
  LevelsNtt columns_, rows_;
  ResidueRoots roots_;
};

std::shared_ptr<const RowsNtt> rows_ntt(const PrimeField& field, Index n, Index lanes, Direction direction);

}  // namespace kallima::kernel
