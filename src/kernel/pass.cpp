#include "kernel/pass.hpp"

#include <algorithm>
#include <cmath>

#include "kernel/move.hpp"

namespace kallima::kernel {
namespace {

// A first-level cache; long lines take more, and the caches behind it. Where lanes are
// no neighbours, a cache line holds elements of several rows and must stay until the last of them is read: such lines
// share the cache with the tile.
constexpr Index cache_bytes = 64 * 1024;
constexpr Index fewest_lanes = 16;  // measured: less makes memory deliver too short runs
constexpr Index longest_line_in_place = 512;
constexpr double flops_between_polls = 6e4;  // about 10 microseconds

// Lines an odd number of cache lines apart do not fight for the same sets.
template <class T>
Index spread_pitch(Index length) {
  const Index cache_line = 64 / static_cast<Index>(sizeof(std::complex<T>));
  const Index lines = (length + cache_line - 1) / cache_line;
  return (lines + (lines % 2 == 0 ? 1 : 0)) * cache_line;
}

template <class T>
void conjugate(std::complex<T>* line, Index count) {
  for (Index k = 0; k < count; ++k) line[k] = std::conj(line[k]);
}

}  // namespace

// One iteration of the outer loops (all but the last): where every piece stands. A thread has one, whose lists keep
// their memory from one pass to the next.
template <class T>
struct CompiledPass<T>::Cursor {
  std::vector<const Complex*> sources;
  std::vector<Complex*> targets;
  std::vector<Index> at;                    // indices of the outer loops
  std::vector<Row<const Complex>> rows_in;  // by line element, for lanes
  std::vector<Row<Complex>> rows_out;
  std::vector<Complex*> tile_rows;
  std::vector<Row<const Complex>> gathered;
  std::vector<Complex> factors;
  std::vector<Row<const Complex>> few_in;  // lanes that do not fill a vector, padded
  std::vector<Row<Complex>> few_out;
  std::vector<Complex> few_factors;
};

template <class T>
CompiledPass<T>::CompiledPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort)
    : pass_(pass),
      depth_(depth),
      direction_(direction),
      lanes_(pass.loops.empty() ? 1 : pass.loops.back()),
      near_in_(all_near(pass.sources)),
      near_out_(all_near(pass.targets)),
      mode_(choose_mode()),
      together_(lanes_together()),
      pitch_(spread_pitch<T>(pass.length)),
      twiddles_(pass.twiddle, pass.length, pass.loops, mode_ == Mode::lanes ? together_ : 0) {
  if (mode_ == Mode::lanes)
    lane_fft_.emplace(pass_.length, direction);
  else if (pass_.action == Action::transform && lanes_ > 0)
    plan_lines(effort);
}

// Lanes that are not neighbours are put into vectors one by one: cheap for two, dear for more, where FFTW's own vector
// code for contiguous lines is the better choice. Long lines are gathered first and do not count.
template <class T>
bool CompiledPass<T>::suits_lanes() const {
  if (LaneFft<T>::granularity() <= 2) return true;
  const bool some_out = std::any_of(pass_.targets.begin(), pass_.targets.end(),
                                    [this](const Piece& piece) { return lane_stride(piece) == 1; });
  return some_out && (near_in_ || pass_.length > longest_line_in_place);
}

template <class T>
bool CompiledPass<T>::all_near(const std::vector<Piece>& pieces) const {
  return std::all_of(pieces.begin(), pieces.end(), [this](const Piece& piece) { return lane_stride(piece) == 1; });
}

template <class T>
typename CompiledPass<T>::Mode CompiledPass<T>::choose_mode() const {
  if (pass_.action == Action::sum) return Mode::sum;
  const bool moves = pass_.action == Action::move;
  if (!moves && LaneFft<T>::supports(pass_.length) && lanes_ >= LaneFft<T>::granularity() && suits_lanes())
    return Mode::lanes;
  const auto whole_line = [this](const std::vector<Piece>& pieces) {
    return pieces.size() == 1 && pieces[0].stride == 1 && pieces[0].count == pass_.length;
  };
  if (!whole_line(pass_.sources) || !whole_line(pass_.targets) || pass_.conjugated) return Mode::tile;
  const Piece& s = pass_.sources[0];
  const Piece& t = pass_.targets[0];
  const bool same_buffer = s.buffer == t.buffer && s.recv < 0;
  if (moves) return same_buffer ? Mode::tile : Mode::direct;
  return !same_buffer || (s.offset == t.offset && s.strides == t.strides) ? Mode::direct : Mode::tile;
}

template <class T>
Index CompiledPass<T>::lanes_together() const {
  const Index line_bytes = pass_.length * static_cast<Index>(sizeof(Complex));
  const bool stand_apart = mode_ == Mode::lanes && pass_.length <= longest_line_in_place && !(near_in_ && near_out_);
  const Index share = stand_apart ? 2 : 1;
  const Index most = std::max(fewest_lanes / share, cache_bytes / share / line_bytes);
  const Index whole = mode_ == Mode::lanes ? LaneFft<T>::granularity() : 1;
  return std::max<Index>(1, std::min(lanes_, most) / whole * whole);
}

template <class T>
void CompiledPass<T>::plan_lines(Effort effort) {
  const bool direct = mode_ == Mode::direct;
  const bool in_place = !direct || (pass_.sources[0].buffer == pass_.targets[0].buffer && pass_.sources[0].recv < 0);
  for (const Index count : {together_, lanes_ % together_}) {
    if (count == 0) continue;
    line_ffts_.emplace_back(Lines{.length = pass_.length,
                                  .count = count,
                                  .pitch_in = direct ? lane_stride(pass_.sources[0]) : pitch_,
                                  .pitch_out = direct ? lane_stride(pass_.targets[0]) : pitch_,
                                  .in_place = in_place},
                            direction_, effort);
  }
}

template <class T>
Index CompiledPass<T>::tile_elements() const {
  if (mode_ == Mode::direct) return 0;
  if (mode_ == Mode::sum) return together_;
  if (mode_ == Mode::tile) return together_ * pitch_;
  const Index few = LaneFft<T>::granularity();  // a group of left-over lanes is padded in a tile of its own
  const Index gathered = gathers_rows() ? gathered_row(pass_.length, together_) : 0;
  return std::max(together_ * lane_fft_->tile_rows() + gathered, few * (lane_fft_->tile_rows() + pass_.length));
}

template <class T>
void CompiledPass<T>::place(Cursor& cursor, const KernelCall& call) const {
  const auto offset = [&](const Piece& piece) {
    Index sum = piece.offset;
    for (std::size_t d = 0; d < depth_; ++d) sum += call.at[d] * piece.strides[d];
    return sum;
  };
  cursor.sources.clear();
  cursor.targets.clear();
  for (const Piece& s : pass_.sources)
    cursor.sources.push_back(reinterpret_cast<const Complex*>(call.operands.at(s)) + offset(s));
  for (const Piece& t : pass_.targets)
    cursor.targets.push_back(reinterpret_cast<Complex*>(call.operands.buffers[static_cast<std::size_t>(t.buffer)]) +
                             offset(t));
  cursor.at.assign(pass_.loops.empty() ? 0 : pass_.loops.size() - 1, 0);
  if (mode_ != Mode::lanes) return;
  cursor.rows_in.resize(static_cast<std::size_t>(pass_.length));
  cursor.rows_out.resize(static_cast<std::size_t>(pass_.length));
  list_rows(cursor);
}

// The lanes of long lines would fight for cache sets and are brought together first; short lines stay in cache as they
// are, and rows of neighbouring lanes are best read where they stand (both measured).
template <class T>
bool CompiledPass<T>::gathers_rows() const {
  return pass_.length > longest_line_in_place && !near_in_;
}

// Where row k of a gathered tile stands. Distances of powers of two between rows would all fall into one cache set; a
// cache line more after every row, every 256 rows and every 8192 spreads them.
template <class T>
Index CompiledPass<T>::gathered_row(Index k, Index lanes) const {
  constexpr Index cache_line = 64 / static_cast<Index>(sizeof(Complex));
  return k * lanes + (k + k / 256 + k / 8192) * cache_line;
}

// The next iteration of the outer loops, innermost first; false after the last one.
template <class T>
bool CompiledPass<T>::advance(Cursor& cursor) const {
  std::size_t d = cursor.at.size();
  while (d-- > 0) {
    const bool wraps = ++cursor.at[d] == pass_.loops[d];
    const Index steps = wraps ? 1 - pass_.loops[d] : 1;
    for (std::size_t i = 0; i < cursor.sources.size(); ++i)
      cursor.sources[i] += steps * pass_.sources[i].strides[depth_ + d];
    for (std::size_t i = 0; i < cursor.targets.size(); ++i)
      cursor.targets[i] += steps * pass_.targets[i].strides[depth_ + d];
    if (!wraps) {
      if (mode_ == Mode::lanes) list_rows(cursor);
      return true;
    }
    cursor.at[d] = 0;
  }
  return false;
}

template <class T>
void CompiledPass<T>::list_rows(Cursor& cursor) const {
  const auto list = [this](const std::vector<Piece>& pieces, const auto& bases, auto& rows) {
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const Piece& piece = pieces[i];
      const Index lane = lane_stride(piece);
      auto* row = &rows[static_cast<std::size_t>(piece.first)];
      for (Index e = 0; e < piece.count; ++e) row[e * piece.every] = {bases[i] + e * piece.stride, lane};
    }
  };
  list(pass_.sources, cursor.sources, cursor.rows_in);
  list(pass_.targets, cursor.targets, cursor.rows_out);
}

template <class T>
Ticket CompiledPass<T>::start(const KernelCall& call) const {
  if (std::find(pass_.loops.begin(), pass_.loops.end(), 0) != pass_.loops.end()) return 0;
  thread_local Cursor cursor;
  auto* const tile = reinterpret_cast<Complex*>(call.tile.data());
  const T factor = pass_.scaled ? static_cast<T>(call.scale) : T(1);
  const double line_flops =
      static_cast<double>(pass_.length) * (4 + 5 * std::log2(static_cast<double>(std::max<Index>(2, pass_.length))));
  double since_poll = 0;
  place(cursor, call);
  do {
    for (Index lane = 0; lane < lanes_; lane += together_) {
      const Index lanes = std::min(together_, lanes_ - lane);
      run_block(cursor, lane, lanes, factor, tile);
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
void CompiledPass<T>::run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  switch (mode_) {
    case Mode::lanes:
      return run_lanes(cursor, lane, lanes, scale, tile);
    case Mode::direct:
      return run_direct(cursor, lane, lanes, scale);
    case Mode::tile:
      return run_tile(cursor, lane, lanes, scale, tile);
    case Mode::sum:
      return run_sum(cursor, lane, lanes, scale, tile);
  }
}

template <class T>
Index CompiledPass<T>::twiddle_index(const Cursor& cursor, Index lane) const {
  if (twiddles_.loop() < 0) return 0;
  const auto loop = static_cast<std::size_t>(twiddles_.loop());
  return loop < cursor.at.size() ? cursor.at[loop] : lane;
}

template <class T>
void CompiledPass<T>::run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  const Index whole = lanes / LaneFft<T>::granularity() * LaneFft<T>::granularity();
  typename LaneFft<T>::Factors factors{.scale = scale};
  if (!twiddles_.empty()) {
    const Index i = twiddle_index(cursor, lane);
    factors.row = twiddles_.row(i);
    if (twiddles_.by_lane()) {
      factors.fine = twiddles_.fine_lanes();
      factors.fine_stride = twiddles_.fine_count();
    } else if (twiddles_.fine_row(i) != nullptr) {  // a product of two rows, the same for all lanes
      cursor.factors.assign(static_cast<std::size_t>(pass_.length), Complex(1));
      twiddles_.multiply(cursor.factors.data(), i, T(1), Direction::forward);
      factors.row = cursor.factors.data();
    }
  }
  RowList<const Complex> in{cursor.rows_in.data(), near_in_};
  if (whole > 0 && gathers_rows()) {
    gather_into(cursor, lane, whole, tile + whole * lane_fft_->tile_rows());
    in = {cursor.gathered.data(), true};
  }
  if (whole > 0) (*lane_fft_)({in, {cursor.rows_out.data(), near_out_}}, lane, whole, factors, tile);
  if (whole == lanes) return;
  if (factors.fine != nullptr) factors.fine += whole;
  run_few_lanes(cursor, lane + whole, lanes - whole, factors, tile);
}

template <class T>
void CompiledPass<T>::gather_into(Cursor& cursor, Index lane, Index lanes, Complex* tile) const {
  cursor.tile_rows.resize(static_cast<std::size_t>(pass_.length));
  cursor.gathered.resize(static_cast<std::size_t>(pass_.length));
  for (Index k = 0; k < pass_.length; ++k) {
    cursor.tile_rows[static_cast<std::size_t>(k)] = tile + gathered_row(k, lanes);
    cursor.gathered[static_cast<std::size_t>(k)] = {tile + gathered_row(k, lanes) - lane, 1};
  }
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Index stride = lane_stride(pass_.sources[i]);
    gather_rows(cursor.sources[i] + lane * stride, pass_.sources[i], stride, lanes, cursor.tile_rows.data());
  }
}

// Fewer lanes than fit a vector: padded in a tile.
template <class T>
void CompiledPass<T>::run_few_lanes(Cursor& cursor, Index lane, Index lanes, typename LaneFft<T>::Factors factors,
                                    Complex* tile) const {
  const Index width = LaneFft<T>::granularity();
  Complex* padded = tile + width * lane_fft_->tile_rows();
  std::vector<Row<const Complex>>& in = cursor.few_in;
  std::vector<Row<Complex>>& out = cursor.few_out;
  std::vector<Complex>& fine = cursor.few_factors;
  in.clear();
  out.clear();
  fine.clear();
  for (Index k = 0; k < pass_.length; ++k) {
    const Row<const Complex>& row = cursor.rows_in[static_cast<std::size_t>(k)];
    for (Index b = 0; b < width; ++b) padded[k * width + b] = b < lanes ? row.p[(lane + b) * row.stride] : Complex(0);
    in.push_back({padded + k * width, 1});
    out.push_back({padded + k * width, 1});
    for (Index b = 0; b < width && factors.fine != nullptr; ++b)
      fine.push_back(b < lanes ? factors.fine[k * factors.fine_stride + b] : Complex(0));
  }
  if (factors.fine != nullptr) {
    factors.fine = fine.data();
    factors.fine_stride = width;
  }
  (*lane_fft_)({{in.data(), true}, {out.data(), true}}, 0, width, factors, tile);
  for (Index k = 0; k < pass_.length; ++k) {
    const Row<Complex>& row = cursor.rows_out[static_cast<std::size_t>(k)];
    for (Index b = 0; b < lanes; ++b) row.p[(lane + b) * row.stride] = padded[k * width + b];
  }
}

template <class T>
void CompiledPass<T>::run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const {
  const Complex* from = cursor.sources[0] + lane * lane_stride(pass_.sources[0]);
  Complex* to = cursor.targets[0] + lane * lane_stride(pass_.targets[0]);
  if (pass_.action == Action::move)
    for (Index b = 0; b < lanes; ++b)
      std::copy_n(from + b * lane_stride(pass_.sources[0]), pass_.length, to + b * lane_stride(pass_.targets[0]));
  else
    (lanes == together_ ? line_ffts_.front() : line_ffts_.back())(from, to);
  if (twiddles_.empty() && scale == T(1)) return;
  for (Index b = 0; b < lanes; ++b) finish_line(to + b * lane_stride(pass_.targets[0]), cursor, lane + b, scale);
}

template <class T>
void CompiledPass<T>::run_tile(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Index stride = lane_stride(pass_.sources[i]);
    gather(cursor.sources[i] + lane * stride, pass_.sources[i], stride, lanes, tile, pitch_);
  }
  if (pass_.action == Action::transform) (lanes == together_ ? line_ffts_.front() : line_ffts_.back())(tile, tile);
  if (!twiddles_.empty() || scale != T(1))
    for (Index b = 0; b < lanes; ++b) finish_line(tile + b * pitch_, cursor, lane + b, scale);
  if (pass_.conjugated)
    for (Index b = 0; b < lanes; ++b) conjugate(tile + b * pitch_, pass_.length);
  for (std::size_t i = 0; i < pass_.targets.size(); ++i) {
    const Index stride = lane_stride(pass_.targets[i]);
    scatter(tile, pitch_, pass_.targets[i], stride, lanes, cursor.targets[i] + lane * stride);
  }
}

template <class T>
void CompiledPass<T>::run_sum(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
  std::fill_n(tile, lanes, Complex(0));
  for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
    const Index stride = lane_stride(pass_.sources[i]);
    for (Index e = 0; e < pass_.sources[i].count; ++e) {
      const Complex* from = cursor.sources[i] + e * pass_.sources[i].stride + lane * stride;
      for (Index b = 0; b < lanes; ++b) tile[b] += from[b * stride];
    }
  }
  const Index stride = lane_stride(pass_.targets[0]);
  for (Index b = 0; b < lanes; ++b) cursor.targets[0][(lane + b) * stride] = tile[b] * scale;
}

template <class T>
void CompiledPass<T>::finish_line(Complex* line, const Cursor& cursor, Index lane, T scale) const {
  if (twiddles_.empty()) return multiply(line, pass_.length, scale);
  twiddles_.multiply(line, twiddle_index(cursor, lane), scale, direction_);
}

template class CompiledPass<float>;
template class CompiledPass<double>;
template class CompiledPass<long double>;

}  // namespace kallima::kernel
