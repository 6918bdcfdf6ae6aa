// The module that knows MPI. An mpi4py communicator is an object around an MPI_Comm, and mpi4py says where that stands.

#include "kallima/mpi.hpp"
#include "python/src/bind.hpp"

PYBIND11_MODULE(_core_mpi, module) {
  namespace py = pybind11;
  kallima::python::bind_all(module);
  module.def("mpi_comm", [](std::uintptr_t address) {
    const MPI_Comm comm = *reinterpret_cast<const MPI_Comm*>(address);
    const py::gil_scoped_release released;
    return kallima::mpi_comm(comm);
  });
  module.def("mpi_is_there", [] {
    int is = 0, was = 0;
    MPI_Initialized(&is);
    MPI_Finalized(&was);
    return is != 0 && was == 0;
  });
}
