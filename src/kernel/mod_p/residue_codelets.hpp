#pragma once
// What is compiled for each instruction set: arithmetic modulo a prime p < 2^50 in lanes of doubles, as van der Hoeven,
// Lecerf and Quintin have it (Modular SIMD arithmetic in Mathemagix, 2016). A product's high part h and its low part
// l are one multiplication and one fused one; with q the whole number nearest to h/p, h - q p is exact, and so is
// h - q p + l. Factors may reach 4p and p/2; results stay within 3/4 p, or, where they are reduced, p/2 and a little.

#include "kallima/types.hpp"
#include "kernel/mod_p/modulus.hpp"

namespace kallima::kernel {

// Butterflies of one radix r on rows of `lanes` neighbours, `pitch` apart: row j + q m of each of `blocks` blocks of r
// m rows, for q = 0..r-1, becomes their transform at q, times factors[(r-1) j + q-1]; without factors, times one.
struct ResidueStage {
  Index radix = 4;
  Index blocks = 1;
  Index m = 1;
  const double* factors = nullptr;
  const double* roots = nullptr;  // omega_r^0 .. omega_r^(r-1)
};

constexpr Index largest_residue_radix = 61;

struct ResidueRows {
  double* rows = nullptr;
  Index pitch = 0;
  Index lanes = 0;  // whole vectors
};

struct ResidueCodelets {
  Index lanes;  // of a vector
  void (*stage)(const ResidueRows& x, const ResidueStage& stage, const Modulus& p);
  // Row order[k] of lane b is multiplied by first[b] base[b]^k.
  void (*rows_by_powers)(const ResidueRows& x, const Index* order, Index count, const double* first, const double* base,
                         const Modulus& p);
  // x[k] by first base^k
  void (*line_by_powers)(double* x, Index count, double first, double base, const Modulus& p);
  // Row e of the tile, for e = 0, 1, ..., is what the lines, one per lane, have there; and the other way round.
  void (*rows_of_lines)(const double* const* lines, double* const* rows, Index lanes, Index count);
  void (*lines_of_rows)(double* const* lines, const double* const* rows, Index lanes, Index count);
  void (*multiply)(const double* x, const double* y, double* z, Index count, const Modulus& p);
  void (*scale)(double* x, Index count, double factor, const Modulus& p);
  void (*join)(const double* high, const double* low, double shift, double* x, Index count, const Modulus& p);
  // (a - b + shift) factor, from 0 to p-1
  void (*difference)(const double* a, const double* b, double shift, double factor, double* x, Index count,
                     const Modulus& p);
};

const ResidueCodelets& residue_codelets();  // of the processor that is found

}  // namespace kallima::kernel
