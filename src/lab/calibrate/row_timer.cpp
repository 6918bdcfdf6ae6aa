#include "lab/calibrate/row_timer.hpp"

#include <algorithm>
#include <chrono>

#include "base/check.hpp"
#include "kallima/backend.hpp"
#include "lab/calibrate/undisturbed.hpp"

namespace kallima {
namespace {

constexpr Index row_elements = 128, cache_line_elements = 4;  // double precision
constexpr Index lines_at_once = 32;
constexpr int few_runs = 4;

// From or to elements that are so far apart.
Pass moved(Index length, Index stride_in, Index stride_out) {
  return {.action = Action::move,
          .length = length,
          .sources = {{.buffer = Buffer::in, .count = length, .stride = stride_in}},
          .targets = {{.buffer = Buffer::out, .count = length, .stride = stride_out}}};
}

// Seconds of a line, of the fastest run.
double seconds_of(const Pass& pass, std::byte* in, std::byte* out) {
  using Clock = std::chrono::steady_clock;
  const std::shared_ptr<const Backend> backend = cpu_backend(Precision::double_);
  const std::unique_ptr<const Kernel> kernel = backend->compile(pass, 0, Direction::forward, Effort::estimate);
  const std::shared_ptr<std::byte> tile = backend->allocate(kernel->tile_bytes());
  const Progress progress = [] {};
  const auto step = [&](const Piece& end) {
    return static_cast<std::size_t>(16 * (end.stride == 1 ? pass.length : 1));
  };
  const std::size_t step_in = step(pass.sources[0]), step_out = step(pass.targets[0]);
  double best = 1e9;
  for (int run = 0; run <= few_runs; ++run) {
    await_calm();
    const auto begin = Clock::now();
    for (Index line = 0; line < lines_at_once; ++line) {
      Operands operands;
      operands.buffers[at(Buffer::in)] = in + at(line) * step_in;
      operands.buffers[at(Buffer::out)] = out + at(line) * step_out;
      kernel->start({operands, {}, 1, {tile.get(), kernel->tile_bytes()}, progress});
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count() / lines_at_once;
    if (run > 0) best = std::min(best, seconds);  // memory is there, and caches are as they will be
  }
  return best;
}

}  // namespace

RowRate timed_row(Index length, bool meets, const std::shared_ptr<std::byte>& memory, std::size_t bytes) {
  const Index apart = row_elements + (meets ? 0 : cache_line_elements);
  const std::size_t rows = at(16 * apart * length), lines = at(16 * length * lines_at_once);
  require(rows + lines <= bytes && 2 * lines <= bytes, "{} rows do not fit {} bytes", length, bytes);
  std::byte* const first = memory.get();
  const double along = seconds_of(moved(length, 1, 1), first, first + lines);
  const double read = seconds_of(moved(length, apart, 1), first, first + rows);
  const double write = seconds_of(moved(length, 1, apart), first + rows, first);
  const auto more = [&](double seconds) { return std::max(0.0, seconds - along) / static_cast<double>(length); };
  return {.length = length, .meets = meets, .read_s = more(read), .write_s = more(write)};
}

}  // namespace kallima
