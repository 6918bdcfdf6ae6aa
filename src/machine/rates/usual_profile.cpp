// Where nothing was measured: what passes take follows from their radices, and memory, messages and links from round
// numbers of servers of our time (a core that does 10 Gflop/s of transforms in cache and has 10 GB/s of memory when all
// are at work, a few microseconds and 10 GB/s between nodes). How passes compare with each other is as two cores of a
// Neoverse V1 have it: lines that a cache does not hold, real lines of odd lengths and cosines are slow. Choices that
// are made by it are right where candidates differ by more than a few tenths; kallima calibrate makes better ones.

#include "kallima/profile.hpp"

namespace kallima {
namespace {

constexpr double s_per_level = 8.5e-12;  // and byte
constexpr int usual_cores = 8;

// What caches of the first, second and third level no longer hold takes more, a byte.
double for_length(Index length) {
  return (length >= 1024 ? 4e-11 : 0) + (length >= 8192 ? 9e-11 : 0) + (length >= 1 << 19 ? 1.5e-10 : 0);
}

double usual_rate(Stance stance, LineWork work, Index length) {
  if (work == LineWork::move) return stance == Stance::turned ? 3.5e-11 : 1e-11;
  const double line = s_per_level * (1 + radix_levels(length)) + for_length(length);
  const bool splits_badly = stance != Stance::across && length >= 64;
  switch (work) {
    case LineWork::twiddled:
      return line + 3e-11;
    case LineWork::halved:
      return (length % 2 == 0 ? 1.6 : 4) * line + (length >= 16384 ? 2e-10 : 0);
    case LineWork::cosine:
      return line + 2e-10;
    case LineWork::dealt:
      return (splits_badly ? 1.5 : 1.05) * line;
    case LineWork::chirp:
      return 4e-11;
    case LineWork::product:
      return 2e-11;
    case LineWork::shifted:
      return (splits_badly ? 1.7 : 1.05) * line + (splits_badly ? 0 : 1.5e-11);
    default:
      return line;
  }
}

std::vector<PassRate> usual_passes() {
  std::vector<PassRate> all;
  for (const Stance stance : {Stance::across, Stance::along, Stance::turned})
    for (const LineWork work : {LineWork::complex_, LineWork::twiddled, LineWork::halved, LineWork::cosine,
                                LineWork::move, LineWork::dealt, LineWork::shifted, LineWork::chirp, LineWork::product})
      for (const Index length : {2,   3,   4,    5,    7,    8,    16,    27,    61,      64,      127,
                                 256, 512, 1021, 1024, 4096, 8192, 16384, 65536, 1 << 18, 1 << 19, 1 << 20})
        all.push_back({{stance, work, Precision::double_}, length, usual_rate(stance, work, length), 0.3});
  return all;
}

// In place a byte is read and written where it is, which takes a third of what two places do. Arithmetic hides a part
// of what memory takes.
std::vector<MemoryRate> usual_memory() {
  std::vector<MemoryRate> all;
  for (const Stance stance : {Stance::across, Stance::along, Stance::turned})
    for (const LineWork work : {LineWork::complex_, LineWork::move})
      for (const bool in_place : {false, true})
        for (const int cores : {1, usual_cores})
          for (const bool meets : {false, true})
            for (const double mib : {0.375, 2.0, 32.0, 128.0}) {
              const double more = mib < 1 ? 0 : mib < 10 ? 7e-12 : mib < 100 ? 3e-11 : cores == 1 ? 5e-11 : 8e-11;
              const double here = (in_place ? more / 3 : more) + (meets ? 2.5e-11 : 0);
              all.push_back({{stance, work, in_place, meets, cores}, 64, mib * 1024 * 1024, here});
            }
  return all;
}

// Inside a node a processor copies what it receives; between nodes a card does.
PairRates usual_pair(Joined joined, double L, double o, double G) {
  PairRates pair;
  pair.joined = joined;
  pair.L = {L, 0.5};
  pair.o_send = pair.o_receive = {o, 0.5};
  pair.g = {o, 0.5};
  pair.G = {G, 0.5};
  pair.O = {joined == Joined::hosts ? 0 : G / 2, 0.5};
  pair.alpha = {L + 2 * o, 0.5};
  pair.beta = {G, 0.5};
  return pair;
}

}  // namespace

const Profile& usual_profile() {
  static const Profile profile{
      .machine = Loggp{.L = 2e-6, .o = 1e-6, .g = 1e-6, .G = 1e-10, .r = 5e9},
      .rates = {.cores = usual_cores,
                .call_s = 1e-7,
                .group_s = 9e-8,
                .moved_group_s = 2e-8,
                .passes = usual_passes(),
                .memory = usual_memory()},
      .pairs = {usual_pair(Joined::threads, 2e-6, 2e-7, 1e-10), usual_pair(Joined::views, 2e-6, 4e-7, 1e-10),
                usual_pair(Joined::node, 2e-6, 1e-6, 2e-10), usual_pair(Joined::hosts, 2e-6, 1e-6, 1e-10)},
      .processor = "usual"};
  return profile;
}

}  // namespace kallima
