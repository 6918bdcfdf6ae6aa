#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "picture.hpp"

namespace taylor_green {

using kallima::Error;
using kallima::Index;

namespace {

void write_whole(const std::filesystem::path& path, const std::string& bytes, std::ios::openmode mode) {
  std::ofstream file(path, std::ios::binary | mode);
  file << bytes << std::flush;
  if (!file) throw Error("cannot write " + path.string());
}

std::string in_time(double seconds) {
  const auto whole = static_cast<int>(std::lround(seconds));
  char text[32];
  if (whole < 60)
    std::snprintf(text, sizeof text, "%d s", whole);
  else if (whole < 3600)
    std::snprintf(text, sizeof text, "%d min %02d s", whole / 60, whole % 60);
  else
    std::snprintf(text, sizeof text, "%d h %02d min", whole / 3600, whole / 60 % 60);
  return text;
}

}  // namespace

Table::Table(std::filesystem::path path, const std::string& heading, Index keep_to) : path_(std::move(path)) {
  std::string kept = heading + "\n";
  std::ifstream old(path_);
  std::string line;
  std::getline(old, line);
  while (keep_to >= 0 && std::getline(old, line) && !old.eof())  // what has no end of line was cut off
    if (std::stoll(line) <= keep_to) kept += line + "\n";
  old.close();
  const std::filesystem::path beside = path_.string() + ".new";
  write_whole(beside, kept, std::ios::trunc);
  std::filesystem::rename(beside, path_);
}

void Table::add(Index step, const std::vector<double>& numbers) {
  std::string line = std::to_string(step);
  for (const double number : numbers) {
    char text[32];
    std::snprintf(text, sizeof text, ",%.15g", number);
    line += text;
  }
  write_whole(path_, line + "\n", std::ios::app);
}

void write_slice(NavierStokes& flow, const std::filesystem::path& path, const std::string& title) {
  const Values& w = flow.vorticity();
  const kallima::Layout layout = flow.box().fft().layout_in();
  const kallima::Comm& comm = flow.box().comm();
  const Index n = layout.shape()[0];
  std::vector<double> slice(static_cast<std::size_t>(n * n));
  for (Index t = 0; t < w.size(); ++t) {
    const kallima::Shape j = layout.global_index(comm.rank(), t);
    const auto i = static_cast<std::size_t>(t);
    if (j[0] == n / 2) slice[static_cast<std::size_t>(j[1] * n + j[2])] = std::hypot(w[0][i], w[1][i], w[2][i]);
  }
  comm.sum(slice);  // of zeros but for the one rank that has the point
  const PictureText text{title, "|ω|", "z", "y"};
  kallima::together(comm.transport(), [&] {
    if (comm.rank() == 0) write_whole(path, square_picture(slice, static_cast<std::size_t>(n), text), std::ios::trunc);
  });
}

Waiting::Waiting(Index first, Index last)
    : first_(first), last_(last), next_(first), terminal_(isatty(STDERR_FILENO) != 0) {}

void Waiting::show(Index step, double time) {
  const auto now = Clock::now();
  const bool due = terminal_ ? now - shown_ > std::chrono::milliseconds(200) : step >= next_;
  if ((!due && step != last_) || step == first_) return;
  shown_ = now;
  next_ = step + (last_ - first_ + 9) / 10;
  const double each = std::chrono::duration<double>(now - begin_).count() / static_cast<double>(step - first_);
  const char* const start = terminal_ ? "\r\033[K" : "";
  const char* const end = terminal_ && step != last_ ? "" : "\n";
  std::fprintf(stderr, "%st = %.3f, step %lld of %lld, %.3g s a step, %s left%s", start, time,
               static_cast<long long>(step), static_cast<long long>(last_), each,
               in_time(each * static_cast<double>(last_ - step)).c_str(), end);
  std::fflush(stderr);
}

}  // namespace taylor_green
