// The same boxes and flags as FFTW-MPI, and the same results: FFTW itself says where its data is, Kallima is told so.

#include <fftw3-mpi.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "kallima/kallima.hpp"
#include "kallima/mpi.hpp"

namespace kallima {
namespace {

using Complex = std::complex<double>;

int ranks() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

fftw_complex* raw(Complex* data) { return reinterpret_cast<fftw_complex*>(data); }

double value(Index i) { return std::sin(0.37 * static_cast<double>(i) + 0.1); }

// A rank's box of the layout, filled with numbers that depend on the place only.
template <class T>
void fill(const Layout& layout, const Comm& comm, const std::vector<Index>& strides, T* data) {
  for (Index t = 0; t < layout.local_size(comm.rank()); ++t) {
    const Shape j = layout.global_index(comm.rank(), t);
    Index global = 0, place = 0, rest = t;
    for (std::size_t k = 0; k < j.size(); ++k) global = global * layout.shape()[k] + j[k];
    const Shape mine = layout.local_shape(comm.rank());
    for (std::size_t k = j.size(); k-- > 0; rest /= mine[k]) place += rest % mine[k] * strides[k];
    data[place] = T(value(global));
  }
}

void expect_same(std::span<const Complex> ours, const Complex* theirs) {
  for (std::size_t t = 0; t < ours.size(); ++t) ASSERT_NEAR(std::abs(ours[t] - theirs[t]), 0, 1e-10) << t;
}

class FftwMpi : public testing::TestWithParam<Shape> {
 protected:
  static void SetUpTestSuite() { fftw_mpi_init(); }

  Comm comm = mpi_comm(MPI_COMM_WORLD);
  Shape n = GetParam();
};

TEST_P(FftwMpi, complex_default_output) {
  ptrdiff_t rows = 0, first = 0;
  const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &rows, &first);
  std::vector<Complex> in(static_cast<std::size_t>(size)), out(in.size());
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], raw(in.data()), raw(out.data()), MPI_COMM_WORLD,
                                              FFTW_FORWARD, FFTW_ESTIMATE);
  const Layout slabs = Layout::slabs(n, ranks());
  ASSERT_EQ(slabs.local_shape(comm.rank())[0], rows);
  fill(slabs, comm, strides_of({}, slabs.local_shape(comm.rank())), in.data());
  Fft<double> fft({.shape = n, .in = slabs, .out = slabs}, comm);
  std::vector<Complex> ours(static_cast<std::size_t>(fft.local_size_out()));
  fft.forward(std::span<const Complex>(in.data(), static_cast<std::size_t>(fft.local_size_in())), ours);
  fftw_execute(plan);
  expect_same(ours, out.data());
  fftw_destroy_plan(plan);
}

TEST_P(FftwMpi, complex_transposed_out) {
  ptrdiff_t rows = 0, first = 0, columns = 0, first_column = 0;
  const ptrdiff_t size =
      fftw_mpi_local_size_3d_transposed(n[0], n[1], n[2], MPI_COMM_WORLD, &rows, &first, &columns, &first_column);
  std::vector<Complex> in(static_cast<std::size_t>(size)), out(in.size());
  const fftw_plan plan = fftw_mpi_plan_dft_3d(n[0], n[1], n[2], raw(in.data()), raw(out.data()), MPI_COMM_WORLD,
                                              FFTW_FORWARD, FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
  const Layout slabs = Layout::slabs(n, ranks()), columns_out = Layout::slabs(n, ranks(), 1);
  ASSERT_EQ(columns_out.local_shape(comm.rank())[1], columns);
  fill(slabs, comm, strides_of({}, slabs.local_shape(comm.rank())), in.data());
  Fft<double> fft({.shape = n, .in = slabs, .out = columns_out, .storage_out = {.order = {1, 0, 2}}}, comm);
  EXPECT_EQ(fft.plan().exchanges(), ranks() > 1 ? 1 : 0);
  std::vector<Complex> ours(static_cast<std::size_t>(fft.local_size_out()));
  fft.forward(std::span<const Complex>(in.data(), static_cast<std::size_t>(fft.local_size_in())), ours);
  fftw_execute(plan);
  expect_same(ours, out.data());
  fftw_destroy_plan(plan);
}

TEST_P(FftwMpi, padded_reals_in_place_and_back) {
  const Index half = n[2] / 2 + 1;
  ptrdiff_t rows = 0, first = 0;
  const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], half, MPI_COMM_WORLD, &rows, &first);
  std::vector<Complex> theirs(static_cast<std::size_t>(size));
  auto* const reals = reinterpret_cast<double*>(theirs.data());
  const fftw_plan plan =
      fftw_mpi_plan_dft_r2c_3d(n[0], n[1], n[2], reals, raw(theirs.data()), MPI_COMM_WORLD, FFTW_ESTIMATE);
  const fftw_plan back =
      fftw_mpi_plan_dft_c2r_3d(n[0], n[1], n[2], raw(theirs.data()), reals, MPI_COMM_WORLD, FFTW_ESTIMATE);
  const Problem problem{.shape = n,
                        .data = Data::real_,
                        .in = Layout::slabs(n, ranks()),
                        .storage_in = {.padding = {0, 0, 2 * half - n[2]}}};
  Fft<double> fft(problem, comm);
  std::vector<Complex> ours(static_cast<std::size_t>(fft.local_size_out()));
  ASSERT_EQ(fft.local_size_in(), 2 * fft.local_size_out());
  const std::vector<Index> strides = strides_of(problem.storage_in, problem.in->local_shape(comm.rank()));
  fill(*problem.in, comm, strides, reals);
  fill(*problem.in, comm, strides, reinterpret_cast<double*>(ours.data()));
  const std::span<double> in_place(reinterpret_cast<double*>(ours.data()), 2 * ours.size());
  fft.forward(std::span<const double>(in_place), std::span<Complex>(ours));
  fftw_execute(plan);
  expect_same(ours, theirs.data());
  fft.backward(std::span<const Complex>(ours), in_place);
  fftw_execute(back);
  for (Index t = 0; t < problem.in->local_size(comm.rank()); ++t) {
    const Index place = t / n[2] * 2 * half + t % n[2];
    ASSERT_NEAR(in_place[static_cast<std::size_t>(place)], reals[place], 1e-9);
  }
  fftw_destroy_plan(plan);
  fftw_destroy_plan(back);
}

TEST_P(FftwMpi, cosines_and_sines) {
  const fftw_r2r_kind theirs[] = {FFTW_REDFT10, FFTW_RODFT11, FFTW_REDFT01};
  ptrdiff_t rows = 0, first = 0;
  const ptrdiff_t size = fftw_mpi_local_size_3d(n[0], n[1], n[2], MPI_COMM_WORLD, &rows, &first);
  std::vector<double> in(static_cast<std::size_t>(2 * size)), out(in.size());
  const fftw_plan plan = fftw_mpi_plan_r2r_3d(n[0], n[1], n[2], in.data(), out.data(), MPI_COMM_WORLD, theirs[0],
                                              theirs[1], theirs[2], FFTW_ESTIMATE);
  const Layout slabs = Layout::slabs(n, ranks());
  fill(slabs, comm, strides_of({}, slabs.local_shape(comm.rank())), in.data());
  const Problem problem{
      .shape = n, .data = Data::real_, .kinds = {Kind::dct2, Kind::dst4, Kind::dct3}, .in = slabs, .out = slabs};
  Fft<double> fft(problem, comm);
  std::vector<double> ours(static_cast<std::size_t>(fft.local_size_out()));
  fft.forward(std::span<const double>(in.data(), static_cast<std::size_t>(fft.local_size_in())),
              std::span<double>(ours));
  fftw_execute(plan);
  for (std::size_t t = 0; t < ours.size(); ++t) ASSERT_NEAR(ours[t], out[t], 1e-9);
  fftw_destroy_plan(plan);
}

INSTANTIATE_TEST_SUITE_P(Shapes, FftwMpi,
                         testing::Values(Shape{8, 8, 8}, Shape{12, 10, 9}, Shape{5, 7, 6}, Shape{16, 4, 11}));

}  // namespace
}  // namespace kallima
