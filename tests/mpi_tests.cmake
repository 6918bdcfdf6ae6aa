# tests/mpi on every MPI library there is: everything on 2 and 3 ranks, what depends on their number on more (and the
# random cases of tests/cli/test_fuzz.py on up to 12). What includes no header of MPI's is compiled once for all of them.
# A machine with fewer cores than ranks must be told that this is meant, and so must Open MPI when it runs as root, as
# it does in most containers.
file(GLOB candidates CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/mpi/*.cpp")
set(sources "")  # for one MPI library,
set(claims "")   # or for any
foreach(source IN LISTS candidates)
  file(STRINGS "${source}" headers REGEX "#include (\"kallima/mpi.hpp\"|<mpi.h>)")
  if(headers)
    list(APPEND sources "${source}")
  else()
    list(APPEND claims "${source}")
  endif()
endforeach()
set(KALLIMA_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe KALLIMA_CACHE=off)

# The program of tests/mpi for one MPI library, and the ctests that run it on each of `ranks` with gtest's `filter`.
function(kallima_add_mpi_program suffix library)
  kallima_add_test_program(test_mpi${suffix} SOURCES ${sources} LIBRARIES ${library} FAMILY ${library})
  target_sources(test_mpi${suffix} PRIVATE $<TARGET_OBJECTS:test_mpi_claims>)
endfunction()

function(kallima_add_mpi_tests suffix launcher filter)
  foreach(ranks IN LISTS ARGN)
    set(name mpi${suffix}_${ranks}_ranks)
    add_test(NAME ${name} COMMAND "${launcher}" -n ${ranks} $<TARGET_FILE:test_mpi${suffix}> --gtest_filter=${filter})
    set_tests_properties(${name} PROPERTIES
      TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

if(sources AND KALLIMA_HAVE_MPI)
  add_library(test_mpi_claims OBJECT ${claims})
  kallima_compile_as_test(test_mpi_claims claims)
  kallima_add_mpi_program("" kallima_mpi)
  kallima_add_mpi_tests("" "${MPIEXEC_EXECUTABLE}" "*" 2 3)
  kallima_add_mpi_tests("" "${MPIEXEC_EXECUTABLE}" "MpiFft*:MpiExact*" 1 6 7)
  kallima_add_mpi_tests("" "${MPIEXEC_EXECUTABLE}" "MpiFft.*group_cyclically*" 4 8)  # where it takes several exchanges
endif()
if(KALLIMA_HAVE_FFTW_MPI)
  kallima_add_test_program(test_fftw_mpi SOURCES fftw_mpi/fftw_mpi_test.cpp mpi/main.cpp
                           LIBRARIES kallima_mpi FFTW::double_mpi FAMILY kallima_mpi)
  foreach(ranks IN ITEMS 1 3 4)
    add_test(NAME fftw_mpi_${ranks}_ranks
             COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} $<TARGET_FILE:test_fftw_mpi>)
    set_tests_properties(fftw_mpi_${ranks}_ranks PROPERTIES
      TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
  endforeach()
endif()
if(sources AND KALLIMA_HAVE_MPICH)
  # MPICH spins where it waits, so that more ranks than cores take long: there only what differs between ranks is run,
  # and not what makes windows and communicators by the hundred, or goes through many shapes.
  kallima_add_mpi_program(_mpich kallima_mpich)
  kallima_add_mpi_tests(_mpich "${KALLIMA_MPICH_EXEC}" "*" 2)
  kallima_add_mpi_tests(_mpich "${KALLIMA_MPICH_EXEC}" "MpiFft*-*drop_their_plans*:*come_and_go*:*many_shapes*:*every_alltoall*:*prime_length*" 3)
endif()

# An example that says by its exit code whether it found the known solution.
if(TARGET example_poisson)
  foreach(ranks IN ITEMS 1 2 3 8)
    add_test(NAME example_poisson_${ranks}_ranks
      COMMAND "${MPIEXEC_EXECUTABLE}" -n ${ranks} $<TARGET_FILE:example_poisson>)
    set_tests_properties(example_poisson_${ranks}_ranks PROPERTIES
      TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
  endforeach()
endif()
