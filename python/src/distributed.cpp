// Arrays of which every rank has a part: AnyFft as Python sees it.

#include "python/src/arguments.hpp"

namespace kallima::python {
namespace {

// A transform that has begun keeps its plan and its arrays.
struct Running {
  std::shared_ptr<AnyFft> fft;
  std::optional<AnyPending> pending;
  py::object in, out;
  std::shared_ptr<Trace> recorded;

  bool test() {
    const py::gil_scoped_release released;
    return !pending || pending->test();
  }
  py::object wait() {
    const py::gil_scoped_release released;
    if (pending) pending->wait();
    pending.reset();
    return out;
  }
};

std::span<std::byte> bytes_of(const py::array& array) {
  if ((array.flags() & py::array::c_style) == 0) throw Error("an array is not contiguous: pass one that is");
  return {static_cast<std::byte*>(const_cast<void*>(array.data())), static_cast<std::size_t>(array.nbytes())};
}

Norm norm_of(int norm) { return static_cast<Norm>(norm); }

struct Distributed {
  std::shared_ptr<AnyFft> fft;
  std::shared_ptr<Trace> recorded = {};  // where what it does is recorded

  Distributed(const py::dict& given, const Comm& comm) {
    const PlanArguments a = plan_arguments(given, comm.size());
    const py::gil_scoped_release released;
    fft = std::make_shared<AnyFft>(a.problem, comm, a.options);
  }
  ~Distributed() {
    if (recorded) fft->record(nullptr);
  }
  void run(bool backward, const py::array& in, const py::array& out, int norm) const {
    const std::span<const std::byte> from = bytes_of(in);
    const std::span<std::byte> to = bytes_of(out);
    const py::gil_scoped_release released;
    backward ? fft->backward(from, to, norm_of(norm)) : fft->forward(from, to, norm_of(norm));
  }
  void run_many(bool backward, const std::vector<py::array>& in, const std::vector<py::array>& out, int norm) const {
    std::vector<ArrayIn> from;
    std::vector<ArrayOut> to;
    for (const py::array& array : in) from.emplace_back(std::span<const std::byte>(bytes_of(array)));
    for (const py::array& array : out) to.emplace_back(bytes_of(array));
    const py::gil_scoped_release released;
    backward ? fft->backward_many(from, to, norm_of(norm)) : fft->forward_many(from, to, norm_of(norm));
  }
  std::unique_ptr<Running> start(bool backward, py::array in, py::array out, int norm) const {
    auto running = std::make_unique<Running>(Running{fft, {}, in, out, recorded});
    const std::span<const std::byte> from = bytes_of(in);
    const std::span<std::byte> to = bytes_of(out);
    const py::gil_scoped_release released;
    running->pending.emplace(backward ? fft->start_backward(from, to, norm_of(norm))
                                      : fft->start_forward(from, to, norm_of(norm)));
    return running;
  }

  void record() {
    recorded = std::make_shared<Trace>();
    fft->record(recorded.get());
  }
  Trace stop_recording() {  // of all ranks; collective
    fft->record(nullptr);
    const std::shared_ptr<Trace> mine = recorded ? std::exchange(recorded, nullptr) : std::make_shared<Trace>();
    const py::gil_scoped_release released;
    return gather(fft->comm(), *mine);
  }

  Layout layout(bool out) const { return out ? fft->layout_out() : fft->layout_in(); }
  bool is_real(bool out) const { return (out ? fft->plan().data_out() : fft->plan().data_in()) == Data::real_; }
  std::vector<std::tuple<Index, Index, Index>> owned(bool out) const {
    std::vector<std::tuple<Index, Index, Index>> result;
    for (const Progression& p : layout(out).owned(fft->comm().rank())) result.emplace_back(p.first, p.step, p.count);
    return result;
  }
};

}  // namespace

void bind_distributed(py::module_& module) {
  py::class_<Comm>(module, "Comm", py::module_local())
      .def(py::init<>())
      .def_property_readonly("rank", &Comm::rank)
      .def_property_readonly("size", &Comm::size);
  py::class_<Running>(module, "Pending", py::module_local(), "A transform that has begun.")
      .def("test", &Running::test, "Move on; True when the result is there.")
      .def("wait", &Running::wait, "Return the result when it is there.");
  py::class_<Distributed>(module, "Distributed", py::module_local())
      .def(py::init<const py::dict&, const Comm&>())
      .def("run", &Distributed::run)
      .def("run_many", &Distributed::run_many)
      .def("start", &Distributed::start)
      .def("record", &Distributed::record)
      .def("stop_recording", &Distributed::stop_recording)
      .def("global_shape", [](const Distributed& d, bool out) { return d.layout(out).shape(); })
      .def("layout", [](const Distributed& d, bool out) { return layout_to_text(d.layout(out)); })
      .def("owned", &Distributed::owned)
      .def("is_real", &Distributed::is_real)
      .def("explanation", [](const Distributed& d) { return d.fft->plan().explanation(); })
      .def("route", [](const Distributed& d) { return d.fft->plan().options().route; })
      .def("exchanges", [](const Distributed& d) { return d.fft->plan().exchanges(); })
      .def("workspace_bytes", [](const Distributed& d) { return d.fft->workspace_bytes(); });
}

}  // namespace kallima::python
