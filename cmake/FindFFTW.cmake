# Finds FFTW 3 as imported targets, one per component: FFTW::double, FFTW::float, FFTW::long_double, and the first two
# with _threads or _mpi behind them. Installed beside kallimaConfig.cmake, since a static library's users must link what
# it uses.
include(FindPackageHandleStandardArgs)

find_path(FFTW_INCLUDE_DIR fftw3.h)
find_path(FFTW_MPI_INCLUDE_DIR fftw3-mpi.h HINTS "${FFTW_INCLUDE_DIR}")
mark_as_advanced(FFTW_INCLUDE_DIR FFTW_MPI_INCLUDE_DIR)

foreach(_component IN ITEMS double float long_double double_threads float_threads double_mpi float_mpi)
  string(REGEX REPLACE "^double" "fftw3" _name "${_component}")
  string(REGEX REPLACE "^float" "fftw3f" _name "${_name}")
  string(REGEX REPLACE "^long_double" "fftw3l" _name "${_name}")
  find_library(FFTW_${_component}_LIBRARY NAMES ${_name} HINTS "${FFTW_INCLUDE_DIR}/../lib")
  mark_as_advanced(FFTW_${_component}_LIBRARY)
  set(FFTW_${_component}_FOUND FALSE)
  if(FFTW_${_component}_LIBRARY AND FFTW_INCLUDE_DIR AND (NOT _component MATCHES "_mpi$" OR FFTW_MPI_INCLUDE_DIR))
    set(FFTW_${_component}_FOUND TRUE)
    if(NOT TARGET FFTW::${_component})
      add_library(FFTW::${_component} UNKNOWN IMPORTED)
      set_target_properties(FFTW::${_component} PROPERTIES
        IMPORTED_LOCATION "${FFTW_${_component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${FFTW_INCLUDE_DIR}")
      string(REGEX REPLACE "_(threads|mpi)$" "" _base "${_component}")
      if(NOT _base STREQUAL _component)
        set_target_properties(FFTW::${_component} PROPERTIES INTERFACE_LINK_LIBRARIES FFTW::${_base})
      endif()
    endif()
  endif()
endforeach()

find_package_handle_standard_args(FFTW REQUIRED_VARS FFTW_INCLUDE_DIR HANDLE_COMPONENTS)
