// `kallima draw`: pictures of schedules and traces. A schedule is simulated first, since only then has it times;
// several of them share one time axis.

#include "kallima/draw.hpp"

#include <CLI/CLI.hpp>
#include <bit>
#include <sstream>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/laboratory.hpp"
#include "app/schedule_file.hpp"
#include "kallima/butterfly.hpp"

namespace kallima::cli {
namespace {

struct DrawFlags {
  LabFlags lab;
  std::string input;
  std::string out;
  std::string as;
  std::string theme = "auto";
  std::string title;
  int rows = 16;
};

constexpr const char* draw_examples = R"(Examples:
  kallima draw --schedule simple,output-driven --n 1024 --p 8 --machine logp:L=5,o=0,g=8 --out hiding.svg
  kallima draw --schedule output-driven --n 256 --p 4 --as text
  kallima draw --schedule cyclic --n 65536 --p 8 --machine loggp:L=100,o=5,g=10,G=2 --out cyclic.json    for Perfetto
  kallima bench --shape 128x128x128 --trace run.json && kallima draw run.json --out run.svg
  kallima draw butterfly --n 8 --out butterfly.svg
)";

Theme theme_named(const std::string& name) {
  return name == "light" ? Theme::light : name == "dark" ? Theme::dark : Theme::automatic;
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// As the file's name says; to a terminal, text.
std::string form(const DrawFlags& flags) {
  if (!flags.as.empty()) return flags.as;
  if (ends_with(flags.out, ".svg")) return "svg";
  if (ends_with(flags.out, ".json")) return "perfetto";
  if (flags.out.empty() || ends_with(flags.out, ".txt")) return "text";
  throw UsageError(
      fmt::format("what {} should become is not clear from its name: add --as svg, perfetto or text", flags.out));
}

void deliver(const DrawFlags& flags, const std::string& picture) {
  if (flags.out.empty()) return fmt::print("{}", picture);
  write_text(flags.out, picture);
  fmt::print("wrote {}\n", flags.out);
}

Trace simulated(const DrawFlags& flags, const Outline& outline, const std::string& title) {
  const Machine machine = lab_machine(flags.lab);
  SimulateOptions options = lab_options(flags.lab);
  options.trace = true;
  options.pricing = Pricing::all_ranks;
  Trace trace = simulate(outline, machine, options).trace;
  trace.title = fmt::format("{}, on {}", title, text(machine));
  return trace;
}

// A file holds a trace or a schedule; their writers leave no doubt which.
Trace trace_of_file(const DrawFlags& flags) {
  const std::string content = read_text(flags.input);
  if (content.find("\"traceEvents\"") != std::string::npos) {
    Trace trace = trace_from_perfetto_json(content);
    if (trace.title.empty()) trace.title = flags.input;
    return trace;
  }
  const Schedule schedule = checked_schedule(content, flags.input);
  return simulated(flags, outline(schedule), fmt::format("{} on {} ranks", schedule.name, schedule.ranks.size()));
}

std::vector<Trace> traces_of(const DrawFlags& flags) {
  if (!flags.input.empty()) return {trace_of_file(flags)};
  std::vector<Trace> traces;
  std::istringstream names(flags.lab.schedule);
  for (std::string name; std::getline(names, name, ',');)
    traces.push_back(simulated(flags, lab_specimen(flags.lab, name, true).outline, lab_title(flags.lab, name)));
  return traces;
}

void draw_traces(const DrawFlags& flags) {
  const std::string what = form(flags);
  if (!flags.out.empty()) check_writable(flags.out, 0);
  const std::vector<Trace> traces = traces_of(flags);
  if (what == "svg") {
    const GanttOptions options{theme_named(flags.theme), flags.title, flags.rows};
    return deliver(flags, draw_gantt(traces, options));
  }
  if (what == "perfetto") {
    if (traces.size() != 1) throw UsageError("a Perfetto file holds one trace: name one schedule, or use --as svg");
    return deliver(flags, to_perfetto_json(traces[0]));
  }
  std::string all;
  for (const Trace& trace : traces) all += (all.empty() ? "" : "\n") + draw_text(trace);
  deliver(flags, all);
}

struct FigureFlags {
  int n = 8;
  int p = 0;
  int rank = -1;
  std::string figure = "both";
  DrawFlags draw;
};

// Figure 2 shows the m = n inputs of one of P processors: by default so that two values go to each, as in the paper.
void draw_figures(const FigureFlags& flags) {
  if (!flags.draw.out.empty()) check_writable(flags.draw.out, 0);
  const Theme theme = theme_named(flags.draw.theme);
  const int P = flags.p > 0 ? flags.p : std::max(2, flags.n / 2);
  for (const int size : {flags.n, P})
    if (!std::has_single_bit(static_cast<unsigned>(size)) || size > flags.n)
      throw UsageError(
          fmt::format("{} processors cannot share {} inputs: use powers of two, --p up to --n", P, flags.n));
  if (flags.rank >= P)
    throw UsageError(fmt::format("there is no rank {} of {} processors: use 0 to {}", flags.rank, P, P - 1));
  const int rank = flags.rank >= 0 ? flags.rank : std::min(2, P - 1);  // 2 is the paper's
  std::vector<std::string> pictures;
  if (flags.figure != "2") {
    const std::string title = fmt::format("The butterfly of {} inputs", flags.n);
    pictures.push_back(draw_butterfly({.inputs = flags.n, .title = title, .theme = theme}));
  }
  if (flags.figure != "1") {
    ButterflyFigure figure{.inputs = flags.n, .ranks = P, .rank = rank, .theme = theme};
    figure.permutation = BinaryPermutation::pi(P, flags.n, rank).values();
    figure.title = fmt::format("Output-driven phase I of processor {} of {}", rank, P);
    pictures.push_back(draw_butterfly(figure));
  }
  deliver(flags.draw, pictures.size() == 1 ? pictures[0] : draw_stack(pictures));
}

void add_picture_flags(CLI::App& app, DrawFlags& flags) {
  app.add_option("--out,-o", flags.out, "Where to; default: standard output")->type_name("FILE");
  app.add_option("--theme", flags.theme, "Colours: as the reader prefers (auto, default), light or dark")
      ->check(CLI::IsMember({"auto", "light", "dark"}));
}

void add_butterfly(CLI::App& draw, Crew& crew) {
  auto flags = std::make_shared<FigureFlags>();
  CLI::App* const app = draw.add_subcommand("butterfly", "The butterfly, and the increments of an output-driven order");
  app->add_option("--n", flags->n, "Inputs, a power of two; default: 8")->check(CLI::Range(2, 256))->type_name("N");
  app->add_option("--p", flags->p, "Processors the outputs go to; default: n/2")->check(CLI::Range(2, 256));
  app->add_option("--rank", flags->rank, "Whose order is shown; default: 2, or the last")->check(CLI::Range(0, 255));
  app->add_option("--figure", flags->figure, "Of Sahay's paper: 1, 2 or both (default)")
      ->check(CLI::IsMember({"1", "2", "both"}));
  add_picture_flags(*app, flags->draw);
  app->callback([flags, &crew] {
    if (crew.speaks()) draw_figures(*flags);
  });
}

}  // namespace

void add_draw(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<DrawFlags>();
  CLI::App* const app = program.add_subcommand("draw", "Draws schedules and traces: SVG, Perfetto or text");
  app->add_option("input", flags->input, "A trace or a schedule (JSON); default: what --schedule names")
      ->type_name("FILE");
  add_lab_flags(*app, flags->lab);
  flags->lab.schedule = "simple,output-driven";
  app->get_option("--schedule")->description("Which; several with commas. Default: simple,output-driven");
  app->add_option("--as", flags->as, "Form; default: as the name of --out says, text to standard output")
      ->check(CLI::IsMember({"svg", "perfetto", "text"}));
  app->add_option("--title", flags->title, "Above the picture")->type_name("TEXT");
  app->add_option("--rows", flags->rows, "At most so many processors are shown; default: 16")
      ->check(CLI::Range(1, 4096));
  add_picture_flags(*app, *flags);
  app->footer(std::string(draw_examples) + "\n" + app->get_footer());
  add_butterfly(*app, crew);
  app->callback([flags, app, &crew] {
    if (app->get_subcommands().empty() && crew.speaks()) draw_traces(*flags);
  });
}

}  // namespace kallima::cli
