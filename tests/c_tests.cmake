# Programs in C: tests/c/c_test.c uses no MPI, fftw_mpi_test.c holds the C interface against FFTW-MPI.
if(NOT CMAKE_C_COMPILER)
  message(STATUS "Kallima: no C compiler found; the tests of the C interface are left out")
  return()
endif()
set(CMAKE_C_STANDARD 11)

add_executable(test_c c/c_test.c)
target_link_libraries(test_c PRIVATE kallima::c m)
add_test(NAME c COMMAND test_c)

if(KALLIMA_HAVE_FFTW_MPI)
  add_executable(test_c_fftw_mpi c/fftw_mpi_test.c)
  target_link_libraries(test_c_fftw_mpi PRIVATE kallima::c_mpi FFTW::double_mpi MPI::MPI_CXX m)
  foreach(ranks IN ITEMS 1 3 4)
    add_test(NAME c_fftw_mpi_${ranks}_ranks COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} $<TARGET_FILE:test_c_fftw_mpi>)
    set_tests_properties(c_fftw_mpi_${ranks}_ranks PROPERTIES
      TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
  endforeach()
endif()
