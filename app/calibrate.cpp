// `kallima calibrate`: measures this machine, and leaves what it finds where later commands look for it.

#include "kallima/calibrate.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/check.hpp"
#include "app/commands.hpp"
#include "app/files.hpp"
#include "app/own_ranks.hpp"
#include "app/processor.hpp"
#include "app/progress.hpp"
#include "kallima/backend.hpp"
#include "kallima/draw.hpp"
#include "kallima/job.hpp"
#include "kallima/kept.hpp"

namespace kallima::cli {
namespace {

struct CalibrateFlags {
  RunFlags run;
  std::string out;
  std::string add_to;
  bool quick = false;
  bool no_save = false;
};

constexpr const char* calibrate_examples = R"(Examples:
  kallima calibrate                                       this machine, in some minutes: passes, memory, threads, MPI
  kallima calibrate --transport mpi                       processes of MPI beside each other alone
  mpirun -n 2 --map-by node kallima calibrate             and between nodes
  kallima netlab --hosts 2 --rate 1gbit -- calibrate --out lab.json
  kallima calibrate --quick --no-save --out machine.json  a file to take elsewhere: --machine machine.json)";

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// What takes how long.
class Stages {
 public:
  void done(const std::string& what) {
    const Clock::time_point now = Clock::now();
    all_.push_back(fmt::format("{} {:.0f} s", what, std::chrono::duration<double>(now - last_).count()));
    last_ = now;
  }
  std::string text() const {
    const double seconds = std::chrono::duration<double>(last_ - begin_).count();
    return fmt::format("{:.0f} s: {}", seconds, fmt::join(all_, ", "));
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
  std::vector<std::string> all_;
};

std::string with_error(const Measured90& it, double scale, const char* unit) {
  return fmt::format("{:.3g} {} ± {:.0f} %", it.value * scale, unit, 100 * it.error);
}

void print_pairs(std::FILE* to, const Profile& profile) {
  for (const PairRates& p : profile.pairs) {
    fmt::print(to, "\nbetween {}\n", name(p.joined));
    fmt::print(to, "  LogGP      L {}, o_s {}, o_r {}, g {}, 1/G {:.3g} GB/s ± {:.0f} %, O {}\n",
               with_error(p.L, 1e6, "us"), with_error(p.o_send, 1e6, "us"), with_error(p.o_receive, 1e6, "us"),
               with_error(p.g, 1e6, "us"), p.G.value > 0 ? 1e-9 / p.G.value : 0, 100 * p.G.error,
               with_error(p.O, 1e9, "ns a byte"));
    fmt::print(to, "  alpha-beta alpha {}, 1/beta {:.3g} GB/s\n", with_error(p.alpha, 1e6, "us"),
               p.beta.value > 0 ? 1e-9 / p.beta.value : 0);
    fmt::print(to, "  BSP        r {:.2f} Gflop/s, g {}, l {}\n", 1e-9 * p.bsp_r, with_error(p.bsp_g, 1, "flop"),
               with_error(p.bsp_l, 1, "flop"));
    fmt::print(to, "  all-to-all");
    for (const auto& [bytes, rate] : p.all_to_all)
      fmt::print(to, "  {:.0f} KiB {:.3g} GB/s", bytes / 1024, rate * 1e-9);
    fmt::print(to, "\n");
  }
}

const PassRate* rate_of(const Rates& rates, const PassClass& of, Index length) {
  for (const PassRate& r : rates.passes)
    if (r.of == of && r.length == length) return &r;
  return nullptr;
}

void print_rates(std::FILE* to, const Rates& rates) {
  const std::vector<Index> lengths{16, 64, 100, 125, 256, 1024, 4096};
  fmt::print(to, "\nns a point, in cache {:>17}", "");
  for (const Index n : lengths) fmt::print(to, "{:>9}", n);
  for (const Precision precision : {Precision::double_, Precision::single_})
    for (const LineWork work : {LineWork::complex_, LineWork::twiddled, LineWork::halved, LineWork::cosine,
                                LineWork::dealt, LineWork::shifted})
      for (const Stance stance : {Stance::across, Stance::along}) {
        const double bytes = (precision == Precision::single_ ? 16 : 32) /
                             (work == LineWork::halved || work == LineWork::cosine ? 2.0 : 1.0);
        const PassClass of{stance, work, precision};
        if (rate_of(rates, of, 64) == nullptr) continue;
        fmt::print(to, "\n  {:<8} {:<8} {:<18}", name(work), name(stance),
                   precision == Precision::single_ ? "single" : "double");
        for (const Index n : lengths) {
          const PassRate* const r = rate_of(rates, of, n);
          fmt::print(to, "{:>9}", r == nullptr ? "" : fmt::format("{:.2f}", 1e9 * bytes * r->s_per_byte));
        }
      }
  fmt::print(to, "\n\nGB/s through memory, read and written by all cores\n");
  for (const MemoryRate& m : rates.memory) {
    if (m.where.stance != Stance::along || m.where.work != LineWork::move || m.length != 256) continue;
    const PassRate* const own = rate_of(rates, {Stance::along, LineWork::move, Precision::double_}, m.length);
    fmt::print(to, "  {} core{}, {:>7.2f} MiB each: {:.1f}\n", m.where.cores, m.where.cores == 1 ? " " : "s",
               m.footprint / 1048576, 1e-9 * m.where.cores / ((own == nullptr ? 0 : own->s_per_byte) + m.s_per_byte));
  }
}

// The rates are those of the ranks of rank 0's node; the model, where nobody asks which ranks, that of the farthest.
Profile assembled(const Rates& rates, const std::vector<PairRates>& pairs) {
  Profile profile{.rates = rates, .pairs = pairs};
  profile.processor = processor_name() + ", " + instruction_set();
  profile.host = std::string(fmt::format("{} cores", rates.cores));
  profile.library = MpiWorld::launched() ? MpiWorld::library() : "";
  profile.when = now_text();
  const PassRate* const usual = rate_of(rates, {Stance::across, LineWork::complex_, Precision::double_}, 256);
  Loggp model{.r = usual == nullptr ? 1e9 : 5.0 * 8 / (32 * usual->s_per_byte)};
  if (!pairs.empty()) {
    const PairRates& far = pairs.back();
    model.L = far.L.value;
    model.o = (far.o_send.value + far.o_receive.value) / 2;
    model.g = far.g.value;
    model.G = far.G.value;
    model.O = far.O.value;
  }
  profile.machine = model;
  profile.machine.word_bytes = 1;
  return profile;
}

void report(const CalibrateFlags& flags, const Profile& profile, const Stages& stages) {
  std::FILE* const to = report_to(flags.run);
  fmt::print(to, "{}, {}, {}\n", profile.processor, profile.host, profile.when);
  print_rates(to, profile.rates);
  print_pairs(to, profile);
  fmt::print(to,
             "\nLogGP by the method of Hoefler, Lichei and Rehm (2007); BSP by a line through total exchanges, as "
             "bspbench.\n");
  if (!flags.out.empty()) {
    write_text(flags.out, to_json(profile));
    fmt::print(to, "wrote {}\n", flags.out);
  }
  const std::string where = flags.no_save ? "" : keep(profile);
  if (!where.empty()) fmt::print(to, "Kept in {} for later runs.\n", where);
  fmt::print(to, "{}\n", stages.text());
  write_json(flags.run, to_json(profile));
}

std::string bar(double share, const std::string& what) {
  constexpr int width = 24;
  const int done = static_cast<int>(width * std::clamp(share, 0.0, 1.0));
  return fmt::format("[{}{}] {:.0f} % {}", std::string(static_cast<std::size_t>(done), '#'),
                     std::string(static_cast<std::size_t>(width - done), '.'), 100 * share, what);
}

// Rank 0's, on all ranks.
std::string shared_text(const Comm& comm, const std::string& mine) { return gathered(comm.transport(), mine)[0]; }

// With passes' rates that are known already, rank 0's corrections complete those that came with them.
Profile calibrated(const CalibrateFlags& flags, const Comm& comm, Crew& crew, Stages& stages) {
  Progress progress(comm.rank() == 0);
  CalibrateOptions options{.thoroughness = flags.quick ? Thoroughness::quick : Thoroughness::usual};
  options.say = [&](double share, const std::string& what) { progress.step(bar(share, what)); };
  const Profile before = flags.add_to.empty() ? Profile{} : profile_from_json(read_text(flags.add_to));
  Rates rates = flags.add_to.empty() ? calibrate_rates(comm, options) : before.rates;
  rates.corrections.clear();
  stages.done("passes");
  std::vector<PairRates> pairs = calibrate_pairs(comm, options);
  if (MpiWorld::launched() && comm.size() > 1) {  // the same processes by messages
    const Comm by_messages = crew.with_tuning(comm, comm.transport().tuning());
    for (PairRates& pair : calibrate_pairs(by_messages, options))
      if (std::ranges::find(pairs, pair.joined, &PairRates::joined) == pairs.end()) pairs.push_back(std::move(pair));
  }
  std::ranges::stable_sort(pairs, {}, &PairRates::joined);
  stages.done("messages");
  Profile mine = assembled(rates, pairs);
  mine.hosts_share_cores = hosts_share_cores(comm);
  Profile profile = profile_from_json(shared_text(comm, to_json(mine)));
  profile.rates.corrections = corrections_from(rehearse(comm, profile, RehearsalSet::calibration, options));
  stages.done("transforms");
  add_missing(profile, before);
  return profile;
}

// Processes of MPI on the same cores, which this one starts: their messages, and whole transforms by them.
Profile with_processes(const CalibrateFlags& flags, const Profile& known, int ranks) {
  const TemporaryFile from;
  write_text(from.name(), to_json(known));
  Arguments command{"calibrate", "--add-to", from.name(), "--no-save"};
  if (flags.quick) command.push_back("--quick");
  Profile profile = profile_from_json(json_of_own_ranks(ranks, command, "the same between processes of MPI"));
  profile.machine = known.machine;
  profile.host = known.host;
  return profile;
}

void run_calibrate(const CalibrateFlags& flags, Crew& crew) {
  Stages stages;  // as rank 0 saw them
  Profile profile;
  int ranks = 1;
  crew.run(flags.run, [&](const Comm& comm) {
    together(comm.transport(), [&] {
      if (comm.rank() != 0) return;
      check_json_target(flags.run);
      if (!flags.out.empty()) check_writable(flags.out, 0);
    });
    Stages own;
    Profile found = calibrated(flags, comm, crew, own);
    if (comm.rank() != 0) return;
    profile = std::move(found);
    stages = own;
    ranks = comm.size();
  });
  if (!crew.speaks()) return;
  if (!MpiWorld::launched() && MpiWorld::available() && ranks > 1) {
    profile = with_processes(flags, profile, ranks);
    stages.done("both by MPI");
  }
  report(flags, profile, stages);
}

}  // namespace

void add_calibrate(CLI::App& program, Crew& crew) {
  auto flags = std::make_shared<CalibrateFlags>();
  CLI::App* const app = program.add_subcommand(
      "calibrate", "Measures this machine in some minutes (--quick: in one): predictions and plans then go by it");
  app->footer(calibrate_examples);
  add_rank_flags(*app, flags->run);
  app->add_option("--out", flags->out, "Write it to this file, too, for --machine")->type_name("FILE");
  app->add_flag("--quick", flags->quick, "Fewer lengths and sizes, double precision: a fourth of the time");
  app->add_flag("--no-save", flags->no_save, "Only to know: later runs go on as before");
  app->add_option("--add-to", flags->add_to,
                  "A file of calibrate: its passes are not measured again, only messages and transforms")
      ->type_name("FILE");
  add_json_flag(*app, flags->run);
  app->callback([flags, &crew] { run_calibrate(*flags, crew); });
}

}  // namespace kallima::cli
