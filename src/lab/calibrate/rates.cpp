// Lengths in cache by one rank; then the same passes over arrays of growing size, by one rank and by all at once, from
// which what memory takes is what is left when arithmetic is taken out of it (see rates.hpp). Of several runs the
// fastest counts, since whatever else happens adds to it. All have their turn twice: what disturbs one disturbs its
// neighbours, too.

#include <algorithm>
#include <bit>
#include <cmath>

#include "kallima/calibrate.hpp"
#include "lab/calibrate/pass_timer.hpp"
#include "lab/calibrate/row_timer.hpp"
#include "lab/calibrate/undisturbed.hpp"
#include "machine/rates/pass_prices.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

constexpr Index longest_across = 16384;
constexpr std::size_t room = std::size_t{288} << 20;
constexpr Index longest_line = 1 << 21;
constexpr Index shortest_factors = 64;
constexpr Index most_lanes = 512;  // beside each other in memory, where planes are about square
constexpr int few_runs = 3;

bool is_smooth(Index n, Index largest) {
  for (Index p = 2; p <= largest; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

// Lengths differ by their factors more than a formula tells: all smooth ones that are usual, the powers of two, and of
// others enough to be near any.
std::vector<Index> lengths_for(Thoroughness how) {
  constexpr Index every = 32, usual = 512, long_ones = 4096;
  std::vector<Index> all;
  const bool quick = how == Thoroughness::quick;
  for (Index n = 2; n <= (quick ? every / 2 : every); ++n) all.push_back(n);
  for (Index n = every; n <= (quick ? 1 << 18 : longest_line); n *= quick ? 4 : 2) all.push_back(n);
  if (quick) {
    for (const Index odd : {3, 5, 7, 9, 15, 25, 27, 45})
      for (Index n = odd; n <= long_ones; n *= 4)
        if (n > every) all.push_back(n);
  } else {
    for (Index n = every; n <= long_ones; ++n)
      if (is_smooth(n, n <= usual ? 13 : 5)) all.push_back(n);
    for (const Index n : {896, 1029, 1715, 1792, 2401, 3087, 3584, 59049, 100000, 390625}) all.push_back(n);
  }
  for (const Index n : {37, 53, 61, 272, 496, 688, 992, 3904, 97, 101, 127, 131, 211, 251, 257, 509, 521, 1021, 2053})
    all.push_back(n);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<PassClass> classes_for(Thoroughness how) {
  std::vector<PassClass> all;
  for (const Precision precision : {Precision::double_, Precision::single_}) {
    if (how == Thoroughness::quick && precision == Precision::single_) continue;
    for (const LineWork work : {LineWork::complex_, LineWork::twiddled, LineWork::halved, LineWork::cosine,
                                LineWork::dealt, LineWork::shifted})
      for (const Stance stance : {Stance::across, Stance::along, Stance::turned}) {
        if (stance == Stance::turned && work == LineWork::cosine) continue;
        if (precision == Precision::single_ && work >= LineWork::halved) continue;
        all.push_back({stance, work, precision});
      }
    for (const Stance stance : {Stance::along, Stance::turned}) all.push_back({stance, LineWork::move, precision});
    if (precision == Precision::double_)
      for (const LineWork work : {LineWork::chirp, LineWork::product}) all.push_back({Stance::along, work, precision});
  }
  return all;
}

class RateFinder {
 public:
  RateFinder(const Comm& comm, const CalibrateOptions& options) : comm_(comm), options_(options) {}

  Rates run() {
    const std::vector<std::uint64_t> machines = gathered(comm_.transport(), machine_identity());
    const auto here = static_cast<int>(std::ranges::count(machines, machines[0]));
    rates_.cores = std::min(here, machine_cores());
    if (machines[at(comm_.rank())] == machines[0])
      place_ = static_cast<int>(std::ranges::count(machines.begin(), machines.begin() + comm_.rank(), machines[0]));
    if (comm_.rank() == 0) find_in_cache();
    comm_.transport().barrier();
    find_memory(1);
    if (rates_.cores > 1) find_memory(rates_.cores);
    rates_.calm_s = calm_seconds();
    return rates_;
  }

 private:
  static bool fits(const PassClass& of, Index length) {
    if (of.work == LineWork::chirp || of.work == LineWork::product)
      return length >= shortest_factors && std::has_single_bit(at(length)) && length <= longest_across;
    const bool long_ones = of.stance == Stance::along && of.work != LineWork::twiddled && of.work != LineWork::cosine &&
                           of.work != LineWork::move && of.precision == Precision::double_;
    return length <= (long_ones ? longest_line : longest_across);
  }

  void find_in_cache() {
    for (const PassClass& of : classes_for(options_.thoroughness))
      for (const Index length : lengths_for(options_.thoroughness))
        if (fits(of, length) && (of.work != LineWork::halved || length % 2 == 0 || length > 3))
          rates_.passes.push_back({of, length});
    std::vector<std::vector<double>> per_byte(rates_.passes.size());
    for (const int turn : {0, 1})
      for (std::size_t i = 0; i < per_byte.size(); ++i) {
        options_.say(0.25 * (turn + static_cast<double>(i) / static_cast<double>(per_byte.size())), "lines in cache");
        add_times(rates_.passes[i], per_byte[i]);
      }
    for (std::size_t i = 0; i < per_byte.size(); ++i) summarize(per_byte[i], rates_.passes[i]);
    PassTimer shortest({.of = {Stance::along, LineWork::complex_, Precision::double_}, .length = 2, .footprint = 64},
                       memory_, room);
    rates_.call_s = shortest.seconds();
    rates_.group_s = group_seconds(LineWork::complex_);
    rates_.moved_group_s = group_seconds(LineWork::move);
    for (const Index length : {64, 256, 1024, 4096, 16384, 65536})
      for (const bool meets : {false, true}) rates_.rows.push_back(timed_row(length, meets, memory_, room));
  }

  // From as many lines in groups of the usual number and in far smaller ones.
  double group_seconds(LineWork work) const {
    constexpr Index few_lanes = 8;
    const auto line_seconds = [&](Index lanes) {
      PassTimer timer({.of = {Stance::along, work, Precision::double_},
                       .length = few_lanes,
                       .in_place = work != LineWork::move,
                       .footprint = 128 * 1024,
                       .lanes = lanes},
                      memory_, room);
      double best = 1e9;
      for (int i = 0; i < 4 * few_runs; ++i) best = std::min(best, timer.seconds() / timer.bytes());
      return best * 2 * 16 * few_lanes;
    };
    return std::max(0.0, line_seconds(few_lanes) - line_seconds(usual_lanes)) / (1.0 / few_lanes - 1.0 / usual_lanes);
  }

  void add_times(const PassRate& row, std::vector<double>& per_byte) const {
    PassTimer timer({.of = row.of,
                     .length = row.length,
                     .in_place = timed_in_place(row.of),
                     .footprint = cached_footprint(row.of, row.length)},
                    memory_, room);
    for (int i = 0; i < few_runs; ++i) per_byte.push_back(timer.seconds() / timer.bytes());
  }

  static void summarize(std::vector<double> per_byte, PassRate& row) {
    std::ranges::sort(per_byte);
    const double best = row.s_per_byte = per_byte.front();
    row.error = (per_byte[per_byte.size() * 9 / 10] - best) / best / 2;
  }

  static PassClass class_of(const Surroundings& where) { return {where.stance, where.work, Precision::double_}; }

  // What the same lines take in cache.
  double in_cache(const Surroundings& where, Index length) const {
    const PassClass of = class_of(where);
    for (const PassRate& rate : rates_.passes)
      if (rate.of == of && rate.length == length) return rate.s_per_byte;
    return 0;
  }

  void find_memory(int cores) {
    const bool quick = options_.thoroughness == Thoroughness::quick;
    const std::vector<Index> fewer{4, 16, 64, 128, 256, 1024}, fewer_quickly{8, 32, 128};
    const std::vector<double> mib = quick ? std::vector{.375, 4., 32., 160.} : std::vector{.375, 2., 10., 40., 128.};
    const std::vector<Index> lengths =
        quick ? std::vector<Index>{2, 8, 32, 128, 512}
              : std::vector<Index>{2, 8, 16, 32, 64, 96, 125, 128, 192, 243, 256, 512, 1024, 2048, 8192};
    std::vector<MemoryRate> rows;
    for (const Surroundings& where : all_surroundings(cores))
      for (const Index length : where.uneven ? (quick ? fewer_quickly : fewer)
                                : where.work == LineWork::complex_ || quick ? lengths
                                                                            : fewer)
        for (const double size : mib)
          if (!where.meets || length % 16 == 0 || length <= 16) rows.push_back({where, length, size * 1024 * 1024});
    find_memory(rows, cores);
  }

  void find_memory(std::vector<MemoryRate> rows, int cores) {
    std::vector<double> best(rows.size(), 1e9);
    for (const int turn : {0, 1})
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double done = (turn + static_cast<double>(i) / static_cast<double>(rows.size())) / 2;
        options_.say(0.5 + 0.2 * (done + (cores > 1 ? 1 : 0)),
                     "memory, " + std::to_string(cores) + (cores == 1 ? " core" : " cores"));
        best[i] = std::min(best[i], per_byte(rows[i]));
      }
    if (comm_.rank() != 0) return;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].s_per_byte = best[i] - in_cache(rows[i].where, rows[i].length);
      rates_.memory.push_back(rows[i]);
    }
  }

  static std::vector<Surroundings> all_surroundings(int cores) {
    std::vector<Surroundings> all;
    for (const Stance stance : {Stance::across, Stance::along, Stance::turned})
      for (const bool in_place : {true, false})
        for (const bool meets : {false, true})
          if ((stance != Stance::along || !meets) && (stance != Stance::turned || !in_place))
            all.push_back({stance, LineWork::complex_, in_place, meets, cores});
    for (const Stance stance : {Stance::along, Stance::turned})
      all.push_back({stance, LineWork::move, false, false, cores});
    for (const Stance stance : {Stance::along, Stance::across})
      for (const bool meets : {false, true})
        if (stance == Stance::across || !meets) all.push_back({stance, LineWork::cosine, false, meets, cores});
    all.push_back({Stance::along, LineWork::halved, false, false, cores});
    all.push_back({Stance::turned, LineWork::halved, false, true, cores});
    for (const bool in_place : {true, false})
      all.push_back({Stance::across, LineWork::complex_, in_place, false, cores, true});
    all.push_back({Stance::turned, LineWork::complex_, false, false, cores, true});
    return all;
  }

  // The fastest of a few, as this rank has it, of those in which each core that is timed was its rank's alone, if
  // there are any; nothing is timed on ranks that only wait.
  double per_byte(const MemoryRate& row) {
    const bool mine = place_ >= 0 && place_ < row.where.cores, together = row.where.cores > 1;
    std::optional<PassTimer> timer;
    if (mine)
      timer.emplace(PassSample{.of = class_of(row.where),
                               .length = row.length,
                               .in_place = row.where.in_place,
                               .meets = row.where.meets,
                               .uneven = row.where.uneven,
                               .footprint = row.footprint,
                               .lanes = std::clamp<Index>((row.length + 3) / 4 * 4, usual_lanes, most_lanes),
                               .turn = turn_++,
                               .together = together},
                    memory_, room);
    double best = 1e9, best_calm = 1e9;
    for (int i = 0, calm = 0; i < (together ? 3 : 1) * few_runs && calm < few_runs; ++i) {
      if (mine) await_calm();
      if (together) comm_.transport().barrier();
      const double now = mine ? timer->seconds() / timer->bytes() : 1e9;
      best = std::min(best, now);
      if (together && comm_.max(mine && !is_calm() ? 1.0 : 0.0) > 0) continue;
      best_calm = std::min(best_calm, now);
      ++calm;
    }
    comm_.transport().barrier();
    return best_calm < 1e9 ? best_calm : best;
  }

  const Comm& comm_;
  const CalibrateOptions& options_;
  std::shared_ptr<std::byte> memory_ = cpu_backend(Precision::double_)->allocate(room);
  Rates rates_;
  Index turn_ = 0;
  int place_ = -1;  // among the ranks of rank 0's machine, whose cores are timed
};

}  // namespace

Rates calibrate_rates(const Comm& comm, const CalibrateOptions& options) { return RateFinder(comm, options).run(); }

}  // namespace kallima
