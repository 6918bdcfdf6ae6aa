#pragma once
// Steps that work element by element on neighbours: products, fills and chirps.

#include <optional>

#include "plan/exchange/tasks.hpp"

namespace kallima {

// z = x y, `count` of them, where x or z may be of reals (see Pass). `like` says what else the passes do.
void append_product(std::vector<Step>& steps, const Location& x, const Location& y, const Location& z, Index count,
                    const Pass& like);

// `count` elements, `stride` apart: zeros, or the chirp that `like` describes.
void append_fill(std::vector<Step>& steps, const Location& to, Index count, Index stride, const Pass& like);

// z = x times the chirp and the phase of `like`, or that and what is before, `count` of them. Any but x may be of reals
// if x is not, and x if z is not.
void append_chirp(std::vector<Step>& steps, const Location& x, const std::optional<Location>& before, const Location& z,
                  Index count, const Pass& like);

}  // namespace kallima
