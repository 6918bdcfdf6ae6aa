#pragma once
// A Pass of complex numbers, compiled: everything that can be decided beforehand has been, running it only loops. There
// are four ways to run one. Lanes: several lines at once in vector lanes, straight from sources to targets, for lengths
// that are products of 2, 3 and 5. Direct: lines that are contiguous at both ends go through FFTW where they stand, or
// are only copied. Tile: lines are gathered into a cache-sized tile, transformed there by FFTW, twiddled and scattered.
// Sum: lines are added up, a tile of them at a time.

#include <optional>
#include <span>

#include "kallima/backend.hpp"
#include "kernel/lane_fft.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/twiddle.hpp"

namespace kallima::kernel {

template <class T>
class CompiledPass final : public Kernel {
 public:
  CompiledPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

  Ticket start(const KernelCall& call) const override;
  std::size_t tile_bytes() const override { return static_cast<std::size_t>(tile_elements()) * sizeof(Complex); }
  std::size_t table_bytes() const override { return twiddles_.bytes(); }

 private:
  enum class Mode { lanes, direct, tile, sum };
  using Complex = std::complex<T>;
  struct Cursor;

  Mode choose_mode() const;
  bool suits_lanes() const;
  bool all_near(const std::vector<Piece>& pieces) const;
  Index lanes_together() const;
  Index lane_stride(const Piece& piece) const { return pass_.loops.empty() ? 0 : piece.strides.back(); }
  void plan_lines(Effort effort);
  Index tile_elements() const;
  void place(Cursor& cursor, const KernelCall& call) const;
  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  bool advance(Cursor& cursor) const;
  bool gathers_rows() const;
  Index gathered_row(Index k, Index lanes) const;
  void gather_into(Cursor& cursor, Index lane, Index lanes, Complex* tile) const;
  void list_rows(Cursor& cursor) const;
  Index twiddle_index(const Cursor& cursor, Index lane) const;
  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void run_few_lanes(Cursor& cursor, Index lane, Index lanes, typename LaneFft<T>::Factors factors,
                     Complex* tile) const;
  void run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const;
  void run_tile(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void run_sum(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void finish_line(Complex* line, const Cursor& cursor, Index lane, T scale) const;

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
  Index lanes_;   // extent of the last loop
  bool near_in_;  // lanes are neighbours in all sources
  bool near_out_;
  Mode mode_;
  Index together_;  // lines handled at once
  Index pitch_;     // distance of lines in a tile
  TwiddleTable<T> twiddles_;
  std::optional<LaneFft<T>> lane_fft_;
  std::vector<LineFft<T>> line_ffts_;  // for `together_` lines, and for what is left at the end
};

}  // namespace kallima::kernel
