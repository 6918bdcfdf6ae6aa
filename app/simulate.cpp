// `kallima simulate`: what a schedule would take on a machine one need not have, or a run that was recorded elsewhere.

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/laboratory.hpp"
#include "app/replay.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SimulateFlags {
  LabFlags lab;
  RunFlags output;  // --json only
  std::string trace;
  std::string save;
  std::string from, svg;  // of a replay
  bool draw = false;
};

constexpr const char* simulate_examples = R"(Examples:
  kallima simulate --schedule output-driven --n 1024 --p 8 --machine logp:L=5,o=0,g=5
  kallima simulate --schedule simple --n 1024 --p 8 --machine logp:L=0,o=1,g=12 --json
  kallima simulate --schedule output-driven --phase2 input-driven --n 65536 --p 64 --machine logp:L=50,g=20
  kallima simulate --schedule bsp --n 4096 --p 16 --machine bsp:r=1,g=4,l=1000
  kallima simulate --schedule cyclic --shape 512x512x512 --p 64 --machine loggp:L=2e-6,o=1e-6,g=1e-7,G=1e-9,r=4e9
  kallima simulate --schedule cyclic --shape 64x64x64 --p 64 --machine loggp:L=2e-6,o=0,g=0,G=1e-9,r=4e9 \
      --topology torus:shape=4x4x4,G=1e-9                        messages share the torus's links
  kallima simulate --schedule cyclic --shape 64x64x64 --p 64 --machine loggp:L=2e-6,o=0,g=0,G=1e-9,r=4e9 \
      --node ranks=8,cards=1,card=1e-9,G=1e-10 --topology fattree:shape=4x2,taper=2,G=1e-9
  kallima bench --shape 128x128x128 --messages --trace run.json && \
      kallima simulate --trace run.json --machine 10gbe --svg both.svg     what this very run would take there
  kallima simulate --schedule broadcast-binomial --n 1000 --p 12 --machine alphabeta:alpha=100,beta=1 --draw
)";

// Whole numbers as such, so that they can be compared exactly.
Json number(double value) {
  if (value == std::floor(value) && std::abs(value) < 0x1p53) return static_cast<std::int64_t>(value);
  return value;
}

std::string show(double value) { return fmt::format("{:.10g}", value); }

Json report(const SimulateFlags& flags, const Machine& machine, const Simulation& it) {
  Json all{{"schedule", flags.lab.schedule}};
  if (flags.lab.shape.empty())
    all["n"] = flags.lab.n;
  else
    all["shape"] = flags.lab.shape;
  all["p"] = flags.lab.p;
  all["machine"] = text(machine);
  if (const std::string phase_two = lab_phase_two(flags.lab, flags.lab.schedule); !phase_two.empty())
    all["phase2"] = phase_two;
  all["capacity"] = flags.lab.capacity;
  if (flags.lab.seed) all["seed"] = *flags.lab.seed;
  all["unit"] = it.unit;
  all["last_send"] = number(it.last_send);
  all["completion"] = number(it.completion);
  all["idle_max"] = number(it.idle_max);
  all["messages"] = it.messages;
  all["words"] = it.words;
  if (std::holds_alternative<Bsp>(machine.model)) all["supersteps"] = it.supersteps;
  if (it.sharing != Sharing::automatic) all["sharing"] = it.sharing == Sharing::flows ? "flows" : "rounds";
  all["tasks"] = it.tasks;
  all["simulated_ranks"] = it.simulated_ranks;
  return all;
}

void print(std::FILE* out, const SimulateFlags& flags, const Machine& machine, const Simulation& it, int busy) {
  const std::string unit = it.unit == "s" ? "s" : it.unit + "s";
  fmt::print(out, "{}, on {}\n", lab_title(flags.lab, flags.lab.schedule), text(machine));
  fmt::print(out, "  completion {:>14} {}\n", show(it.completion), unit);
  fmt::print(out, "  last send  {:>14} {}  (its start)\n", show(it.last_send), unit);
  fmt::print(out, "  idle       {:>14} {}  (the most of any processor: {:.1f} % of its time)\n", show(it.idle_max),
             unit, it.completion > 0 ? 100 * it.idle_max / it.completion : 0);
  fmt::print(out, "  messages   {:>14}  of all processors\n  words      {:>14}\n", it.messages, it.words);
  if (it.supersteps > 0) fmt::print(out, "  supersteps {:>14}\n", it.supersteps);
  if (it.sharing != Sharing::automatic)
    fmt::print(out, "  links are shared {}\n",
               it.sharing == Sharing::flows ? "fairly at every moment" : "as the busiest of each round has it");
  if (it.simulated_ranks < busy)
    fmt::print(out, "  priced by {} of {} processors: all do the same up to the names of their peers\n",
               it.simulated_ranks, busy);
}

void run(const SimulateFlags& flags) {
  check_json_target(flags.output);
  if (!flags.trace.empty()) check_writable(flags.trace, 0);
  if (!flags.save.empty()) write_text(flags.save, lab_schedule_json(flags.lab));
  const Machine machine = lab_machine(flags.lab);
  SimulateOptions options = lab_options(flags.lab);
  options.trace = flags.draw || !flags.trace.empty();
  const Specimen specimen = lab_specimen(flags.lab, flags.lab.schedule, options.trace);
  Simulation it = simulate(specimen.outline, machine, options);
  it.trace.title = lab_title(flags.lab, flags.lab.schedule);
  print(report_to(flags.output), flags, machine, it, specimen.outline.ranks);
  if (const std::vector<std::string> assumed = lab_assumed(flags.lab.machine); !assumed.empty())
    fmt::print(report_to(flags.output), "  the machine's file leaves out, and is taken to have: {}\n",
               fmt::join(assumed, ", "));
  if (!specimen.note.empty()) fmt::print(report_to(flags.output), "  {}\n", specimen.note);
  if (flags.draw) fmt::print(report_to(flags.output), "\n{}", draw_text(it.trace));
  if (!flags.trace.empty()) write_text(flags.trace, to_perfetto_json(it.trace));
  write_json(flags.output, report(flags, machine, it).dump(2));
}

void replay(const SimulateFlags& flags) {
  check_json_target(flags.output);
  if (!flags.svg.empty()) check_writable(flags.svg, 0);
  const Replayed both = replayed(
      {.trace = flags.trace, .machine = flags.lab.machine, .from = flags.from, .svg = flags.svg, .draw = flags.draw});
  const double took = makespan(both.run), takes = makespan(both.replay);
  std::FILE* const to = report_to(flags.output);
  fmt::print(to, "{} took {} ms; on {} it takes {} ms, {:.2f} times as long\n", flags.trace, show(1e3 * took),
             both.machine, show(1e3 * takes), takes / took);
  Json ranks = Json::array();
  for (int rank = 0; rank < both.run.ranks; ++rank) {
    const RankTimes before = rank_times(both.run, rank), now = rank_times(both.replay, rank);
    fmt::print(to, "  rank {:<4} computing {:>9.4g} -> {:<9.4g} waiting {:>9.4g} -> {:<9.4g} ms\n", rank,
               1e3 * (before.computing + before.copying), 1e3 * (now.computing + now.copying), 1e3 * before.waiting,
               1e3 * now.waiting);
    ranks.push_back({{"rank", rank},
                     {"run", {{"computing_s", before.computing + before.copying}, {"waiting_s", before.waiting}}},
                     {"replayed", {{"computing_s", now.computing + now.copying}, {"waiting_s", now.waiting}}}});
  }
  if (flags.draw) fmt::print(to, "\n{}\n{}", draw_text(both.run), draw_text(both.replay));
  if (!flags.svg.empty()) write_text(flags.svg, replay_svg(both));
  const Json all{{"trace", flags.trace}, {"machine", both.machine}, {"run_s", took},
                 {"replayed_s", takes},  {"ratio", takes / took},   {"ranks", ranks}};
  write_json(flags.output, all.dump(2));
}

}  // namespace

void add_simulate(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<SimulateFlags>();
  CLI::App* const app = program.add_subcommand("simulate", "Prices a schedule on a machine, without the machine");
  add_lab_flags(*app, flags->lab);
  add_json_flag(*app, flags->output);
  app->add_option(
         "--trace", flags->trace,
         "With --schedule: where to write what would run when, for ui.perfetto.dev and kallima draw. Without: a "
         "run that kallima bench --trace has recorded, to be replayed on --machine")
      ->type_name("FILE");
  app->add_option(
         "--from", flags->from,
         "Of a replay: the machine of the run; computing then takes as much longer as its flops do. Default: as "
         "long as it did")
      ->type_name("MACHINE");
  app->add_option("--svg", flags->svg, "Of a replay: both on one axis, with what begins earlier or later in colours")
      ->type_name("FILE");
  app->add_option("--save", flags->save, "Routes and collectives: the schedule itself, for kallima draw")
      ->type_name("FILE");
  app->add_flag("--draw", flags->draw, "What would run when, as text");
  app->footer(std::string(simulate_examples) + "\n" + app->get_footer());
  app->callback([flags, app, &crew] {
    if (!crew.speaks()) return;
    const bool names_schedule = app->count("--schedule") + app->count("--n") + app->count("--shape") > 0;
    if (!flags->trace.empty() && !names_schedule && app->count("--machine") > 0) return replay(*flags);
    if (!flags->svg.empty() || !flags->from.empty())
      throw UsageError("--svg and --from are for a run that is replayed: name it with --trace, and no --schedule");
    run(*flags);
  });
}

}  // namespace kallima::cli
