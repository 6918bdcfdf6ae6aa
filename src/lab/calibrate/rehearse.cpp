// Whole transforms, predicted and run: a few of round shapes, from which corrections come, and many others that no one
// has calibrated on. Corrections are medians of ratios, and their errors cover nine of ten that they were made of.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "kallima/calibrate.hpp"
#include "kallima/memory.hpp"
#include "lab/doctor/doctor_pair.hpp"

namespace kallima {
namespace {

constexpr double least_error = 0.08;
constexpr double enough_s = 0.15;

struct Kinds {
  const char* name;
  Data data;
  Kind kind;
};
constexpr std::array kinds{Kinds{"c2c", Data::complex_, Kind::fourier}, Kinds{"r2c", Data::real_, Kind::fourier},
                           Kinds{"dct2", Data::real_, Kind::dct2}};

std::vector<Shape> shapes_of(RehearsalSet set, Thoroughness how) {
  const bool quick = how == Thoroughness::quick;
  if (set == RehearsalSet::calibration) {
    if (quick) return {{128, 128, 128}, {1 << 19}};
    return {{72, 72, 72}, {144, 144, 144}, {216, 216, 216}, {1 << 17}, {1 << 19}, {1 << 21}};
  }
  if (quick) return {{64, 64, 64}, {100, 100, 100}, {81, 75, 70}, {1 << 16}, {1 << 20}};
  return {{64, 64, 64},    {81, 75, 70},    {96, 96, 96},    {100, 100, 100}, {125, 125, 125}, {128, 128, 128},
          {160, 162, 168}, {192, 192, 192}, {210, 200, 180}, {240, 250, 243}, {256, 256, 256}, {320, 320, 320},
          {1 << 16},       {1 << 18},       {1 << 20},       {1 << 22},       {1 << 24}};
}

Problem problem_of(const Shape& shape, const Kinds& kind) {
  Problem problem{.shape = shape, .data = kind.data};
  problem.kinds.assign(shape.size(), kind.kind);
  return problem;
}

// A long cosine transform along one axis has no route that is worth its time, and chirps of the longest take seconds.
bool is_wanted(const Problem& problem, const std::string& route, RehearsalSet set) {
  const bool line = problem.shape.size() == 1;
  if (line && problem.kinds[0] == Kind::dct2) return false;
  if (route == "bluestein")
    return element_count(problem.shape) <= (set == RehearsalSet::calibration ? 1 << 19 : 1 << 22);
  return true;
}

std::vector<Rehearsal> listed(RehearsalSet set, int ranks, Thoroughness how) {
  std::vector<Rehearsal> all;
  for (const Shape& shape : shapes_of(set, how))
    for (const Kinds& kind : kinds)
      for (const auto& [route, summary] : route_names()) {
        const Problem problem = problem_of(shape, kind);
        const bool alone = route == "local" || (route == "pencil" && kind.data == Data::real_);
        if ((ranks == 1) != alone && !(ranks > 1 && route == "pencil")) continue;
        if (is_wanted(problem, route, set)) all.push_back({problem, kind.name, route, ranks});
      }
  return all;
}

// True on all ranks or on none.
bool applies(const Rehearsal& it) {
  for (const Candidate& c : candidates(it.problem, it.ranks, {.exchange = Exchange::views}))
    if (c.route == it.route) return c.plan != nullptr && c.plan->layout_in().active_ranks() == it.ranks;
  return false;
}

void run(Rehearsal& it, const Comm& comm, const Profile& profile) {
  AnyFft fft(it.problem, comm, {.plan = {.route = it.route}, .effort = Effort::estimate});
  const bool threads = comm.transport().name() == "threads";
  const Joined joined = threads ? Joined::threads : comm.transport().all_views() ? Joined::views : Joined::hosts;
  const Forecast said = forecast(fft.plan(), profile, {.inside = joined, .per_node = it.ranks, .alone = false});
  it.predicted_s = said.seconds;
  it.low_s = said.low();
  it.high_s = said.high();
  it.measured_s = median_seconds(fft);
}

}  // namespace

double median_seconds(AnyFft& fft) {
  const auto bytes = [&](Index size, Data data) {
    return static_cast<std::size_t>(size) * fft.element().bytes_of(data);
  };
  const std::size_t in_bytes = bytes(fft.local_size_in(), fft.plan().data_in());
  const std::size_t out_bytes = bytes(fft.local_size_out(), fft.plan().data_out());
  const Array<std::byte> in(static_cast<Index>(in_bytes)), out(static_cast<Index>(out_bytes));
  const std::span<const std::byte> from(in.data(), in_bytes);
  const std::span<std::byte> to(out.data(), out_bytes);
  std::vector<double> seconds;
  for (double spent = 0; seconds.size() < 7 || (spent < enough_s && seconds.size() < 100); spent += seconds.back()) {
    fft.comm().transport().barrier();
    const auto begin = Clock::now();
    fft.forward(from, to);
    seconds.push_back(fft.comm().max(since(begin)));
  }
  seconds.erase(seconds.begin(), seconds.begin() + 2);
  std::ranges::nth_element(seconds, seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2));
  return seconds[seconds.size() / 2];
}

std::vector<Rehearsal> rehearse(const Comm& comm, const Profile& profile, RehearsalSet set,
                                const CalibrateOptions& options) {
  std::vector<Rehearsal> done;
  const bool threads = comm.transport().name() == "threads";
  for (const int ranks : {1, comm.size()}) {
    if (ranks == 1 && (!threads || comm.size() == 1) && comm.size() > 1) continue;
    if (ranks == 1 && comm.size() == 1 && !done.empty()) continue;
    const std::vector<Rehearsal> all = listed(set, ranks, options.thoroughness);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Rehearsal it = all[i];
      if (!applies(it)) continue;
      options.say(static_cast<double>(i) / static_cast<double>(all.size()),
                  it.kind + " " + text(it.problem.shape) + " by " + it.route);
      if (ranks == comm.size())
        run(it, comm, profile);
      else if (comm.rank() == 0)
        run(it, Comm(), profile);
      if (ranks != comm.size()) comm.transport().barrier();
      done.push_back(it);
    }
  }
  return done;
}

std::vector<Correction> corrections_from(const std::vector<Rehearsal>& rehearsals) {
  std::map<std::tuple<std::string, LineWork, bool, bool>, std::vector<double>> ratios;
  for (const Rehearsal& it : rehearsals)
    ratios[{it.route, work_of(it.problem), it.problem.shape.size() == 1, it.ranks > 1}].push_back(it.measured_s /
                                                                                                  it.predicted_s);
  std::vector<Correction> all;
  for (auto& [key, values] : ratios) {
    std::ranges::sort(values);
    const double middle = std::sqrt(values[(values.size() - 1) / 2] * values[values.size() / 2]);
    const double widest = std::max(values.back() / middle, middle / values.front()) - 1;
    all.push_back({.route = std::get<0>(key),
                   .work = std::get<1>(key),
                   .line = std::get<2>(key),
                   .several = std::get<3>(key),
                   .factor = middle,
                   .error = std::max(least_error, 1.3 * widest)});
  }
  return all;
}

}  // namespace kallima
