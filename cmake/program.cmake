# The command line program. Everything but main() is a library that is compiled once and linked once per MPI library,
# since it sees MPI only through the transport. What measures (bench/), FFTW as a rival included, is linked in here and
# never into the library users link.
file(GLOB KALLIMA_APP_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/app/*.cpp")
set(KALLIMA_MAIN_SOURCE "${PROJECT_SOURCE_DIR}/app/main.cpp")
list(REMOVE_ITEM KALLIMA_APP_SOURCES "${KALLIMA_MAIN_SOURCE}")
if(NOT KALLIMA_APP_SOURCES)
  return()
endif()
file(GLOB KALLIMA_BENCH_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/(rival_fftw_mpi(_none)?|peak_loop)\\.cpp$")
if(KALLIMA_HAVE_FFTW)
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_fftw_none\\.cpp$")
else()
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_fftw(_kind|_lines)?\\.cpp$")
endif()
if(KALLIMA_HAVE_GMP)
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_gmp_none\\.cpp$")
else()
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_gmp\\.cpp$")
endif()
# Sorting is a rival's own code, compiled here: at its best, and libstdc++'s parallel one where there is OpenMP.
find_package(OpenMP COMPONENTS CXX QUIET)
if(OpenMP_CXX_FOUND)
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_sort_parallel_none\\.cpp$")
else()
  list(FILTER KALLIMA_BENCH_SOURCES EXCLUDE REGEX "/rival_sort_parallel\\.cpp$")
endif()
set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/rival_sort.cpp" PROPERTIES
  COMPILE_OPTIONS -O3 SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/rival_sort_parallel.cpp" PROPERTIES
  COMPILE_OPTIONS "-O3;${OpenMP_CXX_FLAGS}" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)

find_package(CLI11 REQUIRED)

add_library(kallima_cli STATIC ${KALLIMA_APP_SOURCES} ${KALLIMA_BENCH_SOURCES})
target_include_directories(kallima_cli PUBLIC "${PROJECT_SOURCE_DIR}")  # for app/ and bench/; src/ is none of their business
target_compile_options(kallima_cli PRIVATE $<$<CONFIG:Release>:-O1>)  # a third less time to build; what is hot is in the library
target_link_libraries(kallima_cli PUBLIC
  kallima_lab kallima_cuda fmt::fmt nlohmann_json::nlohmann_json CLI11::CLI11 Threads::Threads)
if(KALLIMA_HAVE_FFTW)
  target_link_libraries(kallima_cli PUBLIC FFTW::double_threads FFTW::float_threads)
endif()
if(KALLIMA_HAVE_GMP)
  target_include_directories(kallima_cli PRIVATE "${KALLIMA_GMP_INCLUDE}")
  target_link_libraries(kallima_cli PUBLIC "${KALLIMA_GMP_LIBRARY}")
endif()
if(OpenMP_CXX_FOUND)
  target_link_libraries(kallima_cli PUBLIC ${OpenMP_CXX_LIBRARIES})
endif()
target_compile_definitions(kallima_cli PUBLIC KALLIMA_VERSION="${PROJECT_VERSION}")
# Not CLI11: whoever includes it compiles its global objects again, which takes longer than everything else.
target_precompile_headers(kallima_cli PRIVATE
  <algorithm> <complex> <functional> <string> <vector> <fmt/format.h> <nlohmann/json.hpp>)
# Files together: the headers that all commands include are then compiled a few times, not sixty. CLI11 is all headers,
# so that those who use it are two groups, one for each of two cores.
set_target_properties(kallima_cli PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
set(turn 0)
foreach(source IN LISTS KALLIMA_APP_SOURCES KALLIMA_BENCH_SOURCES)
  file(STRINGS "${source}" headers REGEX "#include (<CLI/|\"app/(bench_job|commands|device|laboratory|options|problem_flags|theory)\.hpp\")")
  math(EXPR turn "(${turn} + 1) % 2")
  if(headers)
    set(group commands_${turn})
  else()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    set(group ${folder}_${turn})
  endif()
  set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
endforeach()

# What a processor can compute at best depends on its instructions, so that loop is compiled for each set, as codelets are.
foreach(isa IN LISTS KALLIMA_ISAS)
  set(target kallima_peak_${isa})
  add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/bench/peak_loop.cpp")
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(${target} PRIVATE KALLIMA_ISA=${isa})
  target_compile_options(${target} PRIVATE ${KALLIMA_FLAGS_${isa}})
  target_sources(kallima_cli PRIVATE $<TARGET_OBJECTS:${target}>)
endforeach()
set_source_files_properties("${PROJECT_SOURCE_DIR}/bench/roofline.cpp" PROPERTIES
  COMPILE_DEFINITIONS "KALLIMA_INSTRUCTION_SETS=${KALLIMA_INSTRUCTION_SETS}")

# The rival that needs FFTW's MPI library, and what stands in for it where there is none. They are objects because they
# use the measuring tools of kallima_cli and are used by them.
function(kallima_add_rival target source)
  if(EXISTS "${PROJECT_SOURCE_DIR}/bench/${source}")
    add_library(${target} OBJECT "${PROJECT_SOURCE_DIR}/bench/${source}")
    target_link_libraries(${target} PUBLIC kallima_cli ${ARGN})
  else()
    add_library(${target} INTERFACE)
  endif()
endfunction()
kallima_add_rival(kallima_rival_none rival_fftw_mpi_none.cpp)
set(KALLIMA_RIVAL kallima_rival_none)
if(KALLIMA_HAVE_FFTW_MPI)
  kallima_add_rival(kallima_rival_mpi rival_fftw_mpi.cpp kallima_mpi FFTW::double_mpi FFTW::float_mpi)
  set(KALLIMA_RIVAL kallima_rival_mpi)
endif()

if(NOT EXISTS "${KALLIMA_MAIN_SOURCE}")
  message(STATUS "Kallima: no app/main.cpp; the program is left out")
  return()
endif()
add_library(kallima_main OBJECT "${KALLIMA_MAIN_SOURCE}")
target_compile_options(kallima_main PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_libraries(kallima_main PUBLIC kallima_cli)

function(kallima_add_program target output rival mpi)
  add_executable(${target})
  target_link_libraries(${target} PRIVATE kallima_main kallima_cli ${rival} ${mpi})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${output})
endfunction()

# The library owns the target name `kallima`, so the programs' targets are `program` and `program_mpich`.
if(KALLIMA_HAVE_MPI)
  kallima_add_program(program kallima ${KALLIMA_RIVAL} kallima_mpi)
elseif(TARGET kallima_no_mpi)
  kallima_add_program(program kallima kallima_rival_none kallima_no_mpi)
else()
  kallima_add_program(program kallima kallima_rival_none kallima)
endif()
add_custom_target(programs DEPENDS program)
if(KALLIMA_HAVE_MPICH)
  kallima_add_program(program_mpich kallima-mpich kallima_rival_none kallima_mpich)
  add_dependencies(programs program_mpich)
endif()
