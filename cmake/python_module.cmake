# The Python package kallima_fft: two extension modules, _core and, where there is MPI, _core_mpi, which are the same
# objects linked twice, beside the sources of python/kallima_fft. In the build tree the package stands whole in
# python/; `pip install .` installs the component `python`.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
  OUTPUT_VARIABLE KALLIMA_PYBIND11_DIR OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(pybind11 CONFIG REQUIRED HINTS "${KALLIMA_PYBIND11_DIR}")

file(GLOB KALLIMA_PYTHON_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
list(FILTER KALLIMA_PYTHON_SOURCES EXCLUDE REGEX "/(mpi_)?module\\.cpp$")
add_library(kallima_python_objects OBJECT ${KALLIMA_PYTHON_SOURCES})
target_link_libraries(kallima_python_objects PUBLIC kallima_lab pybind11::headers Python::Module fmt::fmt)
target_include_directories(kallima_python_objects PUBLIC "${PROJECT_SOURCE_DIR}")
set_target_properties(kallima_python_objects PROPERTIES CXX_VISIBILITY_PRESET hidden)

set(KALLIMA_PYTHON_PACKAGE "${PROJECT_BINARY_DIR}/python/kallima_fft")
function(kallima_add_python_module name source)
  Python_add_library(${name} MODULE WITH_SOABI "${PROJECT_SOURCE_DIR}/python/src/${source}")
  target_link_libraries(${name} PRIVATE kallima_python_objects ${ARGN} fmt::fmt)
  target_link_options(${name} PRIVATE "LINKER:--exclude-libs,ALL")
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${KALLIMA_PYTHON_PACKAGE}")
  install(TARGETS ${name} LIBRARY DESTINATION kallima_fft COMPONENT python EXCLUDE_FROM_ALL)
endfunction()

kallima_add_python_module(_core module.cpp kallima)
add_custom_target(kallima_python DEPENDS _core)
if(KALLIMA_HAVE_MPI)
  kallima_add_python_module(_core_mpi mpi_module.cpp kallima_mpi)
  add_dependencies(kallima_python _core_mpi)
endif()

file(GLOB KALLIMA_PYTHON_FILES CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python/kallima_fft"
  "${PROJECT_SOURCE_DIR}/python/kallima_fft/*.py*" "${PROJECT_SOURCE_DIR}/python/kallima_fft/py.typed")
foreach(file IN LISTS KALLIMA_PYTHON_FILES)
  if(NOT IS_DIRECTORY "${PROJECT_SOURCE_DIR}/python/kallima_fft/${file}")
    configure_file("${PROJECT_SOURCE_DIR}/python/kallima_fft/${file}" "${KALLIMA_PYTHON_PACKAGE}/${file}" COPYONLY)
  endif()
endforeach()
