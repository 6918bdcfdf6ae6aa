#pragma once
// What is to be transformed, before anything is said about how. Axes that are not transformed are a batch.

#include <optional>

#include "kallima/layout.hpp"

namespace kallima {

// Whether the result must come back in the layout it came in, or wherever the route leaves it.
enum class Output { same, any };

// How a rank's part of an array stands in memory, if not row-major and without gaps. FFTW's real arrays for transforms
// in place have padding {0, 0, 2} after an even last extent, {0, 0, 1} after an odd one; components that are stored one
// after the other in each point are a last dimension, or have that order.
struct Storage {
  std::vector<int> order = {};  // the dimensions, slowest first; empty: 0, 1, 2, ...
  Shape padding = {};           // elements left free behind each dimension's; empty: none
  bool is_plain() const;
  bool operator==(const Storage&) const = default;
};

// Data::real_ with a Fourier axis: forward goes from reals to complex numbers, of which the last Fourier axis named
// keeps n/2+1, and backward the other way. Data::real_ with cosine and sine transforms only: from reals to reals.
struct Problem {
  Shape shape;                 // of the forward transform's input
  std::vector<int> axes = {};  // empty: all of them; negative ones count from the end
  Precision precision = Precision::double_;
  Output output = Output::same;
  Data data = Data::complex_;      // of the forward transform's input
  std::vector<Kind> kinds = {};    // one for each of the axes; empty: Fourier
  std::optional<Layout> in = {};   // of the forward transform's input; not given: the planner chooses
  std::optional<Layout> out = {};  // of its output; not given: as `output` says
  Storage storage_in = {};         // of what `in` lays out,
  Storage storage_out = {};        // and `out`
  bool operator==(const Problem&) const = default;
};

// The problem with its axes and kinds written out, axes counted from the front and sorted, but for one that is halved,
// which stands last. Throws Error when the shape is empty, has an extent below 1 or more than 2^59 elements, an axis
// does not exist or is named twice, kinds do not fit the axes or their extents, or layouts do not fit the shapes.
Problem checked(const Problem& problem);

// Of a part with these extents, stored so: the distance of neighbours in each dimension, and the elements it takes.
std::vector<Index> strides_of(const Storage& storage, const Shape& extents);
Index stored_size(const Storage& storage, const Shape& extents);

// Of checked problems.
Kind kind_of(const Problem& problem, std::size_t dim);  // of a dimension that is transformed
int halved_axis(const Problem& problem);                // the one that keeps n/2+1 of n, or -1
Shape spectrum_shape(const Problem& problem);           // of the forward transform's output
Data spectrum_data(const Problem& problem);             // what it holds
Kind inverse(Kind kind);                                // what backward does where forward does this
Index logical_length(Kind kind, Index n);               // what kind and then its inverse multiply a line by

// Whether a checked problem transforms this dimension.
bool transforms(const Problem& problem, std::size_t dim);

Index element_count(const Shape& shape);
Index transformed_count(const Problem& problem);  // N of the normalisation
double flop_count(const Problem& problem);        // the customary 5 N log2 N, times the batch
std::string text(const Shape& shape);             // 256x256x256

}  // namespace kallima
