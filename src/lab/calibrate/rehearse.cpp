// Whole transforms, predicted and run: a few of round shapes, from which corrections come, and many others that no one
// has calibrated on. Corrections are medians of ratios, and their errors cover nine of ten that they were made of.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "kallima/calibrate.hpp"
#include "kallima/memory.hpp"
#include "kallima/stopwatch.hpp"
#include "lab/calibrate/undisturbed.hpp"
#include "lab/doctor/doctor_pair.hpp"

namespace kallima {
namespace {

constexpr double least_error = 0.08;
constexpr double wider = 2.06;  // what has nine of ten of normally distributed errors in it than their mean
constexpr double enough_s = 0.03, warm_s = 0.01;
constexpr double patience_s = 0.2;
constexpr double enough_between_hosts_s = 0.1, patience_between_hosts_s = 1;  // lost packets take a fifth of a second
constexpr double agreeing = 1.04;                                             // times the least
// That a transform may have, all others between: whatever disturbs one seldom finds all of them.
constexpr int more_turns = 3;  // of those to calibrate on that differ from others like them
int turns_of(RehearsalSet set) { return set == RehearsalSet::calibration ? 4 : 8; }

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
    return {{48, 48, 48},    {72, 72, 72},    {63, 77, 75},    {64, 64, 128},   {90, 91, 93},
            {144, 144, 144}, {135, 126, 143}, {180, 180, 180}, {175, 165, 189}, {231, 225, 245},
            {264, 250, 272}, {1 << 15},       {1 << 17},       {1 << 19},       {1 << 21},
            {1 << 23}};
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
// Cosines go through a tile, however rows begin.
bool is_wanted(const Problem& problem, const std::string& route, RehearsalSet set) {
  const bool line = problem.shape.size() == 1, cosines = problem.kinds[0] == Kind::dct2;
  if (cosines && (line || (set == RehearsalSet::calibration && problem.shape.back() % 4 != 0))) return false;
  if (route == "bluestein")
    return element_count(problem.shape) <= (set == RehearsalSet::calibration ? 1 << 21 : 1 << 22);
  return true;
}

struct Timed {
  double seconds = 0;
  bool disturbed = false;  // some rank was
};

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

// Until each rank has its core to itself, if that happens within a few looks. Collective.
void await_calm_together(const Comm& comm) {
  constexpr int most_looks = 5;
  for (int look = 0; look < most_looks; ++look) {
    await_calm();
    if (comm.max(is_calm() ? 0.0 : 1.0) == 0) break;
  }
}

// Of as many runs of forward as fit the time that is enough, each as long as the slowest rank says, after others that
// warm up. Runs in which a rank's core was taken for another process for more than a hundredth of them, or shared with
// somebody before or after, do not count, unless patience ends with none but these.
double median_run(AnyFft& fft) {
  const auto bytes = [&](Index size, Data data) {
    return static_cast<std::size_t>(size) * fft.element().bytes_of(data);
  };
  const std::size_t in_bytes = bytes(fft.local_size_in(), fft.plan().data_in());
  const std::size_t out_bytes = bytes(fft.local_size_out(), fft.plan().data_out());
  const Array<std::byte> in(static_cast<Index>(in_bytes)), out(static_cast<Index>(out_bytes));
  std::memset(in.data(), 0, in_bytes);  // what has only been read is one page of zeros, which no memory is asked for
  const std::span<const std::byte> from(in.data(), in_bytes);
  const std::span<std::byte> to(out.data(), out_bytes);
  const auto timed = [&] {
    await_calm_together(fft.comm());
    fft.comm().transport().barrier();
    const double before = deprived_s();
    const auto begin = Clock::now();
    fft.forward(from, to);
    const double seconds = seconds_together(fft.comm().transport(), begin), deprived = deprived_s() - before;
    return Timed{.seconds = seconds,
                 .disturbed = is_disturbed(fft.comm().max(is_calm() ? deprived : seconds), seconds)};
  };
  const bool hosts = !fft.comm().transport().all_views();
  const double enough = hosts ? enough_between_hosts_s : enough_s;
  const double patience = hosts ? patience_between_hosts_s : patience_s;
  for (double spent = 0; spent == 0 || spent < warm_s;) spent += timed().seconds;
  std::vector<double> all, undisturbed;
  for (double spent = 0; undisturbed.empty() || spent < enough; spent += all.back()) {
    if (all.size() >= 100 || spent > patience) break;
    const Timed one = timed();
    all.push_back(one.seconds);
    if (!one.disturbed) undisturbed.push_back(one.seconds);
  }
  return median_of(undisturbed.empty() ? all : undisturbed);
}

bool is_settled(const Rehearsal& it) { return it.second_s > 0 && it.second_s <= agreeing * it.measured_s; }

// By how much each is off, in the logarithm, where what is known of the others stands for it; nothing where there is no
// other.
std::vector<std::optional<double>> surprises(const std::vector<Correction>& all) {
  std::vector<std::optional<double>> off;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Correction> others = all;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const auto expected = corrected(others, all[i]);
    off.push_back(expected ? std::optional(std::abs(std::log(expected->factor / all[i].factor))) : std::nullopt);
  }
  return off;
}

std::vector<Correction> ratios_of(const std::vector<Rehearsal>& rehearsals) {
  std::vector<Correction> all;
  for (const Rehearsal& it : rehearsals) {
    all.push_back(alike(it.problem, it.route, it.ranks, it.joined));
    all.back().factor = it.measured_s / it.predicted_s;
  }
  return all;
}

// Those that are far off what others like them say, more often than not because they were disturbed.
std::vector<bool> surprising(const std::vector<Rehearsal>& all) {
  constexpr double much = 1.2;
  std::vector<bool> wanted;
  for (const std::optional<double>& off : surprises(ratios_of(all))) wanted.push_back(off && *off > std::log(much));
  return wanted;
}

// Predicted the first time; of what it takes each time the least counts.
void run(Rehearsal& it, const Comm& comm, const Profile& profile) {
  AnyFft fft(it.problem, comm, {.plan = {.route = it.route}, .effort = Effort::estimate});
  if (it.measured_s == 0) {
    const bool threads = comm.transport().name() == "threads";
    it.joined = threads ? Joined::threads : comm.transport().all_views() ? Joined::views : Joined::hosts;
    ForecastOptions how = joined_as(fft.plan().options(), it.ranks);
    if (threads) how.inside = Joined::threads;
    how.alone = false;
    const Forecast said = forecast(fft.plan(), profile, how);
    it.predicted_s = said.seconds;
    it.low_s = said.low();
    it.high_s = said.high();
  }
  const double now = median_run(fft), worse = std::max(now, it.measured_s);
  if (it.measured_s > 0) it.second_s = it.second_s == 0 ? worse : std::min(it.second_s, worse);
  it.measured_s = it.measured_s == 0 ? now : std::min(now, it.measured_s);
}

// What nine of ten of all are off by: those of one kind are too few to know theirs.
double usual_surprise(const std::vector<std::optional<double>>& off) {
  std::vector<double> known;
  for (const std::optional<double>& it : off)
    if (it) known.push_back(*it);
  if (known.empty()) return least_error;
  std::ranges::sort(known);
  return std::max(least_error, std::exp(known[known.size() * 9 / 10]) - 1);
}

// And of those like `it`, by what they are off on average.
double surprise(const std::vector<Correction>& all, const std::vector<std::optional<double>>& off,
                const Correction& it) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (off[i] && alike(all[i], it)) sum += *off[i], ++count;
  return count > 0 ? std::exp(wider * sum / count) - 1 : 2 * least_error;
}

}  // namespace

std::string text(const Rehearsal& it) {
  return it.kind + " " + text(it.problem.shape) + " by " + it.route + " on " + std::to_string(it.ranks) +
         (it.ranks == 1 ? " rank" : " ranks");
}

std::vector<Rehearsal> rehearse(const Comm& comm, const Profile& profile, RehearsalSet set,
                                const CalibrateOptions& options) {
  const bool threads = comm.transport().name() == "threads";
  if (profile.rates.calm_s > 0 && profile.processor.ends_with(instruction_set())) expect_calm(profile.rates.calm_s);
  std::vector<Rehearsal> all;
  for (const int ranks : std::set<int>{threads ? 1 : comm.size(), comm.size()})
    for (Rehearsal& it : listed(set, ranks, options.thoroughness))
      if (text(it).find(options.only) != std::string::npos && applies(it)) all.push_back(std::move(it));
  const int turns = turns_of(set);
  const bool checks = set == RehearsalSet::calibration;
  for (int turn = 0; turn < turns + (checks ? more_turns : 0); ++turn) {
    std::vector<bool> wanted;  // as rank 0 knows
    if (turn < turns)
      for (const Rehearsal& it : all) wanted.push_back(!is_settled(it));
    else if (comm.rank() == 0)
      wanted = surprising(all);
    wanted.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (comm.max(comm.rank() == 0 && wanted[i] ? 1.0 : 0.0) == 0) continue;
      const double share = static_cast<double>(i) / static_cast<double>(all.size());
      options.say(std::min(1.0, (turn + share) / turns), text(all[i]));
      if (all[i].ranks == comm.size())
        run(all[i], comm, profile);
      else if (comm.rank() == 0)
        run(all[i], Comm(), profile);
      if (all[i].ranks != comm.size()) comm.transport().barrier();
    }
  }
  return all;
}

std::vector<Correction> corrections_from(const std::vector<Rehearsal>& rehearsals) {
  std::vector<Correction> all = ratios_of(rehearsals);
  const std::vector<Correction> found = all;
  const std::vector<std::optional<double>> off = surprises(found);
  const double usual = usual_surprise(off);
  for (Correction& c : all) c.error = std::max(usual, surprise(found, off, c));
  return all;
}

}  // namespace kallima
