# The libraries. `kallima` is what transforms need and knows no MPI; `kallima_lab` studies them: theory, butterflies node
# by node, collectives, the doctor, drawing. `kallima_mpi` is the few files that know MPI, and `kallima_mpich` the same
# files compiled against MPICH where the default is Open MPI.
file(GLOB_RECURSE KALLIMA_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cpp")
file(GLOB_RECURSE KALLIMA_LAB_SOURCES CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/lab/*.cpp" "${PROJECT_SOURCE_DIR}/src/draw/*.cpp")
list(REMOVE_ITEM KALLIMA_SOURCES ${KALLIMA_LAB_SOURCES})
list(FILTER KALLIMA_SOURCES EXCLUDE REGEX "/src/cuda/")  # a library of its own, where there is a toolkit
file(GLOB KALLIMA_MPI_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/transport/mpi*.cpp")
list(REMOVE_ITEM KALLIMA_SOURCES ${KALLIMA_MPI_SOURCES})
set(KALLIMA_NO_MPI_SOURCE "${PROJECT_SOURCE_DIR}/src/transport/mpi_none.cpp")
list(REMOVE_ITEM KALLIMA_MPI_SOURCES "${KALLIMA_NO_MPI_SOURCE}")

if(NOT KALLIMA_HAVE_FFTW)
  list(REMOVE_ITEM KALLIMA_SOURCES "${PROJECT_SOURCE_DIR}/src/kernel/fftw_lines.cpp")
endif()

# Optional parts are a file, and one that says that they are not there.
foreach(part IN ITEMS HDF5:hdf5 ZLIB:inflate)
  string(REPLACE ":" ";" part "${part}")
  list(GET part 0 library)
  list(GET part 1 source)
  if(KALLIMA_HAVE_${library})
    list(REMOVE_ITEM KALLIMA_SOURCES "${PROJECT_SOURCE_DIR}/src/file/${source}_none.cpp")
  else()
    list(REMOVE_ITEM KALLIMA_SOURCES "${PROJECT_SOURCE_DIR}/src/file/${source}.cpp")
  endif()
endforeach()

set(unused parallel)
if(KALLIMA_HAVE_PARALLEL_HDF5)
  set(unused serial)
elseif(NOT KALLIMA_HAVE_HDF5)
  set(unused parallel serial)
endif()
foreach(source IN LISTS unused)
  list(REMOVE_ITEM KALLIMA_SOURCES "${PROJECT_SOURCE_DIR}/src/file/hdf5_${source}.cpp")
endforeach()

# Codelets are one source, compiled for each instruction set, from the plainest to the best.
set(KALLIMA_CODELETS "${PROJECT_SOURCE_DIR}/src/kernel/cpu/codelets.cpp")
set(KALLIMA_RESIDUE_CODELETS "${PROJECT_SOURCE_DIR}/src/kernel/mod_p/residue_codelets.cpp")
set(KALLIMA_NODE_CODELETS "${PROJECT_SOURCE_DIR}/src/network/node_codelets.cpp")
list(REMOVE_ITEM KALLIMA_SOURCES "${KALLIMA_CODELETS}" "${KALLIMA_RESIDUE_CODELETS}" "${KALLIMA_NODE_CODELETS}")

file(GLOB KALLIMA_COLD_SOURCES CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/machine/*.cpp" "${PROJECT_SOURCE_DIR}/src/schedule/json_*.cpp"
  "${PROJECT_SOURCE_DIR}/src/trace/*.cpp" "${PROJECT_SOURCE_DIR}/src/layout/parse.cpp")
list(REMOVE_ITEM KALLIMA_SOURCES ${KALLIMA_COLD_SOURCES})

function(kallima_private_includes target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")
endfunction()

add_library(kallima STATIC ${KALLIMA_SOURCES})
add_library(kallima::kallima ALIAS kallima)
kallima_private_includes(kallima)
target_compile_features(kallima PUBLIC cxx_std_20)
target_include_directories(kallima PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(KALLIMA_HAVE_FFTW)
  target_link_libraries(kallima PRIVATE FFTW::double FFTW::float FFTW::long_double)
endif()
set(KALLIMA_FILE_LIBRARIES "")
if(KALLIMA_HAVE_HDF5)
  target_include_directories(kallima SYSTEM PRIVATE ${KALLIMA_HDF5_INCLUDES})
  # The interface is one that later versions have, too; a parallel HDF5's header includes MPI's.
  target_compile_definitions(kallima PRIVATE H5_USE_110_API OMPI_SKIP_MPICXX)
  list(APPEND KALLIMA_FILE_LIBRARIES ${KALLIMA_HDF5_LIBRARIES})
endif()
if(KALLIMA_HAVE_ZLIB)
  target_include_directories(kallima SYSTEM PRIVATE ${ZLIB_INCLUDE_DIRS})
  list(APPEND KALLIMA_FILE_LIBRARIES ${ZLIB_LIBRARIES})
endif()
target_link_libraries(kallima PRIVATE ${KALLIMA_FILE_LIBRARIES})
target_compile_definitions(kallima PRIVATE KALLIMA_HAVE_FFTW=$<BOOL:${KALLIMA_HAVE_FFTW}>)
target_link_libraries(kallima PRIVATE
  fmt::fmt Threads::Threads $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

include(codelets)

# What writes, reads and draws is not hot, and takes a third less time to build so. It is an object library because a
# precompiled header serves only those who compile as it was compiled.
add_library(kallima_cold OBJECT ${KALLIMA_COLD_SOURCES})
kallima_private_includes(kallima_cold)
target_include_directories(kallima_cold PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_link_libraries(kallima_cold PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
target_compile_options(kallima_cold PRIVATE $<$<CONFIG:Release>:-O1>)
target_sources(kallima PRIVATE $<TARGET_OBJECTS:kallima_cold>)

# Files of a folder are compiled together, since most of the time goes into what they all include; kernels by themselves.
set_target_properties(kallima kallima_cold PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
foreach(source IN LISTS KALLIMA_SOURCES KALLIMA_COLD_SOURCES)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  if(NOT folder STREQUAL "kernel" AND NOT folder STREQUAL "cpu")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}")
  endif()
endforeach()

# Most of the time a file takes to compile goes into these.
target_precompile_headers(kallima PRIVATE
  <algorithm> <complex> <functional> <map> <memory> <span> <string> <vector> <fmt/format.h>)
target_precompile_headers(kallima_cold PRIVATE
  <algorithm> <functional> <map> <memory> <span> <string> <vector> <fmt/format.h>)

add_library(kallima_lab STATIC ${KALLIMA_LAB_SOURCES})
add_library(kallima::lab ALIAS kallima_lab)
set_target_properties(kallima_lab PROPERTIES EXPORT_NAME lab)
kallima_private_includes(kallima_lab)
target_link_libraries(kallima_lab PUBLIC kallima PRIVATE fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
target_compile_options(kallima_lab PRIVATE $<$<CONFIG:Release>:-O1>)
set_target_properties(kallima_lab PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
target_precompile_headers(kallima_lab REUSE_FROM kallima_cold)

function(kallima_add_mpi_library target mpi launcher)
  add_library(${target} STATIC ${KALLIMA_MPI_SOURCES})
  kallima_private_includes(${target})
  target_link_libraries(${target} PUBLIC kallima ${mpi} PRIVATE fmt::fmt)
  # Our users include <mpi.h> through kallima/mpi.hpp and would otherwise need the old C++ bindings.
  target_compile_definitions(${target}
    PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX
    PRIVATE KALLIMA_MPIEXEC="${launcher}")
endfunction()

if(KALLIMA_HAVE_MPI AND NOT KALLIMA_MPI_SOURCES)
  set(KALLIMA_HAVE_MPI OFF)
  set(KALLIMA_HAVE_MPICH OFF)
  set(KALLIMA_HAVE_FFTW_MPI OFF)
endif()
if(KALLIMA_HAVE_MPI)
  kallima_add_mpi_library(kallima_mpi MPI::MPI_CXX "${MPIEXEC_EXECUTABLE}")
  add_library(kallima::mpi ALIAS kallima_mpi)
  set_target_properties(kallima_mpi PROPERTIES EXPORT_NAME mpi)
endif()
if(KALLIMA_HAVE_MPICH)
  kallima_add_mpi_library(kallima_mpich PkgConfig::MPICH "${KALLIMA_MPICH_EXEC}")
endif()

# What programs that may run without MPI link in its place.
if(EXISTS "${KALLIMA_NO_MPI_SOURCE}")
  add_library(kallima_no_mpi STATIC EXCLUDE_FROM_ALL "${KALLIMA_NO_MPI_SOURCE}")
  kallima_private_includes(kallima_no_mpi)
  target_link_libraries(kallima_no_mpi PUBLIC kallima PRIVATE fmt::fmt)
endif()
