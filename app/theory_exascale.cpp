// `kallima theory exascale`: every number of Czechowski et al. 2012 that can be computed, computed. The table says
// where the paper's equations lead to its numbers, where they do not, and what it rests on that is measured.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/theory.hpp"
#include "app/theory_hindsight.hpp"
#include "kallima/exascale.hpp"
#include "kallima/figures.hpp"
#include "kallima/theory.hpp"

namespace kallima::cli {

namespace {

using exascale::Claim;
using exascale::Verdict;

struct ExascaleFlags {
  RunFlags run;  // --json only
  double n = exascale::problem_side;
  std::string figures;
};

constexpr const char* paper =
    "Czechowski et al. 2012, On the communication complexity of 3D FFTs and its implications for exascale";

constexpr const char* explanation = R"({}
Computed from its equations with the values it prints for 2020, n = {:.0f}. A claim agrees where the computed number
rounds to the printed digits, and is within inputs where it would if they were off by half a unit of their last digit.
Fits after the fact are readings of equation (2) that are not in the paper and were chosen to come near section 6: the
16 bytes of a word applied twice, and then also log n to the base Z/L, the cache in lines, without max().
)";

constexpr const char* theory_exascale_examples = R"(Examples:
  kallima theory exascale                        every claim, printed and computed
  kallima theory exascale --json claims.json     the same for a program to read
  kallima theory exascale --figures .            figure5.svg and figure6.svg, drawn from the equations)";

std::string difference_text(const std::optional<double>& difference) {
  if (!difference) return "-";
  return *difference < 1 ? fmt::format("{:+.2f} %", 100 * *difference) : fmt::format("{:.1f} times", 1 + *difference);
}

TableRow row_of(const Claim& c) {
  const std::string computed = c.computed ? theory::number_text(*c.computed) : "-";
  return {{c.claim, c.where, c.printed, computed, c.unit, difference_text(c.difference), text(c.verdict)}, c.note};
}

std::string section_text(const std::string& section, const std::vector<Claim>& claims) {
  const std::vector<TableColumn> columns{{section},
                                         {"where"},
                                         {"printed", Align::right},
                                         {"computed", Align::right},
                                         {"unit"},
                                         {"difference", Align::right},
                                         {"verdict"}};
  std::vector<TableRow> rows;
  for (const Claim& claim : claims)
    if (claim.section == section) rows.push_back(row_of(claim));
  return table_text(columns, rows);
}

long count(const std::vector<Claim>& claims, Verdict verdict) {
  return std::count_if(claims.begin(), claims.end(), [=](const Claim& c) { return c.verdict == verdict; });
}

// Claims of an order of magnitude or a bound, which say less than digits do.
long count_loose(const std::vector<Claim>& claims) {
  return std::count_if(claims.begin(), claims.end(), [](const Claim& c) {
    return c.verdict == Verdict::agrees && c.printed.find_first_of("~<>") == 0;
  });
}

std::string summary(const std::vector<Claim>& claims) {
  const long loose = count_loose(claims);
  return fmt::format(
      "{} claims: {} agree to the printed digits, {} as the bound or order of magnitude they are,\n{} within the "
      "rounding of inputs; {} do not follow, {} are not derivable.",
      claims.size(), count(claims, Verdict::agrees) - loose, loose, count(claims, Verdict::within_inputs),
      count(claims, Verdict::differs), count(claims, Verdict::given));
}

void print_claims(std::FILE* to, const ExascaleFlags& flags, const std::vector<Claim>& claims) {
  fmt::print(to, explanation, paper, flags.n);
  std::string last;
  for (const Claim& claim : claims) {
    if (claim.section != last) fmt::print(to, "\n{}", section_text(claim.section, claims));
    last = claim.section;
  }
  fmt::print(to, "\n{}\n{}", summary(claims), hindsight_text());
}

nlohmann::json json_of(const Claim& c) {
  nlohmann::json json = {{"section", c.section},
                         {"claim", c.claim},
                         {"where", c.where},
                         {"printed", c.printed},
                         {"printed_value", c.printed_value},
                         {"unit", c.unit},
                         {"agrees", c.agrees()},
                         {"verdict", text(c.verdict)},
                         {"note", c.note},
                         {"computed", nullptr},
                         {"difference", nullptr}};
  if (c.computed) json["computed"] = *c.computed;
  if (c.difference) json["difference"] = *c.difference;
  return json;
}

nlohmann::json figure5_json(double n, exascale::Column column) {
  nlohmann::json bars = nlohmann::json::array();
  for (const exascale::System& s : exascale::scenarios(n, exascale::lanes_2020(column)))
    bars.push_back({{"name", s.name},
                    {"nodes", s.nodes},
                    {"peak_flop_per_s", s.nodes * s.node.peak_flop_per_s},
                    {"memory_s", s.times.memory_s},
                    {"network_s", s.times.network_s}});
  return bars;
}

nlohmann::json figure6_json() {
  const exascale::Ratios ratios = exascale::memory_to_network_2010_2020();
  nlohmann::json json = {{"years", ratios.years}, {"memory_to_network", nlohmann::json::object()}};
  for (const exascale::Line& line : ratios.lines) json["memory_to_network"][line.name] = line.ratios;
  return json;
}

std::string json_text(const ExascaleFlags& flags, const std::vector<Claim>& claims) {
  nlohmann::json json = {{"paper", paper},
                         {"n", flags.n},
                         {"claims", nlohmann::json::array()},
                         {"summary",
                          {{"agree", count(claims, Verdict::agrees)},
                           {"within_inputs", count(claims, Verdict::within_inputs)},
                           {"do_not_follow", count(claims, Verdict::differs)},
                           {"not_derivable", count(claims, Verdict::given)}}},
                         {"figure5",
                          {{"printed", figure5_json(flags.n, exascale::Column::printed)},
                           {"extrapolated", figure5_json(flags.n, exascale::Column::extrapolated)}}},
                         {"figure6", figure6_json()},
                         {"hindsight", hindsight_json()}};
  for (const Claim& claim : claims) json["claims"].push_back(json_of(claim));
  return json.dump(2);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  require(!error, "cannot make the directory {} ({}) choose another place", folder, error.message());
}

// Beside what the equations give, Figure 5 shows the fit that comes nearest to the paper's.
void write_figures(const ExascaleFlags& flags) {
  const exascale::Lanes lanes = exascale::lanes_2020(exascale::Column::printed);
  const std::vector<exascale::Bars> groups{
      {"equation (2) as printed", exascale::scenarios(flags.n, lanes)},
      {"fitted after the fact", exascale::scenarios(flags.n, lanes, exascale::Reading::bytes_twice_in_lines)}};
  make_folder(flags.figures);
  const std::filesystem::path folder(flags.figures);
  write_text((folder / "figure5.svg").string(), exascale::draw_figure5(groups, flags.n));
  write_text((folder / "figure6.svg").string(), exascale::draw_figure6(exascale::memory_to_network_2010_2020()));
}

void run_exascale(const ExascaleFlags& flags) {
  check_json_target(flags.run);
  const std::vector<Claim> claims = exascale::claims(flags.n);
  if (!(flags.run.json && flags.run.json->empty())) print_claims(stdout, flags, claims);
  if (!flags.figures.empty()) write_figures(flags);
  write_json(flags.run, json_text(flags, claims));
}

}  // namespace

void add_theory_exascale(CLI::App& theory, Crew& crew) {
  auto flags = std::make_shared<ExascaleFlags>();
  CLI::App* const app = theory.add_subcommand("exascale", "Czechowski et al. 2012: 3-D FFTs on machines of 2020");
  app->footer(theory_exascale_examples);
  app->add_option("--n", flags->n, "Points a side in section 6; default: the paper's 21000")
      ->check(CLI::Range(2.0, 1e9))
      ->type_name("N");
  app->add_option("--figures", flags->figures, "Where to draw figure5.svg and figure6.svg")->type_name("DIR");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run_exascale(*flags);
  });
}

}  // namespace kallima::cli
