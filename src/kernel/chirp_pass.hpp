#pragma once
// Passes that multiply by a chirp which nobody keeps. In blocks of C elements, k = C r + t, the exponent (a + b k)^2 is
// that of where the block begins, A^2 with A = a + b C r, and 2 A b t + b^2 t^2. The last of these is the same in every
// block: a table. What is before is linear in t = B f + g, and so the product of a fine factor for each g < B and of a
// coarse one for each f, which are made for each block, again from few roots. So an element takes two products, and
// roots of unity do not count. A phase, being linear, is part of fine and coarse.

#include <array>

#include "kernel/cpu/codelets.hpp"
#include "kernel/product_pass.hpp"
#include "kernel/shared.hpp"

namespace kallima::kernel {

// Real and imaginary parts apart, as vectors like them.
template <class T>
struct Parts {
  std::vector<T> re = {}, im = {};
  void push_back(const std::complex<T>& z) {
    re.push_back(z.real());
    im.push_back(z.imag());
  }
};

// omega_modulus^((step t)^2), t < count.
struct SquaresRequest {
  Index modulus, step, count;
  auto operator<=>(const SquaresRequest&) const = default;
};

template <class T>
Parts<T> make_squares(const SquaresRequest& request) {
  const Roots roots(request.modulus);
  SquareExponents squares(request.modulus, 0, request.step);
  Parts<T> table;
  for (Index t = 0; t < request.count; ++t) table.push_back(roots.as<T>(squares.next()));
  return table;
}

inline Index product_modulo(Int128 x, Index y, Index m) { return static_cast<Index>(x % m * y % m); }
inline Index sum_modulo(Int128 x, Index y, Index m) { return static_cast<Index>((x + y) % m); }

// Of a chirp and a phase, a row at a time.
template <class T>
class ChirpRows {
 public:
  using Complex = std::complex<T>;

  ChirpRows(const Twiddle& chirp, const Twiddle& phase, Index length)
      : chirp_(chirp),
        phase_(phase.modulus > 0 ? phase : Twiddle{.modulus = 1}),
        row_(row_length(length)),
        block_(row_ * row_),
        roots_(chirp_.modulus),
        phases_(phase_.modulus) {
    const SquaresRequest request{chirp_.modulus, chirp_.step % chirp_.modulus, std::min(block_, length)};
    squares_ = shared_value<Parts<T>>(request, [&] { return make_squares<T>(request); });
    for (Index g = 0; g < row_; ++g) {
      fine_phases_.push_back(phase_at(0, g));
      coarse_phases_.push_back(phase_at(0, g * row_));
    }
  }

  KernelTable table() const { return {squares_.get(), 2 * squares_->re.size() * sizeof(T)}; }

  // Calls use(k, row) for one row after the other of elements k = 0 .. length - 1.
  void each_row(Index length, const auto& use) const {
    std::array<Complex, longest> fine, coarse;
    std::array<T, longest> re, im;
    const Index m = chirp_.modulus;
    for (Index begin = 0; begin < length; begin += block_) {
      const Index first = sum_modulo(product_modulo(chirp_.step, begin, m), chirp_.shift, m);
      const Index slope = product_modulo(2 * Int128{first}, chirp_.step, m);
      powers(0, slope, fine.data());
      powers(product_modulo(first, first, m), product_modulo(slope, row_, m), coarse.data());
      const Complex phase = phase_at(phase_.shift, begin);
      for (Index g = 0; g < row_; ++g) {
        const Complex turned = product(fine[at(g)], product(phase, fine_phases_[at(g)]));
        re[at(g)] = turned.real();
        im[at(g)] = turned.imag();
      }
      for (Index t = 0; t < std::min(block_, length - begin); t += row_) {
        const std::size_t f = at(t / row_);
        use(begin + t, ChirpRow<T>{product(coarse[f], coarse_phases_[f]), re.data(), im.data(), squares_->re.data() + t,
                                   squares_->im.data() + t, std::min(row_, length - begin - t)});
      }
    }
  }

 private:
  static constexpr Index longest = 128;
  static constexpr Index heads = 8;  // no longer than the shortest row, which is a multiple of it

  // The table shall be small beside what is multiplied, and in a cache.
  static Index row_length(Index length) {
    const auto root = static_cast<Index>(std::sqrt(static_cast<double>(length)) / 2);
    return std::clamp(static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(root))), heads, longest);
  }

  // omega^(first + slope g) for all g of a row.
  void powers(Index first, Index slope, Complex* to) const {
    const Index m = chirp_.modulus;
    std::array<Complex, heads> head;
    for (Index g = 0; g < heads; ++g) head[at(g)] = roots_.template as<T>(product_modulo(slope, g, m));
    for (Index begin = 0; begin < row_; begin += heads) {
      const Complex root = roots_.template as<T>(sum_modulo(product_modulo(slope, begin, m), first, m));
      for (Index g = 0; g < heads; ++g) to[begin + g] = product(root, head[at(g)]);
    }
  }
  Complex phase_at(Index shift, Index k) const {
    return phases_.template as<T>(sum_modulo(product_modulo(phase_.step, k, phase_.modulus), shift, phase_.modulus));
  }

  // Plain arithmetic, unlike std::complex, which minds infinities.
  static Complex product(const Complex& a, const Complex& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  Twiddle chirp_, phase_;
  Index row_, block_;
  Roots roots_, phases_;
  std::shared_ptr<const Parts<T>> squares_;
  std::vector<Complex> fine_phases_ = {}, coarse_phases_ = {};
};

// A compiled Action::chirp.
template <class T>
class ChirpPass final : public Kernel {
 public:
  ChirpPass(const Pass& pass, std::size_t depth, Direction direction)
      : pass_(pass),
        depth_(depth),
        rows_(pass.twiddle, pass.phase, pass.length),
        sign_(pass.conjugated != (direction == Direction::backward) ? T(-1) : T(1)),
        run_(codelet_of(pass)) {}

  std::vector<KernelTable> tables() const override { return {rows_.table()}; }

  Ticket start(const KernelCall& call) const override {
    for (Index line = 0, lines = element_count(pass_.loops); line < lines; ++line) multiply_line(call, line);
    return 0;
  }

 private:
  static ChirpCodelet<T> codelet_of(const Pass& pass) {
    const ChirpEnds ends = pass.sources[0].real   ? ChirpEnds::from_reals
                           : pass.targets[0].real ? ChirpEnds::to_reals
                                                  : ChirpEnds::complex_;
    return codelets<T>().chirp(ends, adds(pass) ? ChirpAdds::yes : ChirpAdds::no);
  }

  void multiply_line(const KernelCall& call, Index line) const {
    const auto begin = [&](const Piece& piece) {
      return first_real(piece, call.at.first(depth_)) + unit(piece) * offset_of(piece, pass_.loops, depth_, line);
    };
    const auto source = [&](const Piece& piece) {
      return reinterpret_cast<const T*>(call.source(piece)) + begin(piece);
    };
    const Piece &one = pass_.sources.front(), &last = pass_.sources.back(), &target = pass_.targets[0];
    const T *const x = source(one), *const more = source(last);
    T* const z = reinterpret_cast<T*>(call.operands.buffers[at(target.buffer)]) + begin(target);
    const T scale = (pass_.scaled ? static_cast<T>(call.scale) : T(1)) / static_cast<T>(pass_.divisor);
    rows_.each_row(pass_.length, [&](Index k, const ChirpRow<T>& row) {
      run_(x + unit(one) * k, more + unit(last) * k, z + unit(target) * k, row, scale, sign_);
      if ((k + row.count) % done_at_once < row.count) call.progress();
    });
  }

  Pass pass_;
  std::size_t depth_;
  ChirpRows<T> rows_;
  T sign_;
  ChirpCodelet<T> run_;
};

}  // namespace kallima::kernel
