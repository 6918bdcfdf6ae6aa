#pragma once
// What is to be transformed, before anything is said about how. Axes that are not transformed are a batch.

#include <string>

#include "kallima/types.hpp"

namespace kallima {

// Whether the result must come back in the layout it came in, or wherever the route leaves it.
enum class Output { same, any };

struct Problem {
  Shape shape;
  std::vector<int> axes = {};  // empty: all of them; negative ones count from the end
  Precision precision = Precision::double_;
  Output output = Output::same;
  bool operator==(const Problem&) const = default;
};

// The problem with its axes sorted, counted from the front and written out. Throws Error when the shape is empty, has
// an extent below 1 or more than 2^59 elements, or an axis does not exist or is named twice.
Problem checked(const Problem& problem);

// Whether a checked problem transforms this dimension.
bool transforms(const Problem& problem, std::size_t dim);

Index element_count(const Shape& shape);
Index transformed_count(const Problem& problem);  // N of the normalisation
double flop_count(const Problem& problem);        // the customary 5 N log2 N, times the batch
std::string text(const Shape& shape);             // 256x256x256

}  // namespace kallima
