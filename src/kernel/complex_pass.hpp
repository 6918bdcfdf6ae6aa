#pragma once
// A compiled pass of complex numbers, run in one of four ways. Lanes: several lines at once in vector lanes, straight
// from sources to targets, for lengths that are products of 2, 3 and 5. Direct: lines that are contiguous at both ends
// go through FFTW where they stand, or are only copied. Sum: a tile of lines at a time. All others: through the tile.

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernel/line_pass.hpp"

namespace kallima::kernel {

template <class T>
class ComplexPass final : public LinePass<T> {
  using Base = LinePass<T>;
  using Base::pass_, Base::sources_, Base::targets_, Base::lanes_, Base::together_, Base::by_lanes_, Base::pitch_,
      Base::lane_stride, Base::is_near;
  using typename Base::Complex, typename Base::Cursor;

  // A first-level cache; long lines take more, and the caches behind it. Where lanes are no neighbours, a cache line
  // holds elements of several rows and stays until all are read: such lines share the cache with the tile.
  static constexpr Index cache_bytes = 64 * 1024;
  static constexpr Index fewest_lanes = 16;  // measured: less makes memory deliver too short runs
  static constexpr Index longest_line_in_place = 512;

 public:
  ComplexPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort) : Base(pass, depth, direction) {
    const auto length = static_cast<double>(pass.length);
    Base::line_flops_ = length * (4 + 5 * std::log2(std::max(2.0, length)));
    by_lanes_ = pass.action == Action::transform && LaneFft<T>::supports(pass.length) && suits_lanes();
    direct_ = !by_lanes_ && pass.action != Action::sum && stands_as_lines();
    const bool stand_apart = by_lanes_ && pass.length <= longest_line_in_place && !(near_in_ && near_out_);
    const Index share = stand_apart ? 2 : 1;
    together_ =
        this->lines_in(cache_bytes / share, pass.length * static_cast<Index>(sizeof(Complex)), fewest_lanes / share);
    Base::twiddles_ = {pass.twiddle, pass.length, pass.loops, by_lanes_ ? together_ : 0};
    if (by_lanes_) lane_fft_.emplace(pass.length, direction);
    if (pass.action == Action::transform)
      this->plan_lines({.direction = direction,
                        .length = pass.length,
                        .pitch_in = direct_ ? lane_stride(sources_.front()) : pitch_,
                        .pitch_out = direct_ ? lane_stride(targets_.front()) : pitch_,
                        .in_place = !direct_ || same_buffer()},
                       effort);
  }

 private:
  // Lanes that are not neighbours are put into vectors one by one: cheap for two, dear for more, where FFTW's own
  // vector code for contiguous lines is the better choice. Long lines are gathered first and do not count.
  bool suits_lanes() const {
    if (lanes_ < LaneFft<T>::granularity()) return false;
    if (LaneFft<T>::granularity() <= 2) return true;
    return targets_.any(is_near()) && (near_in_ || pass_.length > longest_line_in_place);
  }

  // At both ends, and where FFTW, or a copy, finds nothing overwritten that it has yet to read.
  bool stands_as_lines() const {
    const PieceList::ListedPiece s = sources_.front(), t = targets_.front();
    for (const PieceList::ListedPiece& piece : {s, t})
      if (piece.stride != 1 || piece.count != pass_.length || pass_.conjugated) return false;
    const bool same_lines = s.offset == t.offset && std::ranges::equal(s.strides, t.strides);
    return !same_buffer() || (pass_.action != Action::move && same_lines);
  }

  bool same_buffer() const { return sources_.front().buffer == targets_.front().buffer && sources_.front().recv < 0; }

  Index tile_elements() const override {
    if (direct_) return 0;
    if (pass_.action == Action::sum) return together_;
    if (!by_lanes_) return Base::tile_elements();
    const Index gathered = gathers_rows() ? spread_row<T>(pass_.length, together_) : 0;
    return std::max(together_ * lane_fft_->tile_rows() + gathered, Base::tile_elements());
  }

  void list_rows(Cursor& cursor) const override {
    cursor.rows_in.resize(at(pass_.length));
    cursor.rows_out.resize(at(pass_.length));
    this->list_pieces(sources_, cursor.sources, cursor.rows_in);
    this->list_pieces(targets_, cursor.targets, cursor.rows_out);
  }

  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    if (direct_)
      run_direct(cursor, lane, lanes, scale);
    else if (pass_.action == Action::sum)
      run_sum(cursor, lane, lanes, scale, tile);
    else
      Base::run_block(cursor, lane, lanes, scale, tile);
  }

  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    RowList<const Complex> in{cursor.rows_in.data(), near_in_};
    if (gathers_rows()) {
      gather_into(cursor, lane, lanes, tile + lanes * lane_fft_->tile_rows());
      in = {cursor.gathered.data(), true};
    }
    (*lane_fft_)({in, {cursor.rows_out.data(), near_out_}}, lane, lanes, this->factors(cursor, lane, scale), tile);
  }

  // The lanes of long lines would fight for cache sets and are brought together first; short lines stay in cache as
  // they are, and rows of neighbouring lanes are best read where they stand (both measured).
  bool gathers_rows() const { return pass_.length > longest_line_in_place && !near_in_; }

  void gather_into(Cursor& cursor, Index lane, Index lanes, Complex* tile) const {
    this->list_tile(cursor, tile, lane, lanes, pass_.length, cursor.gathered);
    sources_.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
      const Index stride = lane_stride(piece);
      gather_rows(pairs(cursor.sources[i] + lane * stride), piece, stride / 2, lanes, cursor.tile_rows.data());
    });
  }

  void run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const {
    const Index stride_in = lane_stride(sources_.front()), stride_out = lane_stride(targets_.front());
    const T* from = cursor.sources[0] + lane * stride_in;
    T* to = cursor.targets[0] + lane * stride_out;
    if (pass_.action == Action::move)
      for (Index b = 0; b < lanes; ++b) std::copy_n(from + b * stride_in, 2 * pass_.length, to + b * stride_out);
    else
      this->line_fft(lanes)(from, to);
    this->finish_lines(to, stride_out, cursor, lane, lanes, scale);
  }

  void run_sum(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* sums) const {
    std::fill_n(sums, lanes, Complex(0));
    sources_.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
      const Index stride = lane_stride(piece) / 2;
      const Complex* const from = pairs(cursor.sources[i]) + lane * stride;
      for (Index e = 0; e < piece.count; ++e)
        for (Index b = 0; b < lanes; ++b) sums[b] += from[e * piece.stride + b * stride];
    });
    const Index stride = lane_stride(targets_.front()) / 2;
    Complex* const to = pairs(cursor.targets[0]) + lane * stride;
    for (Index b = 0; b < lanes; ++b) to[b * stride] = sums[b] * scale;
  }

  bool near_in_ = sources_.all(is_near());  // lanes are neighbours in all sources
  bool near_out_ = targets_.all(is_near());
  bool direct_ = false;
  std::optional<LaneFft<T>> lane_fft_;
};

}  // namespace kallima::kernel
