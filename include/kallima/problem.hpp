#pragma once
// What is to be transformed, before anything is said about how. Axes that are not transformed are a batch.

#include <optional>
#include <string>

#include "kallima/layout.hpp"

namespace kallima {

// Whether the result must come back in the layout it came in, or wherever the route leaves it.
enum class Output { same, any };

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
  bool operator==(const Problem&) const = default;
};

// The problem with its axes and kinds written out, axes counted from the front and sorted, but for one that is halved,
// which stands last. Throws Error when the shape is empty, has an extent below 1 or more than 2^59 elements, an axis
// does not exist or is named twice, kinds do not fit the axes or their extents, or layouts do not fit the shapes.
Problem checked(const Problem& problem);

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
