#pragma once
// Transforms of many lines at once, one line per lane. Element i of all lines is a row of lanes that may stand
// anywhere: the first round of butterflies reads the rows where they are and the last one writes them where they
// belong, multiplied by their twiddle factors, so that gathering, twiddling and scattering cost no pass over memory of
// their own. In between the rounds work in place in a small tile; that leaves the results in an order of its own, which
// costs nothing either, since the last round writes rows anywhere. After the first round its blocks are transforms of
// their own, and each is brought to its end while it is in cache.

#include "kernel/cpu/codelets.hpp"

namespace kallima::kernel {

// The rows of a transform: every `step`-th of a list or, where they stand `pitch` apart, from row 0 on.
template <class C>
struct RowList {
  const Row<C>* rows = nullptr;
  Index step = 1;  // or else:
  C* base = nullptr;
  Index pitch = 0;
  Index lane_stride = 0;  // of all rows; 0: each has its own
};

// Where row k of several lanes stands in a tile: distances of powers of two would all fall into one cache set.
template <class T>
constexpr Index spread_row(Index k, Index lanes) {
  return k * (lanes + static_cast<Index>(64 / sizeof(std::complex<T>)));
}

// At which end rows stand so far apart that they fall into the same sets of a cache.
struct RowsThatMeet {
  bool sources = false, targets = false;
};

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

  static bool supports(Index length);  // products of 2, 3, 5, 7, 11 and 13 above 1
  static Index granularity();          // `lanes` must be a multiple of this

  LaneFft(Index length, Direction direction, const RowsThatMeet& meet = {});

  // Transforms lanes first .. first + lanes - 1 of the rows, `out` may be `in`; `tile` is tile_elements(lanes) long.
  struct Rows {
    RowList<const Complex> in;
    RowList<Complex> out;
  };
  void operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;
  Index tile_elements(Index lanes) const;

 private:
  struct Round {
    Index radix;
    Index m;                     // what is left of the length after it
    std::vector<Complex> pairs;  // omega^(p u) for p < m, u < radix
    ButterflyCodelet<T> run;
  };
  void run_parts(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;

  struct Call;  // of operator(), with everything that is decided then
  struct Blocks;
  Index lines_at_once() const;
  template <class C>
  void each_element(const Call& call, const RowList<C>& list, Index m, const auto& in_tile, const auto& number,
                    const auto& copy) const;
  void gather(const Call& call) const;
  void run_round(std::size_t number, const Call& call, T* block, Index first_out, Index out_step) const;
  void run_last(const Call& call, const Blocks& blocks) const;
  void scatter(const Call& call) const;

  Index length_;
  Direction direction_;
  Index vector_ = granularity();
  std::vector<Round> rounds_;
  std::vector<Index> order_;      // where in the tile row k is left
  std::vector<LaneFft> parts_;    // of a long transform: across, then along
  std::vector<Complex> between_;  // and the twiddle factors between them, a row for each transform across
};

}  // namespace kallima::kernel
