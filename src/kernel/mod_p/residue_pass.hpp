#pragma once
// A compiled pass over residues: lines are gathered into a tile, one per lane, transformed there, multiplied by twiddle
// factors, which are powers of one root per lane, and scattered.

#include <optional>

#include "kallima/backend.hpp"
#include "kernel/mod_p/line_ntt.hpp"
#include "schedule/piece_list.hpp"

namespace kallima::kernel {

class ResiduePass final : public Kernel {
 public:
  ResiduePass(const PrimeField& field, const Pass& pass, std::size_t depth, Direction direction);
  Ticket start(const KernelCall& call) const override;
  std::size_t tile_bytes() const override { return at(tile_doubles()) * sizeof(double); }
  std::vector<KernelTable> tables() const override { return {{this, twiddles_ ? twiddles_->bytes() : 0}}; }

 private:
  // The lines of one tile, and where it stands.
  struct Batch {
    std::vector<Index> loops;  // the indices of each line's loops, one line after another
    Index lanes = 0;
    double* tile = nullptr;
  };

  Index tile_doubles() const;
  void list(Batch& batch, Index first, Index lanes) const;
  void gather(const Batch& batch, const KernelCall& call) const;
  void scatter(const Batch& batch, const KernelCall& call) const;
  void compute(const Batch& batch, double scale, const Progress& progress) const;
  void multiply(const Batch& batch, double scale) const;
  void sum(const Batch& batch) const;
  std::vector<Index> offsets(const Batch& batch, const auto& piece, const KernelCall& call) const;
  double scale_of(const KernelCall& call) const;

  const PrimeField& field_;
  Pass pass_;  // whose pieces are in the lists
  PieceList sources_, targets_;
  std::size_t depth_;
  Index lines_;
  std::shared_ptr<const RowsNtt> line_;  // none where nothing is transformed
  std::optional<ResidueRoots> twiddles_;
  std::vector<Index> natural_;  // rows that stand in their own order
  Index together_ = 1;          // lines in a tile
  Index pitch_ = 1;             // between its rows
};

}  // namespace kallima::kernel
