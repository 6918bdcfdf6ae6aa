#pragma once
// What a run leaves behind, written by one rank: tables that a restarted run goes on with where its checkpoint was,
// pictures of slices, and a line for those who wait.

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "navier_stokes.hpp"

namespace taylor_green {

// Lines of numbers, the first of which is the step. Each is complete on the disk, or not there.
class Table {
 public:
  // Keeps the lines of a file that is there up to this step; -1: none of them.
  Table(std::filesystem::path path, const std::string& heading, kallima::Index keep_to);
  void add(kallima::Index step, const std::vector<double>& numbers);

 private:
  std::filesystem::path path_;
};

// |curl u| in the plane x = pi as an .svg. Collective.
void write_slice(NavierStokes& flow, const std::filesystem::path& path, const std::string& title);

// Says on a terminal how far the run is and how long it will take, several times a second; otherwise ten times in all.
class Waiting {
 public:
  Waiting(kallima::Index first, kallima::Index last);
  void show(kallima::Index step, double time);

 private:
  using Clock = std::chrono::steady_clock;
  kallima::Index first_, last_, next_;
  bool terminal_;
  Clock::time_point begin_ = Clock::now(), shown_ = begin_;
};

}  // namespace taylor_green
