/* The rows of the page "from FFTW-MPI in C", each beside FFTW-MPI itself: the same slabs, the same flags, the same
 * numbers up to rounding. */
#include <fftw3-mpi.h>

#include "checks.h"
#include "kallima-mpi.h"

static const double close_enough = 1e-11; /* of numbers up to a few hundred */

static double largest_difference(const double *a, const double *b, ptrdiff_t count) {
  double worst = 0;
  for (ptrdiff_t t = 0; t < count; ++t) worst = fmax(worst, fabs(a[t] - b[t]));
  return worst;
}

static void fill_slab(double *array, int real, ptrdiff_t rows, ptrdiff_t first, const int64_t *n, ptrdiff_t width) {
  for (ptrdiff_t a = 0; a < rows; ++a)
    for (int64_t b = 0; b < n[1]; ++b)
      for (int64_t c = 0; c < n[2]; ++c) {
        const int64_t j[] = {first + a, b, c};
        const ptrdiff_t at = (a * n[1] + b) * width + c;
        if (real)
          array[at] = creal(sample(3, j));
        else
          ((double complex *)array)[at] = sample(3, j);
      }
}

static void complex_in_slabs(const int64_t *n, kallima_comm comm, unsigned transposed) {
  ptrdiff_t rows, first, rows_out, first_out;
  const ptrdiff_t all =
      fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD, &rows, &first, &rows_out, &first_out);
  fftw_complex *const data = fftw_alloc_complex((size_t)all);
  const fftw_plan theirs = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_FORWARD,
                                                FFTW_ESTIMATE | (transposed ? FFTW_MPI_TRANSPOSED_OUT : 0));
  const int order[] = {1, 0, 2};
  const kallima_problem problem = {.dims = 3, .shape = n, .in = "fftw", .out = transposed ? "fftw:1" : "fftw",
                                   .order_out = transposed ? order : NULL, .effort = KALLIMA_ESTIMATE};
  const kallima_plan ours = kallima_plan_problem(&problem, comm);
  CHECK(kallima_local_size(ours, KALLIMA_IN) == rows * n[1] * n[2]);
  CHECK(kallima_local_size(ours, KALLIMA_OUT) == (transposed ? rows_out * n[0] * n[2] : rows * n[1] * n[2]));
  double *const x = kallima_malloc(kallima_local_bytes(ours, KALLIMA_IN));
  double *const y = kallima_malloc(kallima_local_bytes(ours, KALLIMA_OUT));
  fill_slab(x, 0, rows, first, n, n[2]);
  fill_slab((double *)data, 0, rows, first, n, n[2]);
  fftw_execute(theirs);
  CHECK(kallima_execute_forward(ours, x, y, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(largest_difference(y, (double *)data, 2 * kallima_local_size(ours, KALLIMA_OUT)) < close_enough);
  kallima_free(x);
  kallima_free(y);
  kallima_destroy_plan(ours);
  fftw_destroy_plan(theirs);
  fftw_free(data);
}

static void padded_reals_in_place(const int64_t *n, kallima_comm comm) {
  ptrdiff_t rows, first;
  const ptrdiff_t half = n[2] / 2 + 1;
  const ptrdiff_t all = fftw_mpi_local_size_3d(n[0], n[1], half, MPI_COMM_WORLD, &rows, &first);
  double *const data = fftw_alloc_real((size_t)(2 * all));
  const fftw_plan theirs = fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], data, (fftw_complex *)data, MPI_COMM_WORLD,
                                                    FFTW_ESTIMATE);
  const int64_t padding[] = {0, 0, 2 * half - n[2]};
  const kallima_problem problem = {.dims = 3, .shape = n, .data = KALLIMA_REAL, .in = "fftw", .out = "fftw",
                                   .padding_in = padding, .in_place = 1, .effort = KALLIMA_ESTIMATE};
  const kallima_plan ours = kallima_plan_problem(&problem, comm);
  CHECK(kallima_local_size(ours, KALLIMA_IN) == rows * n[1] * 2 * half);
  double *const x = kallima_malloc(kallima_local_bytes(ours, KALLIMA_OUT));
  fill_slab(x, 1, rows, first, n, 2 * half);
  fill_slab(data, 1, rows, first, n, 2 * half);
  fftw_execute(theirs);
  CHECK(kallima_execute_forward(ours, x, x, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(largest_difference(x, data, 2 * rows * n[1] * half) < close_enough);
  kallima_free(x);
  kallima_destroy_plan(ours);
  fftw_destroy_plan(theirs);
  fftw_free(data);
}

static void cosines_and_sines(const int64_t *n, kallima_comm comm) {
  ptrdiff_t rows, first;
  const ptrdiff_t all = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &rows, &first);
  const kallima_kind kinds[] = {KALLIMA_DCT2, KALLIMA_DST4, KALLIMA_DST1};
  double *const data = fftw_alloc_real((size_t)all);
  const fftw_plan theirs = fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], data, data, MPI_COMM_WORLD, FFTW_REDFT10,
                                                FFTW_RODFT11, FFTW_RODFT00, FFTW_ESTIMATE);
  const kallima_problem problem = {.dims = 3, .shape = n, .data = KALLIMA_REAL, .kinds = kinds, .in = "fftw",
                                   .out = "fftw", .effort = KALLIMA_ESTIMATE};
  const kallima_plan ours = kallima_plan_problem(&problem, comm);
  double *const x = kallima_malloc(kallima_local_bytes(ours, KALLIMA_IN));
  fill_slab(x, 1, rows, first, n, n[2]);
  fill_slab(data, 1, rows, first, n, n[2]);
  fftw_execute(theirs);
  CHECK(kallima_execute_forward(ours, x, x, KALLIMA_NONE) == KALLIMA_SUCCESS);
  CHECK(largest_difference(x, data, rows * n[1] * n[2]) < close_enough);
  kallima_free(x);
  kallima_destroy_plan(ours);
  fftw_destroy_plan(theirs);
  fftw_free(data);
}

int main(int argc, char **argv) {
  const int64_t shapes[][3] = {{12, 6, 5}, {7, 9, 8}, {2, 5, 6}};
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  const kallima_comm comm = kallima_mpi_comm(MPI_COMM_WORLD);
  CHECK(comm != NULL && kallima_mpi_comm(MPI_COMM_NULL) == NULL && kallima_error_code() == KALLIMA_INVALID);
  for (int i = 0; i < 3; ++i) {
    complex_in_slabs(shapes[i], comm, 0);
    complex_in_slabs(shapes[i], comm, 1);
    padded_reals_in_place(shapes[i], comm);
    cosines_and_sines(shapes[i], comm);
  }
  kallima_comm_free(comm);
  int mine = failures, all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (all == 0 && argc > 1) printf("%s: equal to FFTW-MPI\n", argv[1]);
  return all ? EXIT_FAILURE : EXIT_SUCCESS;
}
