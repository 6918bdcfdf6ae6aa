#pragma once
// What all passes have in common that go through lines: where pieces stand in each iteration of the outer loops,
// several lines of the last loop at a time, a look at the messages every few microseconds, and the ends of a line:
// gathering it into a tile, twiddle factors and scale, scattering it from there. Everything is counted in reals, of
// which a complex number is two.

#include "kallima/backend.hpp"
#include "kernel/lane_fft.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/twiddle.hpp"

namespace kallima::kernel {

inline Index unit(const Piece& piece) { return piece.real ? 1 : 2; }

template <class T>
class LinePass : public Kernel {
 public:
  Ticket start(const KernelCall& call) const final;
  std::size_t table_bytes() const final { return twiddles_.bytes(); }

 protected:
  using Complex = std::complex<T>;
  using Factors = typename LaneFft<T>::Factors;

  // One iteration of the outer loops (all but the last): where every piece stands and, for lanes, every line element. A
  // thread has one, whose lists keep their memory from one pass to the next.
  struct Cursor {
    std::vector<const T*> sources;
    std::vector<T*> targets;
    std::vector<Index> at;                    // indices of the outer loops
    std::vector<Row<const Complex>> rows_in;  // by line element, or pair of reals
    std::vector<Row<Complex>> rows_out;
    std::vector<Complex*> tile_rows;  // of what cannot be worked on where it stands
    std::vector<Row<const Complex>> gathered;
    std::vector<Complex> factors;
    std::vector<Row<const Complex>> few_in;  // lanes that do not fill a vector, padded
    std::vector<Row<Complex>> few_out;
    std::vector<Complex> few_factors;
  };

  LinePass(const Pass& pass, std::size_t depth, Direction direction);

  virtual void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const = 0;
  virtual void list_rows(Cursor& /*cursor*/) const {}  // of each iteration of the outer loops

  Index lane_stride(const Piece& piece) const { return pass_.loops.empty() ? 0 : piece.strides.back() * unit(piece); }
  Factors factors(Cursor& cursor, Index lane, T scale) const;
  void gather_lines(const Cursor& cursor, Index lane, Index lanes, T* tile) const;
  void finish_lines(T* line, Index pitch, const Cursor& cursor, Index lane, Index lanes, T scale) const;
  void scatter_lines(const T* tile, const Cursor& cursor, Index lane, Index lanes) const;
  const LineFft<T>& line_fft(Index lanes) const { return lanes == together_ ? line_ffts_.front() : line_ffts_.back(); }

  // Lists the row of every element of complex pieces that begin at `bases`.
  template <class C, class Bases>
  void list_pieces(const std::vector<Piece>& pieces, const Bases& bases, std::vector<Row<C>>& rows) const {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      const Index lane = lane_stride(piece) / 2;
      auto* const base = reinterpret_cast<C*>(bases[i]);
      auto* const row = &rows[static_cast<std::size_t>(piece.first)];
      for (Index e = 0; e < piece.count; ++e) row[e * piece.every] = {base + e * piece.stride, lane};
    }
  }

  Pass pass_;
  std::size_t depth_;
  Direction direction_;
  Index lanes_;            // extent of the last loop
  Index read_, write_;     // reals of a line's sources and targets
  Index pitch_;            // reals between the lines of a tile
  Index together_ = 1;     // lines handled at once
  double line_flops_ = 0;  // about
  TwiddleTable<T> twiddles_;
  std::vector<LineFft<T>> line_ffts_;  // for `together_` lines, and for what is left at the end

 private:
  void place(Cursor& cursor, const KernelCall& call) const;
  bool advance(Cursor& cursor) const;
  Index twiddle_index(const Cursor& cursor, Index lane) const;
};

}  // namespace kallima::kernel
