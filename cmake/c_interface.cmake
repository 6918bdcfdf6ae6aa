# The C interface, as shared libraries, so that programs in C and Fortran need not know what C++ needs: `kallima_c`, and
# `kallima_c_mpi`, which has all of that and communicators from MPI. What they are made of stays inside.
include(CheckLanguage)
check_language(C)  # for examples and tests
if(CMAKE_C_COMPILER)
  enable_language(C)
endif()

file(GLOB KALLIMA_C_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/c/*.cpp")
set(KALLIMA_C_MPI_SOURCE "${PROJECT_SOURCE_DIR}/c/mpi.cpp")
list(REMOVE_ITEM KALLIMA_C_SOURCES "${KALLIMA_C_MPI_SOURCE}")

add_library(kallima_c_objects OBJECT ${KALLIMA_C_SOURCES})
target_include_directories(kallima_c_objects PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(kallima_c_objects PRIVATE kallima fmt::fmt)
target_compile_definitions(kallima_c_objects PRIVATE KALLIMA_VERSION="${PROJECT_VERSION}")
set_target_properties(kallima_c_objects PROPERTIES CXX_VISIBILITY_PRESET hidden UNITY_BUILD ON)

function(kallima_add_c_library target)
  add_library(${target} SHARED $<TARGET_OBJECTS:kallima_c_objects>)
  target_link_libraries(${target} PRIVATE ${ARGN} fmt::fmt)
  target_link_options(${target} PRIVATE "LINKER:--exclude-libs,ALL")
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/c/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} CXX_VISIBILITY_PRESET hidden)
  string(REPLACE "kallima_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(kallima::${name} ALIAS ${target})
endfunction()

kallima_add_c_library(kallima_c kallima)
if(KALLIMA_HAVE_MPI)
  kallima_add_c_library(kallima_c_mpi kallima_mpi)
  target_sources(kallima_c_mpi PRIVATE "${KALLIMA_C_MPI_SOURCE}")
  target_include_directories(kallima_c_mpi PRIVATE "${PROJECT_SOURCE_DIR}")
endif()
