# tests/mpi on every MPI library there is and on each of KALLIMA_RANK_COUNTS. A machine with fewer cores than ranks must
# be told that this is meant, and so must Open MPI when it runs as root, as it does in most containers.
file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/mpi/*.cpp")
set(KALLIMA_MPI_ENVIRONMENT
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
  OMPI_MCA_mpi_yield_when_idle=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
  PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe)

function(kallima_add_mpi_tests suffix library launcher)
  kallima_add_test_program(test_mpi${suffix} SOURCES ${sources} LIBRARIES ${library} PRECOMPILE_ALONE)
  foreach(ranks IN LISTS KALLIMA_RANK_COUNTS)
    set(name mpi${suffix}_${ranks}_ranks)
    add_test(NAME ${name} COMMAND "${launcher}" -n ${ranks} $<TARGET_FILE:test_mpi${suffix}>)
    set_tests_properties(${name} PROPERTIES
      TIMEOUT 300 RUN_SERIAL TRUE LABELS mpi ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

if(sources AND KALLIMA_HAVE_MPI)
  kallima_add_mpi_tests("" kallima_mpi "${MPIEXEC_EXECUTABLE}")
endif()
if(sources AND KALLIMA_HAVE_MPICH)
  kallima_add_mpi_tests(_mpich kallima_mpich "${KALLIMA_MPICH_EXEC}")
endif()
