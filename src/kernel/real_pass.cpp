#include "kernel/real_pass.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/move.hpp"
#include "schedule/lines.hpp"

namespace kallima::kernel {
namespace {

constexpr Index cache_bytes = 32 * 1024;  // measured: half a first-level cache, since lanes use as much again
constexpr Index fewest_lanes = 16;
constexpr double flops_between_polls = 6e4;  // about 10 microseconds

Index unit(const Piece& piece) { return piece.real ? 1 : 2; }

// An even number of reals for any precision, and an odd number of cache lines, which do not fight for the same sets.
template <class T>
Index spread_pitch(Index reals) {
  const Index cache_line = 64 / static_cast<Index>(sizeof(T));
  const Index lines = (reals + cache_line - 1) / cache_line;
  return (lines + (lines % 2 == 0 ? 1 : 0)) * cache_line;
}

template <class T>
std::complex<T>* pairs(T* p) {
  return reinterpret_cast<std::complex<T>*>(p);
}

template <class T>
const std::complex<T>* pairs(const T* p) {
  return reinterpret_cast<const std::complex<T>*>(p);
}

}  // namespace

template <class T>
bool RealPass<T>::takes(const Pass& pass) {
  if (pass.action == Action::sum) return false;
  return (pass.action == Action::transform && pass.kind != Kind::fourier) || pass.sources.front().real;
}

template <class T>
RealPass<T>::RealPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort)
    : pass_(pass),
      depth_(depth),
      direction_(direction),
      lanes_(pass.loops.empty() ? 1 : pass.loops.back()),
      read_(elements_read(pass) * unit(pass.sources.front())),
      write_(elements_written(pass) * unit(pass.targets.front())),
      pitch_(spread_pitch<T>(std::max(read_, write_))),
      by_lanes_(pass.action == Action::transform && halves() && suits_lanes()),
      in_tile_(by_lanes_ && !stand_as_pairs(pass.kind == Kind::real_to_half ? pass.sources : pass.targets)),
      together_(lines_together()),
      twiddles_(pass.twiddle, elements_written(pass), pass.loops, by_lanes_ ? together_ : 0) {
  if (by_lanes_) lane_fft_.emplace(pass.length, pass.kind);
  if (pass.action == Action::transform) plan_lines(effort);
}

template <class T>
Index RealPass<T>::lines_together() const {
  const Index most = std::max(fewest_lanes, cache_bytes / (pitch_ * static_cast<Index>(sizeof(T))));
  const Index whole = by_lanes_ ? LaneFft<T>::granularity() : 1;
  return std::max<Index>(1, std::min(lanes_, most) / whole * whole);
}

template <class T>
Index RealPass<T>::lane_stride(const Piece& piece) const {
  return pass_.loops.empty() ? 0 : piece.strides.back() * unit(piece);
}

template <class T>
void RealPass<T>::plan_lines(Effort effort) {
  const Index parts = halves() ? 1 : unit(pass_.sources.front());
  const Index left = by_lanes_ ? lanes_ % LaneFft<T>::granularity() : lanes_ % together_;
  for (const Index count : {by_lanes_ ? 0 : together_, left})
    if (count > 0) line_ffts_.emplace_back(RealLines{pass_.kind, pass_.length, count, pitch_, parts}, effort);
}

template <class T>
std::size_t RealPass<T>::tile_bytes() const {
  const Index few = LaneFft<T>::granularity() - 1;
  const Index elements =
      by_lanes_ ? std::max(lane_fft_->tile_elements(together_), few * pitch_ / 2) : together_ * pitch_ / 2;
  return static_cast<std::size_t>(elements) * sizeof(Complex);
}

template <class T>
void RealPass<T>::place(Cursor& cursor, const KernelCall& call) const {
  const auto offset = [&](const Piece& piece) {
    Index sum = piece.offset;
    for (std::size_t d = 0; d < depth_; ++d) sum += call.at[d] * piece.strides[d];
    return sum * unit(piece);
  };
  cursor.sources.clear();
  cursor.targets.clear();
  for (const Piece& s : pass_.sources)
    cursor.sources.push_back(reinterpret_cast<const T*>(call.operands.at(s)) + offset(s));
  for (const Piece& t : pass_.targets)
    cursor.targets.push_back(reinterpret_cast<T*>(call.operands.buffers[static_cast<std::size_t>(t.buffer)]) +
                             offset(t));
  cursor.at.assign(pass_.loops.empty() ? 0 : pass_.loops.size() - 1, 0);
  if (by_lanes_) list_rows(cursor);
}

// The next iteration of the outer loops, innermost first; false after the last one.
template <class T>
bool RealPass<T>::advance(Cursor& cursor) const {
  const auto move_on = [this](const std::vector<Piece>& pieces, auto& places, std::size_t d, Index steps) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      places[i] += steps * pieces[i].strides[depth_ + d] * unit(pieces[i]);
  };
  for (std::size_t d = cursor.at.size(); d-- > 0;) {
    const bool wraps = ++cursor.at[d] == pass_.loops[d];
    const Index steps = wraps ? 1 - pass_.loops[d] : 1;
    move_on(pass_.sources, cursor.sources, d, steps);
    move_on(pass_.targets, cursor.targets, d, steps);
    if (!wraps) {
      if (by_lanes_) list_rows(cursor);
      return true;
    }
    cursor.at[d] = 0;
  }
  return false;
}

template <class T>
Ticket RealPass<T>::start(const KernelCall& call) const {
  if (std::find(pass_.loops.begin(), pass_.loops.end(), 0) != pass_.loops.end()) return 0;
  thread_local Cursor cursor;
  const T factor = pass_.scaled ? static_cast<T>(call.scale) : T(1);
  const auto reals = static_cast<double>(read_ + write_);
  const double line_flops = reals * (1 + std::log2(std::max(2.0, static_cast<double>(pass_.length))));
  double since_poll = 0;
  place(cursor, call);
  do {
    for (Index lane = 0; lane < lanes_; lane += together_) {
      const Index lanes = std::min(together_, lanes_ - lane);
      run_block(cursor, lane, lanes, factor, reinterpret_cast<Complex*>(call.tile.data()));
      since_poll += line_flops * static_cast<double>(lanes);
      if (since_poll > flops_between_polls) {
        call.progress();
        since_poll = 0;
      }
    }
  } while (advance(cursor));
  return 0;
}

template <class T>
void RealPass<T>::run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  const Index left = by_lanes_ ? lanes % LaneFft<T>::granularity() : lanes;  // fewer lines than fit a vector
  if (left < lanes) run_lanes(cursor, lane, lanes - left, scale, tile);
  if (left > 0) run_lines(cursor, lane + lanes - left, left, scale, reinterpret_cast<T*>(tile));
}

template <class T>
void RealPass<T>::run_lines(const Cursor& cursor, Index lane, Index lanes, T scale, T* tile) const {
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Piece& s = pass_.sources[i];
    const T* from = cursor.sources[i] + lane * lane_stride(s);
    if (s.real)
      gather(from, s, lane_stride(s), lanes, tile, pitch_);
    else
      gather(pairs(from), s, lane_stride(s) / 2, lanes, pairs(tile), pitch_ / 2);
  }
  if (pass_.action == Action::transform) transform(lanes, tile);
  if (!twiddles_.empty() || scale != T(1))
    for (Index b = 0; b < lanes; ++b) finish_line(tile + b * pitch_, cursor, lane + b, scale);
  for (std::size_t i = 0; i < pass_.targets.size(); ++i) {
    const Piece& t = pass_.targets[i];
    T* to = cursor.targets[i] + lane * lane_stride(t);
    if (t.real)
      scatter(tile, pitch_, t, lane_stride(t), lanes, to);
    else
      scatter(pairs(tile), pitch_ / 2, t, lane_stride(t) / 2, lanes, pairs(to));
  }
}

// Whatever stands in the imaginary parts that a spectrum of reals does not have is not to be seen.
template <class T>
void RealPass<T>::transform(Index lanes, T* tile) const {
  if (pass_.kind == Kind::half_to_real)
    for (Index b = 0; b < lanes; ++b) {
      tile[b * pitch_ + 1] = 0;
      if (pass_.length % 2 == 0) tile[b * pitch_ + pass_.length + 1] = 0;
    }
  (lanes == together_ ? line_ffts_.front() : line_ffts_.back())(tile);
}

template <class T>
void RealPass<T>::finish_line(T* line, const Cursor& cursor, Index lane, T scale) const {
  if (twiddles_.empty()) {
    for (Index k = 0; k < write_; ++k) line[k] *= scale;
    return;
  }
  const Index i = twiddle_index(cursor, lane);
  if (!twiddles_.by_lane()) return twiddles_.multiply(pairs(line), i, scale, direction_);
  for (Index k = 0; k < write_ / 2; ++k) {
    const Complex w = twiddles_.row(i)[k] * twiddles_.fine_lanes()[k * twiddles_.fine_count() + i % together_] * scale;
    pairs(line)[k] *= direction_ == Direction::forward ? w : std::conj(w);
  }
}

template <class T>
Index RealPass<T>::twiddle_index(const Cursor& cursor, Index lane) const {
  if (twiddles_.loop() < 0) return 0;
  const auto loop = static_cast<std::size_t>(twiddles_.loop());
  return loop < cursor.at.size() ? cursor.at[loop] : lane;
}

template class RealPass<float>;
template class RealPass<double>;
template class RealPass<long double>;

}  // namespace kallima::kernel
