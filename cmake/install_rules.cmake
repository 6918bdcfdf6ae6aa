# What `cmake --install` leaves: libraries, headers, programs, a CMake package with kallima::kallima, kallima::lab,
# kallima::mpi, kallima::c and kallima::c_mpi, and a pkg-config file for each. All of it finds its way relative to where it stands, so a prefix can be moved.
include(CMakePackageConfigHelpers)

set(KALLIMA_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/kallima")
set(KALLIMA_PC_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(KALLIMA_INSTALLED kallima kallima_lab)
if(KALLIMA_HAVE_MPI)
  list(APPEND KALLIMA_INSTALLED kallima_mpi)
endif()

install(TARGETS ${KALLIMA_INSTALLED} EXPORT kallimaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kallima" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "mpi.hpp" EXCLUDE PATTERN "job.hpp" EXCLUDE)
# Devices, in an export of their own: who does without them needs no toolkit.
install(TARGETS kallima_cuda EXPORT kallimaCudaTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT kallimaCudaTargets NAMESPACE kallima:: DESTINATION "${KALLIMA_CMAKE_DIR}")
# What C and Fortran need, in an export of its own: who has no C++ compiler can use it, too.
set(KALLIMA_C_INSTALLED kallima_c)
if(KALLIMA_HAVE_MPI)
  list(APPEND KALLIMA_C_INSTALLED kallima_c_mpi)
  install(FILES "${PROJECT_SOURCE_DIR}/c/include/kallima-mpi.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
install(TARGETS ${KALLIMA_C_INSTALLED} EXPORT kallimaCTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/c/include/kallima.h" "${PROJECT_SOURCE_DIR}/fortran/kallima.f90" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT kallimaCTargets NAMESPACE kallima:: DESTINATION "${KALLIMA_CMAKE_DIR}")

foreach(target IN ITEMS program program_mpich)
  if(TARGET ${target})
    install(TARGETS ${target} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()

install(EXPORT kallimaTargets NAMESPACE kallima:: DESTINATION "${KALLIMA_CMAKE_DIR}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kallimaConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/kallimaConfig.cmake" INSTALL_DESTINATION "${KALLIMA_CMAKE_DIR}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/kallimaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/kallimaConfig.cmake" "${PROJECT_BINARY_DIR}/kallimaConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindFFTW.cmake" DESTINATION "${KALLIMA_CMAKE_DIR}")

set(KALLIMA_PC_FFTW "")
if(KALLIMA_HAVE_FFTW)
  set(KALLIMA_PC_FFTW "fftw3 fftw3f fftw3l ")
endif()
set(KALLIMA_PC_FILES "")
foreach(library IN LISTS KALLIMA_FILE_LIBRARIES)
  string(APPEND KALLIMA_PC_FILES " ${library}")
endforeach()
file(RELATIVE_PATH KALLIMA_PC_PREFIX "/prefix/${KALLIMA_PC_DIR}" "/prefix")
configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima.pc.in" "${PROJECT_BINARY_DIR}/kallima.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima-lab.pc.in" "${PROJECT_BINARY_DIR}/kallima-lab.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/kallima.pc" "${PROJECT_BINARY_DIR}/kallima-lab.pc" DESTINATION "${KALLIMA_PC_DIR}")
foreach(target IN LISTS KALLIMA_C_INSTALLED)
  set(KALLIMA_PC_LIBRARY ${target})
  string(REPLACE "_" "-" name ${target})
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima-c.pc.in" "${PROJECT_BINARY_DIR}/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${name}.pc" DESTINATION "${KALLIMA_PC_DIR}")
endforeach()

if(KALLIMA_HAVE_MPI)
  list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND "-I" OUTPUT_VARIABLE KALLIMA_PC_MPI_CFLAGS)
  list(JOIN KALLIMA_PC_MPI_CFLAGS " " KALLIMA_PC_MPI_CFLAGS)
  list(JOIN MPI_CXX_LIBRARIES " " KALLIMA_PC_MPI_LIBS)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kallima-mpi.pc.in" "${PROJECT_BINARY_DIR}/kallima-mpi.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/kallima-mpi.pc" DESTINATION "${KALLIMA_PC_DIR}")
  install(FILES "${PROJECT_SOURCE_DIR}/include/kallima/mpi.hpp" "${PROJECT_SOURCE_DIR}/include/kallima/job.hpp"
          DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/kallima")
endif()
