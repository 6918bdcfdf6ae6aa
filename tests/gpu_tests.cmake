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
  add_test(NAME gpu_fuzz COMMAND sh -c
    "out=$($0 fuzz --device cuda --cases 300 --max-ranks 4 2>&1); code=$?; echo \"$out\"; case \"$out\" in *'there is no CUDA device'*) exit 77;; esac; exit $code" $<TARGET_FILE:program>)
  set_tests_properties(gpu_fuzz PROPERTIES LABELS gpu TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
