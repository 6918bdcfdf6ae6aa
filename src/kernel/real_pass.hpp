#pragma once
// A compiled Pass that has reals at one end or at both, or takes complex numbers apart into them. Lines are gathered
// into a cache-sized tile, transformed there in place by FFTW, twiddled or scaled, and scattered. Half spectra of twice
// a product of 2, 3 and 5 reals are done in vector lanes instead (real_pass_lanes.cpp), straight from reals that stand
// side by side and to them.

#include <optional>
#include <span>

#include "kallima/backend.hpp"
#include "kernel/real_lane_fft.hpp"
#include "kernel/real_line.hpp"
#include "kernel/twiddle.hpp"

namespace kallima::kernel {

template <class T>
class RealPass final : public Kernel {
 public:
  static bool takes(const Pass& pass);

  RealPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort);

  Ticket start(const KernelCall& call) const override;
  std::size_t tile_bytes() const override;
  std::size_t table_bytes() const override { return twiddles_.bytes(); }

 private:
  using Complex = std::complex<T>;

  // One iteration of the outer loops (all but the last): where every piece stands and, for lanes, every line element.
  // A thread has one, whose lists keep their memory from one pass to the next.
  struct Cursor {
    std::vector<const T*> sources;
    std::vector<T*> targets;
    std::vector<Index> at;
    std::vector<Row<const Complex>> rows_in;  // pairs of reals or half spectra
    std::vector<Row<Complex>> rows_out;
    std::vector<Complex*> tile_rows;  // of pairs that cannot be worked on where they stand
    std::vector<Complex> factors;
  };

  Index lane_stride(const Piece& piece) const;  // in reals
  bool halves() const { return pass_.kind == Kind::real_to_half || pass_.kind == Kind::half_to_real; }
  Index lines_together() const;
  bool suits_lanes() const;
  bool stand_as_pairs(const std::vector<Piece>& pieces) const;
  void plan_lines(Effort effort);
  void place(Cursor& cursor, const KernelCall& call) const;
  bool advance(Cursor& cursor) const;
  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void list_rows(Cursor& cursor) const;
  void use_tile_rows(Cursor& cursor, Index lane, Index lanes, Complex* tile) const;
  typename LaneFft<T>::Factors factors(Cursor& cursor, Index lane, T scale) const;
  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const;
  void run_lines(const Cursor& cursor, Index lane, Index lanes, T scale, T* tile) const;
  void transform(Index lanes, T* tile) const;
  Index twiddle_index(const Cursor& cursor, Index lane) const;
  void finish_line(T* line, const Cursor& cursor, Index lane, T scale) const;

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
  Index lanes_;         // extent of the last loop
  Index read_, write_;  // reals of a line's sources and targets
  Index pitch_;         // reals between the lines of a tile
  bool by_lanes_;
  bool in_tile_;    // by lanes: reals are gathered into pairs, or scattered from them
  Index together_;  // lines handled at once
  TwiddleTable<T> twiddles_;
  std::optional<RealLaneFft<T>> lane_fft_;
  std::vector<RealLineFft<T>> line_ffts_;  // for `together_` lines, and for what is left at the end
};

}  // namespace kallima::kernel
