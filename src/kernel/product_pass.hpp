#pragma once
// Passes that work element by element: filling memory with zeros or with a chirp, and multiplying one line by another.
// A chirp's exponents are squares, whose differences go up evenly: two additions modulo the modulus lead from one to
// the next, exactly.

#include <algorithm>

#include "base/bits.hpp"
#include "kallima/problem.hpp"
#include "kernel/line_pass.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {

inline constexpr Index done_at_once = 4096;  // elements, after which messages are looked at

// From where a piece begins to where it does in a line, these being numbered in the order of the loops.
inline Index offset_of(const Piece& piece, const std::vector<Index>& loops, std::size_t depth, Index line) {
  Index offset = 0;
  for (std::size_t loop = loops.size(); loop-- > 0; line /= loops[loop])
    offset += line % loops[loop] * piece.strides[depth + loop];
  return offset;
}

// Modulo m: (shift + step k)^2, one k after the other.
class SquareExponents {
 public:
  SquareExponents(Index m, Int128 first, Int128 step) : m_(m), square_(reduced(first % m * (first % m))) {
    const Int128 s = step % m;
    rise_ = reduced(2 * (first % m) * s + s * s);
    more_ = reduced(2 * s * s);
  }
  Index next() {
    const Index now = square_;
    square_ = sum(square_, rise_);
    rise_ = sum(rise_, more_);
    return now;
  }

 private:
  Index reduced(Int128 x) const { return static_cast<Index>(x % m_); }
  Index sum(Index a, Index b) const { return a >= m_ - b ? a - (m_ - b) : a + b; }

  Index m_;
  Index square_;    // the next one,
  Index rise_ = 0;  // from that to the one behind it,
  Index more_ = 0;  // and by how much more it rises then
};

// A compiled Action::fill.
template <class T>
class FillPass final : public Kernel {
  using Complex = std::complex<T>;

 public:
  FillPass(const Pass& pass, std::size_t depth, Direction direction)
      : pass_(pass), depth_(depth), conjugates_(pass.conjugated != (direction == Direction::backward)) {}

  Ticket start(const KernelCall& call) const override {
    const Index lines = element_count(pass_.loops);
    for (Index line = 0; line < lines; ++line)
      for (const Piece& piece : pass_.targets) {
        auto* const to = reinterpret_cast<Complex*>(call.operands.buffers[at(piece.buffer)]) +
                         first_real(piece, call.at.first(depth_)) / unit(piece) +
                         offset_of(piece, pass_.loops, depth_, line);
        pass_.twiddle.modulus > 0 ? write_chirp(to, piece, call) : write_zeros(to, piece, call);
      }
    return 0;
  }

 private:
  static void in_parts(const Piece& piece, const KernelCall& call, const auto& write) {
    for (Index e = 0; e < piece.count; ++e) {
      write(e);
      if (e % done_at_once == done_at_once - 1) call.progress();
    }
  }

  static void write_zeros(Complex* to, const Piece& piece, const KernelCall& call) {
    in_parts(piece, call, [&](Index e) { to[e * piece.stride] = Complex(0); });
  }

  // What it takes to know the roots is only held while it is used: fills are for preparations.
  void write_chirp(Complex* to, const Piece& piece, const KernelCall& call) const {
    const Twiddle& t = pass_.twiddle;
    const Roots roots(t.modulus);
    SquareExponents squares(t.modulus, Int128{t.shift} + Int128{t.step} * piece.first, Int128{t.step} * piece.every);
    const T divisor = static_cast<T>(pass_.divisor);
    in_parts(piece, call, [&](Index e) {
      const Complex root = roots.as<T>(squares.next());
      to[e * piece.stride] = Complex(root.real(), conjugates_ ? -root.imag() : root.imag()) / divisor;
    });
  }

  Pass pass_;
  std::size_t depth_;
  bool conjugates_;
};

// A compiled Action::multiply.
template <class T>
class MultiplyPass final : public Kernel {
 public:
  MultiplyPass(const Pass& pass, std::size_t depth)
      : pass_(pass),
        depth_(depth),
        run_(pass.sources[0].real   ? from_reals
             : pass.targets[0].real ? to_reals
                                    : of_pairs) {}

  Ticket start(const KernelCall& call) const override {
    const Piece &one = pass_.sources[0], &other = pass_.sources[1], &target = pass_.targets[0];
    const T* const x = reinterpret_cast<const T*>(call.source(one)) + first(one, call);
    const T* const y = reinterpret_cast<const T*>(call.source(other)) + first(other, call);
    T* const z = reinterpret_cast<T*>(call.operands.buffers[at(target.buffer)]) + first(target, call);
    const T scale = pass_.scaled ? static_cast<T>(call.scale) : T(1), sign = pass_.conjugated ? T(-1) : T(1);
    const auto place = [&](const Piece& piece, Index line, Index e) {
      return unit(piece) * (offset_of(piece, pass_.loops, depth_, line) + e);
    };
    Index since_poll = 0;
    for (Index line = 0, lines = element_count(pass_.loops); line < lines; ++line)
      for (Index e = 0; e < pass_.length; e += done_at_once) {
        const Index count = std::min(done_at_once, pass_.length - e);
        run_(x + place(one, line, e), y + place(other, line, e), z + place(target, line, e), count, scale, sign);
        since_poll += count;
        if (since_poll < done_at_once) continue;
        call.progress();
        since_poll = 0;
      }
    return 0;
  }

 private:
  using Products = void(const T* x, const T* y, T* z, Index count, T scale, T sign);

  Index first(const Piece& piece, const KernelCall& call) const { return first_real(piece, call.at.first(depth_)); }

  // Plain arithmetic, unlike std::complex, which minds infinities, so that it vectorises. The target may be a factor.
  static void of_pairs(const T* x, const T* y, T* z, Index count, T scale, T sign) {
    if (z == x) return of_pairs_in_place(z, y, count, scale, sign);
    of_pairs_apart(x, y, z, count, scale, sign);
  }
  static void of_pairs_in_place(T* __restrict z, const T* __restrict y, Index count, T scale, T sign) {
    for (Index k = 0; k < 2 * count; k += 2) {
      const T c = y[k] * scale, s = y[k + 1] * scale * sign, re = z[k], im = z[k + 1];
      z[k] = re * c - im * s;
      z[k + 1] = re * s + im * c;
    }
  }
  static void of_pairs_apart(const T* __restrict x, const T* __restrict y, T* __restrict z, Index count, T scale,
                             T sign) {
    for (Index k = 0; k < 2 * count; k += 2) {
      const T c = y[k] * scale, s = y[k + 1] * scale * sign;
      z[k] = x[k] * c - x[k + 1] * s;
      z[k + 1] = x[k] * s + x[k + 1] * c;
    }
  }
  static void from_reals(const T* __restrict x, const T* __restrict y, T* __restrict z, Index count, T scale, T sign) {
    for (Index k = 0; k < count; ++k) {
      z[2 * k] = x[k] * y[2 * k] * scale;
      z[2 * k + 1] = x[k] * y[2 * k + 1] * scale * sign;
    }
  }
  static void to_reals(const T* __restrict x, const T* __restrict y, T* __restrict z, Index count, T scale, T sign) {
    for (Index k = 0; k < count; ++k) z[k] = 2 * scale * (x[2 * k] * y[2 * k] - x[2 * k + 1] * y[2 * k + 1] * sign);
  }

  Pass pass_;
  std::size_t depth_;
  Products* run_;
};

}  // namespace kallima::kernel
