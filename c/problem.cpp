#include "c/problem.hpp"

#include <fmt/format.h>

namespace kallima::c {
namespace {

template <class Choice>
Choice chosen(int value, std::initializer_list<Choice> choices, const char* what) {
  if (value < 0 || at(value) >= choices.size())
    throw Error(
        fmt::format("there is no {} {} (there are 0 to {}): use one of kallima.h", what, value, choices.size() - 1));
  return choices.begin()[value];
}

Kind kind_named(kallima_kind kind) {
  using enum Kind;
  return chosen(static_cast<int>(kind), {fourier, dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4}, "kind");
}

template <class Number>
std::vector<Number> list(const Number* numbers, int count) {
  return numbers == nullptr ? std::vector<Number>() : std::vector<Number>(numbers, numbers + count);
}

std::optional<Layout> layout_named(const char* text, const Shape& shape, int ranks) {
  if (text == nullptr || *text == '\0') return {};
  return layout_from_text(text, shape, ranks);
}

}  // namespace

Problem problem_of(const kallima_problem& asked, int ranks) {
  const int dims = asked.dims;
  if (dims < 1 || asked.shape == nullptr)
    throw Error(fmt::format("the problem has {} dimensions and {} shape: give one extent per dimension", dims,
                            asked.shape == nullptr ? "no" : "a"));
  if (asked.axis_count < 0 || (asked.axis_count > 0 && asked.axes == nullptr))
    throw Error(fmt::format("the problem has {} axes and no list of them: give one, or 0 for all", asked.axis_count));
  Problem problem{.shape = Shape(asked.shape, asked.shape + dims)};
  problem.axes = list(asked.axis_count > 0 ? asked.axes : nullptr, asked.axis_count);
  problem.precision = chosen(static_cast<int>(asked.precision),
                             {Precision::double_, Precision::single_, Precision::long_double}, "precision");
  problem.data = chosen(static_cast<int>(asked.data), {Data::complex_, Data::real_}, "data");
  problem.output = asked.any_output != 0 ? Output::any : Output::same;
  for (const kallima_kind kind : list(asked.kinds, asked.axis_count > 0 ? asked.axis_count : dims))
    problem.kinds.push_back(kind_named(kind));
  problem.storage_in = {list(asked.order_in, dims), list(asked.padding_in, dims)};
  problem.storage_out = {list(asked.order_out, dims), list(asked.padding_out, dims)};
  problem.in = layout_named(asked.in, problem.shape, ranks);
  problem.out = layout_named(asked.out, spectrum_shape(checked(problem)), ranks);
  return problem;
}

Norm norm_named(kallima_norm norm) {
  return chosen(static_cast<int>(norm), {Norm::none, Norm::ortho, Norm::full}, "norm");
}

FftOptions options_of(const kallima_problem& asked) {
  FftOptions options;
  options.effort =
      chosen(static_cast<int>(asked.effort), {Effort::measure, Effort::estimate, Effort::patient}, "effort");
  if (asked.in_place != 0) options.plan.placement = Placement::in_place;
  if (asked.route != nullptr && *asked.route != '\0') options.plan.route = asked.route;
  if (asked.wire != nullptr && *asked.wire != '\0') options.wire = wire_named(asked.wire);
  return options;
}

}  // namespace kallima::c
