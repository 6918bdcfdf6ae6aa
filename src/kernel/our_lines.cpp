// Lines of every kind by the codelets. Complex lines are lanes where they stand, as many as fill vectors, and long ones
// are transformed one by one. Lines of reals are brought into rows of a tile, some at a time, and others' places in the
// vectors hold zeros; where these are too few for a vector, or too long, each is a complex line by itself.

#include <algorithm>
#include <numbers>

#include "base/bits.hpp"
#include "kernel/line_fft.hpp"
#include "kernel/lone_half_line.hpp"
#include "kernel/real_lane_fft.hpp"

namespace kallima::kernel {
namespace {

// Reals of cosine transforms of types I and II that are better transformed as complex numbers: errors then stay below
// 1.2 times FFTW's (measured).
constexpr Index short_cosines = 42;

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
// that are short, since what joins the spectra of even and odd reals rounds more than their transforms do. Where lines
// go one by one both are in the same place.
template <class T>
class RealTile {
 public:
  using Complex = std::complex<T>;

  RealTile(Index length, bool to_half, Index short_length, bool one_by_one = false)
      : length_(length), to_half_(to_half), whole_(length % 2 == 1 || length <= short_length) {
    const Kind kind = to_half ? Kind::real_to_half : Kind::half_to_real;
    if (one_by_one && length > short_length) lone_ = lone_half_line<T>(length, kind);
    if (lone_) return;
    const Direction direction = to_half ? Direction::forward : Direction::backward;
    if (whole_)
      complex_.emplace_back(length, direction);
    else
      real_.emplace_back(length, kind);
  }

  bool is_of_one_line() const { return lone_ != nullptr; }

  Index tile_elements(Index lanes) const {
    if (lone_) return length_ / 2 + 1 + lone_->tile_elements();
    return spread_row<T>(2 * length_ + 2, lanes) +
           (whole_ ? complex_[0].tile_elements(lanes) : real_[0].tile_elements(lanes));
  }

  // Where the reals of all lanes stand, two reals from lane to lane, and the halves, neighbours.
  T* real(Complex* tile, Index lanes, Index k) const {
    if (lone_) return reinterpret_cast<T*>(tile) + k;
    return reinterpret_cast<T*>(half(tile, lanes, 0) + spread_row<T>(length_ + 1, lanes) +
                                (whole_ ? spread_row<T>(k, lanes) : spread_row<T>(k / 2, lanes))) +
           (whole_ ? 0 : k % 2);
  }
  Complex* half(Complex* tile, Index lanes, Index k) const { return tile + (lone_ ? k : spread_row<T>(k, lanes)); }

  void clear(Complex* tile, Index lanes) const {
    std::fill_n(tile, lone_ ? length_ / 2 + 1 : spread_row<T>(2 * length_ + 2, lanes), Complex(0));
  }

  void run(Complex* tile, Index lanes) const {
    auto* const place = reinterpret_cast<T*>(tile);
    if (lone_) return (*lone_)(place, place, tile + length_ / 2 + 1);
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
  std::shared_ptr<const LoneHalfLine<T>> lone_;
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

  bool suit_one_by_one() const { return suits_lone_lines<T>(lines_.count, lines_.length); }

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
  explicit HalfLines(const Lines& lines) : Base(lines), tile_(lines.length, to_half(), shortest_pairs - 1) {}
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

bool is_sine(Kind kind) { return kind >= Kind::dst1; }
int type_of(Kind kind) {
  return 1 + (static_cast<int>(kind) - static_cast<int>(is_sine(kind) ? Kind::dst1 : Kind::dct1));
}

// Types I, II and, of odd lengths, IV: reals that are put in an order and given signs, half of their spectrum, and of
// every result two factors, for the real and the imaginary part of a row of it.
template <class T>
class CosineLines final : public TiledLines<T> {
  using Base = TiledLines<T>;
  using Base::lines_, Base::lanes_;
  using typename Base::Complex;

 public:
  explicit CosineLines(const Lines& lines)
      : Base(lines),
        sine_(is_sine(lines.kind)),
        tile_(transformed_length(), true, type_of(lines.kind) < 4 ? short_cosines : 0, Base::suit_one_by_one()) {
    if (tile_.is_of_one_line()) lanes_ = 1;
    if (type_of(lines.kind) == 1)
      say_first();
    else if (type_of(lines.kind) == 2)
      say_second();
    else
      say_fourth();
  }
  Index tile_elements() const override { return tile_.tile_elements(lanes_); }

 private:
  struct Term {
    Index slot, from;
    T sign;
  };
  struct Result {
    Index row;
    T re, im;
  };

  Index transformed_length() const {
    if (type_of(lines_.kind) > 1) return lines_.length;
    return 2 * (sine_ ? lines_.length + 1 : lines_.length - 1);
  }

  // Continued to both sides, evenly or oddly.
  void say_first() {
    const Index n = lines_.length, around = transformed_length();
    for (Index k = 0; k < n; ++k) {
      const Index slot = sine_ ? k + 1 : k;
      terms_.push_back({slot, k, T(1)});
      if (sine_ || (k > 0 && k < n - 1)) terms_.push_back({around - slot, k, T(sine_ ? -1 : 1)});
      results_.push_back({slot, T(sine_ ? 0 : 1), T(sine_ ? -1 : 0)});
    }
  }

  // Even ones first, then odd ones backwards.
  void say_second() {
    const Index n = lines_.length;
    const Roots roots(4 * n);
    for (Index k = 0; k < n; ++k) {
      const Index slot = k % 2 == 0 ? k / 2 : n - 1 - k / 2;
      terms_.push_back({slot, k, T(sine_ && k % 2 == 1 ? -1 : 1)});
    }
    for (Index k = 0; k < n; ++k) {
      const Index m = sine_ ? n - 1 - k : k;
      const Complex w = roots.as<T>(2 * m <= n ? m : n - m);
      if (2 * m <= n)
        results_.push_back({m, 2 * w.real(), -2 * w.imag()});
      else
        results_.push_back({n - m, -2 * w.imag(), -2 * w.real()});
    }
  }

  // With a = 2 j + 1 and b = 2 k + 1, the cosines of 2 pi a b / 8 n may be had from a and b that are 1 modulo 8, and
  // 1/8n is u/8 + v/n but for a whole number.
  void say_fourth() {
    const Index n = lines_.length;
    const auto one_of_eight = [n](Index a) -> std::pair<Index, bool> {
      for (const Index same : {a, 8 * n - a})
        if (same % 8 == 1) return {same, false};
      return {(4 * n - a) % 8 == 1 ? 4 * n - a : 4 * n + a, true};
    };
    Index u = 1, v = 0;
    while (u * n % 8 != 1) u += 2;
    while ((8 * v) % n != 1 % n) ++v;
    const T root = std::numbers::sqrt2_v<T>;
    const T c = u == 1 || u == 7 ? root : -root, s = u < 4 ? root : -root;
    for (Index k = 0; k < n; ++k) {
      const auto [a, minus] = one_of_eight(2 * k + 1);
      terms_.push_back({a % n, sine_ ? n - 1 - k : k, T(minus ? -1 : 1)});
      const Index row = static_cast<Index>(static_cast<Int128>(v) * a % n);
      const T sign = minus != (sine_ && k % 2 == 1) ? T(-1) : T(1);
      if (2 * row < n)
        results_.push_back({row, sign * c, sign * s});
      else
        results_.push_back({n - row, sign * c, -sign * s});
    }
  }

  void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const override {
    tile_.clear(tile, lanes_);
    for (const Term& t : terms_) {
      T* const slot = tile_.real(tile, lanes_, t.slot);
      for (Index b = 0; b < lines; ++b) slot[2 * b] = t.sign * in(b, t.from);
    }
    tile_.run(tile, lanes_);
    for (Index k = 0; k < lines_.length; ++k) {
      const Result& r = results_[at(k)];
      const T* const row = reinterpret_cast<const T*>(tile_.half(tile, lanes_, r.row));
      for (Index b = 0; b < lines; ++b) out(b, k) = r.re * row[2 * b] + r.im * row[2 * b + 1];
    }
  }

  bool sine_;
  RealTile<T> tile_;
  std::vector<Term> terms_;
  std::vector<Result> results_;  // of each k
};

// Type III is type II backwards.
template <class T>
class ThirdCosineLines final : public TiledLines<T> {
  using Base = TiledLines<T>;
  using Base::lines_, Base::lanes_;
  using typename Base::Complex;

 public:
  explicit ThirdCosineLines(const Lines& lines)
      : Base(lines), sine_(is_sine(lines.kind)), tile_(lines.length, false, 0, Base::suit_one_by_one()) {
    if (tile_.is_of_one_line()) lanes_ = 1;
    const Roots roots(4 * lines.length);
    for (Index k = 0; 2 * k <= lines.length; ++k) turns_.push_back(std::conj(roots.as<T>(k)));
  }
  Index tile_elements() const override { return tile_.tile_elements(lanes_); }

 private:
  void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const override {
    const Index n = lines_.length;
    const auto given = [&](Index b, Index k) { return k == n ? T(0) : in(b, sine_ ? n - 1 - k : k); };
    tile_.clear(tile, lanes_);
    for (Index k = 0; 2 * k <= n; ++k) {
      Complex* const row = tile_.half(tile, lanes_, k);
      const T c = turns_[at(k)].real(), s = turns_[at(k)].imag();
      for (Index b = 0; b < lines; ++b) {
        const T x = given(b, k), y = given(b, n - k);
        row[b] = {c * x + s * y, s * x - c * y};
      }
    }
    tile_.run(tile, lanes_);
    for (Index k = 0; k < n; ++k) {
      const T* const slot = tile_.real(tile, lanes_, k % 2 == 0 ? k / 2 : n - 1 - k / 2);
      const T sign = sine_ && k % 2 == 1 ? T(-1) : T(1);
      for (Index b = 0; b < lines; ++b) out(b, k) = sign * slot[2 * b];
    }
  }

  bool sine_;
  RealTile<T> tile_;
  std::vector<Complex> turns_;
};

// Type IV of an even length: two reals make a complex number of half the length, turned before and after.
template <class T>
class FourthCosineLines final : public TiledLines<T> {
  using Base = TiledLines<T>;
  using Base::lines_, Base::lanes_;
  using typename Base::Complex;

 public:
  explicit FourthCosineLines(const Lines& lines)
      : Base(lines), sine_(is_sine(lines.kind)), half_(lines.length / 2), fft_(half_, Direction::forward) {
    const Roots roots(8 * lines.length);
    for (Index k = 0; k < half_; ++k) {
      before_.push_back(roots.as<T>(4 * k + 1));
      after_.push_back(roots.as<T>(4 * k));
    }
    alone_ = Base::suit_one_by_one() && fft_.takes_single_lines();
    if (alone_) lanes_ = 1;
  }
  Index tile_elements() const override {
    if (alone_) return half_ + fft_.line_tile_elements();
    return spread_row<T>(half_, lanes_) + fft_.tile_elements(lanes_);
  }

 private:
  void run(const RealLines<const T>& in, const RealLines<T>& out, Index lines, Complex* tile) const override {
    const Index n = lines_.length, pitch = alone_ ? 1 : spread_row<T>(1, lanes_);
    std::fill_n(tile, half_ * pitch, Complex(0));
    for (Index k = 0; k < half_; ++k) {
      const T c = before_[at(k)].real(), s = before_[at(k)].imag();
      for (Index b = 0; b < lines; ++b) {
        const T x = in(b, sine_ ? n - 1 - 2 * k : 2 * k), y = in(b, sine_ ? 2 * k : n - 1 - 2 * k);
        tile[k * pitch + b] = {c * x - s * y, s * x + c * y};
      }
    }
    if (alone_) {
      fft_.run_line(tile, tile, tile + half_);
      for (Index k = 0; k < half_; ++k) tile[k] *= T(2) * after_[at(k)];
    } else {
      fft_({{.base = tile, .pitch = pitch, .lane_stride = 1}, {.base = tile, .pitch = pitch, .lane_stride = 1}}, 0,
           lanes_, {.row = after_.data(), .scale = T(2)}, tile + spread_row<T>(half_, lanes_));
    }
    for (Index k = 0; k < half_; ++k)
      for (Index b = 0; b < lines; ++b) {
        out(b, 2 * k) = tile[k * pitch + b].real();
        out(b, n - 1 - 2 * k) = sine_ ? tile[k * pitch + b].imag() : -tile[k * pitch + b].imag();
      }
  }

  bool sine_;
  bool alone_ = false;
  Index half_;
  LaneFft<T> fft_;
  std::vector<Complex> before_, after_;
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
  const int type = type_of(lines.kind);
  if (type == 3) return std::make_shared<ThirdCosineLines<T>>(lines);
  if (type == 4 && lines.length % 2 == 0) return std::make_shared<FourthCosineLines<T>>(lines);
  return std::make_shared<CosineLines<T>>(lines);
}

template std::shared_ptr<const LineFft<float>> our_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<double>> our_lines(const Lines&, Effort);
template std::shared_ptr<const LineFft<long double>> our_lines(const Lines&, Effort);

}  // namespace kallima::kernel
