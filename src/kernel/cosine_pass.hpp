#pragma once
// A compiled cosine or sine transform. Lines are vector lanes wherever there are enough of them: rows of reals that
// stand side by side are read and written where they are; lines whose elements are neighbours are turned into rows of a
// tile and back; others are brought there real by real. Of complex numbers both parts are lanes.

#include <cmath>

#include "kernel/cosine_rows.hpp"
#include "kernel/line_pass.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {

template <class T>
class CosinePass final : public LinePass<T> {
  using Base = LinePass<T>;
  using Base::pass_, Base::sources_, Base::targets_, Base::lanes_, Base::together_, Base::by_lanes_, Base::pitch_,
      Base::lane_stride;
  using typename Base::Complex, typename Base::Cursor;

  static constexpr Index cache_bytes = 32 * 1024;
  static constexpr Index fewest_lanes = 16;

  enum class Stand { in_rows, in_lines, anywhere };

 public:
  CosinePass(const Pass& pass, std::size_t depth, Direction direction, LineMaker<T> maker, Effort effort)
      : Base(pass, depth, direction, maker), parts_(unit(sources_.front())) {
    const auto reals = static_cast<double>(Base::read_ + Base::write_);
    Base::line_flops_ = reals * (1 + std::log2(std::max(2.0, static_cast<double>(pass.length))));
    given_ = stand(sources_);
    wanted_ = stand(targets_);
    by_lanes_ = suits_lanes();
    together_ = this->lines_in(cache_bytes, pitch_ * static_cast<Index>(sizeof(T)), fewest_lanes);
    Base::twiddles_ = {pass.twiddle, Base::write_ / unit(targets_.front()), pass.loops, by_lanes_ ? together_ : 0};
    if (by_lanes_)
      rows_ = shared_value<CosineRows<T>>(std::pair(pass.kind, pass.length),
                                          [&] { return CosineRows<T>(pass.kind, pass.length); });
    this->plan_lines(
        {.kind = pass.kind, .length = pass.length, .pitch_in = pitch_, .pitch_out = pitch_, .parts = parts_}, effort);
  }

 private:
  Index tile_elements() const override {
    return std::max(by_lanes_ ? rows_->tile_elements(parts_ * together_) : 0, Base::tile_elements());
  }

  Stand stand(const PieceList& pieces) const {
    if (pieces.all([&](const auto& piece) { return lane_stride(piece) == parts_; })) return Stand::in_rows;
    const PieceList::ListedPiece line = pieces.front();
    const bool is_line = pieces.size() == 1 && line.stride == 1 && line.every == 1 && lane_stride(line) % 2 == 0;
    return is_line && parts_ == 1 ? Stand::in_lines : Stand::anywhere;
  }

  bool suits_lanes() const {
    const bool plain = pass_.twiddle.modulus == 0 && !pass_.conjugated;
    if (!plain || !this->ours() || lanes_ < LaneFft<T>::granularity()) return false;
    if (parts_ == 2 && (given_ != Stand::in_rows || wanted_ != Stand::in_rows)) return false;
    return !suits_lone_lines<T>(element_count(pass_.loops), pass_.length);
  }

  void list_rows(Cursor& cursor) const override {
    if (given_ == Stand::in_rows) list_reals(sources_, cursor.sources, cursor.reals_in);
    if (wanted_ == Stand::in_rows) list_reals(targets_, cursor.targets, cursor.reals_out);
  }

  void list_reals(const PieceList& pieces, const auto& bases, auto& rows) const {
    rows.resize(at(pass_.length));
    pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
      for (Index e = 0; e < piece.count; ++e)
        rows[at(piece.first + e * piece.every)] = bases[i] + e * piece.stride * parts_;
    });
  }

  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    const Index all = parts_ * lanes;
    Complex* const pairs = rows_->pairs(tile, all);
    if (given_ != Stand::in_rows || wanted_ != Stand::in_rows)
      this->list_tile(cursor, pairs, lanes, (pass_.length + 1) / 2);
    const auto each_pair = [&](const PieceList& pieces, const auto& places, const auto& copy) {
      pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
        const Index stride = lane_stride(piece);
        for_each_pair(places[i] + lane * stride, piece, stride, lanes, cursor.tile_rows.data(), copy);
      });
    };
    if (given_ == Stand::in_lines)
      turn<false>(const_cast<T*>(cursor.sources[0]), sources_, lane, lanes, pairs);  // only read
    else if (given_ == Stand::anywhere)
      each_pair(sources_, cursor.sources, [](const T& outside, T& inside) { inside = outside; });
    (*rows_)(given_ == Stand::in_rows ? cursor.reals_in.data() : nullptr,
             wanted_ == Stand::in_rows ? cursor.reals_out.data() : nullptr, parts_ * lane, all, scale, tile);
    if (wanted_ == Stand::in_lines)
      turn<true>(cursor.targets[0], targets_, lane, lanes, pairs);
    else if (wanted_ == Stand::anywhere)
      each_pair(targets_, cursor.targets, [](T& outside, const T& inside) { outside = inside; });
  }

  // Neighbours in a line are pairs, but for the last of an odd number.
  template <bool writes>
  void turn(T* line, const PieceList& pieces, Index lane, Index lanes, Complex* pairs) const {
    const Index half = pass_.length / 2, apart = lane_stride(pieces.front());
    turn_lines<writes>(Row<Complex>{kernel::pairs(line), apart / 2}, LinePart{0, half}, lane, lanes, pairs);
    if (pass_.length % 2 == 0) return;
    T* const ends = reinterpret_cast<T*>(pairs + spread_row<T>(half, lanes));
    for (Index b = 0; b < lanes; ++b) {
      T &outside = line[(lane + b) * apart + pass_.length - 1], &inside = ends[2 * b];
      writes ? outside = inside : inside = outside;
    }
  }

  Index parts_;  // reals of an element
  Stand given_, wanted_;
  std::shared_ptr<const CosineRows<T>> rows_;
};

}  // namespace kallima::kernel
