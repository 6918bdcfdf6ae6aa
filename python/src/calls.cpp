// Calls that were made before. What a caller gives (an array's make, axes, norm, workers) is a row of numbers, and a
// table finds the transform for it: no Python runs between the call and the kernels. Whatever is unusual is not found
// here, and goes the long way, which checks everything and remembers the call.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
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
  Index item = 0;     // bytes of a number that is given
  Shape filled = {};  // what the array is cut and filled up with zeros to, in C's order; empty: it is taken as it is
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

// A part of an array: its first byte, extents and strides in bytes.
struct View {
  const char* first;
  const Py_intptr_t *extents, *strides;
};

// What both have, from `row` on and in dimensions from d on, into zeros of `shape`.
void fill(char* to, const Shape& shape, std::size_t d, const View& from, const char* row, Index item) {
  if (d == shape.size()) {
    std::memcpy(to, row, static_cast<std::size_t>(item));
    return;
  }
  const Index both = std::min<Index>(shape[d], from.extents[d]);
  if (d + 1 == shape.size() && from.strides[d] == item) {
    std::memcpy(to, row, static_cast<std::size_t>(both * item));
    return;
  }
  Index step = item;
  for (std::size_t k = d + 1; k < shape.size(); ++k) step *= shape[k];
  for (Index i = 0; i < both; ++i) fill(to + i * step, shape, d + 1, from, row + i * from.strides[d], item);
}

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};

// A call as it was made before, of an array of the same make.
void run_again(const Known& known, const View& from, void* to) {
  if (known.filled.empty()) return known.run->run(from.first, to, known.norm);
  std::size_t count = 1;
  for (const Index n : known.filled) count *= static_cast<std::size_t>(n);
  const std::unique_ptr<void, Freed> zeros(std::calloc(count, static_cast<std::size_t>(known.item)));
  if (zeros == nullptr) throw std::bad_alloc();
  fill(static_cast<char*>(zeros.get()), known.filled, 0, from, from.first, known.item);
  known.run->run(zeros.get(), to, known.norm);
}

// again(code, x, lengths, axes, norm, workers): the result, or None where the call is not known.
PyObject* again(PyObject*, PyObject* const* args, Py_ssize_t count) {
  CallKey key;
  if (count != 6 || !make_key(key, args)) Py_RETURN_NONE;
  const auto found = known_calls().find(key);
  if (found == known_calls().end()) Py_RETURN_NONE;
  const Known& known = found->second;
  const auto* const array = py::detail::array_proxy(args[1]);
  const View from{array->data, array->dimensions, array->strides};
  if (known.filled.empty() && !known.run->is_aligned(from.first)) Py_RETURN_NONE;
  const auto& api = py::detail::npy_api::get();
  PyObject* const out =
      api.PyArray_NewFromDescr_(api.PyArray_Type_, known.type_out.inc_ref().ptr(), static_cast<int>(known.shape.size()),
                                known.shape.data(), nullptr, nullptr, 0, nullptr);
  if (out == nullptr) return nullptr;
  void* const to = py::detail::array_proxy(out)->data;
  try {
    if (known.run->fft.points() < short_enough && known.run->fft.threads() == 1) {
      run_again(known, from, to);
    } else {
      const Known kept = known;  // others may forget it meanwhile
      const py::gil_scoped_release released;
      run_again(kept, from, to);
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
              int norm_index, const Shape& filled) {
  CallKey key;
  PyObject* const args[] = {code.ptr(), x.ptr(), lengths.ptr(), axes.ptr(), norm.ptr(), workers.ptr()};
  if (!make_key(key, args)) return;
  if (known_calls().size() >= most_calls) known_calls().clear();
  known_calls()[key] = {.transform = transform,
                        .type_in = x.attr("dtype"),
                        .type_out = out.dtype(),
                        .run = transform.cast<const Transform*>(),
                        .shape = {out.shape(), out.shape() + out.ndim()},
                        .norm = norm_index,
                        .item = x.attr("itemsize").cast<Index>(),
                        .filled = filled};
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
