#pragma once
// Measuring the machine one is on: what its passes take, and what its messages do. Collective: all ranks of a node work
// at once where that is the question, and wait where it is not. Results are complete on rank 0.

#include <functional>

#include "kallima/fft.hpp"
#include "kallima/forecast.hpp"

namespace kallima {

enum class Thoroughness { quick, usual };

struct CalibrateOptions {
  Thoroughness thoroughness = Thoroughness::usual;
  std::string only = {};  // of rehearsals, those whose text() has this in it
  std::function<void(double share, const std::string& what)> say = [](double, const std::string&) {};
};

Rates calibrate_rates(const Comm& comm, const CalibrateOptions& options = {});

// Whether ranks of different hosts are on one machine, as in a laboratory. Collective.
bool hosts_share_cores(const Comm& comm);

// Between rank 0 and one rank of each kind: a thread of its process, another process of its node, one of another node.
std::vector<PairRates> calibrate_pairs(const Comm& comm, const CalibrateOptions& options = {});

// A transform that is run to compare it with what was predicted. No shape is in both sets.
struct Rehearsal {
  Problem problem;
  std::string kind;  // c2c, r2c, dct2
  std::string route;
  int ranks = 1;
  Joined joined = Joined::threads;
  double predicted_s = 0, low_s = 0, high_s = 0;
  double measured_s = 0, second_s = 0;  // the least and the second of the medians; 0: not yet
};
std::string text(const Rehearsal& it);  // c2c 64x64x64 by pencil on 2 ranks
enum class RehearsalSet { calibration, validation };

// On all ranks of `comm` and, where these are threads, on one alone. Routes that do not apply are left out. All have
// their turn, and again those whose two least medians differ by more than a twenty-fifth: the least one counts, and what
// else the machine does, or others do on a machine that is shared, hardly adds the same to two of them. To calibrate on
// there are at most four turns, and three more for those that differ from others like them, otherwise eight.
// Collective.
std::vector<Rehearsal> rehearse(const Comm& comm, const Profile& profile, RehearsalSet set,
                                const CalibrateOptions& options = {});

// What the passes' prices are off by, from rehearsals: one factor for each route and kind of which there are any.
std::vector<Correction> corrections_from(const std::vector<Rehearsal>& rehearsals);

}  // namespace kallima
