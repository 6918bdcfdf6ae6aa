#pragma once
// What is compiled for each instruction set, behind a table of functions: butterflies of rows. A row is one element of
// many lines, one line per lane: complex numbers that are neighbours or a stride apart. Which table is used is decided
// once, by the processor that is found.

#include "kallima/types.hpp"

namespace kallima::kernel {

// Lane b stands at p[b * stride].
template <class C>
struct Row {
  C* p = nullptr;
  Index stride = 1;
};

// Point q of butterfly i is row k = first + i * each + q * step: number k * list_step of a list, or it stands k * pitch
// reals behind `base`. Where pitch is 0, it stands i * each_at + q * step_at reals behind it. Sources are only read.
template <class T>
struct RowsOf {
  const Row<const std::complex<T>>* list = nullptr;
  Index list_step = 1;  // or else:
  T* base = nullptr;
  Index pitch = 0;
  Index each_at = 0, step_at = 0;
  Index first = 0, each = 1, step = 1;
  Index first_lane = 0;   // of a list
  Index lane_stride = 1;  // of all rows, in complex numbers; 0: each of a list has its own
  Index vector_at = 0;    // reals between a vector of lanes and the next
  bool far = false;       // rows are far apart in memory, and worth asking for beforehand
};

// `count` butterflies. Point q of butterfly i is multiplied by the complex number pairs[i * radix + q] or, where
// factors are given by rows, by that of row out.first + i * out.each + q * out.step.
enum class Multiply { not_at_all, by_pair, by_row, by_row_and_lane };

template <class T>
struct Butterflies {
  RowsOf<T> in, out;
  Index count = 1;
  Index lanes = 1;
  bool along = false;  // a vector of lanes after another; for rows that are not listed
  Index reversed = 0;  // not 0: row k of the target, and its factors, are (reversed - k) mod reversed instead
  Multiply multiply = Multiply::not_at_all;
  const std::complex<T>* pairs = nullptr;
  const std::complex<T>* rows = nullptr;  // none: ones
  Index rows_step = 1;
  // By lane: where the radix is 1, those of row k, besides `rows`, from number k * fine_step on. Otherwise those of row
  // k = h + q * m, m rows to a butterfly's point, are products of the ones from fine[h * fine_step] on and row q of
  // `tails`. Reversed, tails are those of rows 0, n - m, n - 2 m, ..., m, 0 of all n.
  const std::complex<T>* fine = nullptr;
  Index fine_step = 0;
  const std::complex<T>* tails = nullptr;
  Index tails_step = 0;
  T scale = 1;               // of factors by rows
  T sign = 1;                // -1: by the conjugates of rows and, of radix 1, of fine
  Index prime = 0;           // where the radix is a larger prime,
  const T* waves = nullptr;  // cosines and sines of 2 pi jk/prime in turns, for j and k from 1 to half of it, k by k
};

constexpr Index largest_prime = 61;  // that is a radix

template <class T>
using ButterflyCodelet = void (*)(const Butterflies<T>&);

// Between the spectra of n reals and those of their pairs, taken to be n/2 complex numbers: even and odd reals are told
// apart by their symmetry, and their spectra joined, or the other way round.
template <class T>
struct RealRows {
  std::complex<T>* pairs = nullptr;  // n/2 rows, whose lanes are neighbours
  Index pairs_pitch = 0;
  // n/2 + 1 rows of the caller's; null: they take the places of the pairs, and one more row behind these.
  const Row<std::complex<T>>* half = nullptr;
  Index first_lane = 0;  // of these
  Index count = 1;       // n/2
  Index lanes = 1;
  const std::complex<T>* roots = nullptr;  // omega_n^k for k up to n/4
  // What multiplies row k of a half spectrum: as of butterflies.
  Multiply multiply = Multiply::not_at_all;
  const std::complex<T>* rows = nullptr;
  const std::complex<T>* fine = nullptr;
  Index fine_step = 0;
  T scale = 1;
  T sign = 1;
};

// The same for rows of many more lanes than are here (mirrored_lanes.hpp): row r of z and row count-1-r of y stand in
// tiles, lanes being neighbours; of the half spectrum `low` goes with row r of z and is `row_apart` from the next, and
// `high` with that row of y, and goes backwards. On the way to y its lanes are reversed.
template <class T>
struct MirroredRows {
  std::complex<T>* z = nullptr;
  std::complex<T>* y = nullptr;
  Index pitch = 0;  // of both
  Row<std::complex<T>> low, high;
  Index row_apart = 0;
  Index count = 1;
  Index lanes = 1;
  const std::complex<T>* row_roots = nullptr;  // omega_n^k is that of row r times that of the lane
  const std::complex<T>* lane_roots = nullptr;
};

// Rows of a tile, whose lanes are neighbours, and lines: row j begins at tile[at[j]], and element j of lane b is
// lines[b * line_apart + j].
template <class T>
struct TurnedRows {
  std::complex<T>* tile = nullptr;
  const Index* at = nullptr;
  Index count = 0, lanes = 0;  // multiples of a vector's lanes
  std::complex<T>* lines = nullptr;
  Index line_apart = 0;
};

// Rows of reals, one line per lane. Row e begins at rows[e][first] or, where no rows are listed, stands in pairs in a
// tile: it is every first or every second part of complex row e/2.
template <class T>
struct RowsOfReals {
  T* const* rows = nullptr;
  Index first = 0;
  std::complex<T>* pairs = nullptr;
  Index pairs_pitch = 0;
};

// Rows x and y of reals make the complex row a x + b y + i (c x + d y). Of a complex row z the reals re Re z + im Im z
// are taken.
template <class T>
struct Joint {
  Index x = 0, y = 0;
  T a = 0, b = 0, c = 0, d = 0;
};
template <class T>
struct Taken {
  Index row = 0;
  T re = 0, im = 0;
};

template <class T>
struct JoinedRows {
  const Joint<T>* joints = nullptr;  // of each complex row
  const Taken<T>* taken = nullptr;   // of each row of reals
  Index count = 0;                   // of these
  RowsOfReals<T> reals;
  std::complex<T>* rows = nullptr;
  Index pitch = 0;
  Index lanes = 0;
  T scale = 1;
};

// The factors of a row of neighbours: coarse (fine_re[k] + i fine_im[k]) (squares_re[k] + i squares_im[k]).
template <class T>
struct ChirpRow {
  std::complex<T> coarse;
  const T *fine_re, *fine_im, *squares_re, *squares_im;
  Index count;
};
enum class ChirpEnds { complex_, from_reals, to_reals };
enum class ChirpAdds { no, yes };

// z = x times the factors, times `scale` and conjugated if the sign is negative; or that and `more`. What z is of may
// be where x or `more` is.
template <class T>
using ChirpCodelet = void (*)(const T* x, const T* more, T* z, const ChirpRow<T>& row, T scale, T sign);

template <class T>
struct Codelets {
  const char* name;
  Index lanes;                                      // of a vector: what `lanes` must be a multiple of
  ButterflyCodelet<T> (*butterflies)(Index radix);  // null: none of this radix
  ButterflyCodelet<T> prime;                        // of larger primes
  void (*untangle)(const RealRows<T>&);
  void (*tangle)(const RealRows<T>&);
  void (*unfold)(const MirroredRows<T>&);
  void (*fold)(const MirroredRows<T>&);
  void (*turn_into_lines)(const TurnedRows<T>&);
  void (*turn_into_rows)(const TurnedRows<T>&);
  void (*join)(const JoinedRows<T>&);
  void (*take)(const JoinedRows<T>&);
  ChirpCodelet<T> (*chirp)(ChirpEnds ends, ChirpAdds adds);
};

template <class T>
const Codelets<T>& codelets();  // of the processor that is found

}  // namespace kallima::kernel
