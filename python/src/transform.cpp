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

// What an orthogonal transform weighs. Its transpose, which is its inverse, does so at the other side.
Edges edges_of(const std::string& kind, bool before) {
  if (kind == "dct1") return {.first = true, .last = true};
  if (kind == (before ? "dct3" : "dct2")) return {.first = true};
  if (kind == (before ? "dst3" : "dst2")) return {.last = true};
  return {};
}

// Multiplies what has index `edge` along an axis.
template <class Item, class T>
void weigh(const Shape& shape, const std::vector<Index>& strides, std::size_t axis, Index edge, Item* first, T factor,
           std::size_t d = 0) {
  if (d == shape.size()) {
    *first *= factor;
    return;
  }
  const Index begin = d == axis ? edge : 0, end = d == axis ? edge + 1 : shape[d];
  for (Index i = begin; i < end; ++i) weigh(shape, strides, axis, edge, first + i * strides[d], factor, d + 1);
}

template <class T>
void weigh_edges(const Transform& t, const std::vector<Index>& strides, Edges edges, void* array, T factor) {
  const auto each = [&](auto* first) {
    for (std::size_t axis = 0; axis < t.shape.size(); ++axis) {
      if (t.is_mirrored[axis] && edges.first) weigh(t.shape, strides, axis, 0, first, factor);
      if (t.is_mirrored[axis] && edges.last) weigh(t.shape, strides, axis, t.shape[axis] - 1, first, factor);
    }
  };
  t.is_complex ? each(static_cast<std::complex<T>*>(array)) : each(static_cast<T*>(array));
}

template <class T>
void run_as(const Transform& t, const void* from, void* to, int norm) {
  const T root = std::sqrt(T(2));
  if (t.weighs_input()) weigh_edges<T>(t, t.strides_in, t.before, const_cast<void*>(from), root);
  t.fft.run(from, to, t.scales[norm]);
  if (t.whole != Whole::no) fill_in(t, static_cast<std::complex<T>*>(to));
  if (t.after.first || t.after.last) weigh_edges<T>(t, t.strides, t.after, to, 1 / root);
}

}  // namespace

void Transform::run(const void* from, void* to, int norm) const {
  switch (precision) {
    case Precision::single_:
      return run_as<float>(*this, from, to, norm);
    case Precision::double_:
      return run_as<double>(*this, from, to, norm);
    case Precision::long_double:
      return run_as<long double>(*this, from, to, norm);
  }
}

Transform::Transform(const Shape& of, const std::vector<int>& axes, const std::vector<std::string>& kinds, bool real,
                     const std::string& type, bool backward, const std::vector<Index>& of_input,
                     const std::vector<Index>& strides_out, int workers, Whole whole_spectrum, bool orthogonal)
    : fft(problem_of(of, axes, kinds, real, type), backward ? Direction::backward : Direction::forward, of_input,
          strides_out, workers),
      whole(whole_spectrum),
      precision(precision_named(type)),
      shape(of),
      strides(strides_out),
      is_mirrored(of.size(), false),
      halved(static_cast<std::size_t>(axes.back())),
      strides_in(of_input),
      is_complex(!real) {
  alignment = cpu_backend(precision)->element().alignment;
  for (const int axis : axes) is_mirrored[static_cast<std::size_t>(axis)] = true;
  const auto points = static_cast<long double>(fft.points());
  if (orthogonal) {
    before = edges_of(kinds.at(0), true);
    after = edges_of(kinds.at(0), false);
  }
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
                    bool, const std::vector<Index>&, const std::vector<Index>&, int, Whole, bool>())
      .def("run", &run)
      .def_property_readonly("workers", [](const Transform& t) { return t.fft.threads(); });
}

}  // namespace kallima::python
