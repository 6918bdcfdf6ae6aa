// The shared pieces of `kallima theory`: aligned tables for people, and the table of Comparisons that the papers on
// schedules and collectives fill.

#include "app/theory.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"

namespace kallima::cli {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t narrowest = 12;  // a first column that gives way stops here

std::vector<std::size_t> column_widths(const std::vector<TableColumn>& columns, const std::vector<TableRow>& rows,
                                       std::size_t width) {
  std::vector<std::size_t> widths;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t most = columns[i].title.size();
    for (const TableRow& row : rows) most = std::max(most, row.cells.at(i).size());
    widths.push_back(most);
    sum += most + (i == 0 ? 0 : gap);
  }
  if (sum > width) widths[0] = std::max(narrowest, widths[0] - std::min(widths[0], sum - width));
  return widths;
}

// Lines of at most `width`, broken at blanks where there are any.
std::vector<std::string> wrapped(std::string text, std::size_t width) {
  std::vector<std::string> lines;
  while (text.size() > width) {
    const std::size_t blank = text.rfind(' ', width);
    const bool found = blank != std::string::npos && blank > 0;
    lines.push_back(text.substr(0, found ? blank : width));
    text.erase(0, found ? blank + 1 : width);
  }
  lines.push_back(text);
  return lines;
}

std::string line_text(const std::vector<TableColumn>& columns, const std::vector<std::size_t>& widths,
                      const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(gap, ' ');
    line += columns[i].align == Align::left ? fmt::format("{:<{}}", cells[i], widths[i])
                                            : fmt::format("{:>{}}", cells[i], widths[i]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string row_text(const std::vector<TableColumn>& columns, const std::vector<std::size_t>& widths, TableRow row,
                     std::size_t width) {
  const std::vector<std::string> first = wrapped(row.cells[0], widths[0]);
  row.cells[0] = first[0];
  std::string text = line_text(columns, widths, row.cells);
  for (std::size_t i = 1; i < first.size(); ++i) text += first[i] + "\n";
  if (row.note.empty()) return text;
  for (const std::string& line : wrapped(row.note, width - 4)) text += "    " + line + "\n";
  return text;
}

std::string cell(const std::optional<double>& value) { return value ? short_number(*value) : "-"; }

nlohmann::json json_of(const std::optional<double>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

}  // namespace

std::string table_text(const std::vector<TableColumn>& columns, const std::vector<TableRow>& rows, std::size_t width) {
  const std::vector<std::size_t> widths = column_widths(columns, rows, width);
  std::vector<std::string> titles;
  for (const TableColumn& column : columns) titles.push_back(column.title);
  std::string text = line_text(columns, widths, titles);
  for (const TableRow& row : rows) text += row_text(columns, widths, row, width);
  return text;
}

std::string short_number(double value) { return fmt::format("{:.6g}", value); }

std::string agreement(const theory::Comparison& row) {
  if (!row.simulated) return "not simulated";
  const double simulated = *row.simulated;
  const bool printed = row.printed && theory::same(*row.printed, simulated);
  const bool corrected = row.corrected && theory::same(*row.corrected, simulated);
  if (printed && (corrected || !row.corrected)) return "as printed";
  if (corrected) return row.printed ? "as corrected" : "agrees";
  if (printed) return "as printed only";
  if (!row.exact && row.corrected && simulated != 0)
    return fmt::format("estimate {:+.1f} %", 100 * (*row.corrected / simulated - 1));
  return row.exact ? "differs" : "estimate";
}

std::string comparison_table(const std::vector<theory::Comparison>& rows) {
  const std::vector<TableColumn> columns{
      {"subject"},  {"parameters"}, {"printed", Align::right}, {"corrected", Align::right}, {"simulated", Align::right},
      {"agreement"}};
  std::vector<TableRow> lines;
  for (const theory::Comparison& row : rows)
    lines.push_back(
        {{row.subject, row.parameters, cell(row.printed), cell(row.corrected), cell(row.simulated), agreement(row)},
         row.note});
  return table_text(columns, lines);
}

std::string comparison_json(const std::vector<theory::Comparison>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const theory::Comparison& row : rows)
    all.push_back({{"subject", row.subject},
                   {"parameters", row.parameters},
                   {"printed", json_of(row.printed)},
                   {"corrected", json_of(row.corrected)},
                   {"simulated", json_of(row.simulated)},
                   {"exact", row.exact},
                   {"agreement", agreement(row)},
                   {"note", row.note}});
  return all.dump(2);
}

void add_theory(CLI::App& program, Crew& crew) {
  CLI::App* const app =
      program.add_subcommand("theory", "What papers on distributed FFTs print, beside what follows from their words");
  app->require_subcommand(1);
  app->footer(
      "Examples:\n  kallima theory sahay\n  kallima theory bsp --machine bsp:r=1,g=4,l=1000\n"
      "  kallima theory collectives\n  kallima theory exascale --figures .");
  add_theory_sahay(*app, crew);
  add_theory_bsp(*app, crew);
  add_theory_collectives(*app, crew);
  add_theory_exascale(*app, crew);
}

}  // namespace kallima::cli
