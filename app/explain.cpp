// `kallima explain`: which way a transform would go, and why that one.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/device.hpp"
#include "app/explanation.hpp"
#include "app/prediction.hpp"
#include "app/problem_flags.hpp"
#include "app/schedule_file.hpp"
#include "bench/kinds.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainFlags {
  ProblemFlags problem;
  RunFlags output;  // --json, and what bears on planning
  std::string shape = "256x256x256";
  std::string precision = "double";
  std::string exchange = "messages";
  std::string schedule;
  bool inverse = false;
  std::string norm;
  int ranks = 0;
  bool in_place = false;
};

constexpr const char* explain_examples = R"(Examples:
  kallima explain --shape 1024x1024x1024 --ranks 1024
  kallima explain --shape 1024x1024x1024 --ranks 64 --kind r2c --in pencil --out pencil:0
  kallima explain --shape 16777216 --ranks 16 --in block:16 --out block:16    why three exchanges, and what saves them
  kallima explain --shape 512x512x512 --ranks 8 --in brick --out any --json
  kallima explain --shape 64x48 --ranks 4 --schedule s.json           all that every rank would do, for kallima run
  kallima explain --shape 64x48 --ranks 4 --schedule s.json --inverse)";

Index word_bytes(const ExplainFlags& flags) { return flags.precision == "single" ? 8 : 16; }

Json json_of(const RouteAccount& r) {
  if (!r.reason.empty()) return {{"route", r.route}, {"applies", false}, {"reason", r.reason}};
  Json json{{"route", r.route}, {"applies", true}, {"exchanges", r.exchanges}};
  json["active_ranks"] = r.active_ranks;
  json["words_sent_per_rank"] = r.words_sent;
  json["messages_per_rank"] = r.messages;
  json["predicted_s"] = r.predicted_s > 0 ? Json(r.predicted_s) : Json(nullptr);
  json["measured_s"] = r.measured_s ? Json(*r.measured_s) : Json(nullptr);
  json["reason"] = r.verdict;
  json["explanation"] = r.steps;
  return json;
}

Json json_of(const ExplainFlags& flags, const Explanation& all) {
  Json json{{"shape", all.problem.shape}, {"ranks", all.ranks}, {"kind", kind_text(all.problem)}};
  json["axes"] = all.problem.axes;
  json["exchange"] = flags.exchange;
  json["chosen"] = all.routes[all.chosen].route;
  json["in"] = layout_to_text(all.in);
  json["out"] = layout_to_text(all.out);
  const Index bytes = word_bytes(flags);
  json["memory_per_rank"] = {{"input_bytes", all.memory.in * bytes},
                             {"output_bytes", all.memory.out * bytes},
                             {"workspace_bytes", all.memory.workspace * bytes},
                             {"placement", all.placement == Placement::in_place ? "in place" : "out of place"},
                             {"times_the_data", all.memory.multiple(all.placement)},
                             {"program_bytes", all.memory.program ? Json(all.memory.program->bytes) : Json(nullptr)},
                             {"messages", all.memory.program ? Json(all.memory.program->messages) : Json(nullptr)}};
  if (all.memory.kernels) {
    json["memory_per_rank"]["table_bytes"] = all.memory.kernels->tables;
    json["memory_per_rank"]["tile_bytes"] = all.memory.kernels->tile;
  }
  json["candidates"] = Json::array();
  for (const RouteAccount& r : all.routes) json["candidates"].push_back(json_of(r));
  json["savings"] = Json::array();
  for (const Saving& s : all.savings)
    json["savings"].push_back({{"if", s.freedom}, {"exchanges", s.exchanges}, {"words_sent_per_rank", s.words_sent}});
  if (!all.why.empty()) json["why"] = all.why;
  return json;
}

void print_routes(std::FILE* to, const Explanation& all) {
  fmt::print(to, "  {:<13} {:>6} {:>9} {:>16} {:>9} {:>12} {:>12}\n", "route", "ranks", "exchanges", "words sent/rank",
             "messages", "predicted", "measured");
  for (std::size_t i = 0; i < all.routes.size(); ++i) {
    const RouteAccount& r = all.routes[i];
    const char mark = i == all.chosen ? '*' : ' ';
    const auto time = [](double s) { return s > 0 ? fmt::format("{:.4g} ms", 1e3 * s) : "-"; };
    if (r.reason.empty())
      fmt::print(to, "{} {:<13} {:>6} {:>9} {:>16} {:>9} {:>12} {:>12}  {}\n", mark, r.route, r.active_ranks,
                 r.exchanges, r.words_sent, r.messages, time(r.predicted_s), time(r.measured_s.value_or(0)), r.verdict);
    else
      fmt::print(to, "{} {:<13} does not apply: {}\n", mark, r.route, r.reason);
  }
}

void print_chosen(std::FILE* to, const Explanation& all, Index bytes) {
  const RouteAccount& best = all.routes[all.chosen];
  fmt::print(to, "\n* {}: {}\n", best.route, best.steps);
  fmt::print(to, "  input    {}  ({})\n", layout_to_text(all.in), all.in.text());
  fmt::print(to, "  result   {}  ({})\n", layout_to_text(all.out), all.out.text());
  const auto megabytes = [&](Index words) { return 1e-6 * static_cast<double>(words * bytes); };
  fmt::print(to,
             "  memory   {:.4g} MB of input, {:.4g} MB of output, {:.4g} MB of workspace on rank 0: {:.3g} times its "
             "data{}\n",
             megabytes(all.memory.in), megabytes(all.memory.out), megabytes(all.memory.workspace),
             all.memory.multiple(all.placement), all.placement == Placement::in_place ? ", in place" : "");
  if (all.memory.kernels) {
    const auto [tables, tile] = *all.memory.kernels;
    const double larger = megabytes(std::max(all.memory.in, all.memory.out)),
                 more = 1e-6 * static_cast<double>(tables + tile);
    fmt::print(to, "  kernels  {:.4g} MB of tables, {:.4g} MB to work in: {:.3g} times its data with these\n",
               1e-6 * static_cast<double>(tables), 1e-6 * static_cast<double>(tile),
               all.memory.multiple(all.placement) + (larger > 0 ? more / larger : 0));
  }
  if (all.memory.program)
    fmt::print(to, "  program  {}\n", size_text(*all.memory.program));
  else
    fmt::print(to, "  program  not counted: its {} messages in {} exchanges are too many to list here\n", best.messages,
               best.exchanges);
  if (!all.why.empty()) fmt::print(to, "\n{}\n", all.why);
  fmt::print(to, "\n");
  for (const Saving& s : all.savings)
    if (s.exchanges < best.exchanges || s.words_sent < best.words_sent)
      fmt::print(to, "If {}: {} exchange{}, {} words sent by a rank instead of {} and {}\n", s.freedom, s.exchanges,
                 s.exchanges == 1 ? "" : "s", s.words_sent, best.exchanges, best.words_sent);
}

void run(const ExplainFlags& flags) {
  check_json_target(flags.output);
  const int ranks = flags.ranks > 0 ? flags.ranks : core_count();
  Problem problem = problem_from(flags.problem, parse_extents(flags.shape, "--shape"), ranks);
  problem.precision = flags.precision == "single" ? Precision::single_ : Precision::double_;
  PlanOptions options;
  options.exchange = flags.exchange == "messages" ? Exchange::messages : Exchange::views;
  options.one_process = flags.exchange == "threads";
  if (flags.in_place) options.placement = Placement::in_place;
  const NamedProfile machine = profile_named("");
  plan_by(std::make_shared<const Profile>(machine.profile));
  const Explanation all = explain(problem, ranks, options);
  std::FILE* const to = report_to(flags.output);
  fmt::print(to, "{} {} on {} rank{}, axes {}, blocks as {}\n\n", kind_text(all.problem), text(all.problem.shape),
             ranks, ranks == 1 ? "" : "s", fmt::join(all.problem.axes, ","), flags.exchange);
  print_routes(to, all);
  fmt::print(to, "\npredicted for: {}\n", machine.from);
  print_chosen(to, all, word_bytes(flags));
  if (!flags.output.device.empty()) {
    check_device_name(flags.output.device);
    const RankSchedule mine = plan(problem, ranks, options)->rank_schedule(0, Direction::forward);
    fmt::print(to, "\non a device, rank 0: {}\n", cuda_explanation(mine, problem.precision, Direction::forward));
    const std::string why = why_no_cuda();
    if (!why.empty()) fmt::print(to, "there is none here: {}\n", why);
  }
  if (!flags.schedule.empty()) {
    const Direction direction = flags.inverse ? Direction::backward : Direction::forward;
    const Norm norm = norm_named(flags.norm, direction);
    export_schedule(*plan(problem, ranks, options), direction, norm, flags.schedule);
    fmt::print(to, "\nwrote {}\n", flags.schedule);
  }
  write_json(flags.output, json_of(flags, all).dump(2));
}

}  // namespace

void add_explain(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* const app =
      program.add_subcommand("explain", "Says which ways a transform could go, which it would, and why");
  app->footer(explain_examples);
  app->add_option("--shape", flags->shape, "What to transform; default: 256x256x256")->type_name("N1xN2x...");
  app->add_option("--ranks", flags->ranks, "On how many ranks; default: the cores of this machine")
      ->check(CLI::Range(1, 65536))
      ->type_name("N");
  add_problem_flags(*app, flags->problem, LayoutFlags::in_out);
  app->add_option("--precision", flags->precision, "default: double")->check(CLI::IsMember({"double", "single"}));
  app->add_option("--exchange", flags->exchange,
                  "As between machines (messages, default), processes that share memory (views) or threads of one")
      ->check(CLI::IsMember({"messages", "views", "threads"}));
  app->add_flag("--in-place", flags->in_place, "Input and output in one array");
  app->add_option("--schedule", flags->schedule, "Write what every rank would do, as JSON that kallima run executes")
      ->type_name("FILE");
  app->add_flag("--inverse", flags->inverse, "The schedule's direction: back from the spectrum")->needs("--schedule");
  app->add_option("--norm", flags->norm,
                  "Of the schedule: NumPy's backward (default), ortho or forward; or none or full")
      ->check(CLI::IsMember(norm_names()))
      ->needs("--schedule");
  add_device_flag(*app, flags->output.device);
  add_json_flag(*app, flags->output);
  app->callback([flags, &crew] {
    if (crew.speaks()) run(*flags);
  });
}

}  // namespace kallima::cli
