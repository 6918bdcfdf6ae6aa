#pragma once
// A convolution of M points, slice by slice. The polynomial z^M + 1 is the product of K others, z^L - exp(2 pi i a_q/K)
// with L = M/K and a_q = q + 1/2: modulo each of these a product takes two transforms of L points, of numbers that are
// multiplied by powers of a root of unity, and the results, multiplied by those of the opposite root, add up to K times
// the convolution. So there is memory for one slice at a time, and as many words are exchanged as without. Since the
// chirp is the same in both directions, its values at the points of slice K-1-q, which are the inverses of those of
// slice q, are the same, but for a power of the point where its middle is not 0: half of the spectra are enough, if
// mirrored slices are transformed the other way round.

#include <optional>

#include "plan/exchange/tasks.hpp"
#include "plan/routes/chirp.hpp"
#include "plan/routes/convolution.hpp"

namespace kallima {

struct Slice {
  Index number = 0;       // q, and that of its spectrum
  bool mirrored = false;  // it is slice K-1-q instead
};

class Slices {
 public:
  Slices(const Convolution& convolution, const Chirp& chirp, Index n, Index outputs);

  const std::vector<Slice>& all() const { return all_; }
  Index words(int rank) const { return rank < c_.ranks ? length_ / c_.ranks : 0; }  // of a slice
  Index spectra() const { return spectra_; }

  // How many points a convolution has to have.
  static Index least_points(const Chirp& chirp, Index n, Index outputs);

  // The line times its chirp becomes the slice. Some of its elements count half.
  struct Line {
    Location at = {};
    Index count = 0;
    std::vector<Index> halved = {};
  };
  Task taken(const Slice& slice, int rank, Direction direction, const Line& line, const Location& to) const;
  // The slice's spectrum times the chirp's.
  Task convolved(const Slice& slice, int rank, Direction direction, const Location& array) const;
  // The slice times the result's chirp becomes the result, or is added to what there is of it.
  struct Sum {
    std::optional<Location> before = {};
    Location after = {};
    Index count = 0;
  };
  Task added(const Slice& slice, int rank, Direction direction, const Location& from, const Sum& sum) const;
  // The chirp whose transform is a slice's spectrum.
  Task spectrum(const Slice& slice, int rank, const Location& constants, const Location& to) const;

 private:
  enum class End { line, result };  // whose chirp
  struct Run {
    Index first = 0;  // of a rank's elements
    Index count = 0;
    Index slot = 0;  // where it is in the slice
  };
  std::vector<Run> runs(int rank, Index first, Index end) const;
  Index turns(const Slice& slice, Direction direction) const;
  Pass factors(End end, int rank, Index first, Index turns) const;

  Convolution c_;
  Chirp chirp_;
  Index length_;            // L
  Index lowest_, highest_;  // d of b[d]
  std::vector<Slice> all_ = {};
  Index spectra_ = 0;
};

}  // namespace kallima
