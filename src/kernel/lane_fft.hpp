#pragma once
// Transforms of many lines at once, one line per vector lane. Element i of all lines is a row of lanes that may stand
// anywhere: the first stage reads the rows where they are and the last one writes them where they belong, multiplied
// by their twiddle factors, so that gathering, splitting, twiddling and scattering cost no pass over memory of their
// own. In between the stages work in place in a small tile; that leaves the results in an order of its own, which costs
// nothing either, since the last stage writes rows anywhere. A long transform is two rounds of shorter ones, so that
// the stages stay in the first-level cache and the second-level one is crossed only twice.

#include "kallima/types.hpp"

namespace kallima::kernel {

// One element of all lines: lane b stands at p[b * stride].
template <class C>
struct Row {
  C* p = nullptr;
  Index stride = 1;
};

// The rows of a transform: row k is number k * step of the list. Those whose lanes are neighbours are moved by vectors.
template <class C>
struct RowList {
  const Row<C>* rows = nullptr;
  bool near = false;  // all of them are such; where not known, it is found out
  Index step = 1;
};

// Where row k of several lanes stands in a tile. Distances of powers of two between rows would all fall into one cache
// set; a cache line more after every row, every 256 rows and every 8192 spreads them.
template <class T>
constexpr Index spread_row(Index k, Index lanes) {
  constexpr Index cache_line = 64 / static_cast<Index>(sizeof(std::complex<T>));
  return k * lanes + (k + k / 256 + k / 8192) * cache_line;
}

template <class T>
class LaneFft {
 public:
  using Complex = std::complex<T>;

  // What multiplies row k in the end: row[k * step], where given, times fine[k * fine_stride + b], where given, times
  // scale. These are the factors of a forward transform; a backward one uses their conjugates.
  struct Factors {
    const Complex* row = nullptr;
    Index step = 1;
    const Complex* fine = nullptr;
    Index fine_stride = 0;
    T scale = 1;
  };

  static bool supports(Index length);  // products of 2, 3 and 5 above 1
  static Index granularity();          // `lanes` must be a multiple of this

  LaneFft(Index length, Direction direction);

  // Transforms lanes first .. first + lanes - 1 of the rows, `out` may be `in`; `tile` is tile_rows() * lanes long.
  struct Rows {
    RowList<const Complex> in;
    RowList<Complex> out;
  };
  void operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;
  Index tile_rows() const;

 private:
  struct Stage {
    Index radix;
    Index m;                        // what is left of the length after this stage
    Index s;                        // product of the radices before
    std::vector<Complex> twiddles;  // omega^(p u) for p < m, 0 < u < radix
  };
  template <bool backward>
  void run_stages(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;
  void run_rounds(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;

  Index length_;
  Direction direction_;
  std::vector<Stage> stages_;     // of a short transform
  std::vector<Index> order_;      // and the block of rows that its last stage turns into outputs k, k + s, ...
  std::vector<LaneFft> rounds_;   // of a long one: across, then along
  std::vector<Complex> between_;  // and the twiddle factors between them, a row for each transform of the first round
};

}  // namespace kallima::kernel
