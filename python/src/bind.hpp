#pragma once
// The two extension modules of the Python package: _core, and _core_mpi, which is the same linked with MPI. What both
// have in common is defined here; types are local to each, so that they do not meet.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "kallima/kallima.hpp"

namespace kallima::python {

namespace py = pybind11;

void bind_transform(py::module_& module);    // of whole arrays
void bind_calls(py::module_& module);        // of whole arrays, made before
void bind_distributed(py::module_& module);  // of arrays that ranks have parts of
void bind_laboratory(py::module_& module);   // predictions and traces
void bind_all(py::module_& module);

Precision precision_named(const std::string& real);  // NumPy's f, d, g
Kind kind_named(const std::string& name);            // fourier, dct1, ..., dst4

}  // namespace kallima::python
