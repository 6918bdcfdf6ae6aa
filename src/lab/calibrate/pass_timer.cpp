#include "lab/calibrate/pass_timer.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"
#include "lab/calibrate/undisturbed.hpp"

namespace kallima {
namespace {

constexpr double long_enough_s = 50e-6;
constexpr double retry_s = 0.01;
constexpr Index way_elements = 1024;  // double precision: rows that are a multiple of these apart meet
constexpr Index least_lines = 8;
constexpr double part_bytes = 10 << 20;    // and more of an array are timed in such parts
constexpr double touched_once = 64 << 20;  // and more: whatever part is next, others came since it was touched

using Clock = std::chrono::steady_clock;

struct SampleEnd {
  bool real = false;
  Index length = 1;  // of a line at this end
  bool along = true;
};

// Distances along a line, from one line to the next and from one group of lines to the next; elements in all.
struct Spacing {
  Index stride = 1, lane = 1, group = 1, all = 1;
};

// Rows that meet are one of way_elements apart, and groups stand side by side in them.
Spacing spacing_of(const SampleEnd& end, Index lanes, Index groups, bool meets) {
  if (end.along) return {1, end.length, lanes * end.length, groups * lanes * end.length};
  if (!meets) {
    const Index row = lanes % 32 == 0 && end.length > 8 ? lanes + 4 : lanes;  // a cache line more
    return {row, 1, row * end.length, groups * row * end.length};
  }
  const Index row = std::max<Index>(1, (groups * lanes + way_elements - 1) / way_elements) * way_elements;
  return {row, 1, lanes, row * end.length};
}

// Factors that differ by line are those of results that go to several ranks.
bool is_dealt(LineWork work) {
  return work == LineWork::twiddled || work == LineWork::dealt || work == LineWork::shifted;
}

Action action_of(LineWork work) {
  if (work == LineWork::move) return Action::move;
  if (work == LineWork::chirp) return Action::chirp;
  return work == LineWork::product ? Action::multiply : Action::transform;
}

Piece piece_of(Buffer buffer, const SampleEnd& end, const Spacing& s) {
  return {.buffer = buffer, .count = end.length, .stride = s.stride, .strides = {s.group, s.lane}, .real = end.real};
}

// One half of each line stands behind the other halves of all: the second one, or every second element.
void deal(Pass& pass, const SampleEnd& whole, bool meets, bool alternately) {
  const Index groups = pass.loops[0], lanes = pass.loops[1];
  const SampleEnd half{whole.real, (whole.length + (alternately ? 1 : 0)) / 2, whole.along},
      rest{whole.real, whole.length - half.length, whole.along};
  const Spacing first = spacing_of(half, lanes, groups, meets);
  pass.targets = {piece_of(Buffer::out, half, first),
                  piece_of(Buffer::out, rest, spacing_of(rest, lanes, groups, meets))};
  pass.targets[1].first = alternately ? 1 : half.length;
  for (Piece& target : pass.targets) target.every = alternately ? 2 : 1;
  pass.targets[1].offset = first.all;
}

}  // namespace

SampledPass sampled_pass(const PassSample& s) {
  const Index n = s.length;
  const double element = s.of.precision == Precision::single_ ? 8 : 16;
  const bool halved = s.of.work == LineWork::halved, cosine = s.of.work == LineWork::cosine;
  const bool product = s.of.work == LineWork::product;
  const SampleEnd in{halved || cosine, product ? 2 * n : n, s.of.stance == Stance::along};
  const SampleEnd out{cosine, halved ? n / 2 + 1 : n, s.of.stance != Stance::across};
  const auto size = [&](const SampleEnd& end) {
    return element * static_cast<double>(end.length) / (end.real ? 2 : 1);
  };
  const double line = s.in_place ? std::max(size(in), size(out)) : size(in) + size(out);
  const auto lines = std::max<Index>(in.along && out.along ? 1 : least_lines, static_cast<Index>(s.footprint / line));
  const Index most_lanes = std::min(lines, s.lanes), lanes = s.uneven ? (most_lanes - 1) | 1 : most_lanes;
  const Index all_groups = lines / lanes;
  const Index most_parts = is_dealt(s.of.work) ? 1 : all_groups;
  const Index parts = std::clamp<Index>(static_cast<Index>(s.footprint / part_bytes), 1, most_parts);
  const Index here = all_groups / parts, groups = here * parts;
  const Spacing from = spacing_of(in, lanes, groups, s.meets), to = spacing_of(out, lanes, groups, s.meets);
  SampledPass it{.pass = {.action = action_of(s.of.work),
                          .kind = halved   ? Kind::real_to_half
                                  : cosine ? Kind::dct2
                                           : Kind::fourier,
                          .length = n,
                          .sources = {piece_of(Buffer::in, in, from)},
                          .targets = {piece_of(s.in_place ? Buffer::in : Buffer::out, out, to)},
                          .loops = {here, lanes}}};
  if (is_dealt(s.of.work)) deal(it.pass, out, s.meets, s.of.work == LineWork::twiddled);
  if (product) {
    Piece& first = it.pass.sources[0];
    first.count = n;
    it.pass.sources.push_back(first);
    it.pass.sources[1].first = it.pass.sources[1].offset = n;
  }
  if (s.of.work == LineWork::chirp) {
    it.pass.twiddle = {.modulus = 2 * n + 1, .shift = 1, .step = 1};
    it.pass.phase = {.modulus = 4 * n, .shift = 1, .step = 1};
  }
  if (s.of.work == LineWork::shifted) it.pass.twiddle = {.modulus = 2 * n, .shift = 1};
  if (s.of.work == LineWork::twiddled) it.pass.twiddle = {.modulus = n * lanes, .shift = 0, .step = 1, .loop = 1};
  it.bytes = (size(in) + size(out)) * static_cast<double>(lanes * here);
  it.parts = parts;
  const auto bytes = [&](Index elements, bool real) {
    return static_cast<double>(elements) * element / (real ? 2 : 1);
  };
  it.step_in = bytes(here * from.group, in.real);
  it.step_out = bytes(here * to.group, out.real);
  it.room_in = bytes(from.all, in.real);
  it.room_out = s.in_place ? element : bytes((is_dealt(s.of.work) ? 2 : 1) * to.all, out.real);
  return it;
}

// Results that are not complex numbers in the place of others stand where they meet nothing that is read: arrays that
// differ in size drift apart. Those that are alike begin alike, as large arrays do.
PassTimer::PassTimer(const PassSample& sample, std::shared_ptr<std::byte> memory, std::size_t bytes)
    : backend_(cpu_backend(sample.of.precision)), memory_(std::move(memory)) {
  constexpr std::size_t page = 2 << 20, half_a_way = 8 * 1024;
  const SampledPass it = sampled_pass(sample);
  kernel_ = backend_->compile(it.pass, 0, Direction::forward, Effort::estimate);
  tile_ = backend_->allocate(kernel_->tile_bytes());
  const std::size_t in = (static_cast<std::size_t>(it.room_in) + page - 1) / page * page;
  const std::size_t out = in + (sample.of.work == LineWork::halved ? half_a_way : 0);
  require(out + static_cast<std::size_t>(it.room_out) <= bytes, "a pass of {} and {} bytes does not fit {}", it.room_in,
          it.room_out, bytes);
  in_ = memory_.get();
  out_ = memory_.get() + out;
  bytes_ = it.bytes;
  together_ = sample.together;
  parts_ = it.parts;
  part_ = sample.turn % parts_;
  step_in_ = static_cast<std::size_t>(it.step_in);
  step_out_ = static_cast<std::size_t>(it.step_out);
  warm_ups_ = sample.footprint > touched_once ? 1 : parts_;
}

// Again if it was disturbed, as long as that does not take too long; then the best.
double PassTimer::run() {
  if (together_) return run_once();
  double best = 0;
  for (double spent = 0; spent < retry_s;) {
    await_calm();
    const double before = deprived_s();
    const double seconds = run_once(), all = seconds * std::max(1, times_);
    if (!is_disturbed(deprived_s() - before, all) && is_calm()) return seconds;
    best = best == 0 ? seconds : std::min(best, seconds);
    spent += all;
  }
  return best;
}

double PassTimer::run_once() {
  operands_.buffers[at(Buffer::in)] = in_ + at(part_) * step_in_;
  operands_.buffers[at(Buffer::out)] = out_ + at(part_) * step_out_;
  part_ = (part_ + 1) % parts_;
  const auto begin = Clock::now();
  for (int i = 0; i < std::max(1, times_); ++i)
    kernel_->start({operands_, {}, 1, {tile_.get(), kernel_->tile_bytes()}, progress_});
  return std::chrono::duration<double>(Clock::now() - begin).count() / std::max(1, times_);
}

double PassTimer::seconds() {
  if (times_ == 0) {
    for (Index i = 0; i < warm_ups_; ++i) run();  // memory is there and caches are warm
    const double once = run();
    times_ = std::max(1, static_cast<int>(std::ceil(long_enough_s / std::max(1e-8, once))));
    if (times_ == 1) return once;
  }
  return run();
}

}  // namespace kallima
