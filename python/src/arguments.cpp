#include "python/src/arguments.hpp"

namespace kallima::python {
namespace {

template <class Choice>
Choice chosen(const std::string& word, std::initializer_list<std::pair<const char*, Choice>> words, const char* what) {
  std::string known;
  for (const auto& [name, choice] : words) {
    if (word == name) return choice;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(std::string("there is no ") + what + " '" + word + "': use one of " + known);
}

}  // namespace

PlanArguments plan_arguments(const py::dict& given, int ranks) {
  const auto text = [&](const char* name) { return given[name].cast<std::string>(); };
  PlanArguments a;
  Problem& p = a.problem;
  p.shape = given["shape"].cast<Shape>();
  p.axes = given["axes"].cast<std::vector<int>>();
  p.precision = precision_named(text("precision"));
  p.data = given["real"].cast<bool>() ? Data::real_ : Data::complex_;
  for (const auto& kind : given["kinds"].cast<std::vector<std::string>>()) p.kinds.push_back(kind_named(kind));
  p.output = chosen<Output>(text("output"), {{"same", Output::same}, {"any", Output::any}}, "output");
  if (const std::string in = text("layout_in"); !in.empty()) p.in = layout_from_text(in, p.shape, ranks);
  if (const std::string out = text("layout_out"); !out.empty())
    p.out = layout_from_text(out, spectrum_shape(checked(p)), ranks);
  a.options.effort = chosen<Effort>(
      text("effort"), {{"estimate", Effort::estimate}, {"measure", Effort::measure}, {"patient", Effort::patient}},
      "effort");
  a.options.plan.route = text("route");
  a.options.wire = wire_named(text("wire"));
  return a;
}

}  // namespace kallima::python
