# What the machine has. MPI comes in up to two flavours: the default one, and MPICH beside it where the default is
# Open MPI, so that both are tested on one machine.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
set(KALLIMA_HAVE_FFTW OFF)
if(KALLIMA_FFTW)
  find_package(FFTW COMPONENTS double float long_double double_threads float_threads
               OPTIONAL_COMPONENTS double_mpi float_mpi)
  if(FFTW_FOUND)
    set(KALLIMA_HAVE_FFTW ON)
  endif()
endif()

set(KALLIMA_HAVE_MPI OFF)
set(KALLIMA_HAVE_MPICH OFF)
set(KALLIMA_HAVE_FFTW_MPI OFF)

if(KALLIMA_SANITIZE)
  message(STATUS "Kallima: MPI is left out of a sanitizer build (MPI libraries are not instrumented)")
elseif(KALLIMA_MPI)
  # The C++ bindings of old MPI libraries are of no use to us, and their header does not pass our warnings.
  set(MPI_CXX_SKIP_MPICXX TRUE)
  find_package(MPI COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(KALLIMA_HAVE_MPI ON)
  else()
    message(STATUS "Kallima: no MPI found; building with threads only")
  endif()
endif()

if(KALLIMA_HAVE_MPI)
  include(CheckCXXSymbolExists)
  set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
  check_cxx_symbol_exists(OPEN_MPI "mpi.h" KALLIMA_MPI_IS_OPEN_MPI)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()

if(KALLIMA_HAVE_MPI AND KALLIMA_MPI_IS_OPEN_MPI)
  # Debian builds FFTW's MPI library against Open MPI.
  if(KALLIMA_HAVE_FFTW AND TARGET FFTW::double_mpi AND TARGET FFTW::float_mpi)
    set(KALLIMA_HAVE_FFTW_MPI ON)
  endif()
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(MPICH IMPORTED_TARGET mpich)
  endif()
  find_program(KALLIMA_MPICH_EXEC NAMES mpirun.mpich mpiexec.mpich mpiexec.hydra)
  if(TARGET PkgConfig::MPICH AND KALLIMA_MPICH_EXEC)
    set(KALLIMA_HAVE_MPICH ON)
  endif()
endif()
message(STATUS "Kallima: MPI ${KALLIMA_HAVE_MPI}, MPICH beside it ${KALLIMA_HAVE_MPICH}, "
               "FFTW to compare with ${KALLIMA_HAVE_FFTW}, its MPI library ${KALLIMA_HAVE_FFTW_MPI}")
