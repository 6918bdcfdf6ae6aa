#include "output.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

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

using Colour = std::array<double, 3>;

Colour colour_of(double brightness) {  // 0 to 1, dark blue over green to yellow
  static constexpr std::array<Colour, 5> stops{
      {{20, 11, 52}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}}};
  const double place = std::clamp(brightness, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), stops.size() - 2);
  Colour result{};
  for (std::size_t c = 0; c < 3; ++c)
    result[c] = stops[below][c] + (place - static_cast<double>(below)) * (stops[below + 1][c] - stops[below][c]);
  return result;
}

void append(std::string& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

// Three bytes a pixel, rows from the bottom up, each padded to four bytes.
std::string bitmap(const std::vector<double>& values, Index n, double brightest) {
  const Index zoom = std::max<Index>(1, 256 / n), side = zoom * n, row = (3 * side + 3) / 4 * 4;
  std::string bytes = "BM";
  for (const Index field : {54 + row * side, Index{0}, Index{54}, Index{40}, side, side})
    append(bytes, static_cast<std::uint32_t>(field), 4);
  append(bytes, 1, 2);
  append(bytes, 24, 2);
  bytes.append(24, '\0');
  for (Index y = 0; y < side; ++y) {
    for (Index x = 0; x < side; ++x) {
      const Colour colour = colour_of(values[static_cast<std::size_t>(y / zoom * n + x / zoom)] / brightest);
      for (std::size_t c = 3; c-- > 0;) append(bytes, static_cast<std::uint32_t>(std::lround(colour[c])), 1);
    }
    bytes.append(static_cast<std::size_t>(row - 3 * side), '\0');
  }
  return bytes;
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

void write_slice(NavierStokes& flow, const std::filesystem::path& path, double brightest) {
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
  kallima::together(comm.transport(), [&] {
    if (comm.rank() == 0) write_whole(path, bitmap(slice, n, brightest), std::ios::trunc);
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
