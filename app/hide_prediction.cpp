// Communicating alone, N blocks of w words take N w G + 2 o + L in the simulator, from which G is found.

#include "app/hide_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/fields_outline.hpp"
#include "kallima/simulate.hpp"

namespace kallima::cli {

namespace {

Load load_of(const Script& script) {
  Load load;
  for (const OutlineTask& task : script.tasks()) {
    load.flops += task.flops;
    if (task.kind != TaskKind::send_start) continue;
    load.words += task.words;
    ++load.blocks;
  }
  return load;
}

std::string simulate_command(const nlohmann::json& bench, const std::string& machine) {
  const PlanOptions plan = plan_of(bench);
  std::string command = fmt::format("kallima simulate --schedule {} --shape {} --p {}", plan.route,
                                    text(bench.at("shape").get<Shape>()), bench.at("ranks").get<int>());
  if (plan.chunks > 0) command += fmt::format(" --chunks {}", plan.chunks);
  if (plan.slices > 0) command += fmt::format(" --slices {}", plan.slices);
  if (plan.overlap == Overlap::off) command += " --overlap off";
  return fmt::format("{} --machine {}", command, machine);
}

// Ranks that share a core were measured while all of them worked; where some wait for messages, the others are faster.
Loggp with_busy_neighbours(Loggp machine, double sharing, double busy) {
  const double slowdown = (1 + (sharing - 1) * busy) / sharing;
  machine.r /= slowdown;
  machine.o *= slowdown;
  machine.g = machine.o;
  return machine;
}

// How busy they are is what the simulation says, which depends on it: a few rounds bring the two together.
Loggp settled(const Outline& outline, const Loggp& measured, double sharing) {
  constexpr int rounds = 8;
  Loggp machine = measured;
  for (int i = 0; i < rounds && sharing > 1; ++i) {
    const Simulation it = simulate(outline, machine);
    machine = with_busy_neighbours(measured, sharing, 1 - it.idle_max / it.completion);
  }
  return machine;
}

}  // namespace

Load load_of(const Outline& outline) {
  Load most;
  for (int rank = 0; rank < outline.ranks; ++rank) {
    const Load load = load_of(outline.script(rank));
    most.flops = std::max(most.flops, load.flops);
    most.words = std::max(most.words, load.words);
    most.blocks = std::max(most.blocks, load.blocks);
  }
  return most;
}

PlanOptions plan_of(const nlohmann::json& bench) {
  const nlohmann::json& given = bench.at("plan");
  PlanOptions options{.route = given.at("route"), .grid = given.at("grid"), .chunks = given.at("chunks")};
  options.slices = given.at("slices");
  options.order = given.at("order") == "chunk" ? Order::chunk_first : Order::destination_first;
  options.radices = given.at("radices").get<std::vector<Index>>();
  options.exchange = given.at("exchange") == "messages" ? Exchange::messages : Exchange::views;
  for (const Overlap how : {Overlap::on, Overlap::off})
    if (given.at("overlap") == name(how)) options.overlap = how;
  for (const Alltoall how : {Alltoall::direct, Alltoall::pairwise, Alltoall::bruck})
    if (given.at("alltoall") == name(how)) options.alltoall = how;
  return options;
}

Outline outline_of(const nlohmann::json& bench) {
  const auto shape = bench.at("shape").get<Shape>();
  return outline(plan({.shape = shape}, bench.at("ranks"), plan_of(bench))->schedule(Direction::forward));
}

// Of the fastest run, since whatever disturbs one adds to it.
double cpu_per_word(const nlohmann::json& unlimited) {
  const double words = unlimited.at("kallima").at("words_sent_per_rank");
  return words > 0 ? unlimited.at("communication").at("min_s").get<double>() / (2 * words) : 0;
}

Loggp machine_for(const Load& load, const Measured& measured, double cpu_per_word_s, int ranks) {
  const auto words = static_cast<double>(std::max<Index>(1, load.words));
  const auto blocks = static_cast<double>(std::max<Index>(1, load.blocks));
  const double o = std::min(cpu_per_word_s * words, measured.communication_s / 2) / blocks;  // no more than it took
  const double G = std::max(0.0, measured.communication_s - 2 * o - measured.latency_s) / words;
  return {.L = measured.latency_s, .o = o, .g = o, .G = G, .P = ranks, .r = load.flops / measured.computation_s};
}

void predict(HidePoint& point, const nlohmann::json& bench, double cpu_per_word_s, int cores) {
  const int fields = bench.at("fields");
  const Outline one = outline_of(bench);
  const Measured measured{.computation_s = point.computation_s / fields,
                          .communication_s = point.communication_s / fields,
                          .latency_s = bench.at("half_round_trip_s")};
  const Outline all = fields == 1 ? one : fields_outline(one, fields);
  const double sharing = std::max(1.0, static_cast<double>(one.ranks) / std::max(1, cores));
  const Machine machine = settled(all, machine_for(load_of(one), measured, cpu_per_word_s, one.ranks), sharing);
  point.prediction_s = simulate(all, machine).completion;
  point.machine = text(machine);
  point.simulate = simulate_command(bench, point.machine);
}

}  // namespace kallima::cli
