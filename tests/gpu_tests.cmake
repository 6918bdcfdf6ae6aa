# Tests that need a device have the label gpu. Without one they are reported as skipped, and say why: ctest -L gpu -V.
# Without a toolkit there is nothing to run.
if(NOT KALLIMA_HAVE_CUDA)
  message(STATUS "Kallima: no CUDA; the tests of the label gpu are left out")
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS gpu/*.cpp)
kallima_add_test_program(test_gpu SOURCES ${sources} LIBRARIES kallima_cuda)
add_test(NAME gpu COMMAND test_gpu)
set_tests_properties(gpu PROPERTIES LABELS gpu TIMEOUT 600 SKIP_REGULAR_EXPRESSION "no device: ")
if(TARGET program)
  # Ranks as threads; and as processes that open each other's memory, or that only share the host's.
  function(kallima_add_gpu_fuzz name environment)
    list(JOIN ARGN " " arguments)
    add_test(NAME ${name} COMMAND sh -c
      "out=$($0 fuzz --device cuda --max-ranks 4 ${arguments} 2>&1); code=$?; echo \"$out\"; case \"$out\" in *'there is no CUDA device'*) exit 77;; esac; exit $code" $<TARGET_FILE:program>)
    set_tests_properties(${name} PROPERTIES LABELS gpu TIMEOUT 600 SKIP_RETURN_CODE 77 ENVIRONMENT "${environment}")
  endfunction()
  kallima_add_gpu_fuzz(gpu_fuzz "KALLIMA_CUDA_IPC=on" --cases 300)
  if(KALLIMA_HAVE_MPI)
    kallima_add_gpu_fuzz(gpu_fuzz_mpi_in_place "KALLIMA_CUDA_IPC=on;${KALLIMA_MPI_ENVIRONMENT}" --cases 100 --transport mpi)
    kallima_add_gpu_fuzz(gpu_fuzz_mpi_pinned "KALLIMA_CUDA_IPC=off;${KALLIMA_MPI_ENVIRONMENT}" --cases 100 --transport mpi)
  endif()
endif()
