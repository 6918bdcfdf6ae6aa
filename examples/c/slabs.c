/* A program that FFTW-MPI's users will recognise: a real field in slabs, forward, a filter on its spectrum, and back.
 * mpirun -n 4 ./slabs. docs/from-fftw-mpi.md has FFTW-MPI's calls beside these. */
#include <complex.h>
#include <kallima-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 64 };

static const int64_t n[] = {N, N, N};

static void check(int holds) {
  if (holds) return;
  fprintf(stderr, "%s\n", kallima_error_message());
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Two waves along the first axis, of which the filter takes one. */
static double field(int64_t j0, int waves) {
  const double angle = 2 * 3.14159265358979323846 / N * (double)j0;
  return waves == 1 ? sin(3 * angle) : sin(3 * angle) + 0.5 * cos(20 * angle);
}

static void take_short_waves(kallima_plan plan, double complex *spectrum) {
  for (int64_t t = 0, k[3]; t < kallima_local_size(plan, KALLIMA_OUT); ++t) {
    check(kallima_global_index(plan, KALLIMA_OUT, t, k) == KALLIMA_SUCCESS);
    if (llabs(k[0] > N / 2 ? k[0] - N : k[0]) > 8) spectrum[t] = 0;
  }
}

static double filtered(kallima_comm comm) {
  const kallima_problem problem = {.dims = 3, .shape = n, .data = KALLIMA_REAL, .in = "fftw", .any_output = 1};
  const kallima_plan plan = kallima_plan_problem(&problem, comm); /* collective */
  check(plan != NULL);
  if (kallima_comm_rank(comm) == 0) printf("%s\n", kallima_explain(plan));

  const int64_t size = kallima_local_size(plan, KALLIMA_IN);
  double *const u = kallima_malloc(kallima_local_bytes(plan, KALLIMA_IN));
  double complex *const spectrum = kallima_malloc(kallima_local_bytes(plan, KALLIMA_OUT));
  int64_t first[3], step[3];
  kallima_local_start(plan, KALLIMA_IN, first, step); /* slabs: rows first[0], first[0] + 1, ... */
  for (int64_t t = 0; t < size; ++t) u[t] = field(first[0] + t / (N * N), 2);

  check(kallima_execute_forward(plan, u, spectrum, KALLIMA_NONE) == KALLIMA_SUCCESS);
  take_short_waves(plan, spectrum);
  check(kallima_execute_backward(plan, spectrum, u, KALLIMA_FULL) == KALLIMA_SUCCESS);

  double worst = 0;
  for (int64_t t = 0; t < size; ++t) worst = fmax(worst, fabs(u[t] - field(first[0] + t / (N * N), 1)));
  kallima_free(u);
  kallima_free(spectrum);
  kallima_destroy_plan(plan); /* not collective */
  return worst;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const kallima_comm comm = kallima_mpi_comm(MPI_COMM_WORLD);
  check(comm != NULL);
  double worst = filtered(comm), all = 0;
  MPI_Reduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (kallima_comm_rank(comm) == 0) printf("the long wave is left, to %.1e\n", all);
  kallima_comm_free(comm);
  MPI_Finalize();
  return all < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
