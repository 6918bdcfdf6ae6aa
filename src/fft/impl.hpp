#pragma once
// What an AnyFft holds: the plan, programs of its schedules and of their variations, and a pipeline to run them in.

#include <functional>
#include <optional>

#include "execute/pipeline.hpp"
#include "kallima/fft.hpp"
#include "kernel/wire_codec.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima {

Direction opposite(Direction direction);

// All ranks plan by one profile from now on. Collective.
void share_profile(Transport& transport);

// How a program differs from the schedule that was planned.
struct Variation {
  Direction direction = Direction::forward;
  Placement placement = Placement::out_of_place;
  Only part = Only::everything;
};

struct Compiled {
  Program program;
  RealsSent sent;  // in one run
};

// A plan and its programs, each of which is made when it is first wanted.
class Programs {
 public:
  using Change = std::function<RankSchedule(RankSchedule)>;  // of every schedule, before anything else
  Programs(std::shared_ptr<const Plan> plan, int rank, std::shared_ptr<const Backend> backend, Effort effort,
           Change change);

  const Plan& plan() const { return *plan_; }
  const Compiled& of(const Variation& variation);
  const Compiled& planned(Direction direction) const;
  Index size(Direction direction, Buffer b) const { return planned(direction).program.size(b); }
  std::size_t table_bytes() const;

 private:
  std::shared_ptr<const Plan> plan_;
  int rank_;
  std::shared_ptr<const Backend> backend_;
  Effort effort_;
  Change change_;
  std::vector<std::optional<Compiled>> programs_;
};

// What apply() runs: forward, the caller's function and backward in one program.
struct Applied {
  Compiled compiled;
  WaveNumbers numbers;
  Index spectrum;  // where it begins in the work buffer, in elements
  std::unique_ptr<Pipeline> pipeline = {};
};

// What a rank has sent.
struct WireTally {
  Index transforms = 0;
  Index bytes_plain = 0;
  Index bytes_sent = 0;
  kernel::WireErrors errors = {};
};

struct detail::FftImpl {
  // What is run. Each has tags of its own, so that messages of one are never taken for those of another.
  enum class Verb { forward, backward, computation, communication, apply };
  static constexpr std::size_t verbs = 5;

  using Planner = std::function<std::unique_ptr<Plan>(const PlanOptions&)>;
  using Arguments = std::vector<std::pair<std::string, std::string>>;  // name and value

  FftImpl(const Problem& asked, Comm world, FftOptions given);
  FftImpl(Planner how, Arguments what, Comm world, FftOptions given, std::optional<Problem> asked = {});

  Programs compile(const PlanOptions& plan_options) const;
  RankSchedule with_wire(RankSchedule schedule) const;
  std::unique_ptr<Pipeline> make_pipeline(std::initializer_list<const Program*> of) const;  // collective
  void settle_wire();
  WireReport wire_report() const;  // collective
  void choose_by_trying();
  bool choice_is_open() const;
  std::optional<double> seconds_of_a_run();  // collective; nothing where memory is short
  bool route_is_open() const;
  void choose_route();         // collective
  void prepare();              // collective
  Arguments settings() const;  // for a trace

  void check(const ArrayIn& in, const ArrayOut& out, Direction from, Direction to) const;
  void check(const char* name, std::span<const std::byte> array, std::optional<Data> holds, bool shared,
             Direction begins) const;
  long double factor(Norm norm) const;
  int begin(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm, Only part = Only::everything);
  void end(int slot);  // waits for it
  RunOptions counted(const Compiled& compiled, Norm norm, int transforms);
  void announce(Verb verb) { transport->announce({names[at(verb)], planned_in}); }
  void run(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm, Only part = Only::everything);
  void run_many(Direction direction, std::span<const ArrayIn> in, std::span<const ArrayOut> out, Norm norm);
  AnyPending start(Direction direction, const ArrayIn& in, const ArrayOut& out, Norm norm);
  std::unique_ptr<Plan> plan_elsewhere() const;
  std::unique_ptr<Applied> prepare_apply(ApplyBy by);
  void apply_factors(const ArrayIn& in, const ArrayOut& out, std::span<const std::byte> factors, Norm norm);
  void run_applied(std::unique_ptr<Applied>& it, const ArrayIn& in, const ArrayOut& out, const RunOptions& options);
  void apply(const ArrayIn& in, const ArrayOut& out, const AnyFft::Visit& visit, Norm norm);
  void record(Trace* recorded) {
    trace = recorded;
    if (trace != nullptr) trace->settings = settings();
  }

  auto guarded(const auto& action) const { return kallima::guarded(*transport, action); }

  Planner planner;
  std::optional<Problem> asked_problem;  // of a transform
  Comm comm;
  FftOptions options;
  WireChoice wire;
  WireTally tally;
  std::unique_ptr<Transport> transport;
  std::optional<Programs> programs;
  std::shared_ptr<std::byte> kept;  // what the plan's preparation left, if it has one
  std::size_t kept_bytes = 0;
  std::uint64_t planned_in = 0;                      // the call
  std::array<const std::string*, verbs> names = {};  // of what it runs
  double points = 1;
  std::vector<std::optional<Verb>> taken;  // slots of the pipeline
  std::unique_ptr<Pipeline> pipeline;
  std::unique_ptr<Applied> applied;     // from the first apply() on
  std::unique_ptr<Applied> multiplied;  // and apply_factors()
  Trace* trace = nullptr;
};

// By name and value, for ranks to agree on.
detail::FftImpl::Arguments arguments_of(const Problem& problem);
detail::FftImpl::Arguments arguments_of(const FftOptions& options);

}  // namespace kallima
