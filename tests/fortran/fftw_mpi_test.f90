! The Fortran module against FFTW-MPI's own Fortran interface: the same slabs, the same numbers up to rounding; and on
! one rank without MPI's communicator against a sum. Errors have words.
program fftw_mpi_test
  use, intrinsic :: iso_c_binding
  use mpi
  use kallima
  implicit none
  include "fftw3-mpi.f03"
  integer, parameter :: shapes(3, 3) = reshape([5, 6, 12, 8, 9, 7, 6, 5, 2], [3, 3])
  type(kallima_comm) :: comm
  integer :: error, i, failures, total

  call MPI_Init(error)
  call fftw_mpi_init()
  failures = 0
  comm = kallima_mpi_comm(MPI_COMM_WORLD)
  call check(comm%is_made(), "a communicator")
  do i = 1, 3
    call complex_slabs(shapes(:, i))
    call real_slabs(shapes(:, i))
  end do
  call one_line()
  call words_of_errors()
  call kallima_comm_free(comm)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
  if (total > 0) error stop 1

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print "(2a)", "not so: ", what
    failures = failures + 1
  end subroutine

  real(c_double) function sample(i, j, k)
    integer(c_int64_t), intent(in) :: i, j, k
    sample = sin(0.3d0 + (i + 1) * (i + 3) * 1.1d0 + (j + 2) * (j + 1) * 0.9d0 + k * (k + 3) * 0.7d0) + 0.01d0 * k
  end function

  subroutine complex_slabs(n)
    integer, intent(in) :: n(3)
    type(kallima_plan) :: plan
    type(c_ptr) :: theirs, memory
    integer(c_intptr_t) :: rows, offset, size_of_all
    integer(c_int64_t) :: s(3), first(3), step(3), i, j, k
    complex(c_double_complex), pointer :: data(:, :, :)
    complex(c_double_complex), allocatable :: x(:, :, :), y(:, :, :)
    type(kallima_pending) :: pending
    size_of_all = fftw_mpi_local_size_3d(int(n(3), c_intptr_t), int(n(2), c_intptr_t), int(n(1), c_intptr_t), &
                                         MPI_COMM_WORLD, rows, offset)
    memory = fftw_alloc_complex(int(size_of_all, c_size_t))
    call c_f_pointer(memory, data, [int(n(1), c_intptr_t), int(n(2), c_intptr_t), rows])
    theirs = fftw_mpi_plan_dft_3d(int(n(3), c_intptr_t), int(n(2), c_intptr_t), int(n(1), c_intptr_t), data, data, &
                                  MPI_COMM_WORLD, FFTW_FORWARD, FFTW_ESTIMATE)
    plan = kallima_plan_dft(n, comm, in="fftw", out="fftw", effort=kallima_estimate)
    call check(plan%is_made(), "a plan of complex slabs")
    s = plan%local_shape(kallima_in)
    call check(rows == 0 .or. all([n(1), n(2), int(rows)] == s), "FFTW-MPI's slabs")
    call plan%local_start(kallima_in, first, step)
    allocate (x(s(1), s(2), s(3)), y(s(1), s(2), s(3)))
    do k = 1, s(3)
      do j = 1, s(2)
        do i = 1, s(1)
          x(i, j, k) = cmplx(sample(i, j, first(3) + k - 1), sample(k, i, j), c_double)
          data(i, j, k) = x(i, j, k)
        end do
      end do
    end do
    call fftw_mpi_execute_dft(theirs, data, data)
    call check(plan%forward(x, y) == kallima_success, "forward")
    if (s(3) > 0) call check(maxval(abs(y - data)) < 1e-10, "the same as FFTW-MPI")
    pending = plan%start_backward(y, y, kallima_full)
    call check(pending%is_made(), "a start")
    call check(pending%wait() == kallima_success, "a wait")
    if (s(3) > 0) call check(maxval(abs(y - x)) < 1e-12, "there and back")
    call plan%destroy()
    call fftw_destroy_plan(theirs)
    call fftw_free(memory)
  end subroutine

  subroutine real_slabs(n)
    integer, intent(in) :: n(3)
    type(kallima_plan) :: plan
    type(c_ptr) :: theirs, memory
    integer(c_intptr_t) :: rows, offset, size_of_all, half
    integer(c_int64_t) :: s(3), first(3), step(3), i, j, k
    real(c_double), pointer :: reals(:, :, :)
    complex(c_double_complex), pointer :: data(:, :, :)
    real(c_double), allocatable :: x(:, :, :)
    complex(c_double_complex), allocatable :: y(:, :, :)
    half = n(1) / 2 + 1
    size_of_all = fftw_mpi_local_size_3d(int(n(3), c_intptr_t), int(n(2), c_intptr_t), half, MPI_COMM_WORLD, rows, offset)
    memory = fftw_alloc_complex(int(size_of_all, c_size_t))
    call c_f_pointer(memory, data, [half, int(n(2), c_intptr_t), rows])
    call c_f_pointer(memory, reals, [2 * half, int(n(2), c_intptr_t), rows])
    theirs = fftw_mpi_plan_dft_r2c_3d(int(n(3), c_intptr_t), int(n(2), c_intptr_t), int(n(1), c_intptr_t), reals, data, &
                                      MPI_COMM_WORLD, FFTW_ESTIMATE)
    plan = kallima_plan_dft(n, comm, data=kallima_real, in="fftw", out="fftw", effort=kallima_estimate)
    s = plan%local_shape(kallima_out)
    call check(rows == 0 .or. all([int(half), n(2), int(rows)] == s), "half of the first dimension")
    s = plan%local_shape(kallima_in)
    call plan%local_start(kallima_in, first, step)
    allocate (x(s(1), s(2), s(3)), y(half, s(2), s(3)))
    do k = 1, s(3)
      do j = 1, s(2)
        do i = 1, s(1)
          x(i, j, k) = sample(i, j, first(3) + k - 1)
          reals(i, j, k) = x(i, j, k)
        end do
      end do
    end do
    call fftw_mpi_execute_dft_r2c(theirs, reals, data)
    call check(plan%forward(x, y) == kallima_success, "forward of reals")
    if (s(3) > 0) call check(maxval(abs(y - data)) < 1e-10, "the same reals as FFTW-MPI")
    call plan%destroy()
    call fftw_destroy_plan(theirs)
    call fftw_free(memory)
  end subroutine

  ! Axes count from 1 and from the first dimension: along the second of 4 x 6 ones there is one peak in each line.
  subroutine one_line()
    type(kallima_plan) :: plan
    complex(c_float_complex) :: x(4, 6), y(4, 6)
    plan = kallima_plan_dft([4, 6], axes=[2], precision=kallima_single)
    call check(plan%exchanges() == 0 .and. plan%local_size(kallima_in) == 24, "one rank has all")
    x = 1
    call check(plan%forward(x, y) == kallima_success, "forward in single precision")
    call check(maxval(abs(y(:, 1) - 6)) < 1e-5 .and. maxval(abs(y(:, 2:))) < 1e-5, "a peak in each line")
    call plan%destroy()
  end subroutine

  subroutine words_of_errors()
    type(kallima_plan) :: plan
    plan = kallima_plan_dft([4, 4], in="hexagons")
    call check(.not. plan%is_made() .and. index(kallima_message(), "hexagons") > 0, "what is wrong, in words")
  end subroutine

end program
