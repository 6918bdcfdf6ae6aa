#pragma once
// A compiled pass of complex numbers, run in one of four ways. Lanes: several lines at once in vector lanes, straight
// from sources to targets. Direct: lines that are contiguous at both ends, and too long or too few for lanes, are
// transformed where they stand, or are only copied. Sum: a tile of lines at a time. All others: through the
// tile.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "kernel/cpu/stream.hpp"
#include "kernel/line_pass.hpp"

namespace kallima::kernel {

template <class T>
class ComplexPass final : public LinePass<T> {
  using Base = LinePass<T>;
  using Base::pass_, Base::sources_, Base::targets_, Base::lanes_, Base::together_, Base::by_lanes_, Base::pitch_,
      Base::lane_stride;
  using typename Base::Complex, typename Base::Cursor;

  static constexpr Index cache_bytes = 64 * 1024;  // of a first-level cache; long lines take more
  static constexpr Index tile_bytes_of_long_lines = 512 * 1024;
  static constexpr Index second_level_bytes = 1024 * 1024;
  static constexpr Index usual_run = 512;  // bytes of lanes: measured, memory delivers shorter runs slowly
  static constexpr Index shortest_run = 256;
  static constexpr Index streamed_bytes = 16 * 1024 * 1024;
  static constexpr Index distant_bytes = 4 * 1024 * 1024, distant_rows = 1536, plane_bytes = 512 * 1024;
  static constexpr Index way_bytes = 16 * 1024;  // of it that addresses tell apart

 public:
  ComplexPass(const Pass& pass, std::size_t depth, Direction direction, LineMaker<T> maker, Effort effort)
      : Base(pass, depth, direction, maker) {
    const auto length = static_cast<double>(pass.length);
    Base::line_flops_ = length * (4 + 5 * std::log2(std::max(2.0, length)));
    by_lanes_ = Base::padded_ = pass.action == Action::transform && this->ours() && suits_lanes();
    direct_ = !by_lanes_ && pass.action != Action::sum && stands_as_lines();
    const Index line_bytes = pass.length * static_cast<Index>(sizeof(Complex));
    const bool one_by_one = !by_lanes_ && is_long() && !side_by_side() && pass.action == Action::transform;
    together_ =
        this->lines_in(cache_bytes, line_bytes, one_by_one ? 1 : run_bytes() / static_cast<Index>(sizeof(Complex)));
    streamed_ = by_lanes_ && suits_streaming();
    distant_ = by_lanes_ && goes_far();
    if (by_lanes_) lane_fft_ = shared_fft(pass.length, direction, meeting());
    Base::twiddles_ = {pass.twiddle, pass.length, pass.loops, by_lanes_ ? together_ : 0, heads()};
    if (pass.action == Action::transform)
      this->plan_lines({.direction = direction,
                        .length = pass.length,
                        .pitch_in = direct_ ? lane_stride(sources_.front()) : pitch_,
                        .pitch_out = direct_ ? lane_stride(targets_.front()) : pitch_,
                        .in_place = !direct_ || same_buffer()},
                       effort);
  }

 private:
  // Its tables are the same for every part of an exchange.
  static std::shared_ptr<const LaneFft<T>> shared_fft(Index length, Direction direction, const RowsThatMeet& meet) {
    return shared_value<LaneFft<T>>(std::tuple(length, direction, meet.sources, meet.targets, meet.far),
                                    [&] { return LaneFft<T>(length, direction, meet); });
  }

  typename TwiddleTable<T>::Heads heads() const {
    if (!by_lanes_) return {};
    return {lane_fft_->heads(), Base::tiled_lines() == 0 && lane_fft_->heads_suffice()};
  }

  bool suits_lanes() const {
    const Index vector = LaneFft<T>::granularity();
    const bool many = lanes_ >= vector || (lanes_ > 1 && !stands_as_lines());
    return many && pass_.length <= longest_by_lanes && (!is_long() || side_by_side());
  }

  // Long lines go one by one, unless they share cache lines at one end: 32768 points of which every other goes
  // elsewhere took 3.3 times as long in lanes.
  bool is_long() const {
    return LaneFft<T>::granularity() * pass_.length * static_cast<Index>(sizeof(Complex)) >
           longest_lines_of_a_vector<T>();
  }
  bool side_by_side() const {
    constexpr auto fewest = static_cast<Index>(64 / sizeof(Complex));
    return lanes_ >= fewest && (this->stride_of(sources_) == 1 || this->stride_of(targets_) == 1);
  }

  // Of lanes at once. Narrow vectors go over a tile so often that they gain by a smaller one, if it then fits a cache.
  Index run_bytes() const {
    if (!narrow_vectors<T>())
      return std::max(shortest_run, std::min(usual_run, tile_bytes_of_long_lines / pass_.length));
    const auto fits = [&](Index run, Index bytes) { return run * pass_.length <= bytes; };
    const bool in_first = !fits(usual_run, cache_bytes) && fits(shortest_run, cache_bytes);
    return in_first || !fits(usual_run, second_level_bytes) ? shortest_run : usual_run;
  }

  Index row_bytes(const PieceList& pieces) const {  // between rows of neighbours
    return this->stride_of(pieces) == 1 ? pieces.front().stride * static_cast<Index>(sizeof(Complex)) : 0;
  }

  // A sixteenth of the length is about what rows of a butterfly are apart.
  bool meet(Index bytes) const { return bytes > 0 && bytes * pass_.length / 16 % way_bytes == 0; }
  RowsThatMeet meeting() const {
    return {meet(row_bytes(sources_)), meet(row_bytes(targets_)) && !streamed_,
            crowded(row_bytes(sources_)) || crowded(row_bytes(targets_))};
  }

  // Whether rows drive each other out of a second-level cache, too: too many for the ways of the sets they fall into.
  bool crowded(Index bytes) const {
    constexpr Index ways = 8, way = second_level_bytes / ways;
    return bytes > 0 && pass_.length * std::gcd(bytes, way) > way * ways;
  }

  // Whether results are written past the caches: so many that they are not found there when they are read next,
  // elsewhere than what they are made of, and in rows that drive each other out even before they are whole.
  bool suits_streaming() const {
    const Index rows = row_bytes(targets_);
    return can_stream && all_bytes() >= streamed_bytes && meet(rows) && crowded(rows) && !same_buffer();
  }

  // Whether results go to rows that no cache has and hardware does not guess: of lines of 250 points, 250 of them side
  // by side, it took three times as long on AVX-512 not to ask for them. What is read it guesses well enough.
  bool goes_far() const {
    return (all_bytes() >= distant_bytes || begins_planes()) && row_bytes(targets_) >= distant_rows && !same_buffer();
  }

  // Whether a repeat around it goes on to other planes each time, which are then in no cache either.
  bool begins_planes() const {
    const auto& strides = targets_.front().strides;
    const auto moves_on = [&](Index stride) { return stride * static_cast<Index>(sizeof(Complex)) >= all_bytes(); };
    return all_bytes() >= plane_bytes &&
           std::any_of(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(Base::depth_), moves_on);
  }

  Index all_bytes() const {  // of its lines
    Index bytes = pass_.length * static_cast<Index>(sizeof(Complex));
    for (const Index count : pass_.loops) bytes *= count;
    return bytes;
  }

  // At both ends, and where a transform, or a copy, finds nothing overwritten that it has yet to read.
  bool stands_as_lines() const {
    const PieceList::ListedPiece s = sources_.front(), t = targets_.front();
    for (const PieceList::ListedPiece& piece : {s, t})
      if (piece.stride != 1 || piece.count != pass_.length || pass_.conjugated) return false;
    const bool same_lines = s.offset == t.offset && std::ranges::equal(s.strides, t.strides);
    return !same_buffer() || (pass_.action != Action::move && same_lines);
  }

  // Targets that are lines: one of them, or as many as there are places among every so many elements.
  Index neighbours_every() const {
    const Index every = targets_.front().every;
    const bool lines = targets_.all([&](const PieceList::ListedPiece& piece) {
      return piece.stride == 1 && piece.every == every && piece.count * every == pass_.length;
    });
    return lines ? every : 0;
  }

  bool same_buffer() const { return sources_.front().buffer == targets_.front().buffer && sources_.front().recv < 0; }

  Index tile_elements() const override {
    if (direct_) return Base::scratch_elements();
    if (pass_.action == Action::sum) return together_;
    if (!by_lanes_) return Base::tile_elements();
    const auto sources = stride_in_ == 1 ? LaneFft<T>::Sources::neighbours : LaneFft<T>::Sources::apart;
    const Index vector = LaneFft<T>::granularity();
    const Index padded = lanes_ % vector == 0 ? 0
                                              : vector * pass_.length +
                                                    lane_fft_->tile_elements(vector, LaneFft<T>::Sources::neighbours);
    return std::max(lane_fft_->tile_elements(together_, sources), padded);
  }

  void list_rows(Cursor& cursor) const override {
    cursor.rows_in.resize(at(pass_.length));
    cursor.rows_out.resize(at(pass_.length));
    if (pitch_in_ == 0) this->list_pieces(sources_, cursor.sources, cursor.rows_in);
    if (pitch_out_ == 0) this->list_pieces(targets_, cursor.targets, cursor.rows_out);
  }

  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    if (direct_)
      run_direct(cursor, lane, lanes, scale, tile);
    else if (pass_.action == Action::sum)
      run_sum(cursor, lane, lanes, scale, tile);
    else
      Base::run_block(cursor, lane, lanes, scale, tile);
  }

  void run_lanes(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    const auto rows = [](auto& listed, auto* place, Index stride, Index pitch) {
      using C = std::remove_reference_t<decltype(*listed[0].p)>;
      return pitch == 0 ? RowList<C>{.rows = listed.data(), .lane_stride = stride}
                        : RowList<C>{.base = pairs(place), .pitch = pitch, .lane_stride = stride};
    };
    RowList<Complex> out = rows(cursor.rows_out, cursor.targets[0], stride_out_, pitch_out_);
    out.every = every_out_;
    RowList<const Complex> in = rows(cursor.rows_in, cursor.sources[0], stride_in_, pitch_in_);
    in.every = pitch_in_ == 1 ? 1 : 0;
    out.streamed = streamed_;
    out.distant = distant_;
    (*lane_fft_)({in, out}, lane, lanes, this->factors(cursor, lane, scale), tile);
    if (streamed_) end_streaming();
  }

  // Fewer lanes than fill a vector, with zeros for the others.
  void run_padded(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    const Index vector = LaneFft<T>::granularity(), first = lane / together_ * together_;
    const auto each = [&](const PieceList& pieces, const auto& places, const auto& copy) {
      pieces.each([&](std::size_t i, const PieceList::ListedPiece& piece) {
        const Index stride = lane_stride(piece) / 2;
        auto* outside = pairs(places[i]) + lane * stride;
        Complex* row = tile + piece.first * vector;
        for (Index e = 0; e < piece.count; ++e, outside += piece.stride, row += piece.every * vector)
          for (Index b = 0; b < lanes; ++b) copy(outside[b * stride], row[b]);
      });
    };
    std::fill_n(tile, pass_.length * vector, Complex(0));
    each(sources_, cursor.sources, [](const Complex& outside, Complex& inside) { inside = outside; });
    (*lane_fft_)({{.base = tile, .pitch = vector, .lane_stride = 1}, {.base = tile, .pitch = vector, .lane_stride = 1}},
                 0, vector, this->factors(cursor, first, scale).from_lane(lane - first), tile + pass_.length * vector);
    each(targets_, cursor.targets, [](Complex& outside, const Complex& inside) { outside = inside; });
  }

  void run_direct(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
    const Index stride_in = lane_stride(sources_.front()), stride_out = lane_stride(targets_.front());
    const T* from = cursor.sources[0] + lane * stride_in;
    T* to = cursor.targets[0] + lane * stride_out;
    if (pass_.action == Action::move)
      for (Index b = 0; b < lanes; ++b) std::copy_n(from + b * stride_in, 2 * pass_.length, to + b * stride_out);
    else
      this->line_fft(lanes)(from, to, tile);
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

  Index stride_in_ = this->stride_of(sources_), pitch_in_ = this->pitch_of(sources_);
  Index stride_out_ = this->stride_of(targets_), pitch_out_ = this->pitch_of(targets_);
  Index every_out_ = neighbours_every();
  bool direct_ = false, streamed_ = false, distant_ = false;
  std::shared_ptr<const LaneFft<T>> lane_fft_;
};

}  // namespace kallima::kernel
