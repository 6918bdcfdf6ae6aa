// Calls that were made before. What a caller gives (an array's make, axes, norm, workers) is a row of numbers, and a
// table finds the transform for it: no Python runs between the call and the kernels. Whatever is unusual is not found
// here, and goes the long way, which checks everything and remembers the call.

#include <algorithm>
#include <array>
#include <unordered_map>

#include "python/src/transform.hpp"

namespace kallima::python {
namespace {

constexpr std::size_t most_numbers = 48;
constexpr std::size_t most_calls = 256;
constexpr Index short_enough = 1024;  // elements: letting others run meanwhile would take longer

thread_local int default_workers = 1;

struct CallKey {
  std::array<Index, most_numbers> numbers;
  std::size_t count = 0;
  bool fits = true;

  void add(Index number) {
    if (count < most_numbers)
      numbers[count++] = number;
    else
      fits = false;
  }
  bool operator==(const CallKey& other) const {
    return std::equal(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(count), other.numbers.begin(),
                      other.numbers.begin() + static_cast<std::ptrdiff_t>(other.count));
  }
};

struct CallHash {
  std::size_t operator()(const CallKey& key) const {
    std::size_t h = key.count;
    for (std::size_t i = 0; i < key.count; ++i) {
      h = (h ^ static_cast<std::size_t>(key.numbers[i])) * 0x9E3779B97F4A7C15u;
      h ^= h >> 29;
    }
    return h;
  }
};

struct Known {
  py::object transform, type_in, type_out;  // the first type stays, so that its address means it
  const Transform* run = nullptr;
  std::vector<Py_intptr_t> shape = {};
  int norm = 0;
};

std::unordered_map<CallKey, Known, CallHash>& known_calls() {
  static auto* const calls = new std::unordered_map<CallKey, Known, CallHash>;  // Python objects do not outlive Python
  return *calls;
}

bool add_norm(CallKey& key, PyObject* norm) {
  if (norm == Py_None) {
    key.add(0);
    return true;
  }
  constexpr const char* names[] = {"backward", "ortho", "forward"};
  for (Index i = 0; i < 3; ++i)
    if (PyUnicode_Check(norm) && PyUnicode_CompareWithASCIIString(norm, names[i]) == 0) {
      key.add(i);
      return true;
    }
  return false;
}

bool add_integer(CallKey& key, PyObject* number) {
  if (!PyLong_CheckExact(number)) return false;
  int overflow = 0;
  key.add(PyLong_AsLongAndOverflow(number, &overflow));
  return overflow == 0;
}

// Lengths or axes: none, one, or several.
bool add_integers(CallKey& key, PyObject* numbers) {
  if (numbers == Py_None) {
    key.add(-1);
    return true;
  }
  if (!PyTuple_CheckExact(numbers) && !PyList_CheckExact(numbers)) {
    key.add(-2);
    return add_integer(key, numbers);
  }
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(numbers);
  key.add(count);
  for (Py_ssize_t i = 0; i < count; ++i)
    if (!add_integer(key, PySequence_Fast_GET_ITEM(numbers, i))) return false;
  return true;
}

// The row of numbers of (code, x, lengths, axes, norm, workers); false where something is unusual.
bool make_key(CallKey& key, PyObject* const* args) {
  const auto& api = py::detail::npy_api::get();
  PyObject* const x = args[1];
  if (Py_TYPE(x) != api.PyArray_Type_ || !add_integer(key, args[0])) return false;
  const auto* const array = py::detail::array_proxy(x);
  key.add(static_cast<Index>(reinterpret_cast<std::uintptr_t>(array->descr)));
  key.add(array->nd);
  for (int d = 0; d < array->nd && key.fits; ++d) {
    key.add(array->dimensions[d]);
    key.add(array->strides[d]);
  }
  if (!add_integers(key, args[2]) || !add_integers(key, args[3]) || !add_norm(key, args[4])) return false;
  if (args[5] == Py_None)
    key.add(default_workers);
  else if (!add_integer(key, args[5]))
    return false;
  return key.fits;
}

// again(code, x, lengths, axes, norm, workers): the result, or None where the call is not known.
PyObject* again(PyObject*, PyObject* const* args, Py_ssize_t count) {
  CallKey key;
  if (count != 6 || !make_key(key, args)) Py_RETURN_NONE;
  const auto found = known_calls().find(key);
  if (found == known_calls().end()) Py_RETURN_NONE;
  const Known& known = found->second;
  const void* const from = py::detail::array_proxy(args[1])->data;
  if (!known.run->is_aligned(from)) Py_RETURN_NONE;
  const auto& api = py::detail::npy_api::get();
  PyObject* const out =
      api.PyArray_NewFromDescr_(api.PyArray_Type_, known.type_out.inc_ref().ptr(), static_cast<int>(known.shape.size()),
                                known.shape.data(), nullptr, nullptr, 0, nullptr);
  if (out == nullptr) return nullptr;
  void* const to = py::detail::array_proxy(out)->data;
  const Transform& transform = *known.run;
  const int norm = known.norm;
  try {
    if (transform.fft.points() < short_enough && transform.fft.threads() == 1) {
      transform.run(from, to, norm);
    } else {
      const py::object kept = known.transform;  // others may forget it meanwhile
      const py::gil_scoped_release released;
      transform.run(from, to, norm);
    }
  } catch (const std::exception& e) {
    Py_DECREF(out);
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
  return out;
}

void remember(const py::object& code, const py::object& x, const py::object& lengths, const py::object& axes,
              const py::object& norm, const py::object& workers, const py::object& transform, const py::array& out,
              int norm_index) {
  CallKey key;
  PyObject* const args[] = {code.ptr(), x.ptr(), lengths.ptr(), axes.ptr(), norm.ptr(), workers.ptr()};
  if (!make_key(key, args)) return;
  if (known_calls().size() >= most_calls) known_calls().clear();
  known_calls()[key] = {.transform = transform,
                        .type_in = x.attr("dtype"),
                        .type_out = out.dtype(),
                        .run = transform.cast<const Transform*>(),
                        .shape = {out.shape(), out.shape() + out.ndim()},
                        .norm = norm_index};
}

PyMethodDef again_method = {"again", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(again)), METH_FASTCALL,
                            "The result of a call that was made before, or None."};

}  // namespace

void bind_calls(py::module_& module) {
  module.add_object("again", py::reinterpret_steal<py::object>(PyCFunction_New(&again_method, nullptr)));
  module.def("remember", &remember);
  module.def("forget_calls", [] { known_calls().clear(); });
  module.def("default_workers", [] { return default_workers; });
  module.def("set_default_workers", [](int workers) { default_workers = workers; });
}

}  // namespace kallima::python
