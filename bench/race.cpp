// Ranks that have no part in a rival (FFTW's threads are rank 0's alone) sleep in a barrier meanwhile and leave it the
// cores.

#include "bench/race.hpp"

#include <algorithm>
#include <chrono>
#include <sstream>

#include "bench/collect.hpp"

namespace kallima::cli {

double Runs::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double Runs::fastest() const { return *std::min_element(seconds.begin(), seconds.end()); }
double Runs::slowest() const { return *std::max_element(seconds.begin(), seconds.end()); }

double Runs::p95() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(95 * sorted.size() + 99) / 100 - 1];
}

// Every rank must take the same turns, so all of them learn from rank 0 who runs.
Race::Race(const std::vector<Rival*>& rivals, Transport& transport, Placement placement, Skew skew)
    : rivals_(rivals), transport_(transport), placement_(placement), skew_(skew) {
  const std::vector<double> counts = gathered(transport, static_cast<double>(rivals.size()));
  everybodys_ = static_cast<std::size_t>(*std::min_element(counts.begin(), counts.end()));
  std::string mine;
  for (const Rival* rival : rivals) mine += rival->name() + '\n' + rival->title() + '\n';
  std::istringstream lines(gathered(transport, mine)[0]);
  for (Runs runs; std::getline(lines, runs.name) && std::getline(lines, runs.title);) runs_.push_back(runs);
  rivals_.resize(runs_.size(), nullptr);
}

// The first run of each is checked, a second warms up what the checking has cooled down.
void Race::check_and_warm_up() {
  for (std::size_t i = 0; i < rivals_.size(); ++i) {
    if (rivals_[i] != nullptr) rivals_[i]->fill();
    run_once(i);
    const bool checked = rivals_[i] == nullptr || rivals_[i]->has_answer();
    if (checked) runs_[i].error = largest(transport_, rivals_[i] != nullptr ? rivals_[i]->error() : 0);
  }
  for (std::size_t i = 0; i < rivals_.size(); ++i) run_once(i);
}

void Race::run_each() {
  ++turn_;
  for (std::size_t i = 0; i < rivals_.size(); ++i) runs_[i].seconds.push_back(run_once(i));
}

// Transforming its own output over and over would overflow, so in place the signal is put back, off the clock.
double Race::run_once(std::size_t i) {
  Rival* const rival = rivals_[i];
  if (rival != nullptr && placement_ == Placement::in_place) rival->fill();
  if (turn_ > 0 && skew_.longest > 0) {
    const std::vector<double> delays = skew_.delays(turn_);
    const double last = *std::max_element(delays.begin(), delays.end());
    const bool alone = i >= everybodys_;  // it has the data of all, and so begins when all have come
    return run_skewed(rival, alone ? last : delays[static_cast<std::size_t>(transport_.rank())]);
  }
  return seconds_of(transport_, [rival] {
    if (rival != nullptr) rival->run();
  });
}

// From the last arrival to the end: what goes before it nobody could have used better. Each rank measures from the
// barrier on its own clock.
double Race::run_skewed(Rival* rival, double delay) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  transport_.barrier();
  const auto begin = Clock::now();
  if (rival == nullptr) return largest(transport_, 0.0) - largest(transport_, 0.0);  // it looks on
  sleep_for(delay);
  const double arrived = since(begin);
  rival->run();
  const double ended = since(begin);
  return largest(transport_, ended) - largest(transport_, arrived);
}

}  // namespace kallima::cli
