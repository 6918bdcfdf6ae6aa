// `kallima theory sahay`: the claims of the paper this library's schedules come from, each tried on a grid of sizes and
// machines.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/options.hpp"
#include "app/progress.hpp"
#include "app/theory.hpp"
#include "kallima/theory.hpp"

namespace kallima::cli {
namespace {

using theory::sahay::CheckedClaim;
using Json = nlohmann::ordered_json;

struct SahayFlags {
  RunFlags run;
  theory::sahay::Grid grid;
  std::string latencies = "0,5,50";
};

std::string share(Index part, Index all) {
  return part == all ? fmt::format("all {}", all) : fmt::format("{} of {}", part, all);
}

std::string verdict(const CheckedClaim& claim) {
  if (claim.printed_holds()) return "holds";
  if (claim.corrected.empty()) return "fails";
  return claim.corrected_holds() ? "needs correcting" : "correction fails";
}

std::string note(const CheckedClaim& claim) {
  std::string text = fmt::format("says: {}", claim.printed);
  if (claim.counterexample && !claim.counterexample->evidence.empty())
    text += fmt::format(". Not at {}: {}", claim.counterexample->parameters, claim.counterexample->evidence);
  else if (claim.counterexample)
    text += fmt::format(". Not at {}: it gives {}, the simulation {}", claim.counterexample->parameters,
                        short_number(claim.counterexample->printed), short_number(claim.counterexample->simulated));
  if (!claim.printed_holds() && !claim.corrected.empty()) text += fmt::format(". Holds instead: {}", claim.corrected);
  if (claim.corrected_counterexample)
    text += fmt::format(". Not at {}: {} instead of {}", claim.corrected_counterexample->parameters,
                        short_number(*claim.corrected_counterexample->corrected),
                        short_number(claim.corrected_counterexample->simulated));
  return text;
}

void print(std::FILE* out, const SahayFlags& flags, const std::vector<CheckedClaim>& claims) {
  const std::vector<TableColumn> columns{{"claim"},
                                         {"agreement"},
                                         {"as printed", Align::right},
                                         {"as corrected", Align::right},
                                         {"smallest counterexample"}};
  std::vector<TableRow> rows;
  Index failing = 0;
  for (const CheckedClaim& claim : claims) {
    failing += !claim.printed_holds();
    rows.push_back({{claim.where, verdict(claim), share(claim.printed_agrees, claim.cases),
                     claim.corrected_cases > 0 ? share(claim.corrected_agrees, claim.corrected_cases) : "",
                     claim.counterexample ? claim.counterexample->parameters : ""},
                    note(claim)});
  }
  fmt::print(
      out,
      "Sahay 1993, Hiding communication costs in bandwidth-limited parallel FFT computation, and the simulation:\n"
      "all powers of two n <= {}, P <= {} with n >= P^2, g = 1..{}, L = {}.\n"
      "Counterexamples are (n, P), (n, P, g) or (n, P, g, L).\n\n{}\n",
      flags.grid.max_n, flags.grid.max_P, flags.grid.max_g, flags.latencies, table_text(columns, rows));
  fmt::print(out, "{} of {} statements hold as they stand; {} need correcting.\n",
             static_cast<Index>(claims.size()) - failing, claims.size(), failing);
}

Json case_json(const std::optional<CheckedClaim::Case>& one) {
  if (!one) return nullptr;
  Json it{{"parameters", one->parameters}, {"printed", one->printed}};
  it["corrected"] = one->corrected ? Json(*one->corrected) : Json(nullptr);
  it["simulated"] = one->simulated;
  return it;
}

std::string json_text(const std::vector<CheckedClaim>& claims) {
  Json all = Json::array();
  for (const CheckedClaim& claim : claims)
    all.push_back({{"claim", claim.where},
                   {"printed", claim.printed},
                   {"corrected", claim.corrected},
                   {"agreement", verdict(claim)},
                   {"cases", claim.cases},
                   {"printed_agrees", claim.printed_agrees},
                   {"corrected_cases", claim.corrected_cases},
                   {"corrected_agrees", claim.corrected_agrees},
                   {"counterexample", case_json(claim.counterexample)},
                   {"largest_case", case_json(claim.example)}});
  return all.dump(2);
}

void run(SahayFlags& flags) {
  check_json_target(flags.run);
  flags.grid.latencies = parse_numbers(flags.latencies, "--latencies");
  std::vector<CheckedClaim> claims;
  {
    Progress progress(true);
    claims = theory::sahay::check_claims(flags.grid, [&](const std::string& what) { progress.step(what); });
  }
  print(report_to(flags.run), flags, claims);
  write_json(flags.run, json_text(claims));
}

}  // namespace

void add_theory_sahay(CLI::App& theory, Crew& crew) {
  auto flags = std::make_shared<SahayFlags>();
  CLI::App* const app = theory.add_subcommand("sahay", "Sahay 1993: hiding communication behind computation");
  app->add_option("--max-n", flags->grid.max_n, "default: 4096")->check(CLI::Range(Index{4}, Index{1} << 20));
  app->add_option("--max-p", flags->grid.max_P, "default: 16")->check(CLI::Range(Index{2}, Index{1024}));
  app->add_option("--max-g", flags->grid.max_g, "default: 20")->check(CLI::Range(Index{1}, Index{40}));
  app->add_option("--latencies", flags->latencies, "default: 0,5,50")->type_name("L1,L2,...");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] {
    if (crew.speaks()) run(*flags);
  });
}

}  // namespace kallima::cli
