#pragma once
// `kallima theory`: what the papers print beside what follows from their own words. One subcommand per paper, each in
// its own file; here is what they share, a table whose columns fit a terminal and a line of it for every Comparison.

#include <CLI/App.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "app/crew.hpp"
#include "kallima/theory.hpp"

namespace kallima::cli {

void add_theory_sahay(CLI::App& theory, Crew& crew);
void add_theory_bsp(CLI::App& theory, Crew& crew);
void add_theory_collectives(CLI::App& theory, Crew& crew);
void add_theory_exascale(CLI::App& theory, Crew& crew);

enum class Align { left, right };

struct TableColumn {
  std::string title;
  Align align = Align::left;
};

struct TableRow {
  std::vector<std::string> cells;
  std::string note = {};  // below the row, indented and wrapped
};

inline constexpr std::size_t table_width = 120;

// Columns are as wide as their longest cell; if they do not fit, the first gives way and its cells are wrapped.
std::string table_text(const std::vector<TableColumn>& columns, const std::vector<TableRow>& rows,
                       std::size_t width = table_width);

// Which of the two forms the simulation agrees with, or by how much an estimate is off.
std::string agreement(const theory::Comparison& row);

std::string comparison_table(const std::vector<theory::Comparison>& rows);
std::string comparison_json(const std::vector<theory::Comparison>& rows);  // an array of objects

std::string short_number(double value);  // six digits, no trailing zeros

}  // namespace kallima::cli
