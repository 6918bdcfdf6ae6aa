#pragma once
// Neighbours times a chirp that is a product of three factors. Vectors are the compiler's.

#include "kernel/cpu/codelets.hpp"

namespace kallima::kernel {
namespace {

template <ChirpEnds ends, ChirpAdds adds, class T>
void multiply_row(const T* x, const T* more, T* z, const ChirpRow<T>& row, T scale, T sign) {
  const T c = row.coarse.real() * scale, s = row.coarse.imag() * scale;
  const T *fr = row.fine_re, *fi = row.fine_im, *qr = row.squares_re, *qi = row.squares_im;
#pragma GCC ivdep
  for (Index k = 0; k < row.count; ++k) {
    const T ur = fr[k] * c - fi[k] * s, ui = fr[k] * s + fi[k] * c;
    const T re = ur * qr[k] - ui * qi[k], im = (ur * qi[k] + ui * qr[k]) * sign;
    if constexpr (ends == ChirpEnds::to_reals) {
      const T twice = 2 * (x[2 * k] * re - x[2 * k + 1] * im);
      z[k] = adds == ChirpAdds::yes ? more[k] + twice : twice;
    } else {
      const bool real = ends == ChirpEnds::from_reals;
      const T zr = real ? x[k] * re : x[2 * k] * re - x[2 * k + 1] * im;
      const T zi = real ? x[k] * im : x[2 * k] * im + x[2 * k + 1] * re;
      z[2 * k] = adds == ChirpAdds::yes ? more[2 * k] + zr : zr;
      z[2 * k + 1] = adds == ChirpAdds::yes ? more[2 * k + 1] + zi : zi;
    }
  }
}

template <class T, ChirpAdds adds>
ChirpCodelet<T> chirp_of(ChirpEnds ends) {
  if (ends == ChirpEnds::from_reals) return multiply_row<ChirpEnds::from_reals, adds, T>;
  if (ends == ChirpEnds::to_reals) return multiply_row<ChirpEnds::to_reals, adds, T>;
  return multiply_row<ChirpEnds::complex_, adds, T>;
}

template <class T>
ChirpCodelet<T> chirp(ChirpEnds ends, ChirpAdds adds) {
  return adds == ChirpAdds::yes ? chirp_of<T, ChirpAdds::yes>(ends) : chirp_of<T, ChirpAdds::no>(ends);
}

}  // namespace
}  // namespace kallima::kernel
