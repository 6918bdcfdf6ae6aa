// The Taylor-Green vortex: a smooth flow that breaks up into ever smaller eddies. Ranks are threads of this process, or
// the processes that mpirun has started:
//   example_taylor_green --n 64 --re 100 --time 10 --out run
//   mpirun -n 4 example_taylor_green --n 128 --re 1600 --time 20 --out run
// docs/turbulence.md says what comes out.

#include <cmath>
#include <cstdio>
#include <cstring>
#include <kallima/job.hpp>

#include "options.hpp"
#include "output.hpp"
#include "reference.hpp"

namespace taylor_green {
namespace {

using kallima::Error;
using kallima::Index;
namespace fs = std::filesystem;

// Where the run stands: all that a checkpoint keeps.
class Run {
 public:
  Run(const Options& options, const kallima::Comm& comm)
      : o_(options), comm_(comm), flow_(o_.n, 1 / o_.re, o_.dealiasing, comm) {
    kallima::together(comm.transport(), [&] { fs::create_directories(o_.out); });
    flow_.set_taylor_green();
    if (o_.restart && comm.max(fs::exists(path()) ? 1 : 0) == 1) restart();
    if (comm.rank() != 0) return;
    const Index keep_to = first_ > 0 ? first_ - 1 : -1;
    history_.emplace(o_.out / "history.csv", "step,time,energy,enstrophy,dissipation", keep_to);
    spectra_.emplace(o_.out / "spectra.csv", "step,time,energy of wave numbers 0 1 2 ...", keep_to);
  }

  int go() {
    const auto last = static_cast<Index>(std::ceil(o_.time / o_.dt - 1e-9));
    Waiting waiting(first_, last);
    for (step_ = first_; step_ <= last; ++step_) {
      if (step_ > first_) flow_.step(o_.dt);
      leave_behind(step_ == last);
      if (comm_.rank() == 0) waiting.show(step_, time());
    }
    return o_.check ? check() : 0;
  }

 private:
  fs::path path() const { return o_.out / "checkpoint.npy"; }
  double time() const { return static_cast<double>(step_) * o_.dt; }

  kallima::Checkpoint checkpoint(Index& step, double& re, double& dt) {
    kallima::Checkpoint kept;
    kept.number("step", step).number("re", re).number("dt", dt);
    kept.arrays("velocity", flow_.layout(), flow_.velocity().spans());
    return kept;
  }

  void restart() {
    double re = 0, dt = 0;
    checkpoint(first_, re, dt).read(comm_, path().string());
    if (re != o_.re || dt != o_.dt)
      throw Error(path().string() + " is of a run with --re " + std::to_string(re) + " --dt " + std::to_string(dt) +
                  ": say so, or choose another --out");
    if (comm_.rank() == 0) std::fprintf(stderr, "going on from t = %g\n", static_cast<double>(first_) * o_.dt);
  }

  void leave_behind(bool last) {
    if (o_.due(o_.every, step_) || last) note();
    if (o_.due(o_.pictures, step_)) draw();
    if (step_ > first_ && o_.due(o_.checkpoint, step_)) checkpoint(step_, o_.re, o_.dt).write(comm_, path().string());
  }

  void note() {
    const double energy = flow_.energy(), enstrophy = flow_.enstrophy();
    std::vector<double> shells = flow_.spectrum();
    shells.insert(shells.begin(), time());
    dissipation_.push_back({time(), 2 * enstrophy / o_.re});
    kallima::together(comm_.transport(), [&] {
      if (!std::isfinite(energy)) throw Error("the flow has blown up: use a shorter --dt");
      if (comm_.rank() != 0) return;
      history_->add(step_, {time(), energy, enstrophy, 2 * enstrophy / o_.re});
      spectra_->add(step_, shells);
    });
  }

  void draw() {
    char name[32], title[96];
    std::snprintf(name, sizeof name, "vorticity_%07.3f.svg", time());
    std::snprintf(title, sizeof title, "Vorticity at x = π, t = %g (Re = %g, %lld³)", time(), o_.re,
                  static_cast<long long>(o_.n));
    write_slice(flow_, o_.out / name, title);
  }

  // By straight lines between the times that were noted.
  double dissipation_at(double time) const {
    for (std::size_t i = 1; i < dissipation_.size(); ++i) {
      const auto &a = dissipation_[i - 1], &b = dissipation_[i];
      if (a.time <= time && time <= b.time)
        return a.dissipation + (b.dissipation - a.dissipation) * (time - a.time) / (b.time - a.time);
    }
    return 0;
  }

  int check() const {
    double worst = 0;
    if (comm_.rank() == 0) std::printf("  time  dissipation  Brachet et al.  off by\n");
    for (const ReferencePoint& point : brachet_re100) {
      const double ours = dissipation_at(point.time);
      if (ours == 0) continue;  // not in this run
      const double off = ours / point.dissipation - 1;
      worst = std::max(worst, std::abs(off));
      if (comm_.rank() == 0)
        std::printf("%6.3f  %11.6f  %14.6f  %5.2f %%\n", point.time, ours, point.dissipation, 100 * off);
    }
    if (comm_.rank() == 0) std::printf("largest difference %.2f %%\n", 100 * worst);
    return worst <= 0.01 ? 0 : 1;
  }

  Options o_;
  kallima::Comm comm_;
  NavierStokes flow_;
  Index first_ = 0, step_ = 0;
  std::optional<Table> history_, spectra_;
  std::vector<ReferencePoint> dissipation_;
};

int run_everywhere(const Options& options) {
  int code = 0;
  if (kallima::MpiWorld::launched()) {
    kallima::MpiWorld world;
    code = Run(options, world.comm()).go();
    world.will_exit_with(code);
  } else {
    kallima::run_threads(static_cast<int>(options.ranks), [&](const kallima::Comm& comm) {
      const int mine = Run(options, comm).go();
      if (comm.rank() == 0) code = mine;
    });
  }
  return code;
}

}  // namespace
}  // namespace taylor_green

int main(int argc, char** argv) {
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0))
    return std::printf("%s", taylor_green::usage) > 0 ? 0 : 1;
  try {
    return taylor_green::run_everywhere(taylor_green::options_from(argc, argv));
  } catch (const kallima::Error& error) {
    std::fprintf(stderr, "taylor_green: %s\n", error.what());
    return 1;
  }
}
