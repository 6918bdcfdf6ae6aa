/* What the C tests share: a check that counts, and numbers that no transform maps to themselves. */
#ifndef KALLIMA_TESTS_CHECKS_H
#define KALLIMA_TESTS_CHECKS_H

#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int failures = 0;

#define CHECK(holds)                                                      \
  do {                                                                    \
    if (!(holds)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #holds); \
      ++failures;                                                         \
    }                                                                     \
  } while (0)

/* Of a global index: no two elements are alike, and the spectrum has no symmetry. */
static inline double complex sample(int dims, const int64_t *j) {
  double phase = 0.3;
  for (int d = 0; d < dims; ++d) phase += (double)(j[d] + 1) * (double)(j[d] + 3) * (0.7 + 0.21 * d);
  return sin(phase) + 0.01 * (double)j[0] + I * cos(1.7 * phase);
}

#endif
