// Kinds are named as FFTW's users and SciPy's know them. One word stands for all axes; c2r is r2c seen from the other
// end, since a Problem is always that of the forward transform.

#include "app/problem_flags.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "app/check.hpp"
#include "kallima/array_file.hpp"

namespace kallima::cli {
namespace {

constexpr std::array<std::pair<const char*, Kind>, 8> cosines{{{"dct1", Kind::dct1},
                                                               {"dct2", Kind::dct2},
                                                               {"dct3", Kind::dct3},
                                                               {"dct4", Kind::dct4},
                                                               {"dst1", Kind::dst1},
                                                               {"dst2", Kind::dst2},
                                                               {"dst3", Kind::dst3},
                                                               {"dst4", Kind::dst4}}};

bool is_real(const std::string& word) { return word == "r2c" || word == "c2r"; }

Kind kind_named(const std::string& word, const std::string& all) {
  if (word == "c2c" || is_real(word)) return Kind::fourier;
  for (const auto& [name, kind] : cosines)
    if (word == name) return kind;
  throw UsageError(
      fmt::format("--kind {} is not understood ('{}' is no transform) use c2c, r2c, c2r, dct1 to dct4, "
                  "dst1 to dst4, or a list of these with one for each axis",
                  all, word));
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<int> axes_from(const std::string& text) {
  std::vector<int> axes;
  if (text.empty()) return axes;
  for (const Index axis : parse_numbers(text, "--axes")) {
    if (std::abs(axis) > static_cast<Index>(array_dimension_limit))
      throw UsageError(fmt::format("--axes {} is impossible (axis {}) arrays have at most {} dimensions", text, axis,
                                   array_dimension_limit));
    axes.push_back(static_cast<int>(axis));
  }
  return axes;
}

// Reals unless a word says that all is complex; of several Fourier axes of reals the last is the one that is halved.
void set_kinds(Problem& problem, const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::size_t axes = problem.axes.empty() ? problem.shape.size() : problem.axes.size();
  if (words.size() != 1 && words.size() != axes)
    throw UsageError(
        fmt::format("--kind {} has {} words for {} axes: give one for all, or one for each", text, words.size(), axes));
  for (std::size_t i = 0; i < axes; ++i)
    problem.kinds.push_back(kind_named(words.size() == 1 ? words[0] : words[i], text));
  const bool complex = std::find(words.begin(), words.end(), "c2c") != words.end();
  const bool real = std::any_of(words.begin(), words.end(), is_real);
  if (complex && real)
    throw UsageError(
        fmt::format("--kind {} is contradictory (c2c takes complex numbers, r2c reals) say r2c for every "
                    "Fourier axis of reals; the last of them is halved",
                    text));
  problem.data = complex ? Data::complex_ : Data::real_;
}

}  // namespace

void add_problem_flags(CLI::App& app, ProblemFlags& flags, LayoutFlags names) {
  const bool longer = names == LayoutFlags::in_layout_out_layout;
  app.add_option("--kind", flags.kind,
                 "c2c (default), r2c or c2r (between reals and half of their spectrum), dct1 to dct4, dst1 to dst4 "
                 "(FFTW's, unscaled), or a list with one for each axis")
      ->type_name("KIND");
  app.add_option("--axes", flags.axes, "Axes to transform; default: all; -1 is the last")->type_name("0,2");
  app.add_option(longer ? "--in-layout" : "--in", flags.in,
                 "Where the input lies: any (default), block:4x2x1, cyclic:4x1x1, group:4x6/2x1, slab[:AXIS], "
                 "pencil[:AXIS], brick or boxes:FILE")
      ->type_name("LAYOUT");
  app.add_option(longer ? "--out-layout" : "--out", flags.out,
                 "Where the result shall lie: the same words; default: where the input lies")
      ->type_name("LAYOUT");
}

std::string kind_name(Kind kind) {
  for (const auto& [name, known] : cosines)
    if (kind == known) return name;
  return "fourier";
}

std::string kind_text(const Problem& problem) {
  std::vector<std::string> words;
  for (const Kind kind : problem.kinds)
    words.push_back(kind != Kind::fourier ? kind_name(kind) : problem.data == Data::real_ ? "r2c" : "c2c");
  const bool alike = std::all_of(words.begin(), words.end(), [&](const std::string& w) { return w == words[0]; });
  return alike ? words[0] : fmt::format("{}", fmt::join(words, ","));
}

std::optional<Layout> layout_from(const std::string& text, const std::string& flag, const Shape& shape, int ranks) {
  if (text.empty() || text == "any") return std::nullopt;
  try {
    return layout_from_text(text, shape, ranks);
  } catch (const Error& error) {
    throw UsageError(fmt::format("{} is impossible: {}", flag, error.what()));
  }
}

void set_axes_and_kinds(Problem& problem, const ProblemFlags& flags) {
  problem.axes = axes_from(flags.axes);
  set_kinds(problem, flags.kind);
}

void set_layouts(Problem& problem, const ProblemFlags& flags, int ranks) {
  problem.in = layout_from(flags.in, "the layout of the input", problem.shape, ranks);
  problem.out = layout_from(flags.out, "the layout of the result", spectrum_shape(checked(problem)), ranks);
  if (flags.out == "any") problem.output = Output::any;
}

Problem problem_from(const ProblemFlags& flags, const Shape& shape, int ranks, Output output) {
  Problem problem{.shape = shape, .output = output};
  set_axes_and_kinds(problem, flags);
  try {
    problem = checked(problem);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  set_layouts(problem, flags, ranks);
  return problem;
}

}  // namespace kallima::cli
