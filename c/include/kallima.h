/* Kallima in C: distributed fast Fourier transforms that exchange their data once, with names that users of FFTW know.
 * A plan is made once, by all ranks of a communicator together, and run many times; destroying it is nobody's business
 * but the rank's own. Functions return KALLIMA_SUCCESS or a code, those that make something return NULL where they
 * cannot, and kallima_error_message() then says why, on every rank alike. Sign and scale are FFTW's: forward is
 * exp(-2 pi i jk/n), and nothing is scaled unless a kallima_norm says so. Arrays are row-major. With MPI include
 * <kallima-mpi.h> instead. */
#ifndef KALLIMA_H
#define KALLIMA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define KALLIMA_API __attribute__((visibility("default")))
#else
#define KALLIMA_API
#endif

/* ---- errors ------------------------------------------------------------------------------------------------------ */

typedef enum {
  KALLIMA_SUCCESS = 0,
  KALLIMA_INVALID = 1,   /* an argument, or what the environment cannot do */
  KALLIMA_NO_MEMORY = 2, /* memory is short */
  KALLIMA_INTERNAL = 3   /* anything else */
} kallima_status;

/* Of this thread's last call that failed, until the next one that does; "" before that. */
KALLIMA_API const char *kallima_error_message(void);
KALLIMA_API kallima_status kallima_error_code(void);
KALLIMA_API const char *kallima_version(void);

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

typedef struct kallima_comm_s *kallima_comm; /* as an argument, NULL is this thread alone */

/* Runs `body` on so many threads of this process, each with its own rank of one communicator, which ends with it. */
KALLIMA_API kallima_status kallima_run_threads(int ranks, void (*body)(kallima_comm comm, void *data), void *data);
KALLIMA_API int kallima_comm_rank(kallima_comm comm);
KALLIMA_API int kallima_comm_size(kallima_comm comm);
KALLIMA_API void kallima_comm_free(kallima_comm comm); /* not collective; plans that were made with it stay */

/* ---- what is transformed ----------------------------------------------------------------------------------------- */

typedef enum { KALLIMA_DOUBLE, KALLIMA_SINGLE, KALLIMA_LONG_DOUBLE } kallima_precision;
typedef enum { KALLIMA_COMPLEX, KALLIMA_REAL } kallima_data;

/* FFTW's REDFT00, 10, 01, 11 are types 1, 2, 3, 4 of the cosine transform, its RODFT those of the sine transform. */
typedef enum {
  KALLIMA_FOURIER,
  KALLIMA_DCT1, KALLIMA_DCT2, KALLIMA_DCT3, KALLIMA_DCT4,
  KALLIMA_DST1, KALLIMA_DST2, KALLIMA_DST3, KALLIMA_DST4
} kallima_kind;

typedef enum { KALLIMA_MEASURE, KALLIMA_ESTIMATE, KALLIMA_PATIENT } kallima_effort;
typedef enum { KALLIMA_NONE, KALLIMA_ORTHO, KALLIMA_FULL } kallima_norm; /* times 1, 1/sqrt(N), 1/N */
typedef enum { KALLIMA_IN, KALLIMA_OUT } kallima_side;                   /* of forward */

/* A field that is zero has its usual meaning: kallima_problem p = {.dims = 3, .shape = n}. Reals with a Fourier axis
 * become complex numbers, of which the last such axis keeps n/2+1; backward goes the other way. Layouts are texts:
 * "slab", "slab:1", "pencil", "pencil:0", "brick", "block:4x2x1", "cyclic:4x1x1", "fftw" and "fftw:1" (FFTW-MPI's
 * slabs: n/P rows, rounded up), or boxes: "boxes:[[[0,0],[2,3]],...]". */
typedef struct {
  int dims;
  const int64_t *shape; /* of forward's input */
  int axis_count;       /* 0: all axes are transformed */
  const int *axes;      /* negative ones count from the end */
  kallima_data data;
  const kallima_kind *kinds; /* one for each axis that is transformed; NULL: Fourier */
  kallima_precision precision;
  const char *in, *out;       /* layouts; NULL: the planner chooses, the output like the input, */
  int any_output;             /* or, if this is not 0, wherever it is cheapest */
  const int *order_in;        /* dimensions as they stand in memory, slowest first; NULL: 0, 1, 2, ... */
  const int *order_out;       /* {1, 0, 2} is FFTW_MPI_TRANSPOSED_OUT with "fftw:1" */
  const int64_t *padding_in;  /* elements left free behind each dimension's; NULL: none */
  const int64_t *padding_out;
  kallima_effort effort;
  int in_place;      /* not 0: plan for one array */
  const char *route; /* NULL: the best */
  const char *wire;  /* how numbers travel: "single", "tolerance:1e-10"; NULL: as computed */
} kallima_problem;

/* ---- plans ------------------------------------------------------------------------------------------------------- */

typedef struct kallima_plan_s *kallima_plan;

/* Collective over the communicator; NULL on all ranks or on none. */
KALLIMA_API kallima_plan kallima_plan_problem(const kallima_problem *problem, kallima_comm comm);

/* The same in FFTW's words; double precision, layouts chosen. */
KALLIMA_API kallima_plan kallima_plan_dft_1d(int64_t n0, kallima_comm comm, kallima_effort effort);
KALLIMA_API kallima_plan kallima_plan_dft_2d(int64_t n0, int64_t n1, kallima_comm comm, kallima_effort effort);
KALLIMA_API kallima_plan kallima_plan_dft_3d(int64_t n0, int64_t n1, int64_t n2, kallima_comm comm,
                                             kallima_effort effort);
KALLIMA_API kallima_plan kallima_plan_dft(int dims, const int64_t *n, kallima_comm comm, kallima_effort effort);
KALLIMA_API kallima_plan kallima_plan_dft_r2c(int dims, const int64_t *n, kallima_comm comm, kallima_effort effort);
KALLIMA_API kallima_plan kallima_plan_r2r(int dims, const int64_t *n, const kallima_kind *kinds, kallima_comm comm,
                                          kallima_effort effort);

/* Not collective: ranks may destroy theirs whenever they like. What is still under way is waited for. */
KALLIMA_API void kallima_destroy_plan(kallima_plan plan);

/* ---- running them ------------------------------------------------------------------------------------------------ */

/* Collective. `in` holds kallima_local_size(plan, KALLIMA_IN) numbers and is left as it was, `out` those of
 * KALLIMA_OUT; backward the other way round. In place where both are one array, as long as the longer. */
KALLIMA_API kallima_status kallima_execute_forward(kallima_plan plan, const void *in, void *out, kallima_norm norm);
KALLIMA_API kallima_status kallima_execute_backward(kallima_plan plan, const void *in, void *out, kallima_norm norm);

/* The same of `count` arrays (the components of a vector field) through one pipeline. */
KALLIMA_API kallima_status kallima_execute_forward_many(kallima_plan plan, int count, const void *const *in,
                                                        void *const *out, kallima_norm norm);
KALLIMA_API kallima_status kallima_execute_backward_many(kallima_plan plan, int count, const void *const *in,
                                                         void *const *out, kallima_norm norm);

/* A transform that has begun: its blocks are on their way, and the caller may do other work, but leaves both arrays
 * alone until kallima_wait(), which every rank calls in the same order. It moves on in kallima_test() and
 * kallima_wait(). */
typedef struct kallima_pending_s *kallima_pending;
KALLIMA_API kallima_pending kallima_start_forward(kallima_plan plan, const void *in, void *out, kallima_norm norm);
KALLIMA_API kallima_pending kallima_start_backward(kallima_plan plan, const void *in, void *out, kallima_norm norm);
KALLIMA_API kallima_status kallima_test(kallima_pending pending, int *done);
KALLIMA_API kallima_status kallima_wait(kallima_pending pending); /* and frees it */

/* ---- which element is where -------------------------------------------------------------------------------------- */

KALLIMA_API int kallima_dims(kallima_plan plan);
KALLIMA_API int64_t kallima_local_size(kallima_plan plan, kallima_side side);  /* numbers, padding included */
KALLIMA_API size_t kallima_local_bytes(kallima_plan plan, kallima_side side);  /* what they take */
KALLIMA_API kallima_data kallima_data_of(kallima_plan plan, kallima_side side); /* what they are */

/* Each fills one number per dimension: the extents of the whole array, and of this rank's part of it; the latter's
 * elements have the global indices first[d] + t[d] * step[d], 0 <= t[d] < shape[d]. All zero for a rank with nothing. */
KALLIMA_API kallima_status kallima_global_shape(kallima_plan plan, kallima_side side, int64_t *shape);
KALLIMA_API kallima_status kallima_local_shape(kallima_plan plan, kallima_side side, int64_t *shape);
KALLIMA_API kallima_status kallima_local_start(kallima_plan plan, kallima_side side, int64_t *first, int64_t *step);

/* Distances of neighbours in memory, in numbers, and the global index of the element at place `t` of the row-major
 * order of this rank's part. */
KALLIMA_API kallima_status kallima_local_strides(kallima_plan plan, kallima_side side, int64_t *strides);
KALLIMA_API kallima_status kallima_global_index(kallima_plan plan, kallima_side side, int64_t t, int64_t *index);

/* Texts and figures of a plan. Texts live as long as it does. */
KALLIMA_API const char *kallima_layout(kallima_plan plan, kallima_side side);
KALLIMA_API const char *kallima_explain(kallima_plan plan); /* which way it goes, and why */
KALLIMA_API int kallima_exchanges(kallima_plan plan);
KALLIMA_API size_t kallima_workspace_bytes(kallima_plan plan);

/* ---- one array, several threads ---------------------------------------------------------------------------------- */

/* What FFTW does after fftw_plan_with_nthreads(threads): an array that this process has whole, without ranks and with
 * nothing to exchange. Of the problem only dims, shape, axes, data, kinds and precision count. Strides say how far
 * neighbours in each dimension stand apart, in numbers, as in FFTW's guru interface: any, negative ones too; NULL:
 * row-major. Threads may run one plan at once. */
typedef struct kallima_array_plan_s *kallima_array_plan;
KALLIMA_API kallima_array_plan kallima_plan_array(const kallima_problem *problem, const int64_t *strides_in,
                                                  const int64_t *strides_out, int threads);
KALLIMA_API void kallima_destroy_array_plan(kallima_array_plan plan);

/* `in` is left as it was. In place, where both are one array, it goes through a copy, and strides must be NULL. */
KALLIMA_API kallima_status kallima_array_forward(kallima_array_plan plan, const void *in, void *out, kallima_norm norm);
KALLIMA_API kallima_status kallima_array_backward(kallima_array_plan plan, const void *in, void *out,
                                                  kallima_norm norm);
KALLIMA_API int kallima_array_threads(kallima_array_plan plan); /* that it uses: one where more would not help */

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* Zeroed, aligned for vector instructions and, where the system allows, on huge pages. Any other memory will do, too. */
KALLIMA_API void *kallima_malloc(size_t bytes);
KALLIMA_API void kallima_free(void *memory);

#ifdef __cplusplus
}
#endif

#endif
