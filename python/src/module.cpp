#include "python/src/bind.hpp"

PYBIND11_MODULE(_core, module) { kallima::python::bind_all(module); }
