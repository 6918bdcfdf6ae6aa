#include "options.hpp"

#include <cstdlib>
#include <functional>
#include <map>

namespace taylor_green {

using kallima::Error;
using kallima::Index;

const char* const usage = R"(Usage: example_taylor_green [--name value ...]
  --n 64             points along each axis
  --re 1600          Reynolds number; the viscosity is 1/re
  --time 10          when to end
  --dt 0.32/n        time step
  --every 0.1        how often a line of history.csv and spectra.csv is written, in time
  --pictures 1       how often a slice of the vorticity is drawn; 0: never
  --checkpoint 1     how often checkpoint.npy is written; 0: never
  --restart yes      go on from the checkpoint of --out, if there is one
  --dealias 2/3      or 3/2
  --check yes        compare with figure 7 of Brachet et al. 1983, where re is 100: more than 1 % off is a failure
  --out taylor_green the folder for all of this
  --ranks 2          threads; under mpirun its processes are the ranks
)";

namespace {

double number(const std::string& name, const std::string& text, double least) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value >= least) || !std::isfinite(value))
    throw Error(name + " " + text + " does not fit: give it a number from " + std::to_string(least) + " on");
  return value;
}

}  // namespace

Options options_from(int argc, char** argv) {
  Options o;
  std::map<std::string, std::function<void(const std::string&)>> take;
  const auto real = [&](const std::string& name, double& to, double least) {
    take[name] = [name, &to, least](const std::string& text) { to = number(name, text, least); };
  };
  const auto whole = [&](const std::string& name, Index& to, double least) {
    take[name] = [name, &to, least](const std::string& text) { to = std::llround(number(name, text, least)); };
  };
  const auto choice = [&](const std::string& name, const std::string& no, const std::string& yes, auto to) {
    take[name] = [=](const std::string& text) {
      if (text != no && text != yes) throw Error(name + " " + text + " does not fit: use " + no + " or " + yes);
      to(text == yes);
    };
  };
  whole("--n", o.n, 4);
  whole("--ranks", o.ranks, 1);
  real("--re", o.re, 1e-6);
  real("--time", o.time, 0);
  real("--dt", o.dt, 1e-9);
  real("--every", o.every, 0);
  real("--pictures", o.pictures, 0);
  real("--checkpoint", o.checkpoint, 0);
  choice("--restart", "no", "yes", [&](bool yes) { o.restart = yes; });
  choice("--check", "no", "yes", [&](bool yes) { o.check = yes; });
  choice("--dealias", "2/3", "3/2",
         [&](bool yes) { o.dealiasing = yes ? Dealiasing::three_halves : Dealiasing::two_thirds; });
  take["--out"] = [&](const std::string& text) { o.out = text; };
  for (int i = 1; i < argc; i += 2) {
    if (take.count(argv[i]) == 0 || i + 1 == argc) throw Error(std::string(argv[i]) + " is not understood\n" + usage);
    take[argv[i]](argv[i + 1]);
  }
  if (o.dt == 0) o.dt = 0.32 / static_cast<double>(o.n);
  if (o.check && o.re != 100) throw Error("--check compares with data of Re = 100: leave it out, or say --re 100");
  return o;
}

}  // namespace taylor_green
