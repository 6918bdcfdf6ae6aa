#pragma once
// A compiled Pass that has reals at one end or at both, or takes complex numbers apart into them. Lines are gathered
// into a cache-sized tile, transformed there in place, twiddled or scaled, and scattered.

#include <span>

#include "kallima/schedule.hpp"
#include "kernel/memory.hpp"
#include "kernel/real_line.hpp"
#include "kernel/twiddle.hpp"

namespace kallima::kernel {

template <class T>
class RealPass {
 public:
  static bool is_one(const Pass& pass);

  RealPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

  // As CompiledPass.
  void run(const Memory<T>& memory, std::span<const Index> at, T scale, std::span<std::complex<T>> tile,
           const Progress& progress) const;
  Index tile_elements() const;
  std::size_t table_bytes() const { return twiddles_.bytes(); }

 private:
  struct Cursor;
  using Complex = std::complex<T>;

  Index lane_stride(const Piece& piece) const;  // in reals
  void plan_lines(Effort effort);
  Cursor start(const Memory<T>& memory, std::span<const Index> at) const;
  bool advance(Cursor& cursor) const;
  void run_lines(const Cursor& cursor, Index lane, Index lanes, T scale, T* tile) const;
  void transform(Index lanes, T* tile) const;
  void finish_line(T* line, const Cursor& cursor, Index lane, T scale) const;

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
  Index lanes_;         // extent of the last loop
  Index read_, write_;  // reals of a line's sources and targets
  Index pitch_;         // reals between the lines of a tile
  Index together_;      // lines handled at once
  TwiddleTable<T> twiddles_;
  std::vector<RealLineFft<T>> line_ffts_;  // for `together_` lines, and for what is left at the end
};

}  // namespace kallima::kernel
