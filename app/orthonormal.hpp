#pragma once
// What makes cosine and sine transforms orthonormal, as SciPy has it with norm="ortho": besides the factor that all
// numbers share, those at an edge are multiplied by sqrt(2) before types 1 and 3 and divided by it after types 1 and 2.

#include <span>

#include "kallima/problem.hpp"

namespace kallima::cli {

enum class Edge { before, after };

// Of a checked problem's transform in that direction: this rank's part of its input, or of its result.
template <class Item>
void scale_edges(const Problem& problem, Direction direction, Edge edge, const Layout& layout, int rank,
                 std::span<Item> part);

}  // namespace kallima::cli
