! Kallima in Fortran, over its C interface (kallima.h says more). Compile this file with your own compiler, as one
! includes fftw3.f03, and link kallima_c or, with MPI, kallima_c_mpi. Everything is in Fortran's order: the first
! dimension of a shape is the one whose elements are neighbours, dimensions and axes count from 1, and so do global
! indices. Reals keep n/2+1 of their first dimension, and words for layouts cut the last one ("slab", "fftw").
module kallima
  use, intrinsic :: iso_c_binding
  implicit none
  private

  enum, bind(c)
    enumerator :: kallima_double = 0, kallima_single, kallima_long_double
    enumerator :: kallima_complex = 0, kallima_real
    enumerator :: kallima_fourier = 0, kallima_dct1, kallima_dct2, kallima_dct3, kallima_dct4, &
                  kallima_dst1, kallima_dst2, kallima_dst3, kallima_dst4
    enumerator :: kallima_measure = 0, kallima_estimate, kallima_patient
    enumerator :: kallima_none = 0, kallima_ortho, kallima_full
    enumerator :: kallima_in = 0, kallima_out
    enumerator :: kallima_success = 0, kallima_invalid, kallima_no_memory, kallima_internal
  end enum
  public :: kallima_double, kallima_single, kallima_long_double, kallima_complex, kallima_real, kallima_fourier, &
            kallima_dct1, kallima_dct2, kallima_dct3, kallima_dct4, kallima_dst1, kallima_dst2, kallima_dst3, &
            kallima_dst4, kallima_measure, kallima_estimate, kallima_patient, kallima_none, kallima_ortho, &
            kallima_full, kallima_in, kallima_out, kallima_success, kallima_invalid, kallima_no_memory, kallima_internal
  public :: kallima_message, kallima_mpi_comm, kallima_comm_free, kallima_comm_rank, kallima_comm_size, kallima_plan_dft

  ! A communicator; one that was not made is this process alone.
  type, public :: kallima_comm
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: is_made => comm_is_made
  end type

  ! A plan, of kallima_plan_dft(). Where is_made() says no, kallima_message() says why.
  type, public :: kallima_plan
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: is_made, forward, backward, start_forward, start_backward
    procedure :: local_size, local_shape, local_start, global_shape, exchanges, explain, layout, destroy
  end type

  ! A transform that has begun: wait() for it.
  type, public :: kallima_pending
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: is_made => pending_is_made
    procedure :: wait
  end type

  type, bind(c) :: problem_c  ! kallima_problem
    integer(c_int) :: dims
    type(c_ptr) :: shape
    integer(c_int) :: axis_count
    type(c_ptr) :: axes
    integer(c_int) :: data
    type(c_ptr) :: kinds
    integer(c_int) :: precision
    type(c_ptr) :: in, out
    integer(c_int) :: any_output
    type(c_ptr) :: order_in, order_out, padding_in, padding_out
    integer(c_int) :: effort, in_place
    type(c_ptr) :: route, wire
  end type

  interface
    function c_message() bind(c, name="kallima_error_message") result(text)
      import; type(c_ptr) :: text
    end function
    function c_mpi_comm(comm) bind(c, name="kallima_mpi_comm_f") result(handle)
      import; integer(c_int), value :: comm; type(c_ptr) :: handle
    end function
    subroutine c_comm_free(comm) bind(c, name="kallima_comm_free")
      import; type(c_ptr), value :: comm
    end subroutine
    function c_comm_rank(comm) bind(c, name="kallima_comm_rank") result(rank)
      import; type(c_ptr), value :: comm; integer(c_int) :: rank
    end function
    function c_comm_size(comm) bind(c, name="kallima_comm_size") result(size)
      import; type(c_ptr), value :: comm; integer(c_int) :: size
    end function
    function c_plan(problem, comm) bind(c, name="kallima_plan_problem") result(plan)
      import; type(problem_c), intent(in) :: problem; type(c_ptr), value :: comm; type(c_ptr) :: plan
    end function
    subroutine c_destroy(plan) bind(c, name="kallima_destroy_plan")
      import; type(c_ptr), value :: plan
    end subroutine
    function c_forward(plan, in, out, norm) bind(c, name="kallima_execute_forward") result(status)
      import; type(c_ptr), value :: plan; type(*), intent(in) :: in(*); type(*) :: out(*)
      integer(c_int), value :: norm; integer(c_int) :: status
    end function
    function c_backward(plan, in, out, norm) bind(c, name="kallima_execute_backward") result(status)
      import; type(c_ptr), value :: plan; type(*), intent(in) :: in(*); type(*) :: out(*)
      integer(c_int), value :: norm; integer(c_int) :: status
    end function
    function c_start_forward(plan, in, out, norm) bind(c, name="kallima_start_forward") result(pending)
      import; type(c_ptr), value :: plan; type(*), intent(in) :: in(*); type(*) :: out(*)
      integer(c_int), value :: norm; type(c_ptr) :: pending
    end function
    function c_start_backward(plan, in, out, norm) bind(c, name="kallima_start_backward") result(pending)
      import; type(c_ptr), value :: plan; type(*), intent(in) :: in(*); type(*) :: out(*)
      integer(c_int), value :: norm; type(c_ptr) :: pending
    end function
    function c_wait(pending) bind(c, name="kallima_wait") result(status)
      import; type(c_ptr), value :: pending; integer(c_int) :: status
    end function
    pure function c_dims(plan) bind(c, name="kallima_dims") result(dims)
      import; type(c_ptr), value, intent(in) :: plan; integer(c_int) :: dims
    end function
    function c_local_size(plan, side) bind(c, name="kallima_local_size") result(size)
      import; type(c_ptr), value :: plan; integer(c_int), value :: side; integer(c_int64_t) :: size
    end function
    function c_local_shape(plan, side, shape) bind(c, name="kallima_local_shape") result(status)
      import; type(c_ptr), value :: plan; integer(c_int), value :: side; integer(c_int64_t) :: shape(*)
      integer(c_int) :: status
    end function
    function c_global_shape(plan, side, shape) bind(c, name="kallima_global_shape") result(status)
      import; type(c_ptr), value :: plan; integer(c_int), value :: side; integer(c_int64_t) :: shape(*)
      integer(c_int) :: status
    end function
    function c_local_start(plan, side, first, step) bind(c, name="kallima_local_start") result(status)
      import; type(c_ptr), value :: plan; integer(c_int), value :: side; integer(c_int64_t) :: first(*), step(*)
      integer(c_int) :: status
    end function
    function c_exchanges(plan) bind(c, name="kallima_exchanges") result(exchanges)
      import; type(c_ptr), value :: plan; integer(c_int) :: exchanges
    end function
    function c_explain(plan) bind(c, name="kallima_explain") result(text)
      import; type(c_ptr), value :: plan; type(c_ptr) :: text
    end function
    function c_layout(plan, side) bind(c, name="kallima_layout") result(text)
      import; type(c_ptr), value :: plan; integer(c_int), value :: side; type(c_ptr) :: text
    end function
    function c_strlen(text) bind(c, name="strlen") result(length)
      import; type(c_ptr), value :: text; integer(c_size_t) :: length
    end function
  end interface

contains

  ! ---- words -------------------------------------------------------------------------------------------------------

  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(pointer, letters, [c_strlen(pointer)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  ! Why the last call failed.
  function kallima_message() result(text)
    character(:), allocatable :: text
    text = text_of(c_message())
  end function

  ! ---- ranks -------------------------------------------------------------------------------------------------------

  ! Of MPI's communicator (with mpi_f08: comm%mpi_val). Collective.
  function kallima_mpi_comm(comm) result(ranks)
    integer, intent(in) :: comm
    type(kallima_comm) :: ranks
    ranks%handle = c_mpi_comm(int(comm, c_int))
  end function

  subroutine kallima_comm_free(comm)
    type(kallima_comm), intent(inout) :: comm
    call c_comm_free(comm%handle)
    comm%handle = c_null_ptr
  end subroutine

  integer function kallima_comm_rank(comm)
    type(kallima_comm), intent(in) :: comm
    kallima_comm_rank = int(c_comm_rank(comm%handle))
  end function

  integer function kallima_comm_size(comm)
    type(kallima_comm), intent(in) :: comm
    kallima_comm_size = int(c_comm_size(comm%handle))
  end function

  logical function comm_is_made(self)
    class(kallima_comm), intent(in) :: self
    comm_is_made = c_associated(self%handle)
  end function

  ! ---- plans -------------------------------------------------------------------------------------------------------

  ! Collective over `comm`. `data` is that of forward's input, kallima_complex or kallima_real; `kinds` one for each of
  ! the axes that are transformed, `axes`, all of them by default; `padding` the elements left free behind each
  ! dimension of forward's input; `in` and `out` are layouts in words, without which the planner chooses.
  function kallima_plan_dft(shape, comm, data, kinds, axes, precision, in, out, any_output, padding, in_place, effort, &
                            route, wire) result(plan)
    integer, intent(in) :: shape(:)
    type(kallima_comm), intent(in), optional :: comm
    integer, intent(in), optional :: data, kinds(:), axes(:), precision, padding(:), effort
    character(*), intent(in), optional :: in, out, route, wire
    logical, intent(in), optional :: any_output, in_place
    type(kallima_plan) :: plan
    type(problem_c) :: p
    integer(c_int64_t), target :: extents(size(shape)), free(size(shape))
    integer(c_int), target :: each(size(shape)), kind_of_each(size(shape))
    character(kind=c_char), target :: words(0:1023, 4)
    type(c_ptr) :: ranks
    integer :: n

    n = size(shape)
    p = problem_c(int(n, c_int), c_null_ptr, 0, c_null_ptr, kallima_complex, c_null_ptr, kallima_double, c_null_ptr, &
                  c_null_ptr, 0, c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr, kallima_measure, 0, c_null_ptr, &
                  c_null_ptr)
    extents = shape(n:1:-1)
    p%shape = c_loc(extents)
    if (present(data)) p%data = int(data, c_int)
    if (present(precision)) p%precision = int(precision, c_int)
    if (present(effort)) p%effort = int(effort, c_int)
    if (present(any_output)) p%any_output = merge(1_c_int, 0_c_int, any_output)
    if (present(in_place)) p%in_place = merge(1_c_int, 0_c_int, in_place)
    if (present(axes)) then  ! the last of ours is the first of C's
      p%axis_count = int(min(size(axes), n), c_int)
      each(:p%axis_count) = int(n - axes(p%axis_count:1:-1), c_int)
      p%axes = c_loc(each)
    end if
    if (present(kinds)) then
      kind_of_each(:min(size(kinds), n)) = int(kinds(min(size(kinds), n):1:-1), c_int)
      p%kinds = c_loc(kind_of_each)
    end if
    if (present(padding)) then
      free = padding(n:1:-1)
      p%padding_in = c_loc(free)
    end if
    call set_word(in, words(:, 1), p%in)
    call set_word(out, words(:, 2), p%out)
    call set_word(route, words(:, 3), p%route)
    call set_word(wire, words(:, 4), p%wire)
    ranks = c_null_ptr
    if (present(comm)) ranks = comm%handle
    plan%handle = c_plan(p, ranks)
  end function

  subroutine set_word(text, letters, pointer)
    character(*), intent(in), optional :: text
    character(kind=c_char), intent(inout), target :: letters(:)
    type(c_ptr), intent(inout) :: pointer
    integer :: i
    if (.not. present(text)) return
    do i = 1, min(len_trim(text), size(letters) - 1)
      letters(i) = text(i:i)
    end do
    letters(i) = c_null_char
    pointer = c_loc(letters)
  end subroutine

  logical function is_made(self)
    class(kallima_plan), intent(in) :: self
    is_made = c_associated(self%handle)
  end function

  ! Not collective.
  subroutine destroy(self)
    class(kallima_plan), intent(inout) :: self
    call c_destroy(self%handle)
    self%handle = c_null_ptr
  end subroutine

  ! ---- running them: all return kallima_success, or what went wrong -------------------------------------------------

  integer function forward(self, in, out, norm)
    class(kallima_plan), intent(in) :: self
    type(*), intent(in) :: in(*)
    type(*) :: out(*)
    integer, intent(in), optional :: norm
    forward = int(c_forward(self%handle, in, out, norm_or_none(norm)))
  end function

  integer function backward(self, in, out, norm)
    class(kallima_plan), intent(in) :: self
    type(*), intent(in) :: in(*)
    type(*) :: out(*)
    integer, intent(in), optional :: norm
    backward = int(c_backward(self%handle, in, out, norm_or_none(norm)))
  end function

  ! The caller's arrays are `asynchronous` and stay as they are until wait().
  function start_forward(self, in, out, norm) result(pending)
    class(kallima_plan), intent(in) :: self
    type(*), intent(in), asynchronous :: in(*)
    type(*), asynchronous :: out(*)
    integer, intent(in), optional :: norm
    type(kallima_pending) :: pending
    pending%handle = c_start_forward(self%handle, in, out, norm_or_none(norm))
  end function

  function start_backward(self, in, out, norm) result(pending)
    class(kallima_plan), intent(in) :: self
    type(*), intent(in), asynchronous :: in(*)
    type(*), asynchronous :: out(*)
    integer, intent(in), optional :: norm
    type(kallima_pending) :: pending
    pending%handle = c_start_backward(self%handle, in, out, norm_or_none(norm))
  end function

  logical function pending_is_made(self)
    class(kallima_pending), intent(in) :: self
    pending_is_made = c_associated(self%handle)
  end function

  integer function wait(self)
    class(kallima_pending), intent(inout) :: self
    wait = int(c_wait(self%handle))
    self%handle = c_null_ptr
  end function

  integer(c_int) function norm_or_none(norm)
    integer, intent(in), optional :: norm
    norm_or_none = kallima_none
    if (present(norm)) norm_or_none = int(norm, c_int)
  end function

  ! ---- which element is where: of kallima_in or kallima_out ---------------------------------------------------------

  integer(c_int64_t) function local_size(self, side)
    class(kallima_plan), intent(in) :: self
    integer, intent(in) :: side
    local_size = c_local_size(self%handle, int(side, c_int))
  end function

  function local_shape(self, side) result(shape)
    class(kallima_plan), intent(in) :: self
    integer, intent(in) :: side
    integer(c_int64_t) :: shape(c_dims(self%handle))
    integer(c_int) :: status
    shape = 0
    status = c_local_shape(self%handle, int(side, c_int), shape)
    shape = shape(size(shape):1:-1)
  end function

  function global_shape(self, side) result(shape)
    class(kallima_plan), intent(in) :: self
    integer, intent(in) :: side
    integer(c_int64_t) :: shape(c_dims(self%handle))
    integer(c_int) :: status
    shape = 0
    status = c_global_shape(self%handle, int(side, c_int), shape)
    shape = shape(size(shape):1:-1)
  end function

  ! Element t(d) of dimension d of this rank's part, from 1, has the global index first(d) + (t(d) - 1) * step(d).
  subroutine local_start(self, side, first, step)
    class(kallima_plan), intent(in) :: self
    integer, intent(in) :: side
    integer(c_int64_t), intent(out) :: first(:), step(:)
    integer(c_int64_t) :: begin(c_dims(self%handle)), by(c_dims(self%handle))
    integer(c_int) :: status
    begin = 0
    by = 1
    status = c_local_start(self%handle, int(side, c_int), begin, by)
    first = begin(size(begin):1:-1) + 1
    step = by(size(by):1:-1)
  end subroutine

  integer function exchanges(self)
    class(kallima_plan), intent(in) :: self
    exchanges = int(c_exchanges(self%handle))
  end function

  ! Which way it goes, and why. The text counts dimensions as C does.
  function explain(self) result(text)
    class(kallima_plan), intent(in) :: self
    character(:), allocatable :: text
    text = text_of(c_explain(self%handle))
  end function

  function layout(self, side) result(text)
    class(kallima_plan), intent(in) :: self
    integer, intent(in) :: side
    character(:), allocatable :: text
    text = text_of(c_layout(self%handle, int(side, c_int)))
  end function

end module
