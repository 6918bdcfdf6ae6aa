#include "app/theory_hindsight.hpp"

#include <fmt/format.h>

#include <cmath>

#include "app/published.hpp"
#include "app/theory.hpp"
#include "kallima/exascale.hpp"
#include "kallima/machine.hpp"

namespace kallima::cli {
namespace {

using exascale::ComputeNode;

// NVIDIA A100 80GB: peak, memory and cache from its datasheet, cited from memory; links from NVIDIA's blog
// (published.cpp).
constexpr ComputeNode a100{.peak_flop_per_s = 9.7e12,
                           .cores = 108,
                           .memory_bytes_per_s = 2.039e12,
                           .cache_bytes = 40e6,
                           .line_bytes = 128,
                           .link_bytes_per_s = 25e9};

// Those of one transform.
std::vector<PublishedRun> timed_runs() {
  std::vector<PublishedRun> all = published_runs();
  std::erase_if(all, [](const PublishedRun& run) { return run.seconds == 0; });
  return all;
}

// The equations count words of 16 bytes.
struct Modelled {
  double memory_s, network_s, torus_s;
};

Modelled modelled(const PublishedRun& run) {
  const double share = run.word_bytes / exascale::bytes_per_word;
  return {share * exascale::memory_time_s(run.n, run.processors, a100),
          share * exascale::full_network_time_s(run.n, run.processors, run.link_bytes_per_s),
          share * exascale::torus_bisection_time_s(run.n, run.processors, run.link_bytes_per_s)};
}

std::string ms(double seconds) { return fmt::format("{:.3g} ms", 1e3 * seconds); }

std::string runs_text() {
  const std::vector<TableColumn> columns{{"machine"},
                                         {"n", Align::right},
                                         {"processors", Align::right},
                                         {"memory (2)", Align::right},
                                         {"network (3)", Align::right},
                                         {"predicted", Align::right},
                                         {"published", Align::right},
                                         {"ratio", Align::right},
                                         {"on a torus (5)", Align::right}};
  std::vector<TableRow> rows;
  for (const PublishedRun& run : timed_runs()) {
    const Modelled it = modelled(run);
    const double sum = it.memory_s + it.network_s;
    rows.push_back(
        {{run.machine, fmt::format("{:.0f}", run.n), fmt::format("{:.0f}", run.processors), ms(it.memory_s),
          ms(it.network_s), ms(sum), ms(run.seconds), fmt::format("{:.2f}", sum / run.seconds), ms(it.torus_s)}});
  }
  return table_text(columns, rows);
}

struct Built {
  std::string name;
  ComputeNode node;
};

// What of a profile's node the equations know.
Built built_as(const std::string& name, const std::string& what) {
  const Machine machine = machine_from_text(name);
  const double per_byte = std::get<Loggp>(machine.model).G;
  const double card = machine.node.cards > 0 ? machine.node.card * machine.node.ranks / machine.node.cards : 0;
  return {what,
          {.peak_flop_per_s = flop_rate(machine),
           .memory_bytes_per_s = memory_rate(machine),
           .link_bytes_per_s = 1 / std::max(per_byte, card)}};
}

std::vector<Built> built() {
  return {{"A100 in Selene", a100},
          built_as("frontier", "a die of MI250X in Frontier"),
          built_as("fugaku", "A64FX in Fugaku")};
}

std::string projections_text() {
  const std::vector<TableColumn> columns{{"a processor of 2020 to 2022"},
                                         {"Tflop/s", Align::right},
                                         {"memory GB/s", Align::right},
                                         {"link GB/s", Align::right},
                                         {"flops a byte of memory", Align::right},
                                         {"and of the link", Align::right}};
  std::vector<TableRow> rows;
  const auto add = [&](const std::string& name, const ComputeNode& node) {
    rows.push_back(
        {{name, fmt::format("{:.3g}", node.peak_flop_per_s / 1e12),
          fmt::format("{:.4g}", node.memory_bytes_per_s / 1e9), fmt::format("{:.3g}", node.link_bytes_per_s / 1e9),
          fmt::format("{:.3g}", node.peak_flop_per_s / node.memory_bytes_per_s),
          fmt::format("{:.3g}", node.peak_flop_per_s / node.link_bytes_per_s)}});
  };
  add("projected, CPU", exascale::node_2020(exascale::Lane::cpu, exascale::Column::printed));
  add("projected, GPU", exascale::node_2020(exascale::Lane::gpu, exascale::Column::printed));
  for (const Built& it : built()) add(it.name, it.node);
  return table_text(columns, rows);
}

struct Scale {
  std::string name;
  ComputeNode node;
  double n, nodes;
};

std::vector<Scale> scales() {
  const std::vector<Built> all = built();
  return {{"Selene, 16384^3 on 4,096", a100, 16384, 4096}, {"Frontier, 32768^3 on 32,768", all[1].node, 32768, 32768}};
}

// Double precision. A cache that a profile does not know holds a line, as all these do.
struct Switches {
  double plain, one_exchange, overlap, wire;
};

Switches switched(const Scale& it) {
  ComputeNode node = it.node;
  node.cache_bytes = std::max(node.cache_bytes, 8e6);
  const double memory = exascale::memory_time_s(it.n, it.nodes, node);
  const double exchange = exascale::full_network_time_s(it.n, it.nodes, node.link_bytes_per_s) / exascale::exchanges;
  return {memory + exascale::exchanges * exchange, memory + exchange, std::max(memory, exchange),
          std::max(memory, exchange / 2)};
}

std::string switches_text() {
  const std::vector<TableColumn> columns{
      {"double precision"},          {"two exchanges, in turns", Align::right}, {"one exchange", Align::right},
      {"and overlap", Align::right}, {"and single on the wire", Align::right},  {"together", Align::right}};
  std::vector<TableRow> rows;
  for (const Scale& it : scales()) {
    const Switches s = switched(it);
    rows.push_back({{it.name, ms(s.plain), ms(s.one_exchange), ms(s.overlap), ms(s.wire),
                     fmt::format("{:.2f} times", s.plain / s.wire)}});
  }
  return table_text(columns, rows);
}

}  // namespace

std::string hindsight_text() {
  constexpr const char* words = R"(
Hindsight: the equations, and what was published since

{}
Published: {}.
Of the last, "over 1.8 Pflop/s": it took no longer. Inside a node the memory of equation (2), with its constant of 2010,
is all that was published; between nodes the full network of (3) is within a factor of 1.5, with two exchanges, where a
code that leaves its result transposed makes one. The torus of (5) is far from it: machines were built otherwise.

{}
Projections are Table 1's; Frontier and Fugaku are those of kallima machines, with their sources. What the paper got
wrong: memory is up to ten times as fast as it has it, and links have a tenth or less of what it gives them, so that
exchanges take most of the time, and not memory.

{}
)";
  return fmt::format(words, runs_text(), published_runs().front().source, projections_text(), switches_text());
}

nlohmann::json hindsight_json() {
  nlohmann::json json{{"runs", nlohmann::json::array()}, {"switches", nlohmann::json::array()}};
  for (const PublishedRun& run : timed_runs()) {
    const Modelled it = modelled(run);
    json["runs"].push_back({{"machine", run.machine},
                            {"year", run.year},
                            {"n", run.n},
                            {"processors", run.processors},
                            {"word_bytes", run.word_bytes},
                            {"memory_s", it.memory_s},
                            {"network_s", it.network_s},
                            {"predicted_s", it.memory_s + it.network_s},
                            {"published_s", run.seconds},
                            {"ratio", (it.memory_s + it.network_s) / run.seconds},
                            {"torus_s", it.torus_s},
                            {"source", run.source}});
  }
  for (const Scale& it : scales()) {
    const Switches s = switched(it);
    json["switches"].push_back({{"what", it.name},
                                {"two_exchanges_s", s.plain},
                                {"one_exchange_s", s.one_exchange},
                                {"overlap_s", s.overlap},
                                {"wire_s", s.wire}});
  }
  return json;
}

}  // namespace kallima::cli
