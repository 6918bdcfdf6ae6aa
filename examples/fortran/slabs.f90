! examples/c/slabs.c in Fortran: a real field in slabs, forward, a filter on its spectrum, and back.
! mpirun -n 4 ./slabs. docs/from-fftw-mpi.md has FFTW-MPI's calls beside these.
program slabs
  use, intrinsic :: iso_c_binding
  use mpi
  use kallima
  implicit none
  integer, parameter :: n = 64
  type(kallima_comm) :: comm
  type(kallima_plan) :: plan
  real(c_double), allocatable :: u(:, :, :)
  complex(c_double), allocatable :: spectrum(:, :, :)
  integer(c_int64_t) :: first(3), step(3), s(3)
  real(c_double) :: worst, all
  integer :: error, k, wave

  call MPI_Init(error)
  comm = kallima_mpi_comm(MPI_COMM_WORLD)
  plan = kallima_plan_dft([n, n, n], comm, data=kallima_real, in="fftw", any_output=.true.)  ! collective
  if (.not. plan%is_made()) call stop_with(kallima_message())
  if (kallima_comm_rank(comm) == 0) print "(a)", plan%explain()

  s = plan%local_shape(kallima_in)
  allocate (u(s(1), s(2), s(3)))
  call plan%local_start(kallima_in, first, step)  ! slabs of the last dimension: planes first(3), first(3) + 1, ...
  do k = 1, int(s(3))
    u(:, :, k) = field(first(3) + k - 1, 2)
  end do
  s = plan%local_shape(kallima_out)
  allocate (spectrum(s(1), s(2), s(3)))  ! 33 of the first dimension, wherever the others lie

  if (plan%forward(u, spectrum) /= kallima_success) call stop_with(kallima_message())
  call plan%local_start(kallima_out, first, step)
  do k = 1, int(s(3))
    wave = int(first(3) + (k - 1) * step(3)) - 1
    if (min(wave, n - wave) > 8) spectrum(:, :, k) = 0
  end do
  if (plan%backward(spectrum, u, kallima_full) /= kallima_success) call stop_with(kallima_message())

  call plan%local_start(kallima_in, first, step)
  worst = 0
  do k = 1, size(u, 3)
    worst = max(worst, maxval(abs(u(:, :, k) - field(first(3) + k - 1, 1))))
  end do
  call MPI_Allreduce(worst, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  if (kallima_comm_rank(comm) == 0) print "(a, es8.1)", "the long wave is left, to", all
  call plan%destroy()  ! not collective
  call kallima_comm_free(comm)
  call MPI_Finalize(error)
  if (all > 1e-12) error stop 1

contains

  ! Two waves along the last dimension, of which the filter takes one.
  real(c_double) function field(j, waves)
    integer(c_int64_t), intent(in) :: j
    integer, intent(in) :: waves
    real(c_double) :: angle
    angle = 2 * acos(-1.0_c_double) / n * (j - 1)
    field = sin(3 * angle)
    if (waves == 2) field = field + 0.5 * cos(20 * angle)
  end function

  subroutine stop_with(text)
    character(*), intent(in) :: text
    integer :: ignored
    print "(a)", text
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine

end program
