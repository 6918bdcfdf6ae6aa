// Predictions and traces, which show themselves: as text, as a picture, and as a file for ui.perfetto.dev.

#include <fmt/format.h>

#include <algorithm>

#include "kallima/lab.hpp"
#include "python/src/arguments.hpp"

namespace kallima::python {
namespace {

struct Prediction {
  Simulation simulation;
  std::string machine, explanation;
  int exchanges = 0;
};

// Planned for ranks that send messages, as on a machine of many nodes.
std::unique_ptr<Plan> planned(const py::dict& given, int ranks) {
  PlanArguments a = plan_arguments(given, ranks);
  a.options.plan.exchange = Exchange::messages;
  return plan(a.problem, ranks, a.options.plan);
}

Direction direction_of(bool backward) { return backward ? Direction::backward : Direction::forward; }

Prediction predict(const py::dict& given, int ranks, const std::string& machine_text, bool backward) {
  const Machine machine = machine_from_text(machine_text);
  const std::unique_ptr<Plan> way = planned(given, ranks);
  const py::gil_scoped_release released;
  const SimulateOptions options{.trace = true};
  return {simulate(way->schedule(direction_of(backward)), machine, options), text(machine), way->explanation(),
          way->exchanges()};
}

py::object hidden_of(const Trace& trace) {
  const std::optional<double> share = hidden_share(trace);
  return share ? py::object(py::float_(*share)) : py::none();
}

std::string svg(const Trace& trace, const std::string& title) {
  return draw_gantt(std::span(&trace, 1), {.title = title});
}

std::string words_of(const Prediction& p) {
  return fmt::format("Prediction({:.4g} {} on {}: {} exchanges, {:.0f} % hidden)", p.simulation.completion,
                     p.simulation.unit, p.machine, p.exchanges, 100 * hidden_share(p.simulation.trace).value_or(0));
}

}  // namespace

void bind_laboratory(py::module_& module) {
  py::class_<Trace>(module, "Trace", py::module_local(), "What ran where, from when to when.")
      .def_readonly("ranks", &Trace::ranks)
      .def_readonly("unit", &Trace::unit)
      .def_property_readonly("duration", [](const Trace& t) { return makespan(t); })
      .def_property_readonly("hidden", &hidden_of,
                             "Share of the exchange that hid behind computing; None where nothing is sent.")
      .def_property_readonly("events",
                             [](const Trace& t) {
                               py::list all;
                               for (const Event& e : t.events)
                                 all.append(py::make_tuple(e.rank, e.label, e.begin, e.end, e.peer, e.elements));
                               return all;
                             })
      .def("perfetto", &to_perfetto_json, "JSON for ui.perfetto.dev.")
      .def("svg", &svg, py::arg("title") = "")
      .def("__str__", [](const Trace& t) { return draw_text(t); })
      .def("_repr_svg_", [](const Trace& t) { return svg(t, ""); });
  py::class_<Prediction>(module, "Prediction", py::module_local(), "What a transform would take on a machine.")
      .def_property_readonly("time", [](const Prediction& p) { return p.simulation.completion; })
      .def_property_readonly("unit", [](const Prediction& p) { return p.simulation.unit; })
      .def_property_readonly("messages", [](const Prediction& p) { return p.simulation.messages; })
      .def_property_readonly("words", [](const Prediction& p) { return p.simulation.words; })
      .def_property_readonly("hidden", [](const Prediction& p) { return hidden_of(p.simulation.trace); })
      .def_property_readonly("trace", [](const Prediction& p) { return p.simulation.trace; })
      .def_readonly("machine", &Prediction::machine)
      .def_readonly("explanation", &Prediction::explanation)
      .def_readonly("exchanges", &Prediction::exchanges)
      .def("__repr__", &words_of)
      .def("_repr_svg_", [](const Prediction& p) { return svg(p.simulation.trace, p.explanation); });
  module.def("predict", &predict);
  module.def("schedule_json", [](const py::dict& given, int ranks, bool backward) {
    return to_json(planned(given, ranks)->schedule(direction_of(backward)));
  });
  module.def("machine_json", [](const std::string& text) { return to_json(machine_from_text(text)); });
}

}  // namespace kallima::python
