// Lines of every kind by the codelets. Complex lines are lanes where they stand, as many as fill vectors, and long ones
// are transformed one by one. Lines of reals are brought into rows of a tile, some at a time, and others' places in the
// vectors hold zeros; where these are too few for a vector, or too long, each goes by itself.

#include <algorithm>

#include "kernel/cosine_rows.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {
namespace {

Index in_whole(Index count, Index of) { return (count + of - 1) / of * of; }

template <class T>
class FourierLines final : public LineFft<T> {
 public:
  using Complex = std::complex<T>;

  explicit FourierLines(const Lines& lines)
      : lines_(lines), fft_(lines.length, lines.direction), alone_(fft_.takes_single_lines() && !near()) {}

  void operator()(const T* in, T* out, Complex* tile) const override {
    const Index whole = alone_ ? 0 : lines_.count - lines_.count % vector_;
    const auto stride = [](Index pitch) {
      return std::max<Index>(2, pitch / 2);
    };  // of a single one it does not matter
    const auto* const from = reinterpret_cast<const Complex*>(in);
    auto* const to = reinterpret_cast<Complex*>(out);
    if (whole > 0)
      fft_({{.base = from, .pitch = 1, .lane_stride = stride(lines_.pitch_in)},
            {.base = to, .pitch = 1, .lane_stride = stride(lines_.pitch_out)}},
           0, whole, {}, tile);
    if (whole == lines_.count) return;
    if (fft_.takes_single_lines()) {
      for (Index b = whole; b < lines_.count; ++b)
        fft_.run_line(from + b * lines_.pitch_in / 2, to + b * lines_.pitch_out / 2, tile);
      return;
    }
    const Index pitch = spread_row<T>(1, lines_.length);
    std::fill_n(tile, vector_ * pitch, Complex(0));
    for (Index b = whole; b < lines_.count; ++b)
      std::copy_n(from + b * lines_.pitch_in / 2, lines_.length, tile + (b - whole) * pitch);
    fft_({{.base = tile, .pitch = 1, .lane_stride = pitch}, {.base = tile, .pitch = 1, .lane_stride = pitch}}, 0,
         vector_, {}, tile + vector_ * pitch);
    for (Index b = whole; b < lines_.count; ++b)
      std::copy_n(tile + (b - whole) * pitch, lines_.length, to + b * lines_.pitch_out / 2);
  }

  Index tile_elements() const override {
    if (fft_.takes_single_lines() && (alone_ || lines_.count < vector_)) return fft_.line_tile_elements();
    const Index whole = fft_.tile_elements(std::max(vector_, lines_.count));
    if (fft_.takes_single_lines()) return std::max(whole, fft_.line_tile_elements());
    return vector_ * spread_row<T>(1, lines_.length) + whole;
  }

 private:
  bool near() const {
    return vector_ * lines_.length * static_cast<Index>(sizeof(Complex)) <= longest_lines_of_a_vector<T>();
  }

  Lines lines_;
  Index vector_ = LaneFft<T>::granularity();
  LaneFft<T> fft_;
  bool alone_;
};

// Between reals and halves of their spectra, both in rows of a tile. Odd lengths go as complex numbers, and so do those
// that are short, since what joins the spectra of even and odd reals rounds more than their transforms do.
template <class T>
class RealTile {
 public:
  using Complex = std::complex<T>;

  RealTile(Index length, bool to_half)
      : length_(length), to_half_(to_half), whole_(length % 2 == 1 || length < shortest_pairs) {
    const Kind kind = to_half ? Kind::real_to_half : Kind::half_to_real;
    const Direction direction = to_half ? Direction::forward : Direction::backward;
    if (whole_)
      complex_.emplace_back(length, direction);
    else
      real_.emplace_back(length, kind);
  }

  Index tile_elements(Index lanes) const {
    return spread_row<T>(2 * length_ + 2, lanes) +
           (whole_ ? complex_[0].tile_elements(lanes) : real_[0].tile_elements(lanes));
  }

  // Where the reals of all lanes stand, two reals from lane to lane, and the halves, neighbours.
  T* real(Complex* tile, Index lanes, Index k) const {
    return reinterpret_cast<T*>(half(tile, lanes, 0) + spread_row<T>(length_ + 1, lanes) +
                                (whole_ ? spread_row<T>(k, lanes) : spread_row<T>(k / 2, lanes))) +
           (whole_ ? 0 : k % 2);
  }
  Complex* half(Complex* tile, Index lanes, Index k) const { return tile + spread_row<T>(k, lanes); }

  void clear(Complex* tile, Index lanes) const {
    std::fill_n(tile, spread_row<T>(2 * length_ + 2, lanes), Complex(0));
  }

  void run(Complex* tile, Index lanes) const {
    const Index pitch = spread_row<T>(1, lanes);
    auto* const reals = reinterpret_cast<Complex*>(real(tile, lanes, 0));
    Complex* const scratch = tile + spread_row<T>(2 * length_ + 2, lanes);
    if (!whole_) {
      std::vector<Row<Complex>>& rows = listed(tile, pitch);
      const auto* const sources = reinterpret_cast<const Row<const Complex>*>(rows.data());
      if (to_half_)
        real_[0].to_half({.base = reals, .pitch = pitch, .lane_stride = 1}, {rows.data()}, 0, lanes, {},
                         Direction::forward, scratch);
      else
        real_[0].to_reals({sources}, {.base = reals, .pitch = pitch, .lane_stride = 1}, 0, lanes, T(1), scratch);
    } else if (to_half_) {
      complex_[0]({{.base = reals, .pitch = pitch, .lane_stride = 1}, {.base = tile, .pitch = pitch, .lane_stride = 1}},
                  0, lanes, {}, scratch);
    } else {
      const auto make_real = [&](Index k) {
        for (Index b = 0; b < lanes; ++b) tile[k * pitch + b] = tile[k * pitch + b].real();
      };
      make_real(0);
      if (length_ % 2 == 0) make_real(length_ / 2);
      for (Index k = 1; 2 * k < length_; ++k)
        for (Index b = 0; b < lanes; ++b) tile[(length_ - k) * pitch + b] = std::conj(tile[k * pitch + b]);
      complex_[0]({{.base = tile, .pitch = pitch, .lane_stride = 1}, {.base = reals, .pitch = pitch, .lane_stride = 1}},
                  0, lanes, {}, scratch);
    }
  }

 private:
  std::vector<Row<Complex>>& listed(Complex* tile, Index pitch) const {
    thread_local std::vector<Row<Complex>> rows;
    rows.clear();
    for (Index k = 0; 2 * k <= length_; ++k) rows.push_back({tile + k * pitch, 1});
    return rows;
  }

  Index length_;
  bool to_half_, whole_;
  std::vector<RealLaneFft<T>> real_;  // one of these
  std::vector<LaneFft<T>> complex_;
};

// Some lines at a time: number b of them begins at p + b * pitch, its reals are `every` apart.
template <class R>
struct RealLines {
  R* p;
  Index pitch, every;
  R& operator()(Index b, Index k) const { return p[b * pitch + k * every]; }
};

template <class T>
class TiledLines : public LineFft<T> {
 public:
  using Complex = std::complex<T>;
  void operator()(const T* in, T* out, Complex* tile) const final {
    for (Index part = 0; part < lines_.parts; ++part)
      for (Index b = 0; b < lines_.count; b += lanes_)
        run({in + b * lines_.pitch_in + part, lines_.pitch_in, lines_.parts},
            {out + b * lines_.pitch_out + part, lines_.pitch_out, lines_.parts}, std::min(lanes_, lines_.count - b),
            tile);
  }

 protected:
  explicit TiledLines(const Lines& lines) : lines_(lines) {}
  virtual void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const = 0;

  Lines lines_;
  Index vector_ = LaneFft<T>::granularity();
  Index lanes_ = std::min(in_whole(lines_.count, vector_), std::max<Index>(vector_, 8));  // at once
};

template <class T>
class HalfLines final : public TiledLines<T> {
  using Base = TiledLines<T>;
  using Base::lines_, Base::lanes_;
  using typename Base::Complex;

 public:
  explicit HalfLines(const Lines& lines) : Base(lines), tile_(lines.length, to_half()) {}
  Index tile_elements() const override { return tile_.tile_elements(lanes_); }

 private:
  bool to_half() const { return lines_.kind == Kind::real_to_half; }

  void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const override {
    tile_.clear(tile, lanes_);
    const auto real = [&](Index b, Index k) -> T& { return tile_.real(tile, lanes_, k)[2 * b]; };
    const auto part = [&](Index b, Index k) -> T& {
      return reinterpret_cast<T*>(tile_.half(tile, lanes_, k / 2) + b)[k % 2];
    };
    const Index reals = lines_.length, parts = 2 * (lines_.length / 2 + 1);
    for (Index b = 0; b < lines; ++b)
      for (Index k = 0; k < (to_half() ? reals : parts); ++k) (to_half() ? real(b, k) : part(b, k)) = in(b, k);
    tile_.run(tile, lanes_);
    for (Index b = 0; b < lines; ++b)
      for (Index k = 0; k < (to_half() ? parts : reals); ++k) out(b, k) = to_half() ? part(b, k) : real(b, k);
  }

  RealTile<T> tile_;
};

template <class T>
class LoneHalfLines final : public LineFft<T> {
 public:
  LoneHalfLines(const Lines& lines, std::shared_ptr<const LoneHalfLine<T>> line)
      : lines_(lines), line_(std::move(line)) {}

  void operator()(const T* in, T* out, std::complex<T>* tile) const override {
    for (Index b = 0; b < lines_.count; ++b) (*line_)(in + b * lines_.pitch_in, out + b * lines_.pitch_out, tile);
  }
  Index tile_elements() const override { return line_->tile_elements(); }

 private:
  Lines lines_;
  std::shared_ptr<const LoneHalfLine<T>> line_;
};

// Cosines and sines: rows of some lines at a time, the places of those that are missing being zeros.
template <class T>
class CosineLines final : public TiledLines<T> {
  using Base = TiledLines<T>;
  using Base::lines_, Base::lanes_;
  using typename Base::Complex;

 public:
  explicit CosineLines(const Lines& lines)
      : Base(lines), rows_(shared_value<CosineRows<T>>(std::pair(lines.kind, lines.length), [&] {
          return CosineRows<T>(lines.kind, lines.length);
        })) {}
  Index tile_elements() const override { return rows_->tile_elements(lanes_); }

 private:
  void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const override {
    Complex* const pairs = rows_->pairs(tile, lanes_);
    const auto real = [&](Index b, Index k) -> T& {
      return reinterpret_cast<T*>(pairs + spread_row<T>(k / 2, lanes_) + b)[k % 2];
    };
    if (lines < lanes_) std::fill_n(pairs, spread_row<T>((lines_.length + 1) / 2, lanes_), Complex(0));
    for (Index b = 0; b < lines; ++b)
      for (Index k = 0; k < lines_.length; ++k) real(b, k) = in(b, k);
    (*rows_)(nullptr, nullptr, 0, lanes_, T(1), tile);
    for (Index b = 0; b < lines; ++b)
      for (Index k = 0; k < lines_.length; ++k) out(b, k) = real(b, k);
  }

  std::shared_ptr<const CosineRows<T>> rows_;
};

template <class T>
class LoneCosineLines final : public LineFft<T> {
 public:
  LoneCosineLines(const Lines& lines, std::shared_ptr<const LoneCosines<T>> line)
      : lines_(lines), line_(std::move(line)) {}

  void operator()(const T* in, T* out, std::complex<T>* tile) const override {
    for (Index part = 0; part < lines_.parts; ++part)
      for (Index b = 0; b < lines_.count; ++b)
        (*line_)(in + b * lines_.pitch_in + part, out + b * lines_.pitch_out + part, lines_.parts, tile);
  }
  Index tile_elements() const override { return line_->tile_elements(); }

 private:
  Lines lines_;
  std::shared_ptr<const LoneCosines<T>> line_;
};

}  // namespace

template <class T>
std::shared_ptr<const LineFft<T>> our_lines(const Lines& lines, Effort) {
  if (lines.kind == Kind::fourier) return std::make_shared<FourierLines<T>>(lines);
  if (lines.kind == Kind::real_to_half || lines.kind == Kind::half_to_real) {
    auto line = suits_lone_lines<T>(lines.count, lines.length) ? lone_half_line<T>(lines.length, lines.kind) : nullptr;
    if (line) return std::make_shared<LoneHalfLines<T>>(lines, std::move(line));
    return std::make_shared<HalfLines<T>>(lines);
  }
  if (suits_lone_lines<T>(lines.count, lines.length))
    if (auto line = lone_cosines<T>(lines.kind, lines.length)) return std::make_shared<LoneCosineLines<T>>(lines, line);
  return std::make_shared<CosineLines<T>>(lines);
}

template std::shared_ptr<const LineFft<float>> our_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<double>> our_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<long double>> our_lines(const Lines&, Effort);

}  // namespace kallima::kernel
