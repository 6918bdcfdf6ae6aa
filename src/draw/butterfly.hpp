#pragma once
// The edges of a butterfly as Sahay draws it: node (r, c) leads to (r, c + 1) and to (r', c + 1), where r' differs from
// r in the (c + 1)-th most significant bit.

#include "kallima/draw.hpp"

namespace kallima {

int butterfly_partner(int row, int column, int inputs);  // r' of node (row, column)

}  // namespace kallima
