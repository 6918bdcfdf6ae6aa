#pragma once
// A Pass of a schedule, compiled: everything that can be decided beforehand has been, running it only loops. There
// are three ways to run one. Direct: lines that are contiguous at both ends go straight through FFTW. Small: a few
// points, done in registers across neighbouring lanes. Tile: a group of lines is gathered into a cache-sized tile, one
// line after another, transformed there, twiddled and scattered.

#include <array>
#include <functional>
#include <span>

#include "kallima/memory.hpp"
#include "kallima/schedule.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/twiddle.hpp"

namespace kallima::kernel {

// Where a rank's buffers and the blocks it has received are; received blocks are listed by their recv_finish task.
template <class T>
struct Memory {
  std::array<std::complex<T>*, 4> buffers{};
  std::vector<const std::complex<T>*> received;
};

// Called about every 50 microseconds of work, so that messages move while the processor computes.
using Progress = std::function<void()>;

template <class T>
class CompiledPass {
 public:
  CompiledPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

  // `at` holds the indices of the enclosing repeats.
  void run(const Memory<T>& memory, std::span<const Index> at, T scale, std::span<std::complex<T>> tile,
           const Progress& progress) const;
  Index tile_elements() const { return mode_ == Mode::tile ? tile_lanes_ * pitch_ : 0; }
  std::size_t table_bytes() const { return twiddles_.bytes(); }

 private:
  enum class Mode { direct, small, tile };
  using Complex = std::complex<T>;
  struct Cursor;

  Mode choose_mode() const;
  bool lanes_contiguous() const;
  Index lane_stride(const Piece& piece) const { return pass_.loops.empty() ? 0 : piece.strides.back(); }
  void run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const;
  void run_small(const Cursor& cursor, T scale) const;
  void run_tile(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void finish_line(Complex* line, const Cursor& cursor, Index lane, T scale) const;
  const LineFft<T>& fft_for(Index lanes) const;

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
  TwiddleTable<T> twiddles_;
  Index lanes_;       // extent of the last loop
  Mode mode_;
  Index tile_lanes_;  // lines handled together
  Index pitch_;       // distance of lines in the tile
  std::vector<LineFft<T>> ffts_;  // for tile_lanes_ lines, and for what is left at the end
};

}  // namespace kallima::kernel
