#pragma once
// Cosine and sine transforms of reals (FFTW's eight kinds), of many lines at once or of one. Rows of reals are joined
// to complex rows, in an order and with factors of their own; these are transformed, as spectra of reals where that can
// be, and the results are taken from the rows that come out (J. Makhoul, IEEE Trans. ASSP 28, 1980, for types II and
// III). Each line is transformed by itself: nothing of one line gets into another.

#include <memory>

#include "kernel/lone_half_line.hpp"
#include "kernel/real_lane_fft.hpp"

namespace kallima::kernel {

// What is done before and after, and in between: spectra of `length` reals, either way, or as many complex numbers.
template <class T>
struct CosinePlan {
  CosinePlan(Kind kind, Index length);

  Kind between = Kind::fourier;
  Direction direction = Direction::forward;
  Index length = 1;
  std::vector<Joint<T>> joints = {};
  std::vector<Taken<T>> taken = {};

 private:
  void say_first(bool sine, Index n);
  void say_second(bool sine, Index n);
  void say_third(bool sine, Index n);
  void say_fourth(bool sine, Index n);
  void say_fourth_of_odd(bool sine, Index n);
};

template <class T>
class CosineRows {
 public:
  using Complex = std::complex<T>;

  CosineRows(Kind kind, Index length);

  // Of so many lanes, which fill vectors. Reals that stand in no rows outside are brought to pairs(tile, lanes), and
  // left there: real k of lane b is part k % 2 of element b of row k / 2, which begins at spread_row(k / 2, lanes).
  Index tile_elements(Index lanes) const { return between_elements(lanes) + spread_row<T>((reals_ + 1) / 2, lanes); }
  Complex* pairs(Complex* tile, Index lanes) const { return tile + between_elements(lanes); }

  // Lanes from real `first` of each row on; null: reals are in pairs. All are read before any is written.
  void operator()(const T* const* in, T* const* out, Index first, Index lanes, T scale, Complex* tile) const;

 private:
  Index between_elements(Index lanes) const;
  void transform(Index lanes, Complex* tile) const;

  Index reals_;
  CosinePlan<T> plan_;
  std::unique_ptr<const RealLaneFft<T>> half_;  // one of these
  std::unique_ptr<const LaneFft<T>> complex_;
};

// One line by itself, where lines are few or long.
template <class T>
class LoneCosines {
 public:
  using Complex = std::complex<T>;

  LoneCosines(Kind kind, Index length);
  bool is_taken() const { return half_ != nullptr || complex_ != nullptr; }  // others are too short
  Index tile_elements() const;
  // Reals are `apart`; `out` may be `in`.
  void operator()(const T* in, T* out, Index apart, Complex* tile) const;

 private:
  CosinePlan<T> plan_;
  std::shared_ptr<const LoneHalfLine<T>> half_;  // one of these
  std::unique_ptr<const LaneFft<T>> complex_;
};

// Shared by those who ask for the same; nothing if it is not taken.
template <class T>
std::shared_ptr<const LoneCosines<T>> lone_cosines(Kind kind, Index length);

}  // namespace kallima::kernel
