#pragma once
// A compiled pass that has reals at one end or at both, or takes complex numbers apart into them. Lines go through a
// tile; half spectra of even lengths are done in vector lanes instead, and long lines one by one, where they stand.
// Reals that stand side by side are pairs already and are read and written where they are; others, and those of long
// lines, which would fight for cache sets, go through rows of pairs in the tile.

#include <algorithm>
#include <cmath>

#include "kernel/line_pass.hpp"
#include "kernel/lone_half_line.hpp"
#include "kernel/real_lane_fft.hpp"

namespace kallima::kernel {

template <class T>
class RealPass final : public LinePass<T> {
  using Base = LinePass<T>;
  using Base::pass_, Base::sources_, Base::targets_, Base::lanes_, Base::together_, Base::by_lanes_, Base::pitch_,
      Base::lane_stride;
  using typename Base::Complex, typename Base::Cursor;

  static constexpr Index cache_bytes = 32 * 1024;  // measured: half a first-level cache, since lanes use as much again
  static constexpr Index fewest_lanes = 16;
  static constexpr Index many_lines = 64;
  static constexpr Index longest_line_in_place = 1024;  // reals

 public:
  RealPass(const Pass& pass, std::size_t depth, Direction direction, LineMaker<T> maker, Effort effort)
      : Base(pass, depth, direction, maker) {
    const auto reals = static_cast<double>(Base::read_ + Base::write_);
    Base::line_flops_ = reals * (1 + std::log2(std::max(2.0, static_cast<double>(pass.length))));
    const bool halves = pass.action == Action::transform && this->ours();
    if (halves && suits_single_lines()) lone_ = lone_half_line<T>(pass.length, pass.kind);
    by_lanes_ = halves && !lone_ && suits_lanes();
    in_tile_ = by_lanes_ && !stand_as_pairs(to_half() ? sources_ : targets_);
    together_ = this->lines_in(cache_bytes, pitch_ * static_cast<Index>(sizeof(T)), fewest_lanes);
    Base::twiddles_ = {pass.twiddle, Base::write_ / unit(targets_.front()), pass.loops, by_lanes_ ? together_ : 0};
    if (by_lanes_) {
      lane_fft_ = shared_value<RealLaneFft<T>>(std::pair(pass.length, pass.kind),
                                               [&] { return RealLaneFft<T>(pass.length, pass.kind); });
      lines_ = neighbours();
    }
    if (pass.action == Action::transform && !lone_)
      this->plan_lines({.kind = pass.kind,
                        .length = pass.length,
                        .pitch_in = pitch_,
                        .pitch_out = pitch_},
                       effort);
  }

 private:
  Index tile_elements() const override {
    if (lone_) return lone_->tile_elements();
    return std::max(by_lanes_ ? lane_fft_->tile_elements(together_) : 0, Base::tile_elements());
  }

  bool to_half() const { return pass_.kind == Kind::real_to_half; }

  // Many short lines rather take a third of the time than errors that are a fifth smaller.
  bool suits_lanes() const {
    const bool many = pass_.length >= shortest_pairs || element_count(pass_.loops) >= many_lines;
    return pass_.length % 2 == 0 && many && lanes_ >= LaneFft<T>::granularity();
  }

  // Lines that are whole at each end, and in place begin where they end.
  bool suits_single_lines() const {
    const auto is_whole = [](const PieceList& pieces) {
      return pieces.size() == 1 && pieces.front().stride == 1 && pieces.front().every == 1;
    };
    if (!suits_lone_lines<T>(element_count(pass_.loops), pass_.length)) return false;
    if (pass_.conjugated || !is_whole(sources_) || !is_whole(targets_)) return false;
    const PieceList::ListedPiece from = sources_.front(), to = targets_.front();
    if (from.buffer != to.buffer || from.recv >= 0) return true;
    const auto alike = [&](Index a, Index b) { return a * unit(from) == b * unit(to); };
    return alike(from.offset, to.offset) && std::ranges::equal(from.strides, to.strides, alike);
  }

  bool stand_as_pairs(const PieceList& pieces) const {
    return pieces.size() == 1 && pieces.front().stride == 1 && lane_stride(pieces.front()) % 2 == 0 &&
           pass_.length <= longest_line_in_place;
  }

  // Of half spectra that are whole lines, or parts of lines that fill vectors.
  std::vector<LinePart> neighbours() const {
    const auto is_line = [](const PieceList::ListedPiece& piece) {
      return piece.stride == 1 && piece.every == 1 && piece.count >= LaneFft<T>::granularity();
    };
    std::vector<LinePart> parts;
    const PieceList& halves = to_half() ? targets_ : sources_;
    if (halves.all(is_line))
      halves.each([&](std::size_t, const PieceList::ListedPiece& piece) {
        parts.push_back({piece.first, piece.count});
      });
    return parts;
  }

  void list_rows(Cursor& cursor) const override {
    const Index half = pass_.length / 2;
    cursor.rows_in.resize(at(to_half() ? half : half + 1));
    cursor.rows_out.resize(at(to_half() ? half + 1 : half));
    if (to_half())
      this->list_pieces(targets_, cursor.targets, cursor.rows_out);
    else
      this->list_pieces(sources_, cursor.sources, cursor.rows_in);
  }

  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    if (!lone_) return Base::run_block(cursor, lane, lanes, scale, tile);
    const Index apart = lane_stride(targets_.front());
    for (Index b = lane; b < lane + lanes; ++b)
      (*lone_)(cursor.sources[0] + b * lane_stride(sources_.front()), cursor.targets[0] + b * apart, tile);
    this->finish_lines(cursor.targets[0] + lane * apart, apart, cursor, lane, lanes, scale);
  }

  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    if (in_tile_) this->list_tile(cursor, tile, lanes, pass_.length / 2);
    // Pairs in the tile, or where they stand side by side.
    const auto rows = [&]<class C>(C* place, const PieceList::ListedPiece& piece) {
      if (in_tile_) return RowList<C>{.base = tile - lane, .pitch = spread_row<T>(1, lanes), .lane_stride = 1};
      return RowList<C>{.base = place, .pitch = 1, .lane_stride = lanes_ == 1 ? 1 : lane_stride(piece) / 2};
    };
    const auto each_pair = [&](const PieceList& pieces, const auto& places, const auto& copy) {
      if (!in_tile_) return;
      pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
        const Index stride = lane_stride(piece);
        for_each_pair(places[i] + lane * stride, piece, stride, lanes, cursor.tile_rows.data(), copy);
      });
    };
    if (to_half()) {
      each_pair(sources_, cursor.sources, [](const T& real, T& half) { half = real; });
      lane_fft_->to_half(rows(pairs(cursor.sources[0]), sources_.front()), {cursor.rows_out.data(), lines_}, lane,
                         lanes, this->factors(cursor, lane, scale), Base::direction_, tile);
    } else {
      lane_fft_->to_reals({cursor.rows_in.data(), lines_}, rows(pairs(cursor.targets[0]), targets_.front()), lane,
                          lanes, scale, tile);
      each_pair(targets_, cursor.targets, [](T& real, const T& half) { real = half; });
    }
  }

  bool in_tile_ = false;  // by lanes: reals are gathered into pairs, or scattered from them
  std::shared_ptr<const RealLaneFft<T>> lane_fft_;
  std::vector<LinePart> lines_;
  std::shared_ptr<const LoneHalfLine<T>> lone_;
};

}  // namespace kallima::kernel
