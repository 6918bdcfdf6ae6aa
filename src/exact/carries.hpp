#pragma once
// Carries from run to run of a number's digits. Ranks have columns of a matrix, so that a run is what a rank has of a
// row, and runs follow one another rank by rank, row by row.

#include <span>

#include "exact/digits.hpp"

namespace kallima {

struct RowRuns {
  DigitKind kind = DigitKind::word;
  std::span<std::uint64_t> digits;  // of this rank
  Index columns = 0;                // of them in a row
  int active = 1;                   // ranks that have any
};

// Adds what each run carries out to the next, all the way. Collective.
void resolve_carries(Transport& transport, const RowRuns& runs, std::span<const Int128> carries);

}  // namespace kallima
