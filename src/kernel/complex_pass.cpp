// A compiled pass of complex numbers. There are four ways to run one. Lanes: several lines at once in vector lanes,
// straight from sources to targets, for lengths that are products of 2, 3 and 5. Direct: lines that are contiguous at
// both ends go through FFTW where they stand, or are only copied. Tile: lines are gathered into a cache-sized tile,
// transformed there by FFTW, twiddled and scattered. Sum: lines are added up, a tile of them at a time.

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernel/line_pass.hpp"
#include "kernel/move.hpp"
#include "kernel/passes.hpp"

namespace kallima::kernel {
namespace {

// A first-level cache; long lines take more, and the caches behind it. Where lanes are no neighbours, a cache line
// holds elements of several rows and must stay until the last of them is read: such lines share the cache with the
// tile.
constexpr Index cache_bytes = 64 * 1024;
constexpr Index fewest_lanes = 16;  // measured: less makes memory deliver too short runs
constexpr Index longest_line_in_place = 512;

template <class T>
class ComplexPass final : public LinePass<T> {
  using Base = LinePass<T>;
  using Base::pass_, Base::lanes_, Base::together_, Base::pitch_, Base::twiddles_, Base::line_ffts_, Base::lane_stride;
  using typename Base::Complex, typename Base::Cursor, typename Base::Factors;
  enum class Mode { lanes, direct, tile, sum };

 public:
  ComplexPass(const Pass& pass, std::size_t depth, Direction direction, Effort effort)
      : Base(pass, depth, direction),
        near_in_(std::all_of(pass.sources.begin(), pass.sources.end(), is_near())),
        near_out_(std::all_of(pass.targets.begin(), pass.targets.end(), is_near())),
        mode_(choose_mode()) {
    const auto length = static_cast<double>(pass.length);
    Base::line_flops_ = length * (4 + 5 * std::log2(std::max(2.0, length)));
    together_ = lanes_together();
    twiddles_ = {pass.twiddle, pass.length, pass.loops, mode_ == Mode::lanes ? together_ : 0};
    if (mode_ == Mode::lanes)
      lane_fft_.emplace(pass.length, direction);
    else if (pass.action == Action::transform && lanes_ > 0)
      plan_lines(effort);
  }

  std::size_t tile_bytes() const override { return static_cast<std::size_t>(tile_elements()) * sizeof(Complex); }

 private:
  // Whether the lanes of a piece are neighbours.
  auto is_near() const {
    return [this](const Piece& piece) { return lane_stride(piece) == 2; };
  }

  // Lanes that are not neighbours are put into vectors one by one: cheap for two, dear for more, where FFTW's own
  // vector code for contiguous lines is the better choice. Long lines are gathered first and do not count.
  bool suits_lanes() const {
    if (LaneFft<T>::granularity() <= 2) return true;
    return std::any_of(pass_.targets.begin(), pass_.targets.end(), is_near()) &&
           (near_in_ || pass_.length > longest_line_in_place);
  }

  Mode choose_mode() const {
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
    if (moves) return same_buffer() ? Mode::tile : Mode::direct;
    return !same_buffer() || (s.offset == t.offset && s.strides == t.strides) ? Mode::direct : Mode::tile;
  }

  bool same_buffer() const { return pass_.sources[0].buffer == pass_.targets[0].buffer && pass_.sources[0].recv < 0; }

  Index lanes_together() const {
    const Index line_bytes = pass_.length * static_cast<Index>(sizeof(Complex));
    const bool stand_apart = mode_ == Mode::lanes && pass_.length <= longest_line_in_place && !(near_in_ && near_out_);
    const Index share = stand_apart ? 2 : 1;
    const Index most = std::max(fewest_lanes / share, cache_bytes / share / line_bytes);
    const Index whole = mode_ == Mode::lanes ? LaneFft<T>::granularity() : 1;
    return std::max<Index>(1, std::min(lanes_, most) / whole * whole);
  }

  void plan_lines(Effort effort) {
    const bool direct = mode_ == Mode::direct;
    for (const Index count : {together_, lanes_ % together_})
      if (count > 0)
        line_ffts_.emplace_back(Lines{.direction = Base::direction_,
                                      .length = pass_.length,
                                      .count = count,
                                      .pitch_in = direct ? lane_stride(pass_.sources[0]) : pitch_,
                                      .pitch_out = direct ? lane_stride(pass_.targets[0]) : pitch_,
                                      .in_place = !direct || same_buffer()},
                                effort);
  }

  Index tile_elements() const {
    if (mode_ == Mode::direct) return 0;
    if (mode_ == Mode::sum) return together_;
    if (mode_ == Mode::tile) return together_ * pitch_ / 2;
    const Index few = LaneFft<T>::granularity();  // a group of left-over lanes is padded in a tile of its own
    const Index gathered = gathers_rows() ? spread_row<T>(pass_.length, together_) : 0;
    return std::max(together_ * lane_fft_->tile_rows() + gathered, few * (lane_fft_->tile_rows() + pass_.length));
  }

  void list_rows(Cursor& cursor) const override {
    if (mode_ != Mode::lanes) return;
    cursor.rows_in.resize(static_cast<std::size_t>(pass_.length));
    cursor.rows_out.resize(static_cast<std::size_t>(pass_.length));
    this->list_pieces(pass_.sources, cursor.sources, cursor.rows_in);
    this->list_pieces(pass_.targets, cursor.targets, cursor.rows_out);
  }

  void run_block(Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const override {
    switch (mode_) {
      case Mode::lanes:
        return run_lanes(cursor, lane, lanes, this->factors(cursor, lane, scale), tile);
      case Mode::direct:
        return run_direct(cursor, lane, lanes, scale);
      case Mode::tile:
        return run_tile(cursor, lane, lanes, scale, tile);
      case Mode::sum:
        return run_sum(cursor, lane, lanes, scale, tile);
    }
  }

  void run_lanes(Cursor& cursor, Index lane, Index lanes, Factors factors, Complex* tile) const {
    const Index whole = lanes / LaneFft<T>::granularity() * LaneFft<T>::granularity();
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

  // The lanes of long lines would fight for cache sets and are brought together first; short lines stay in cache as
  // they are, and rows of neighbouring lanes are best read where they stand (both measured).
  bool gathers_rows() const { return pass_.length > longest_line_in_place && !near_in_; }

  void gather_into(Cursor& cursor, Index lane, Index lanes, Complex* tile) const {
    cursor.tile_rows.resize(static_cast<std::size_t>(pass_.length));
    cursor.gathered.resize(static_cast<std::size_t>(pass_.length));
    for (Index k = 0; k < pass_.length; ++k) {
      cursor.tile_rows[static_cast<std::size_t>(k)] = tile + spread_row<T>(k, lanes);
      cursor.gathered[static_cast<std::size_t>(k)] = {tile + spread_row<T>(k, lanes) - lane, 1};
    }
    for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
      const Index stride = lane_stride(pass_.sources[i]);
      gather_rows(reinterpret_cast<const Complex*>(cursor.sources[i] + lane * stride), pass_.sources[i], stride / 2,
                  lanes, cursor.tile_rows.data());
    }
  }

  // Fewer lanes than fit a vector: padded in a tile.
  void run_few_lanes(Cursor& cursor, Index lane, Index lanes, Factors factors, Complex* tile) const {
    const Index width = LaneFft<T>::granularity();
    Complex* padded = tile + width * lane_fft_->tile_rows();
    std::vector<Complex>& fine = cursor.few_factors;
    cursor.few_in.clear();
    cursor.few_out.clear();
    fine.clear();
    for (Index k = 0; k < pass_.length; ++k) {
      const Row<const Complex>& row = cursor.rows_in[static_cast<std::size_t>(k)];
      for (Index b = 0; b < width; ++b) padded[k * width + b] = b < lanes ? row.p[(lane + b) * row.stride] : Complex(0);
      cursor.few_in.push_back({padded + k * width, 1});
      cursor.few_out.push_back({padded + k * width, 1});
      for (Index b = 0; b < width && factors.fine != nullptr; ++b)
        fine.push_back(b < lanes ? factors.fine[k * factors.fine_stride + b] : Complex(0));
    }
    if (factors.fine != nullptr) {
      factors.fine = fine.data();
      factors.fine_stride = width;
    }
    (*lane_fft_)({{cursor.few_in.data(), true}, {cursor.few_out.data(), true}}, 0, width, factors, tile);
    for (Index k = 0; k < pass_.length; ++k) {
      const Row<Complex>& row = cursor.rows_out[static_cast<std::size_t>(k)];
      for (Index b = 0; b < lanes; ++b) row.p[(lane + b) * row.stride] = padded[k * width + b];
    }
  }

  void run_direct(const Cursor& cursor, Index lane, Index lanes, T scale) const {
    const Index stride_in = lane_stride(pass_.sources[0]), stride_out = lane_stride(pass_.targets[0]);
    const T* from = cursor.sources[0] + lane * stride_in;
    T* to = cursor.targets[0] + lane * stride_out;
    if (pass_.action == Action::move)
      for (Index b = 0; b < lanes; ++b) std::copy_n(from + b * stride_in, 2 * pass_.length, to + b * stride_out);
    else
      this->line_fft(lanes)(from, to);
    this->finish_lines(to, stride_out, cursor, lane, lanes, scale);
  }

  void run_tile(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* tile) const {
    T* const lines = reinterpret_cast<T*>(tile);
    this->gather_lines(cursor, lane, lanes, lines);
    if (pass_.action == Action::transform) this->line_fft(lanes)(lines, lines);
    this->finish_lines(lines, pitch_, cursor, lane, lanes, scale);
    if (pass_.conjugated)
      for (Index b = 0; b < lanes; ++b)
        for (Index k = 1; k < 2 * pass_.length; k += 2) lines[b * pitch_ + k] = -lines[b * pitch_ + k];
    this->scatter_lines(lines, cursor, lane, lanes);
  }

  void run_sum(const Cursor& cursor, Index lane, Index lanes, T scale, Complex* sums) const {
    std::fill_n(sums, lanes, Complex(0));
    for (std::size_t i = 0; i < pass_.sources.size(); ++i) {
      const Index stride = lane_stride(pass_.sources[i]) / 2;
      const auto* const from = reinterpret_cast<const Complex*>(cursor.sources[i]) + lane * stride;
      for (Index e = 0; e < pass_.sources[i].count; ++e)
        for (Index b = 0; b < lanes; ++b) sums[b] += from[e * pass_.sources[i].stride + b * stride];
    }
    const Index stride = lane_stride(pass_.targets[0]) / 2;
    auto* const to = reinterpret_cast<Complex*>(cursor.targets[0]) + lane * stride;
    for (Index b = 0; b < lanes; ++b) to[b * stride] = sums[b] * scale;
  }

  bool near_in_;  // lanes are neighbours in all sources
  bool near_out_;
  Mode mode_;
  std::optional<LaneFft<T>> lane_fft_;
};

}  // namespace

template <class T>
Compiled complex_pass(const Pass& pass, std::size_t depth, Direction direction, Effort effort) {
  return std::make_unique<ComplexPass<T>>(pass, depth, direction, effort);
}

template Compiled complex_pass<float>(const Pass&, std::size_t, Direction, Effort);
template Compiled complex_pass<double>(const Pass&, std::size_t, Direction, Effort);
template Compiled complex_pass<long double>(const Pass&, std::size_t, Direction, Effort);

}  // namespace kallima::kernel
