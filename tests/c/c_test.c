/* The C interface from C: against a plain sum over all elements, on one rank and on threads; what it says of wrong
 * arguments; and that nothing of it is collective but what says so. */
#include "checks.h"
#include "kallima.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

/* The element of the transform of sample() at k, summed up. */
static double complex plain_dft(int dims, const int64_t *n, const int64_t *k, int real) {
  double complex sum = 0;
  int64_t all = 1, j[3] = {0, 0, 0};
  for (int d = 0; d < dims; ++d) all *= n[d];
  for (int64_t t = 0; t < all; ++t) {
    double phase = 0;
    for (int64_t d = dims - 1, rest = t; d >= 0; rest /= n[d--]) j[d] = rest % n[d];
    for (int d = 0; d < dims; ++d) phase += (double)(j[d] * k[d] % n[d]) / (double)n[d];
    sum += (real ? creal(sample(dims, j)) : sample(dims, j)) * cexp(-2 * pi * I * phase);
  }
  return sum;
}

static void fill(kallima_plan plan, int dims, void *array) {
  for (int64_t t = 0, j[3]; t < kallima_local_size(plan, KALLIMA_IN); ++t) {
    CHECK(kallima_global_index(plan, KALLIMA_IN, t, j) == KALLIMA_SUCCESS);
    if (kallima_data_of(plan, KALLIMA_IN) == KALLIMA_REAL)
      ((double *)array)[t] = creal(sample(dims, j));
    else
      ((double complex *)array)[t] = sample(dims, j);
  }
}

static double distance_from_plain_dft(kallima_plan plan, int dims, const int64_t *n, const double complex *spectrum) {
  const int real = kallima_data_of(plan, KALLIMA_IN) == KALLIMA_REAL;
  double worst = 0;
  for (int64_t t = 0, k[3]; t < kallima_local_size(plan, KALLIMA_OUT); ++t) {
    kallima_global_index(plan, KALLIMA_OUT, t, k);
    worst = fmax(worst, cabs(spectrum[t] - plain_dft(dims, n, k, real)));
  }
  return worst;
}

static void goes_there_and_back(kallima_plan plan, int dims, const int64_t *n) {
  CHECK(plan != NULL);
  if (plan == NULL) return;
  const size_t bytes = kallima_local_bytes(plan, KALLIMA_IN);
  void *const x = kallima_malloc(bytes), *const back = kallima_malloc(bytes);
  void *const spectrum = kallima_malloc(kallima_local_bytes(plan, KALLIMA_OUT));
  fill(plan, dims, x);
  CHECK(kallima_execute_forward(plan, x, spectrum, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(distance_from_plain_dft(plan, dims, n, spectrum) < 1e-10);
  CHECK(kallima_execute_backward(plan, spectrum, back, KALLIMA_FULL) == KALLIMA_SUCCESS);
  for (size_t t = 0; t < bytes / sizeof(double); ++t) CHECK(fabs(((double *)back)[t] - ((double *)x)[t]) < 1e-12);
  kallima_free(x);
  kallima_free(spectrum);
  kallima_free(back);
}

static void every_shape_and_layout(kallima_comm comm, void *unused) {
  static const int64_t shapes[][3] = {{12, 6, 5}, {7, 1, 9}, {16, 16, 1}, {2, 3, 4}};
  (void)unused;
  for (int i = 0; i < 4; ++i)
    for (int dims = 1; dims <= 3; ++dims)
      for (int real = 0; real < 2; ++real) {
        kallima_problem problem = {.dims = dims, .shape = shapes[i], .effort = KALLIMA_ESTIMATE};
        problem.data = real ? KALLIMA_REAL : KALLIMA_COMPLEX;
        problem.in = i % 2 ? "slab" : NULL;
        problem.out = i == 1 ? "fftw" : NULL;
        const kallima_plan plan = kallima_plan_problem(&problem, comm);
        goes_there_and_back(plan, dims, shapes[i]);
        kallima_destroy_plan(plan);
      }
}

static void shorthands(void) {
  const int64_t n[] = {6, 5, 4};
  const kallima_plan plans[] = {
      kallima_plan_dft_1d(6, NULL, KALLIMA_ESTIMATE), kallima_plan_dft_2d(6, 5, NULL, KALLIMA_ESTIMATE),
      kallima_plan_dft_3d(6, 5, 4, NULL, KALLIMA_ESTIMATE), kallima_plan_dft_r2c(3, n, NULL, KALLIMA_MEASURE)};
  for (int i = 0; i < 4; ++i) {
    CHECK(kallima_dims(plans[i]) == (i < 3 ? i + 1 : 3));
    goes_there_and_back(plans[i], i < 3 ? i + 1 : 3, n);
    CHECK(strlen(kallima_explain(plans[i])) > 20 && kallima_exchanges(plans[i]) == 0);
    CHECK(strncmp(kallima_layout(plans[i], KALLIMA_OUT), "block:1", 7) == 0 ||
          strncmp(kallima_layout(plans[i], KALLIMA_OUT), "cyclic:1", 8) == 0);
    kallima_destroy_plan(plans[i]);
  }
}

/* FFTW's REDFT10 of ones is 2n at 0; there and back multiplies by 2n, which KALLIMA_FULL divides by. */
static void cosines_in_single_precision(void) {
  const int64_t n = 9;
  const kallima_kind kind = KALLIMA_DCT2;
  const kallima_problem problem = {
      .dims = 1, .shape = &n, .data = KALLIMA_REAL, .kinds = &kind, .precision = KALLIMA_SINGLE};
  const kallima_plan plan = kallima_plan_problem(&problem, NULL);
  float x[9], y[9];
  CHECK(kallima_local_bytes(plan, KALLIMA_OUT) == sizeof y && kallima_data_of(plan, KALLIMA_OUT) == KALLIMA_REAL);
  for (int t = 0; t < 9; ++t) x[t] = 1;
  CHECK(kallima_execute_forward(plan, x, y, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(fabsf(y[0] - 18) < 1e-5f && fabsf(y[1]) < 1e-5f);
  CHECK(kallima_execute_backward(plan, y, y, KALLIMA_FULL) == KALLIMA_SUCCESS);
  for (int t = 0; t < 9; ++t) CHECK(fabsf(y[t] - 1) < 1e-6f);
  kallima_destroy_plan(plan);
}

/* FFTW's padded reals in place: rows of 2 * (n/2+1). */
static void padded_reals_in_place(kallima_comm comm, void *unused) {
  const int64_t n[] = {6, 4, 5}, padding[] = {0, 0, 1};
  int64_t shape[3], first[3], step[3], strides[3];
  (void)unused;
  const kallima_problem problem = {.dims = 3, .shape = n, .data = KALLIMA_REAL, .in = "fftw", .out = "fftw",
                                   .padding_in = padding, .in_place = 1, .effort = KALLIMA_ESTIMATE};
  const kallima_plan plan = kallima_plan_problem(&problem, comm);
  kallima_local_shape(plan, KALLIMA_IN, shape);
  kallima_local_start(plan, KALLIMA_IN, first, step);
  kallima_local_strides(plan, KALLIMA_IN, strides);
  CHECK(shape[0] == 0 || (strides[1] == 6 && strides[0] == 24));
  double *const array = kallima_malloc(kallima_local_bytes(plan, KALLIMA_OUT));
  for (int64_t a = 0; a < shape[0]; ++a)
    for (int64_t b = 0; b < shape[1]; ++b)
      for (int64_t c = 0; c < shape[2]; ++c) {
        const int64_t j[] = {first[0] + a * step[0], first[1] + b * step[1], first[2] + c * step[2]};
        array[a * strides[0] + b * strides[1] + c * strides[2]] = creal(sample(3, j));
      }
  CHECK(kallima_execute_forward(plan, array, array, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(distance_from_plain_dft(plan, 3, n, (double complex *)array) < 1e-10);
  kallima_free(array);
  kallima_destroy_plan(plan);
}

/* Two transforms under way at once, and a plan that is destroyed while they are. */
static void starts_and_waits(kallima_comm comm, void *unused) {
  const int64_t n[] = {16, 16};
  (void)unused;
  const kallima_plan plan = kallima_plan_dft(2, n, comm, KALLIMA_ESTIMATE);
  const size_t size = (size_t)kallima_local_size(plan, KALLIMA_IN);
  double complex *const x = kallima_malloc(kallima_local_bytes(plan, KALLIMA_IN));
  double complex *const y[] = {malloc(size * sizeof *x), malloc(size * sizeof *x), malloc(size * sizeof *x),
                               malloc(size * sizeof *x)};
  const void *const in[] = {x, x};
  void *const out[] = {y[2], y[3]};
  fill(plan, 2, x);
  kallima_execute_forward_many(plan, 2, in, out, KALLIMA_NONE);
  const kallima_pending a = kallima_start_forward(plan, x, y[0], KALLIMA_NONE);
  const kallima_pending b = kallima_start_forward(plan, x, y[1], KALLIMA_NONE);
  int done = 0;
  kallima_destroy_plan(plan);
  while (!done) CHECK(kallima_test(a, &done) == KALLIMA_SUCCESS);
  CHECK(kallima_wait(a) == KALLIMA_SUCCESS && kallima_wait(b) == KALLIMA_SUCCESS);
  for (int i = 0; i < 3; ++i) CHECK(memcmp(y[i], y[3], size * sizeof *x) == 0);
  for (int i = 0; i < 4; ++i) free(y[i]);
  kallima_free(x);
}

static void errors_have_codes_and_words(void) {
  const int64_t n[] = {4, 0};
  kallima_problem problem = {.dims = 2, .shape = n};
  CHECK(kallima_plan_problem(NULL, NULL) == NULL && kallima_error_code() == KALLIMA_INVALID);
  CHECK(kallima_plan_problem(&problem, NULL) == NULL && strstr(kallima_error_message(), "extent 0") != NULL);
  problem = (kallima_problem){.dims = 1, .shape = n, .in = "hexagons"};
  CHECK(kallima_plan_problem(&problem, NULL) == NULL && strstr(kallima_error_message(), "hexagons") != NULL);
  CHECK(kallima_execute_forward(NULL, NULL, NULL, KALLIMA_NONE) == KALLIMA_INVALID);
  CHECK(kallima_wait(NULL) == KALLIMA_INVALID && kallima_local_size(NULL, KALLIMA_IN) == 0);
  CHECK(kallima_run_threads(0, starts_and_waits, NULL) == KALLIMA_INVALID);
  CHECK(kallima_malloc((size_t)1 << 62) == NULL && kallima_error_code() != KALLIMA_SUCCESS);
  const kallima_plan plan = kallima_plan_dft_1d(4, NULL, KALLIMA_ESTIMATE);
  CHECK(kallima_execute_forward(plan, NULL, NULL, KALLIMA_NONE) == KALLIMA_INVALID);
  CHECK(kallima_execute_forward(plan, n, (void *)n, (kallima_norm)9) == KALLIMA_INVALID);
  kallima_destroy_plan(plan);
  kallima_destroy_plan(NULL);
  kallima_free(NULL);
}

/* Against a plan of one rank, which is held against the definition: reals and complex numbers, strides, in place. */
static void one_array_on_several_threads(void) {
  const int64_t n[] = {32, 40, 18}, half = 10, count = 32 * 40 * 18;
  for (int real = 0; real < 2; ++real) {
    const kallima_problem problem = {.dims = 3, .shape = n, .data = real ? KALLIMA_REAL : KALLIMA_COMPLEX};
    kallima_plan plan = kallima_plan_problem(&problem, NULL);
    kallima_array_plan array = kallima_plan_array(&problem, NULL, NULL, 2);
    const int64_t backwards[] = {-720, 18, 1};
    kallima_array_plan mirrored = kallima_plan_array(&problem, backwards, NULL, 3);
    CHECK(plan != NULL && array != NULL && mirrored != NULL && kallima_array_threads(array) == 2);
    double *x = kallima_malloc((size_t)count * 16), *y = kallima_malloc((size_t)count * 16);
    double *z = kallima_malloc((size_t)count * 16), *w = kallima_malloc((size_t)count * 16);
    fill(plan, 3, x);
    const int64_t reals = real ? 32 * 40 * half * 2 : 2 * count, given = real ? count : 2 * count;
    CHECK(kallima_execute_forward(plan, x, y, KALLIMA_NONE) == KALLIMA_SUCCESS);
    CHECK(kallima_array_forward(array, x, z, KALLIMA_NONE) == KALLIMA_SUCCESS);
    for (int64_t t = 0; t < reals; ++t) CHECK(fabs(y[t] - z[t]) < 1e-9);
    CHECK(kallima_array_backward(array, z, w, KALLIMA_FULL) == KALLIMA_SUCCESS);
    for (int64_t t = 0; t < given; ++t) CHECK(fabs(x[t] - w[t]) < 1e-12);
    CHECK(kallima_array_forward(array, w, w, KALLIMA_ORTHO) == KALLIMA_SUCCESS);
    for (int64_t t = 0; t < reals; ++t) CHECK(fabs(w[t] * sqrt((double)count) - z[t]) < 1e-9);
    CHECK(kallima_array_forward(mirrored, x + given / 32 * 31, w, KALLIMA_NONE) == KALLIMA_SUCCESS);
    CHECK(fabs(w[0] - z[0]) < 1e-9 && (real || fabs(w[1] - z[1]) < 1e-9)); /* the sum of all, in any order */
    CHECK(kallima_array_forward(mirrored, w, w, KALLIMA_NONE) == KALLIMA_INVALID);
    CHECK(kallima_plan_array(&problem, NULL, NULL, 0) == NULL);
    kallima_destroy_plan(plan);
    kallima_destroy_array_plan(array);
    kallima_destroy_array_plan(mirrored);
    kallima_free(x), kallima_free(y), kallima_free(z), kallima_free(w);
  }
}

int main(void) {
  one_array_on_several_threads();
  void (*const on_ranks[])(kallima_comm, void *) = {every_shape_and_layout, padded_reals_in_place, starts_and_waits};
  shorthands();
  cosines_in_single_precision();
  errors_have_codes_and_words();
  for (int i = 0; i < 3; ++i)
    for (int ranks = 1; ranks <= 5; ranks += 2)
      if (kallima_run_threads(ranks, on_ranks[i], NULL) != KALLIMA_SUCCESS) {
        fprintf(stderr, "on %d ranks: %s\n", ranks, kallima_error_message());
        ++failures;
      }
  printf("kallima %s: %d failures\n", kallima_version(), failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
