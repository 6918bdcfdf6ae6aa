// Where nothing was measured: what passes take follows from their radices, and memory, messages and links from round
// numbers of servers of our time (a core that does 10 Gflop/s of transforms in cache and has 10 GB/s of memory when all
// are at work, a few microseconds and 10 GB/s between nodes). Choices that are made by it are right where candidates
// differ by more than a few tenths; kallima calibrate makes better ones.

#include "kallima/profile.hpp"

namespace kallima {
namespace {

constexpr double s_per_level = 1.2e-11;  // and byte
constexpr int usual_cores = 8;

std::vector<PassRate> usual_passes() {
  std::vector<PassRate> all;
  for (const Stance stance : {Stance::across, Stance::along, Stance::turned})
    for (const LineWork work :
         {LineWork::complex_, LineWork::twiddled, LineWork::halved, LineWork::cosine, LineWork::move})
      for (const Index length : {2, 3, 4, 5, 7, 8, 16, 27, 61, 64, 127, 256, 1021, 1024, 4096, 65536, 1 << 20}) {
        const double more = work == LineWork::cosine ? 2.5 : work == LineWork::twiddled ? 1.25 : 1;
        const double levels = work == LineWork::move ? 2 : more * (2 + radix_levels(length));
        all.push_back({{stance, work, Precision::double_}, length, s_per_level * levels, 0.3});
      }
  return all;
}

// Arithmetic hides a part of what memory takes.
std::vector<MemoryRate> usual_memory() {
  std::vector<MemoryRate> all;
  for (const Stance stance : {Stance::across, Stance::along, Stance::turned})
    for (const LineWork work : {LineWork::complex_, LineWork::move})
      for (const int cores : {1, usual_cores})
        for (const bool meets : {false, true})
          for (const double mib : {0.375, 2.0, 32.0, 128.0}) {
            const double more = mib < 1 ? 0 : mib < 10 ? 1e-11 : mib < 100 ? 3e-11 : cores == 1 ? 4e-11 : 8e-11;
            all.push_back({{stance, work, false, meets, cores}, 64, mib * 1024 * 1024, more * (meets ? 1.3 : 1)});
          }
  return all;
}

PairRates usual_pair(Joined joined, double L, double o, double G) {
  PairRates pair;
  pair.joined = joined;
  pair.L = {L, 0.5};
  pair.o_send = pair.o_receive = {o, 0.5};
  pair.g = {o, 0.5};
  pair.G = {G, 0.5};
  pair.alpha = {L + 2 * o, 0.5};
  pair.beta = {G, 0.5};
  return pair;
}

}  // namespace

const Profile& usual_profile() {
  static const Profile profile{
      .machine = Loggp{.L = 2e-6, .o = 1e-6, .g = 1e-6, .G = 1e-10, .r = 5e9},
      .rates = {.cores = usual_cores, .call_s = 1e-7, .passes = usual_passes(), .memory = usual_memory()},
      .pairs = {usual_pair(Joined::threads, 2e-6, 2e-7, 1e-10), usual_pair(Joined::views, 2e-6, 4e-7, 1e-10),
                usual_pair(Joined::node, 2e-6, 1e-6, 2e-10), usual_pair(Joined::hosts, 2e-6, 1e-6, 1e-10)},
      .processor = "usual"};
  return profile;
}

}  // namespace kallima
