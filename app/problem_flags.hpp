#pragma once
// What is to be transformed, as the command line says it: kinds, axes and layouts.

#include <CLI/App.hpp>
#include <string>

#include "app/options.hpp"

namespace kallima::cli {

struct ProblemFlags {
  std::string kind = "c2c";
  std::string axes;
  std::string in = "any";
  std::string out;  // empty: as Output says
};

enum class LayoutFlags { in_out, in_layout_out_layout };  // where --in and --out are files, layouts have longer names

void add_problem_flags(CLI::App& app, ProblemFlags& flags, LayoutFlags names);

std::string kind_name(Kind kind);
std::string kind_text(const Problem& problem);  // of a checked one: c2c, r2c, dct2, or one word per axis

// Checked. Whatever is wrong with it is a UsageError.
Problem problem_from(const ProblemFlags& flags, const Shape& shape, int ranks, Output output = Output::same);

// Its parts, for one whose shape is not yet known in full. The first does not check the axes.
void set_axes_and_kinds(Problem& problem, const ProblemFlags& flags);
void set_layouts(Problem& problem, const ProblemFlags& flags, int ranks);

std::optional<Layout> layout_from(const std::string& text, const std::string& flag, const Shape& shape, int ranks);

}  // namespace kallima::cli
