#include "kernel/line_pass.hpp"

#include <algorithm>

#include "kernel/move.hpp"
#include "kernel/passes.hpp"
#include "schedule/walk.hpp"

namespace kallima::kernel {
namespace {

constexpr double flops_between_polls = 6e4;  // about 10 microseconds

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
LinePass<T>::LinePass(const Pass& pass, std::size_t depth, Direction direction)
    : pass_(pass),
      depth_(depth),
      direction_(direction),
      lanes_(pass.loops.empty() ? 1 : pass.loops.back()),
      read_(elements_read(pass) * unit(pass.sources.front())),
      write_(elements_written(pass) * unit(pass.targets.front())),
      pitch_(spread_pitch<T>(std::max(read_, write_))) {}

template <class T>
Ticket LinePass<T>::start(const KernelCall& call) const {
  if (std::find(pass_.loops.begin(), pass_.loops.end(), 0) != pass_.loops.end()) return 0;
  thread_local Cursor cursor;
  auto* const tile = reinterpret_cast<Complex*>(call.tile.data());
  const T scale = pass_.scaled ? static_cast<T>(call.scale) : T(1);
  double since_poll = 0;
  place(cursor, call);
  do {
    list_rows(cursor);
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

template <class T>
void LinePass<T>::place(Cursor& cursor, const KernelCall& call) const {
  const auto first = [&](const Piece& piece) { return first_element(piece, call.at.first(depth_)) * unit(piece); };
  cursor.sources.clear();
  cursor.targets.clear();
  for (const Piece& s : pass_.sources)
    cursor.sources.push_back(reinterpret_cast<const T*>(call.operands.at(s)) + first(s));
  for (const Piece& t : pass_.targets)
    cursor.targets.push_back(reinterpret_cast<T*>(call.operands.buffers[static_cast<std::size_t>(t.buffer)]) +
                             first(t));
  cursor.at.assign(pass_.loops.empty() ? 0 : pass_.loops.size() - 1, 0);
}

// The next iteration of the outer loops, innermost first; false after the last one.
template <class T>
bool LinePass<T>::advance(Cursor& cursor) const {
  const auto move_on = [this](const std::vector<Piece>& pieces, auto& places, std::size_t d, Index steps) {
    for (std::size_t i = 0; i < pieces.size(); ++i)
      places[i] += steps * pieces[i].strides[depth_ + d] * unit(pieces[i]);
  };
  for (std::size_t d = cursor.at.size(); d-- > 0;) {
    const bool wraps = ++cursor.at[d] == pass_.loops[d];
    const Index steps = wraps ? 1 - pass_.loops[d] : 1;
    move_on(pass_.sources, cursor.sources, d, steps);
    move_on(pass_.targets, cursor.targets, d, steps);
    if (!wraps) return true;
    cursor.at[d] = 0;
  }
  return false;
}

template <class T>
Index LinePass<T>::twiddle_index(const Cursor& cursor, Index lane) const {
  if (twiddles_.loop() < 0) return 0;
  const auto loop = static_cast<std::size_t>(twiddles_.loop());
  return loop < cursor.at.size() ? cursor.at[loop] : lane;
}

template <class T>
typename LaneFft<T>::Factors LinePass<T>::factors(Cursor& cursor, Index lane, T scale) const {
  Factors factors{.scale = scale};
  if (twiddles_.empty()) return factors;
  const Index i = twiddle_index(cursor, lane);
  factors.row = twiddles_.row(i);
  if (twiddles_.by_lane()) {
    factors.fine = twiddles_.fine_lanes();
    factors.fine_stride = twiddles_.fine_count();
  } else if (twiddles_.fine_row(i) != nullptr) {  // a product of two rows, the same for all lanes
    cursor.factors.assign(static_cast<std::size_t>(write_ / 2), Complex(1));
    twiddles_.multiply(cursor.factors.data(), i, T(1), Direction::forward);
    factors.row = cursor.factors.data();
  }
  return factors;
}

template <class T>
void LinePass<T>::gather_lines(const Cursor& cursor, Index lane, Index lanes, T* tile) const {
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Piece& s = pass_.sources[i];
    const Index stride = lane_stride(s);
    const T* const from = cursor.sources[i] + lane * stride;
    if (s.real)
      gather(from, s, stride, lanes, tile, pitch_);
    else
      gather(pairs(from), s, stride / 2, lanes, pairs(tile), pitch_ / 2);
  }
}

template <class T>
void LinePass<T>::scatter_lines(const T* tile, const Cursor& cursor, Index lane, Index lanes) const {
  for (std::size_t i = 0; i < pass_.targets.size(); ++i) {
    const Piece& t = pass_.targets[i];
    const Index stride = lane_stride(t);
    T* const to = cursor.targets[i] + lane * stride;
    if (t.real)
      scatter(tile, pitch_, t, stride, lanes, to);
    else
      scatter(pairs(tile), pitch_ / 2, t, stride / 2, lanes, pairs(to));
  }
}

// Twiddle factors and scale, for lines `pitch` reals apart.
template <class T>
void LinePass<T>::finish_lines(T* line, Index pitch, const Cursor& cursor, Index lane, Index lanes, T scale) const {
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

template class LinePass<float>;
template class LinePass<double>;
template class LinePass<long double>;

}  // namespace kallima::kernel
