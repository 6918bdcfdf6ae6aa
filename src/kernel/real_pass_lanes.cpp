// The part of a RealPass that works in vector lanes. Reals that stand side by side are pairs already and are read and
// written where they are; others, and those of long lines, which would fight for cache sets, go through rows of pairs
// in the tile.

#include <algorithm>

#include "kernel/move.hpp"
#include "kernel/real_pass.hpp"
#include "schedule/lines.hpp"

namespace kallima::kernel {
namespace {

constexpr Index longest_line_in_place = 1024;  // reals

// Row k of neighbouring lanes for each element of half a line.
template <class C, class Bases>
void list_half(const std::vector<Piece>& pieces, const Bases& bases, bool one_lane, std::vector<Row<C>>& rows) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    auto* const base = reinterpret_cast<C*>(bases[i]);
    for (Index e = 0; e < piece.count; ++e)
      rows[static_cast<std::size_t>(piece.first + e * piece.every)] = {base + e * piece.stride,
                                                                       one_lane ? 0 : piece.strides.back()};
  }
}

}  // namespace

// As for complex lines: lanes that are not neighbours are cheap where vectors are short, and FFTW's own vector code is
// the better choice where they are long.
template <class T>
bool RealPass<T>::suits_lanes() const {
  if (!RealLaneFft<T>::supports(pass_.length) || lanes_ < LaneFft<T>::granularity()) return false;
  const std::vector<Piece>& half = pass_.kind == Kind::real_to_half ? pass_.targets : pass_.sources;
  return LaneFft<T>::granularity() <= 2 ||
         std::any_of(half.begin(), half.end(), [this](const Piece& p) { return lane_stride(p) == 2; });
}

template <class T>
bool RealPass<T>::stand_as_pairs(const std::vector<Piece>& pieces) const {
  return pieces.size() == 1 && pieces[0].stride == 1 && lane_stride(pieces[0]) % 2 == 0 &&
         pass_.length <= longest_line_in_place;
}

template <class T>
void RealPass<T>::list_rows(Cursor& cursor) const {
  const bool forward = pass_.kind == Kind::real_to_half;
  cursor.rows_in.resize(static_cast<std::size_t>(forward ? pass_.length / 2 : elements_read(pass_)));
  cursor.rows_out.resize(static_cast<std::size_t>(forward ? elements_written(pass_) : pass_.length / 2));
  const auto list_pairs = [this](auto* first, const Piece& piece, auto& rows) {
    for (Index k = 0; k < pass_.length / 2; ++k)
      rows[static_cast<std::size_t>(k)] = {first + k, lane_stride(piece) / 2};
  };
  if (forward) {
    list_half(pass_.targets, cursor.targets, pass_.loops.empty(), cursor.rows_out);
    if (!in_tile_) list_pairs(reinterpret_cast<const Complex*>(cursor.sources[0]), pass_.sources[0], cursor.rows_in);
  } else {
    list_half(pass_.sources, cursor.sources, pass_.loops.empty(), cursor.rows_in);
    if (!in_tile_) list_pairs(reinterpret_cast<Complex*>(cursor.targets[0]), pass_.targets[0], cursor.rows_out);
  }
}

// Lists the tile's rows of pairs as where reals come from or go to.
template <class T>
void RealPass<T>::use_tile_rows(Cursor& cursor, Index lane, Index lanes, Complex* tile) const {
  cursor.tile_rows.resize(static_cast<std::size_t>(pass_.length / 2));
  for (Index k = 0; k < pass_.length / 2; ++k) {
    Complex* const row = tile + lane_fft_->row(k, lanes);
    cursor.tile_rows[static_cast<std::size_t>(k)] = row;
    if (pass_.kind == Kind::real_to_half)
      cursor.rows_in[static_cast<std::size_t>(k)] = {row - lane, 1};
    else
      cursor.rows_out[static_cast<std::size_t>(k)] = {row - lane, 1};
  }
}

template <class T>
typename LaneFft<T>::Factors RealPass<T>::factors(Cursor& cursor, Index lane, T scale) const {
  typename LaneFft<T>::Factors factors{.scale = scale};
  if (twiddles_.empty()) return factors;
  const Index i = twiddle_index(cursor, lane);
  factors.row = twiddles_.row(i);
  if (twiddles_.by_lane()) {
    factors.fine = twiddles_.fine_lanes();
    factors.fine_stride = twiddles_.fine_count();
  } else if (twiddles_.fine_row(i) != nullptr) {  // a product of two rows, the same for all lanes
    cursor.factors.assign(static_cast<std::size_t>(elements_written(pass_)), Complex(1));
    twiddles_.multiply(cursor.factors.data(), i, T(1), Direction::forward);
    factors.row = cursor.factors.data();
  }
  return factors;
}

template <class T>
void RealPass<T>::run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  if (in_tile_) use_tile_rows(cursor, lane, lanes, tile);
  const auto stride = [this](const Piece& piece) { return lane_stride(piece); };
  if (pass_.kind == Kind::real_to_half) {
    for (std::size_t i = 0; in_tile_ && i < pass_.sources.size(); ++i) {
      const Piece& s = pass_.sources[i];
      for_each_pair(cursor.sources[i] + lane * stride(s), s, stride(s), lanes, cursor.tile_rows.data(),
                    [](const T& real, T& half) { half = real; });
    }
    lane_fft_->to_half(cursor.rows_in.data(), cursor.rows_out.data(), lane, lanes, factors(cursor, lane, scale),
                       direction_, tile);
    return;
  }
  lane_fft_->to_reals(cursor.rows_in.data(), cursor.rows_out.data(), lane, lanes, scale, tile);
  for (std::size_t i = 0; in_tile_ && i < pass_.targets.size(); ++i) {
    const Piece& t = pass_.targets[i];
    for_each_pair(cursor.targets[i] + lane * stride(t), t, stride(t), lanes, cursor.tile_rows.data(),
                  [](T& real, const T& half) { real = half; });
  }
}

#define KALLIMA_LANES_OF(T)                                                   \
  template bool RealPass<T>::suits_lanes() const;                             \
  template bool RealPass<T>::stand_as_pairs(const std::vector<Piece>&) const; \
  template void RealPass<T>::list_rows(Cursor&) const;                        \
  template void RealPass<T>::run_lanes(Cursor&, Index, Index, T, Complex*) const

KALLIMA_LANES_OF(float);
KALLIMA_LANES_OF(double);
KALLIMA_LANES_OF(long double);
#undef KALLIMA_LANES_OF

}  // namespace kallima::kernel
