#pragma once
// What all passes have in common that go through lines: where pieces stand in each iteration of the outer loops,
// several lines of the last loop at a time, a look at the messages every few microseconds, and a way that is open to
// all lines: they are gathered into a cache-sized tile, transformed there in place, twiddled or scaled, and scattered.
// Most lines are done in vector lanes instead, and only those that do not fill a vector go through the tile. Everything
// is counted in reals, of which a complex number is two.

#include <algorithm>

#include "kallima/backend.hpp"
#include "kernel/lane_fft.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/move.hpp"
#include "kernel/twiddle.hpp"
#include "schedule/piece_list.hpp"
#include "schedule/walk.hpp"

namespace kallima::kernel {

inline constexpr double flops_between_polls = 6e4;  // about 10 microseconds

inline Index unit(const auto& piece) { return piece.real ? 1 : 2; }

// Where a piece begins, in reals, `at` being the indices of the enclosing repeats.
inline Index first_real(const auto& piece, std::span<const Index> at) {
  Index offset = piece.offset;
  for (std::size_t d = 0; d < at.size(); ++d) offset += at[d] * piece.strides[d];
  return offset * unit(piece);
}

// An even number of reals for any precision, and an odd number of cache lines, which do not fight for the same sets.
template <class T>
Index spread_pitch(Index reals) {
  const Index cache_line = 64 / static_cast<Index>(sizeof(T));
  const Index lines = (reals + cache_line - 1) / cache_line;
  return (lines + (lines % 2 == 0 ? 1 : 0)) * cache_line;
}

template <class T>
auto* pairs(T* p) {
  using Complex = std::complex<std::remove_const_t<T>>;
  return reinterpret_cast<std::conditional_t<std::is_const_v<T>, const Complex, Complex>*>(p);
}

template <class T>
class LinePass : public Kernel {
 public:
  Ticket start(const KernelCall& call) const final {
    if (std::ranges::find(pass_.loops, 0) != pass_.loops.end()) return 0;
    thread_local Cursor cursor;
    auto* const tile = reinterpret_cast<Complex*>(call.tile.data());
    const T scale = pass_.scaled ? static_cast<T>(call.scale) : T(1);
    double since_poll = 0;
    place(cursor, call);
    do {
      if (by_lanes_) list_rows(cursor);
      for (Index lane = 0; lane < lanes_; lane += together_) {
        const Index lanes = std::min(together_, lanes_ - lane);
        run_block(cursor, lane, lanes, scale, tile);
        since_poll += line_flops_ * static_cast<double>(lanes);
        if (since_poll > flops_between_polls) {
          call.progress();
          since_poll = 0;
        }
      }
    } while (advance(cursor));
    return 0;
  }

  std::size_t tile_bytes() const final { return static_cast<std::size_t>(tile_elements()) * sizeof(Complex); }
  std::vector<KernelTable> tables() const final {
    std::vector<KernelTable> tables;
    twiddles_.list(tables);
    return tables;
  }

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
    std::vector<const T*> reals_in;  // by real
    std::vector<T*> reals_out;
    std::vector<Complex*> tile_rows;  // of what cannot be worked on where it stands
    std::vector<Complex> factors;
  };

  LinePass(const Pass& pass, std::size_t depth, Direction direction, LineMaker<T> maker)
      : pass_(pass),
        sources_(pass.sources),
        targets_(pass.targets),
        depth_(depth),
        direction_(direction),
        maker_(maker) {
    for (std::vector<Piece>* pieces : {&pass_.sources, &pass_.targets}) *pieces = {};
  }

  virtual Index tile_elements() const { return tiled_lines() * pitch_ / 2 + scratch_elements(); }
  virtual void list_rows(Cursor& cursor) const = 0;  // of each iteration of the outer loops
  virtual void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const = 0;  // whole vectors
  virtual void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
    const Index left = by_lanes_ ? lanes % LaneFft<T>::granularity() : lanes;
    if (left < lanes) run_lanes(cursor, lane, lanes - left, scale, tile);
    if (left > 0 && padded_)
      run_padded(cursor, lane + lanes - left, left, scale, tile);
    else if (left > 0)
      run_lines(cursor, lane + lanes - left, left, scale, reinterpret_cast<T*>(tile));
  }
  virtual void run_padded(Cursor&, Index /*lane*/, Index /*lanes*/, T /*scale*/, Complex* /*tile*/) const {}

  bool ours() const { return maker_ == our_lines<T>; }  // lines that are not lanes, and so those that are

  // How many lines are handled at once: what `bytes` hold, in whole vectors where they are lanes.
  Index lines_in(Index bytes, Index line_bytes, Index fewest) const {
    const Index whole = by_lanes_ ? LaneFft<T>::granularity() : 1;
    return std::max(whole, std::min(lanes_, std::max(fewest, bytes / line_bytes)) / whole * whole);
  }

  // At most; fewer than fit a vector where the others are lanes.
  Index tiled_lines() const {
    if (!by_lanes_) return std::min(together_, lanes_);
    return padded_ ? 0 : lanes_ % LaneFft<T>::granularity();
  }

  void plan_lines(Lines lines, Effort effort) {
    const Index most = tiled_lines(), rest = by_lanes_ ? 0 : lanes_ % together_;
    for (const Index count : {most, rest}) {
      lines.count = count;
      if (count > 0) line_ffts_.push_back(maker_(lines, effort));
    }
  }
  const LineFft<T>& line_fft(Index lanes) const {
    return lanes == together_ ? *line_ffts_.front() : *line_ffts_.back();
  }

  Index scratch_elements() const {  // of these
    Index most = 0;
    for (const auto& lines : line_ffts_) most = std::max(most, lines->tile_elements());
    return most;
  }

  Index lane_stride(const PieceList::ListedPiece& piece) const {
    return pass_.loops.empty() ? 0 : piece.strides.back() * unit(piece);
  }

  // Complex numbers between the lanes of all pieces; 0: they differ.
  Index stride_of(const PieceList& pieces) const {
    if (lanes_ == 1) return 1;
    const Index stride = lane_stride(pieces.front());
    return pieces.all([&](const auto& piece) { return lane_stride(piece) == stride; }) ? stride / 2 : 0;
  }

  // And between the elements of a line; 0: they are in several pieces.
  Index pitch_of(const PieceList& pieces) const {
    return pieces.size() == 1 && pieces.front().every == 1 && stride_of(pieces) != 0 ? pieces.front().stride : 0;
  }

  Factors factors(Cursor& cursor, Index lane, T scale) const {
    Factors factors{.scale = scale};
    if (twiddles_.empty()) return factors;
    const Index i = twiddle_index(cursor, lane);
    factors.row = twiddles_.row(i);
    if (twiddles_.by_lane()) {
      factors.listed = twiddles_.listed(i);
      factors.fine = twiddles_.fine_lanes() ? twiddles_.fine_lanes() : factors.listed;
      factors.fine_stride = twiddles_.fine_count();
      factors.heads = twiddles_.heads();
    } else if (twiddles_.fine_row(i) != nullptr) {  // a product of two rows, the same for all lanes
      cursor.factors.assign(static_cast<std::size_t>(write_ / 2), Complex(1));
      twiddles_.multiply(cursor.factors.data(), i, T(1), Direction::forward);
      factors.row = cursor.factors.data();
    }
    return factors;
  }

  // Twiddle factors and scale, for lines `pitch` reals apart.
  void finish_lines(T* line, Index pitch, const Cursor& cursor, Index lane, Index lanes, T scale) const {
    if (twiddles_.empty() && scale == T(1)) return;
    for (; lanes > 0; --lanes, ++lane, line += pitch) {
      const Index i = twiddle_index(cursor, lane);
      if (twiddles_.empty()) {
        for (Index k = 0; k < write_; ++k) line[k] *= scale;
      } else if (!twiddles_.by_lane()) {
        twiddles_.multiply(pairs(line), i, scale, direction_);
      } else {
        for (Index k = 0; k < write_ / 2; ++k) {
          const Complex fine = twiddles_.fine_lanes()[k * twiddles_.fine_count() + i % together_];
          const Complex w = twiddles_.row(i)[k] * fine * scale;
          pairs(line)[k] *= direction_ == Direction::forward ? w : std::conj(w);
        }
      }
    }
  }

  // Lists the row of every element of complex pieces that begin at `bases`.
  template <class C, class Bases>
  void list_pieces(const PieceList& pieces, const Bases& bases, std::vector<Row<C>>& rows) const {
    pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
      const Index lane = lane_stride(piece) / 2;
      auto* const base = reinterpret_cast<C*>(bases[i]);
      auto* const row = &rows[at(piece.first)];
      for (Index e = 0; e < piece.count; ++e) row[e * piece.every] = {base + e * piece.stride, lane};
    });
  }

  // Lists `count` rows of neighbouring lanes in a tile.
  void list_tile(Cursor& cursor, Complex* tile, Index lanes, Index count) const {
    cursor.tile_rows.clear();
    for (Index k = 0; k < count; ++k) cursor.tile_rows.push_back(tile + spread_row<T>(k, lanes));
  }

  Pass pass_;  // whose pieces are in the lists
  PieceList sources_;
  PieceList targets_;
  std::size_t depth_;
  Direction direction_;
  LineMaker<T> maker_;
  Index lanes_ = pass_.loops.empty() ? 1 : pass_.loops.back();  // extent of the last loop
  Index read_ = elements_read(pass_) * unit(sources_.front());  // reals of a line's sources and targets
  Index write_ = elements_written(pass_) * unit(targets_.front());
  Index pitch_ = spread_pitch<T>(std::max(read_, write_));  // reals between the lines of a tile
  bool by_lanes_ = false;                                   // in vectors
  bool padded_ = false;                                     // also those that do not fill one
  Index together_ = 1;                                      // lines handled at once
  double line_flops_ = 0;                                   // about
  TwiddleTable<T> twiddles_;
  std::vector<std::shared_ptr<const LineFft<T>>> line_ffts_;  // for `together_` lines, and what is left at the end

 private:
  void place(Cursor& cursor, const KernelCall& call) const {
    const auto first = [&](const PieceList::ListedPiece& piece) { return first_real(piece, call.at.first(depth_)); };
    cursor.sources.clear();
    cursor.targets.clear();
    sources_.each([&](std::size_t, const PieceList::ListedPiece& s) {
      cursor.sources.push_back(reinterpret_cast<const T*>(call.source(s)) + first(s));
    });
    targets_.each([&](std::size_t, const PieceList::ListedPiece& t) {
      cursor.targets.push_back(reinterpret_cast<T*>(call.operands.buffers[at(t.buffer)]) + first(t));
    });
    cursor.at.assign(pass_.loops.empty() ? 0 : pass_.loops.size() - 1, 0);
  }

  // The next iteration of the outer loops, innermost first; false after the last one.
  bool advance(Cursor& cursor) const {
    const auto move_on = [this](const PieceList& pieces, auto& places, std::size_t d, Index steps) {
      pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
        places[i] += steps * piece.strides[depth_ + d] * unit(piece);
      });
    };
    for (std::size_t d = cursor.at.size(); d-- > 0;) {
      const bool wraps = ++cursor.at[d] == pass_.loops[d];
      const Index steps = wraps ? 1 - pass_.loops[d] : 1;
      move_on(sources_, cursor.sources, d, steps);
      move_on(targets_, cursor.targets, d, steps);
      if (!wraps) return true;
      cursor.at[d] = 0;
    }
    return false;
  }

  Index twiddle_index(const Cursor& cursor, Index lane) const {
    if (twiddles_.loop() < 0) return 0;
    const auto loop = static_cast<std::size_t>(twiddles_.loop());
    return loop < cursor.at.size() ? cursor.at[loop] : lane;
  }

  void run_lines(const Cursor& cursor, Index lane, Index lanes, T scale, T* tile) const {
    const auto each_run = [&](const PieceList& pieces, const auto& places, const auto& copy) {
      pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
        const Index stride = lane_stride(piece);
        auto* const outside = places[i] + lane * stride;
        if (piece.real)
          for_each_run(outside, piece, stride, lanes, tile, pitch_, copy);
        else
          for_each_run(pairs(outside), piece, stride / 2, lanes, pairs(tile), pitch_ / 2, copy);
      });
    };
    each_run(sources_, cursor.sources,
             [](const auto* outside, auto* inside, Index count) { std::copy_n(outside, count, inside); });
    if (pass_.action == Action::transform) transform(lanes, tile);
    finish_lines(tile, pitch_, cursor, lane, lanes, scale);
    if (pass_.conjugated)
      for (Index b = 0; b < lanes; ++b)
        for (Index k = 1; k < write_; k += 2) tile[b * pitch_ + k] = -tile[b * pitch_ + k];
    each_run(targets_, cursor.targets,
             [](auto* outside, const auto* inside, Index count) { std::copy_n(inside, count, outside); });
  }

  // Whatever stands in the imaginary parts that a spectrum of reals does not have is not to be seen.
  void transform(Index lanes, T* tile) const {
    if (pass_.kind == Kind::half_to_real)
      for (Index b = 0; b < lanes; ++b) {
        tile[b * pitch_ + 1] = 0;
        if (pass_.length % 2 == 0) tile[b * pitch_ + pass_.length + 1] = 0;
      }
    line_fft(lanes)(tile, tile, pairs(tile) + tiled_lines() * pitch_ / 2);
  }
};

}  // namespace kallima::kernel
