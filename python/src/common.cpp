// Words, and errors: Kallima's are ValueErrors in Python.

#include "python/src/bind.hpp"

namespace kallima::python {

Precision precision_named(const std::string& real) {
  if (real == "f") return Precision::single_;
  if (real == "d") return Precision::double_;
  if (real == "g") return Precision::long_double;
  throw Error("there is no precision '" + real +
              "' (of reals there are f, d and g): pass float32, float64 or longdouble");
}

Kind kind_named(const std::string& name) {
  constexpr const char* names[] = {"fourier", "", "", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2", "dst3", "dst4"};
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (!name.empty() && name == names[i]) return static_cast<Kind>(i);
  throw Error("there is no kind '" + name + "': use fourier, dct1 to dct4, dst1 to dst4");
}

namespace {

// Where the fields of NumPy 2's types are only later versions of pybind11 know.
void check_numpy() {
  constexpr int first_for_numpy_2 = 0x020C0000;
  const auto version = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (PYBIND11_VERSION_HEX < first_for_numpy_2 && version.find("1.") != 0)
    throw py::import_error(
        "this kallima_fft was built with pybind11 " PYBIND11_TOSTRING(PYBIND11_VERSION_MAJOR) "." PYBIND11_TOSTRING(
            PYBIND11_VERSION_MINOR) ", which does not know NumPy " +
        version + ": build it with 2.12 or later (pip install . does)");
}

}  // namespace

void bind_all(py::module_& module) {
  check_numpy();
  py::register_local_exception_translator([](std::exception_ptr error) {
    try {
      if (error) std::rethrow_exception(error);
    } catch (const Error& e) {
      PyErr_SetString(PyExc_ValueError, e.what());
    }
  });
  bind_transform(module);
  bind_calls(module);
  bind_laboratory(module);
  bind_distributed(module);
  module.def("instruction_set", &instruction_set);
}

}  // namespace kallima::python
