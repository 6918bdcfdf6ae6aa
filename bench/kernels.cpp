// Runs of microseconds are repeated until the clock can tell how long they take. Which rival goes first makes no
// difference then: a run whose time is not taken precedes those whose time is.

#include "bench/kernels.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/check.hpp"
#include "bench/analytic.hpp"
#include "bench/race.hpp"
#include "bench/roofline.hpp"
#include "kallima/backend.hpp"

namespace kallima::cli {
namespace {

constexpr double long_enough_s = 2e-4;
constexpr Index lanes_at_least = 8;  // side by side, or there is nothing strided about them
constexpr Index least_bytes = Index{64} << 20, most_bytes = Index{1} << 30;  // out of cache, unless asked otherwise

double seconds_for(Rival& rival, int times) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (int i = 0; i < times; ++i) rival.run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Each rival's seconds for one run, in turns.
std::vector<Runs> race(const std::vector<std::unique_ptr<Rival>>& rivals, int reps, double bound) {
  std::vector<Runs> all;
  int times = 1;
  for (const auto& rival : rivals) {
    rival->fill();
    rival->run();
    const double error = rival->error();
    require(error <= bound,
            "the result of {} is wrong (relative error {:.2e}, at most {:.2e} is expected) please report this",
            rival->title(), error, bound);
    all.push_back({.name = rival->name(), .title = rival->title(), .error = error});
    times = std::max(times, static_cast<int>(std::ceil(long_enough_s / std::max(seconds_for(*rival, 1), 1e-7))));
  }
  for (int rep = 0; rep < reps; ++rep)
    for (std::size_t i = 0; i < rivals.size(); ++i) {
      if (times > 1) rivals[i]->run();
      all[i].seconds.push_back(seconds_for(*rivals[i], times) / times);
    }
  return all;
}

LineTimes line_times(const Runs& runs, Index points, double roofline) {
  const double ns = 1e9 / static_cast<double>(points);
  return {.ns_per_point = ns * runs.median(),
          .min_ns_per_point = ns * runs.fastest(),
          .share = roofline / (ns * runs.median()),
          .error = *runs.error};
}

class KernelSweep {
 public:
  explicit KernelSweep(const KernelSpec& spec)
      : spec_(spec), caches_(cache_sizes()), element_bytes_(spec.precision == Precision::single_ ? 8 : 16) {
    set_.isa = instruction_set();
    set_.in_cache_bytes = caches_.own / 2;
    set_.out_of_cache_bytes = spec.out_of_cache_bytes > 0 ? spec.out_of_cache_bytes
                                                          : std::clamp(2 * caches_.last, least_bytes, most_bytes);
    set_.peak_gflops = 1e-9 * peak_flops(set_.isa, spec.precision);
    set_.cache_gb_per_s = 1e-9 * copy_rate(set_.in_cache_bytes);
    set_.memory_gb_per_s = 1e-9 * copy_rate(set_.out_of_cache_bytes);
  }

  KernelSet run(const std::function<void(const std::string&)>& say) {
    for (const Index length : spec_.lengths)
      for (const bool in_cache : {true, false})
        for (const Access access : {Access::contiguous, Access::strided}) {
          say(fmt::format("{}: lines of {} points", set_.isa, length));
          add(length, access, in_cache);
        }
    return set_;
  }

 private:
  // What does not fit into any cache is left out there.
  void add(Index length, Access access, bool in_cache) {
    const bool strided = access == Access::strided;
    const Index line_bytes = 2 * element_bytes_ * length;
    const Index bytes = in_cache ? set_.in_cache_bytes : set_.out_of_cache_bytes;
    const Index lines = std::max(bytes / line_bytes, strided ? lanes_at_least : 1);
    if (in_cache && lines * line_bytes > caches_.last / 2) return;
    KernelRow row{.length = length,
                  .lines = lines,
                  .access = strided ? "strided" : "contiguous",
                  .memory = in_cache ? "in cache" : "out of cache"};
    row.roofline_ns = roofline_ns(length, spec_.precision, 1e9 * set_.peak_gflops,
                                  1e9 * (in_cache ? set_.cache_gb_per_s : set_.memory_gb_per_s));
    const auto rivals = make_line_rivals({length, lines, access, spec_.precision});
    const std::vector<Runs> runs = race(rivals, spec_.reps, error_bound(length, spec_.precision));
    row.kallima = line_times(runs[0], length * lines, row.roofline_ns);
    if (runs.size() > 1) {
      row.fftw = line_times(runs[1], length * lines, row.roofline_ns);
      row.ratio = row.fftw.ns_per_point / row.kallima.ns_per_point;
    }
    set_.rows.push_back(row);
  }

  const KernelSpec& spec_;
  CacheSizes caches_;
  Index element_bytes_;
  KernelSet set_;
};

}  // namespace

KernelSet measure_kernels(const KernelSpec& spec, const std::function<void(const std::string&)>& say) {
  say("what this machine can do at best");
  return KernelSweep(spec).run(say);
}

}  // namespace kallima::cli
