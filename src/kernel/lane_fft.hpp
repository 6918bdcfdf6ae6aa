#pragma once
// Transforms of many lines at once, one line per lane. Element i of all lines is a row of lanes that may stand
// anywhere: the first round of butterflies reads the rows where they are and the last one writes them where they
// belong, multiplied by their twiddle factors, so that gathering, twiddling and scattering cost no pass over memory of
// their own. In between the rounds work in place in a small tile; that leaves the results in an order of its own, which
// costs nothing either, since the last round writes rows anywhere. After the first round its blocks are transforms of
// their own, and each is brought to its end while it is in cache.

#include <memory>

#include "kernel/radices.hpp"
#include "kernel/rows.hpp"

namespace kallima::kernel {

inline constexpr Index longest_by_lanes = 65536;  // longer lines are transformed by themselves

// In bytes; of longer ones each is better transformed by itself, in lanes of its own elements. Narrow vectors go over
// them too often: 16384 points took 2.5 times as long.
template <class T>
Index longest_lines_of_a_vector() {
  return (narrow_vectors<T>() ? 64 : 256) * 1024;
}

template <class T>
class ConvolutionFft;

template <class T>
class LaneFft {
 public:
  using Complex = std::complex<T>;

  using Rows = RowsInOut<T>;
  using Factors = RowFactors<T>;

  static Index granularity();  // `lanes` must be a multiple of this

  LaneFft(Index length, Direction direction, const RowsThatMeet& meet = {});

  // Transforms lanes first .. first + lanes - 1 of the rows, `out` may be `in`; `tile` is tile_elements(lanes) long.
  void operator()(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;
  enum class Sources { apart, neighbours };  // the lanes of a row
  Index tile_elements(Index lanes, Sources sources = Sources::apart) const;
  Index heads() const;         // rows of factors by lane that are worth a table (RowFactors::listed); 0: none
  bool heads_suffice() const;  // for however rows stand

  // Long lines can be transformed one by one, the elements of each being the lanes; `out` may be `in`.
  bool takes_single_lines() const;
  void run_line(const Complex* in, Complex* out, Complex* tile) const;
  Index line_tile_elements() const;

 private:
  struct Round {
    Index radix;
    Index m;                     // what is left of the length after it
    std::vector<Complex> pairs;  // omega^(p u) for p < m, u < radix
    std::vector<T> waves;        // of a larger prime
    ButterflyCodelet<T> run;
  };
  std::vector<Index> radices_between(const RowsThatMeet& meet) const;
  void list_single_line();
  void each_block(Index lanes, const auto& block) const;
  Index single_pitch() const;
  void run_singly(const Rows& rows, Index first, Index lanes, Factors factors, Complex* tile) const;
  void run_parts(const Rows& rows, Index first, Index lanes, const Factors& factors, Complex* tile) const;

  struct Call;  // of operator(), with everything that is decided then
  struct Blocks;
  Index lines_at_once() const;
  Index pads() const;
  Index gathered_elements(Index lanes) const;
  Index last_radix() const;
  Index joined_elements(Index radix, Index lanes) const;
  Factors joined(const Factors& factors, Index radix, Index lanes, Complex* to) const;
  template <class C>
  void each_element(const Call& call, const RowList<C>& list, auto in_tile, const auto& number, const auto& copy) const;
  template <class C>
  void each_row(const Call& call, const RowList<C>& list, auto in_tile, const auto& number, const auto& copy) const;
  void gather(const Call& call) const;
  void run_round(std::size_t number, const Call& call, T* block, Index first_out, Index out_step) const;
  void run_last(const Call& call, const Blocks& blocks) const;
  void scatter(const Call& call) const;
  void scatter_lines(const Call& call) const;
  using Turn = void (*)(const TurnedRows<T>&);
  void turn(const Call& call, const Row<Complex>& line, Index run, const Index* rows, Turn codelet) const;
  template <class C>
  bool is_turned(const RowList<C>& list) const;

  Index length_;
  Direction direction_;
  RowsThatMeet copied_;
  Index vector_ = granularity();
  std::vector<Round> rounds_;
  struct Place {
    Index block = 0, within = 0;  // that the first round leaves, and a row of it
  };
  std::vector<Place> order_;                 // where in the tile row k is left
  std::vector<Index> lines_in_, lines_out_;  // where rows begin before and after, if lanes stand along their lines
  std::vector<LaneFft> parts_;               // of a long transform: across, then along
  std::vector<Complex> between_;             // and the twiddle factors between them, a row for each transform across
  struct SingleLine {                        // the same factors by lane: a product of a coarse and a fine one
    Index lanes = 0;                         // at once
    std::vector<Complex> coarse, fine;
  };
  SingleLine single_;
  std::shared_ptr<const ConvolutionFft<T>> convolution_;
};

}  // namespace kallima::kernel
