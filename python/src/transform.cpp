// Whole arrays. They are checked by the Python side, which keeps plans by shape, strides and type; here only pointers
// are taken.

#include "python/src/transform.hpp"

#include <cmath>

namespace kallima::python {
namespace {

Problem problem_of(const Shape& shape, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
                   const std::string& precision) {
  Problem problem{.shape = shape, .axes = axes, .precision = precision_named(precision)};
  problem.data = real ? Data::real_ : Data::complex_;
  for (const std::string& kind : kinds) problem.kinds.push_back(kind_named(kind));
  return problem;
}

// False where `in` is not aligned: the caller copies it.
bool run(const Transform& transform, const py::array& in, const py::array& out, int norm) {
  const void* const from = in.data();
  void* const to = const_cast<void*>(out.data());  // the caller's own, which it has just made
  if (!transform.is_aligned(from)) return false;
  const py::gil_scoped_release released;
  transform.fft.run(from, to, transform.scales[norm]);
  return true;
}

}  // namespace

Transform::Transform(const Shape& shape, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
                     const std::string& precision, bool backward, const std::vector<Index>& strides_in,
                     const std::vector<Index>& strides_out, int workers)
    : fft(problem_of(shape, axes, kinds, real, precision), backward ? Direction::backward : Direction::forward,
          strides_in, strides_out, workers),
      alignment(cpu_backend(precision_named(precision))->element().alignment) {
  const auto points = static_cast<long double>(fft.points());
  scales[0] = 1;
  scales[1] = 1 / std::sqrt(points);
  scales[2] = 1 / points;
}

void bind_transform(py::module_& module) {
  py::class_<Transform>(module, "Transform", py::module_local(), "A transform of whole arrays of one shape and type.")
      .def(py::init<const Shape&, const std::vector<int>&, const std::vector<std::string>&, bool, const std::string&,
                    bool, const std::vector<Index>&, const std::vector<Index>&, int>())
      .def("run", &run)
      .def_property_readonly("workers", [](const Transform& t) { return t.fft.threads(); });
}

}  // namespace kallima::python
