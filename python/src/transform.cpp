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
  transform.run(from, to, norm);
  return true;
}

// Calls row(here, there) for the lines along dimension t.halved: where they begin, and those at the opposite indices.
void each_line(const Transform& t, std::size_t d, Index here, Index there, const auto& row) {
  if (d == t.shape.size()) return row(here, there);
  if (d == t.halved) return each_line(t, d + 1, here, there, row);
  for (Index i = 0; i < t.shape[d]; ++i)
    each_line(t, d + 1, here + i * t.strides[d],
              there + (t.is_mirrored[d] && i > 0 ? t.shape[d] - i : i) * t.strides[d], row);
}

template <class T>
void fill_in(const Transform& t, std::complex<T>* to) {
  const Index n = t.shape[t.halved], stride = t.strides[t.halved];
  if (t.whole == Whole::conjugated)
    each_line(t, 0, 0, 0, [&](Index here, Index) {
      for (Index k = 0; k <= n / 2; ++k) to[here + k * stride] = std::conj(to[here + k * stride]);
    });
  each_line(t, 0, 0, 0, [&](Index here, Index there) {
    for (Index k = n / 2 + 1; k < n; ++k) to[here + k * stride] = std::conj(to[there + (n - k) * stride]);
  });
}

}  // namespace

void Transform::run(const void* from, void* to, int norm) const {
  fft.run(from, to, scales[norm]);
  if (whole == Whole::no) return;
  switch (precision) {
    case Precision::single_:
      return fill_in(*this, static_cast<std::complex<float>*>(to));
    case Precision::double_:
      return fill_in(*this, static_cast<std::complex<double>*>(to));
    case Precision::long_double:
      return fill_in(*this, static_cast<std::complex<long double>*>(to));
  }
}

Transform::Transform(const Shape& of, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
                     const std::string& type, bool backward, const std::vector<Index>& strides_in,
                     const std::vector<Index>& strides_out, int workers, Whole whole_spectrum)
    : fft(problem_of(of, axes, kinds, real, type), backward ? Direction::backward : Direction::forward, strides_in,
          strides_out, workers),
      whole(whole_spectrum),
      precision(precision_named(type)),
      shape(of),
      strides(strides_out),
      is_mirrored(of.size(), false),
      halved(static_cast<std::size_t>(axes.back())) {
  alignment = cpu_backend(precision)->element().alignment;
  for (const int axis : axes) is_mirrored[static_cast<std::size_t>(axis)] = true;
  const auto points = static_cast<long double>(fft.points());
  scales[0] = 1;
  scales[1] = 1 / std::sqrt(points);
  scales[2] = 1 / points;
}

void bind_transform(py::module_& module) {
  py::enum_<Whole>(module, "Whole", py::module_local(), "Whether reals give their whole spectrum, or its conjugate.")
      .value("no", Whole::no)
      .value("yes", Whole::yes)
      .value("conjugated", Whole::conjugated);
  py::class_<Transform>(module, "Transform", py::module_local(), "A transform of whole arrays of one shape and type.")
      .def(py::init<const Shape&, const std::vector<int>&, const std::vector<std::string>&, bool, const std::string&,
                    bool, const std::vector<Index>&, const std::vector<Index>&, int, Whole>())
      .def("run", &run)
      .def_property_readonly("workers", [](const Transform& t) { return t.fft.threads(); });
}

}  // namespace kallima::python
