# The Fortran module, where there is a compiler for it and MPI knows that: the example, and tests/fortran beside FFTW-MPI's
# own Fortran interface.
if(NOT KALLIMA_HAVE_FORTRAN)
  message(STATUS "Kallima: no Fortran compiler with MPI found; the Fortran module is not tested (Debian: gfortran)")
  return()
endif()
function(kallima_add_fortran_test name ranks target)
  add_test(NAME ${name}_${ranks}_ranks COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} $<TARGET_FILE:${target}>)
  set_tests_properties(${name}_${ranks}_ranks PROPERTIES
    TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
endfunction()
kallima_add_fortran_test(example_fortran_slabs 3 example_fortran_slabs)

find_file(KALLIMA_FFTW_FORTRAN fftw3-mpi.f03 HINTS "${FFTW_MPI_INCLUDE_DIR}")
if(KALLIMA_HAVE_FFTW_MPI AND KALLIMA_FFTW_FORTRAN)
  cmake_path(GET KALLIMA_FFTW_FORTRAN PARENT_PATH includes)
  add_executable(test_fortran fortran/fftw_mpi_test.f90)
  target_include_directories(test_fortran PRIVATE "${includes}")
  target_link_libraries(test_fortran PRIVATE kallima_fortran FFTW::double_mpi)
  foreach(ranks IN ITEMS 1 3 4)
    kallima_add_fortran_test(fortran_fftw_mpi ${ranks} test_fortran)
  endforeach()
endif()
