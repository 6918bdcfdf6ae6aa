#include "kernel/pass.hpp"

#include <bit>
#include <cmath>

#include "base/check.hpp"
#include "kernel/move.hpp"
#include "kernel/small_dft.hpp"

namespace kallima::kernel {
namespace {

constexpr Index tile_bytes = 64 * 1024;     // about a first-level cache; long lines take more, and the second level
constexpr Index fewest_lanes = 8;           // in double precision two cache lines: less wastes what memory delivers
constexpr double flops_between_polls = 2e5;  // about 50 microseconds

}  // namespace

// One iteration of the outer loops (all but the last): where every piece stands.
template <class T>
struct CompiledPass<T>::Cursor {
  std::vector<const Complex*> sources;
  std::vector<Complex*> targets;
  std::vector<Index> at;  // indices of the outer loops
};

template <class T>
CompiledPass<T>::CompiledPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort)
    : pass_(pass), depth_(depth), direction_(direction), twiddles_(pass.twiddle, pass.length, pass.loops, direction),
      lanes_(pass.loops.empty() ? 1 : pass.loops.back()), mode_(choose_mode()) {
  const Index line_bytes = pass_.length * static_cast<Index>(sizeof(Complex));
  tile_lanes_ = std::min(lanes_, std::max(fewest_lanes, tile_bytes / line_bytes));
  // Lines an odd number of cache lines apart do not fight for the same sets.
  const Index cache_line = 64 / static_cast<Index>(sizeof(Complex));
  pitch_ = (pass_.length + cache_line - 1) / cache_line * cache_line;
  if (pitch_ / cache_line % 2 == 0) pitch_ += cache_line;
  if (mode_ == Mode::small || pass_.action == Action::move || lanes_ == 0) return;
  const bool direct = mode_ == Mode::direct;
  const bool in_place = !direct || (pass_.sources[0].buffer == pass_.targets[0].buffer && pass_.sources[0].recv < 0);
  for (const Index count : {tile_lanes_, lanes_ % tile_lanes_}) {
    if (count == 0) continue;
    ffts_.emplace_back(Lines{.length = pass_.length,
                             .count = count,
                             .pitch_in = direct ? lane_stride(pass_.sources[0]) : pitch_,
                             .pitch_out = direct ? lane_stride(pass_.targets[0]) : pitch_,
                             .in_place = in_place},
                       direction, effort);
  }
}

template <class T>
bool CompiledPass<T>::lanes_contiguous() const {
  const auto contiguous = [this](const Piece& piece) { return lane_stride(piece) == 1; };
  return std::all_of(pass_.sources.begin(), pass_.sources.end(), contiguous) &&
         std::all_of(pass_.targets.begin(), pass_.targets.end(), contiguous);
}

template <class T>
typename CompiledPass<T>::Mode CompiledPass<T>::choose_mode() const {
  if (pass_.action == Action::move) return Mode::tile;
  const bool twiddled_by_lane = !twiddles_.empty() && twiddles_.loop() + 1 == static_cast<int>(pass_.loops.size()) &&
                                twiddles_.loop() >= 0;
  if (has_small_dft(pass_.length) && lanes_contiguous() && !twiddled_by_lane && twiddles_.single_row())
    return Mode::small;
  const auto whole_line = [this](const std::vector<Piece>& pieces) {
    return pieces.size() == 1 && pieces[0].stride == 1 && pieces[0].count == pass_.length;
  };
  if (!whole_line(pass_.sources) || !whole_line(pass_.targets)) return Mode::tile;
  const Piece& s = pass_.sources[0];
  const Piece& t = pass_.targets[0];
  const bool same_buffer = s.buffer == t.buffer && s.recv < 0;
  return !same_buffer || (s.offset == t.offset && s.strides == t.strides) ? Mode::direct : Mode::tile;
}

template <class T>
const LineFft<T>& CompiledPass<T>::fft_for(Index lanes) const {
  return lanes == tile_lanes_ ? ffts_.front() : ffts_.back();
}

template <class T>
void CompiledPass<T>::run(const Memory<T>& memory, std::span<const Index> at, T scale, std::span<Complex> tile,
                          const Progress& progress) const {
  const std::size_t outer = pass_.loops.empty() ? 0 : pass_.loops.size() - 1;
  const T factor = pass_.scaled ? scale : T(1);
  const auto start = [&](const Piece& piece) {
    Index offset = piece.offset;
    for (std::size_t d = 0; d < depth_; ++d) offset += at[d] * piece.strides[d];
    return offset;
  };
  Cursor cursor;
  for (const Piece& s : pass_.sources)
    cursor.sources.push_back((s.recv < 0 ? memory.buffers[static_cast<std::size_t>(s.buffer)]
                                         : memory.received[static_cast<std::size_t>(s.recv)]) +
                             start(s));
  for (const Piece& t : pass_.targets)
    cursor.targets.push_back(memory.buffers[static_cast<std::size_t>(t.buffer)] + start(t));
  cursor.at.assign(outer, 0);
  for (const Index extent : pass_.loops)
    if (extent == 0) return;

  const double line_flops =
      static_cast<double>(pass_.length) * (4 + 5 * std::log2(static_cast<double>(std::max<Index>(2, pass_.length))));
  const Index step = mode_ == Mode::small ? lanes_ : tile_lanes_;
  double since_poll = 0;
  while (true) {
    for (Index lane = 0; lane < lanes_; lane += step) {
      const Index lanes = std::min(step, lanes_ - lane);
      switch (mode_) {
        case Mode::direct: run_direct(cursor, lane, lanes, factor); break;
        case Mode::small: run_small(cursor, factor); break;
        case Mode::tile: run_tile(cursor, lane, lanes, factor, tile.data()); break;
      }
      since_poll += line_flops * static_cast<double>(lanes);
      if (since_poll > flops_between_polls) {
        progress();
        since_poll = 0;
      }
    }
    std::size_t d = outer;
    while (d > 0) {  // the next iteration of the outer loops, innermost first
      --d;
      const bool wraps = ++cursor.at[d] == pass_.loops[d];
      const Index steps = wraps ? 1 - pass_.loops[d] : 1;
      for (std::size_t i = 0; i < cursor.sources.size(); ++i)
        cursor.sources[i] += steps * pass_.sources[i].strides[depth_ + d];
      for (std::size_t i = 0; i < cursor.targets.size(); ++i)
        cursor.targets[i] += steps * pass_.targets[i].strides[depth_ + d];
      if (!wraps) break;
      cursor.at[d] = 0;
      if (d == 0) return;
    }
    if (outer == 0) return;
  }
}

template <class T>
void CompiledPass<T>::run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const {
  Complex* to = cursor.targets[0] + lane * lane_stride(pass_.targets[0]);
  fft_for(lanes)(cursor.sources[0] + lane * lane_stride(pass_.sources[0]), to);
  if (twiddles_.empty() && scale == T(1)) return;
  for (Index b = 0; b < lanes; ++b) finish_line(to + b * lane_stride(pass_.targets[0]), cursor, lane + b, scale);
}

template <class T>
void CompiledPass<T>::run_small(const Cursor& cursor, T scale) const {
  std::array<const Complex*, 8> in{};
  std::array<Complex*, 8> out{};
  for (std::size_t i = 0; i < pass_.sources.size(); ++i)
    for (Index e = 0; e < pass_.sources[i].count; ++e)
      in[static_cast<std::size_t>(pass_.sources[i].first + e * pass_.sources[i].every)] =
          cursor.sources[i] + e * pass_.sources[i].stride;
  for (std::size_t i = 0; i < pass_.targets.size(); ++i)
    for (Index e = 0; e < pass_.targets[i].count; ++e)
      out[static_cast<std::size_t>(pass_.targets[i].first + e * pass_.targets[i].every)] =
          cursor.targets[i] + e * pass_.targets[i].stride;
  const Index row = twiddles_.loop() < 0 ? 0 : cursor.at[static_cast<std::size_t>(twiddles_.loop())];
  small_dft(pass_.length, direction_, in.data(), out.data(), lanes_, twiddles_.empty() ? nullptr : twiddles_.row(row),
            scale);
}

template <class T>
void CompiledPass<T>::run_tile(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Index stride = lane_stride(pass_.sources[i]);
    gather(cursor.sources[i] + lane * stride, pass_.sources[i], stride, lanes, tile, pitch_);
  }
  if (pass_.action == Action::transform) fft_for(lanes)(tile, tile);
  if (!twiddles_.empty() || scale != T(1))
    for (Index b = 0; b < lanes; ++b) finish_line(tile + b * pitch_, cursor, lane + b, scale);
  for (std::size_t i = 0; i < pass_.targets.size(); ++i) {
    const Index stride = lane_stride(pass_.targets[i]);
    scatter(tile, pitch_, pass_.targets[i], stride, lanes, cursor.targets[i] + lane * stride);
  }
}

template <class T>
void CompiledPass<T>::finish_line(Complex* line, const Cursor& cursor, Index lane, T scale) const {
  if (twiddles_.empty()) return multiply(line, pass_.length, scale);
  const auto loop = static_cast<std::size_t>(std::max(0, twiddles_.loop()));
  const Index i = twiddles_.loop() < 0 ? 0 : loop < cursor.at.size() ? cursor.at[loop] : lane;
  twiddles_.multiply(line, i, scale);
}

template class CompiledPass<float>;
template class CompiledPass<double>;

}  // namespace kallima::kernel
