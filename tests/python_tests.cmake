# Tests written in Python: the programs of tests/cli/*.py, which drive the built program and compare with NumPy, and the
# two that examine the repository itself and need Python only.
find_program(KALLIMA_SYSTEM_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(KALLIMA_OTHER_PYTHON NAMES python3)
set(KALLIMA_NUMPY_PYTHON "")
foreach(python IN ITEMS "${KALLIMA_SYSTEM_PYTHON}" "${KALLIMA_OTHER_PYTHON}")
  if(python AND NOT KALLIMA_NUMPY_PYTHON)
    set(KALLIMA_PLAIN_PYTHON "${python}")
    execute_process(COMMAND "${python}" -c "import numpy" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(KALLIMA_NUMPY_PYTHON "${python}")
    endif()
  endif()
endforeach()
if(NOT KALLIMA_PLAIN_PYTHON)
  message(STATUS "Kallima: no python3 found; the cli, architecture and install tests are left out")
  return()
endif()

file(GLOB scripts CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/cli/*.py")
if(scripts AND NOT KALLIMA_NUMPY_PYTHON)
  message(STATUS "Kallima: no Python with NumPy found; the cli tests are left out (Debian: python3-numpy)")
elseif(scripts AND TARGET program)
  set(environment "KALLIMA_BIN=$<TARGET_FILE:program>" "KALLIMA_TAYLOR_GREEN=$<TARGET_FILE:example_taylor_green>"
      ${KALLIMA_MPI_ENVIRONMENT})
  if(TARGET program_mpich)
    list(APPEND environment "KALLIMA_MPICH_BIN=$<TARGET_FILE:program_mpich>")
  endif()
  set(mpi_programs "")
  if(TARGET test_mpi)
    list(APPEND mpi_programs "${MPIEXEC_EXECUTABLE}" $<TARGET_FILE:test_mpi>)
  endif()
  if(TARGET test_mpi_mpich)
    list(APPEND mpi_programs "${KALLIMA_MPICH_EXEC}" $<TARGET_FILE:test_mpi_mpich>)
  endif()
  list(JOIN mpi_programs "\\;" mpi_programs)
  list(APPEND environment "KALLIMA_TEST_MPI=${mpi_programs}")
  foreach(script IN LISTS scripts)
    file(STRINGS "${script}" is_program REGEX "__main__")
    if(NOT is_program)
      continue()  # what the others import
    endif()
    get_filename_component(name "${script}" NAME_WE)
    string(REGEX REPLACE "^(test|cli)_|_test$" "" name "${name}")
    add_test(NAME cli_${name} COMMAND "${KALLIMA_NUMPY_PYTHON}" "${script}")
    set_tests_properties(cli_${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "${environment}")
  endforeach()
  # These look at how long something takes.
  set_tests_properties(cli_hide cli_netlab PROPERTIES RUN_SERIAL TRUE)
endif()

# MPI's include directories are for the one public header and the few internal ones that need them.
add_test(NAME architecture COMMAND "${KALLIMA_PLAIN_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/architecture/check.py"
  --root "${PROJECT_SOURCE_DIR}" --compiler "${CMAKE_CXX_COMPILER}"
  --mpi-includes "${MPI_CXX_INCLUDE_DIRS}" --self-test)
add_test(NAME install COMMAND "${KALLIMA_PLAIN_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/install/check.py"
  --build "${PROJECT_BINARY_DIR}" --cmake "${CMAKE_COMMAND}" --compiler "${CMAKE_CXX_COMPILER}")
set_tests_properties(architecture install PROPERTIES TIMEOUT 300 ENVIRONMENT "${KALLIMA_MPI_ENVIRONMENT}")
