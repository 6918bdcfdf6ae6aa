// A compiled pass knows everything but where the caller's arrays and the received blocks are: a start fills that in and
// launches. Lines that fit shared memory take one launch; others are gathered into a tile, transformed there by cuFFT,
// and scattered, a few at a time.

#include "cuda/line_pass.cuh"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <mutex>

#include "base/bits.hpp"
#include "cuda/model/line_plan.hpp"
#include "kallima/problem.hpp"
#include "kernel/line_pass.hpp"
#include "kernel/roots.hpp"

namespace kallima::cuda {
namespace {

constexpr Index tile_bytes_at_most = Index{256} << 20;  // unless a line takes more

// Transforms of lines that stand one behind the other, in place.
template <class T>
class CufftLines {
 public:
  CufftLines(int length, Index count) {
    check(cufftCreate(&plan_), "make a plan");
    long long n = length;
    std::size_t work = 0;
    const cufftType type = sizeof(T) == 4 ? CUFFT_C2C : CUFFT_Z2Z;
    check(cufftMakePlanMany64(plan_, 1, &n, nullptr, 1, n, nullptr, 1, n, type, count, &work), "plan lines");
  }
  CufftLines(const CufftLines&) = delete;
  CufftLines& operator=(const CufftLines&) = delete;
  ~CufftLines() { cufftDestroy(plan_); }

  void start(void* lines, double sign, cudaStream_t stream) const {
    const int direction = sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
    check(cufftSetStream(plan_, stream), "choose a stream");
    if constexpr (sizeof(T) == 4)
      check(cufftExecC2C(plan_, static_cast<cufftComplex*>(lines), static_cast<cufftComplex*>(lines), direction),
            "transform lines");
    else
      check(cufftExecZ2Z(plan_, static_cast<cufftDoubleComplex*>(lines), static_cast<cufftDoubleComplex*>(lines),
                         direction),
            "transform lines");
  }

 private:
  cufftHandle plan_ = 0;
};

// All roots of unity of an order, in the memory of the current device; those in use are shared.
template <class T>
std::shared_ptr<std::complex<T>> roots_on_device(int order, int device) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, std::weak_ptr<std::complex<T>>> known;
  const std::lock_guard lock(mutex);
  std::weak_ptr<std::complex<T>>& entry = known[{order, device}];
  if (auto there = entry.lock()) return there;
  const kernel::Roots roots(order);
  std::vector<std::complex<T>> table;
  for (int e = 0; e < order; ++e) table.push_back(roots.as<T>(e));
  auto made = on_device(table);
  entry = made;
  return made;
}

// The first 2^bits roots of unity of an order, and every 2^bits-th.
struct RootProducts {
  std::shared_ptr<std::complex<double>> near, far;
  int bits = 0;

  explicit RootProducts(Index order)
      : bits((static_cast<int>(std::bit_width(static_cast<std::uint64_t>(order - 1))) + 1) / 2) {
    const kernel::Roots roots(order);
    std::vector<std::complex<double>> first, others;
    for (Index e = 0; e < std::min(order, Index{1} << bits); ++e) first.push_back(roots.as<double>(e));
    for (Index e = 0; e < order; e += Index{1} << bits) others.push_back(roots.as<double>(e));
    near = on_device(first);
    far = on_device(others);
  }
};

unsigned long long modulo(Index number, Index modulus) {
  const Index rest = number % modulus;
  return static_cast<unsigned long long>(rest < 0 ? rest + modulus : rest);
}

// One end of a pass: its pieces, and the tables that tell the device where their elements are.
class LineEnd {
 public:
  LineEnd(std::vector<Piece> pieces, std::size_t depth, std::size_t host_loops, std::size_t loops)
      : pieces_(std::move(pieces)), depth_(depth), host_loops_(host_loops) {
    if (pieces_.empty()) return;
    const Piece& first = pieces_.front();
    params_.real = first.real;
    params_.pieces = static_cast<int>(pieces_.size());
    for (const Piece& piece : pieces_) {
      begins_.push_back(params_.entries);
      params_.entries += static_cast<int>(piece.count);
    }
    begins_.push_back(params_.entries);
    params_.stride = first.stride;
    const std::size_t before = depth + host_loops;
    for (std::size_t l = 0; l < loops; ++l) params_.one[l] = first.strides[before + l];
    const Index lane = loops > 0 ? std::abs(params_.one[loops - 1]) : 0;
    params_.along_line = lane == 0 || std::abs(first.stride) < lane;
    if (pieces_.size() == 1 && first.every == 1) return;
    std::vector<Index> strides;
    for (const Piece& piece : pieces_)
      for (std::size_t l = 0; l < loops; ++l) strides.push_back(piece.strides[before + l]);
    strides.push_back(0);  // never empty
    rows_ = on_device(rows_of(pieces_));
    strides_ = on_device(strides);
    params_.rows = rows_.get();
    params_.strides = strides_.get();
  }

  // How many neighbours threads take one beside the other, now that it is known how many lines a block has.
  void set_neighbours(int together) {
    const auto inner = static_cast<unsigned>(params_.along_line ? params_.entries : together);
    if (std::has_single_bit(inner)) params_.inner_bits = std::countr_zero(inner);
  }

  const std::vector<Piece>& pieces() const { return pieces_; }
  const EndParams& params() const { return params_; }

  // Calls visit(first row, rows) for every group of pieces that fits a launch, with `end` made ready for it.
  void each_group(EndParams& end, const KernelCall& call, std::span<const Index> outer, std::size_t real_bytes,
                  const auto& visit) const {
    for (std::size_t p = 0; p < pieces_.size(); p += at(most_pieces)) {
      const std::size_t behind = std::min(pieces_.size(), p + at(most_pieces));
      end = params_;
      end.first_piece = static_cast<int>(p);
      end.pieces = static_cast<int>(behind - p);
      for (std::size_t i = p; i < behind; ++i) end.base[i - p] = address(pieces_[i], call, outer, real_bytes);
      visit(begins_[p], begins_[behind] - begins_[p]);
    }
  }

  // All of them, for a launch that has room for them.
  EndParams placed(const KernelCall& call, std::span<const Index> outer, std::size_t real_bytes) const {
    EndParams end = params_;
    each_group(end, call, outer, real_bytes, [](int, int) {});
    return end;
  }

  const std::byte* address(const Piece& piece, const KernelCall& call, std::span<const Index> outer,
                           std::size_t real_bytes) const {
    Index offset = piece.offset;
    for (std::size_t d = 0; d < depth_; ++d) offset += call.at[d] * piece.strides[d];
    for (std::size_t l = 0; l < host_loops_; ++l) offset += outer[l] * piece.strides[depth_ + l];
    return call.source(piece) + offset * kernel::unit(piece) * static_cast<Index>(real_bytes);
  }

 private:
  std::vector<Piece> pieces_;
  std::size_t depth_, host_loops_;
  std::vector<int> begins_;  // row by row
  EndParams params_ = {.pieces = 0};
  std::shared_ptr<ElementRow> rows_;
  std::shared_ptr<Index> strides_;
};

template <class T>
class DevicePass final : public Kernel {
 public:
  DevicePass(const Pass& asked, std::size_t depth, Direction direction, std::shared_ptr<Queue> queue)
      : queue_(std::move(queue)),
        pass_(simplified(asked, depth)),
        host_loops_(pass_.loops.size() > at(most_loops) ? pass_.loops.size() - at(most_loops) : 0),
        loops_(pass_.loops.size() - host_loops_),
        from_(sources_of(pass_, 0), depth, host_loops_, loops_),
        with_(sources_of(pass_, 1), depth, host_loops_, loops_),
        to_(pass_.targets, depth, host_loops_, loops_) {
    const LinePlan plan = line_plan(pass_, direction);
    params_.kind = plan.kind;
    params_.length = plan.length;
    params_.sign = plan.sign;
    params_.trigonometric = plan.trigonometric;
    params_.loops = static_cast<int>(loops_);
    params_.lines = 1;
    for (std::size_t l = 0; l < loops_; ++l) {
      params_.extents[l] = pass_.loops[host_loops_ + l];
      params_.lines *= params_.extents[l];
    }
    params_.conjugated = pass_.conjugated;
    params_.divisor = static_cast<double>(pass_.divisor);
    set_twiddle(direction);
    set_phase(direction);
    if (pass_.action == Action::transform || pass_.action == Action::move) choose_way();
  }

  std::size_t tile_bytes() const override {
    return fits_ || lines_at_once_ == 0 ? 0 : at(lines_at_once_) * at(params_.length) * 2 * sizeof(T);
  }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    std::vector<Index> outer(host_loops_, 0);
    if (std::ranges::find(pass_.loops, 0) == pass_.loops.end()) do {
        run(call, outer);
      } while (advance(outer));
    return queue_->mark();
  }

 private:
  // Two sources of a product are not one line.
  static std::vector<Piece> sources_of(const Pass& pass, std::size_t end) {
    if (pass.action != Action::multiply && pass.action != Action::chirp)
      return end == 0 ? pass.sources : std::vector<Piece>{};
    return end < pass.sources.size() ? std::vector{pass.sources[end]} : std::vector<Piece>{};
  }

  void set_phase(Direction direction) {
    const Twiddle& t = pass_.phase;
    if (t.modulus == 0) return;
    params_.phase = {.modulus = static_cast<unsigned long long>(t.modulus),
                     .shift = modulo(t.shift, t.modulus),
                     .step = modulo(t.step, t.modulus),
                     .sign = direction == Direction::forward ? -1.0 : 1.0};
  }

  void set_twiddle(Direction direction) {
    const Twiddle& t = pass_.twiddle;
    if (t.modulus == 0) return;
    params_.twiddle = {.modulus = static_cast<unsigned long long>(t.modulus),
                       .shift = modulo(t.shift, t.modulus),
                       .step = modulo(t.step, t.modulus),
                       .loop = t.loop - static_cast<int>(host_loops_),
                       .sign = direction == Direction::forward ? -1.0 : 1.0};
    if (t.modulus <= static_cast<Index>(TwiddleParams::longest_table)) {
      twiddles_ = roots_on_device<T>(static_cast<int>(t.modulus), queue_->device());
      params_.twiddle.near = twiddles_.get();
    } else if (t.modulus <= Index{1} << 32 && pass_.action == Action::transform) {
      products_ = std::make_unique<RootProducts>(t.modulus);
      params_.twiddle.near = products_->near.get();
      params_.twiddle.far = products_->far.get();
      params_.twiddle.near_bits = products_->bits;
    }
  }

  // In shared memory where radices, length and pieces allow it; else through a tile.
  void choose_way() {
    const bool transforms = pass_.action == Action::transform;
    const auto radices = transforms ? radices_of(params_.length) : std::vector<int>{};
    const int pieces = std::max({from_.params().pieces, to_.params().pieces, 1});
    fits_ = radices && params_.length <= longest_line && pieces <= most_pieces;
    if (params_.lines == 0) return;
    if (fits_) {
      params_.together = lines_together(params_.length, params_.lines, from_.params().pieces + to_.params().pieces);
      params_.pitch = padded(params_.length) | 1;
      from_.set_neighbours(params_.together);
      to_.set_neighbours(params_.together);
      params_.radix_count = static_cast<int>(radices->size());
      std::ranges::copy(*radices, params_.radices);
      if (!radices->empty()) roots_ = roots_on_device<T>(params_.length, queue_->device());
      params_.roots = roots_.get();
      return;
    }
    const Index line = params_.length * static_cast<Index>(2 * sizeof(T));
    lines_at_once_ = std::clamp<Index>(tile_bytes_at_most / line, 1, params_.lines);
    if (!transforms || params_.length == 1) return;
    lines_ = std::make_unique<CufftLines<T>>(params_.length, lines_at_once_);
    if (const Index rest = params_.lines % lines_at_once_; rest > 0)
      last_lines_ = std::make_unique<CufftLines<T>>(params_.length, rest);
  }

  bool advance(std::vector<Index>& outer) const {
    for (std::size_t l = outer.size(); l-- > 0;) {
      if (++outer[l] < pass_.loops[l]) return true;
      outer[l] = 0;
    }
    return false;
  }

  LineParams params_of(const KernelCall& call, const std::vector<Index>& outer) const {
    LineParams p = params_;
    if (pass_.scaled) p.scale = static_cast<double>(call.scale);
    const Twiddle& t = pass_.twiddle;
    if (t.modulus > 0 && t.loop >= 0 && at(t.loop) < host_loops_) {
      const Int128 shift = t.shift + Int128{outer[at(t.loop)]} * t.step;
      p.twiddle.shift = modulo(static_cast<Index>(shift % t.modulus), t.modulus);
      p.twiddle.loop = -1;
    }
    return p;
  }

  void run(const KernelCall& call, const std::vector<Index>& outer) const {
    LineParams p = params_of(call, outer);
    const auto place = [&](const LineEnd& end) { return end.placed(call, outer, sizeof(T)); };
    switch (pass_.action) {
      case Action::fill:
        return to_.each_group(p.to, call, outer, sizeof(T),
                              [&](int row, int rows) { launch_fill<T>(p, row, rows, queue_->stream()); });
      case Action::sum:
        p.from = place(from_);
        p.to = place(to_);
        return launch_sum<T>(p, queue_->stream());
      case Action::multiply:
      case Action::chirp:
        p.from = place(from_);
        p.to = place(to_);
        return pass_.action == Action::chirp ? launch_chirp<T>(p, place(with_), queue_->stream())
                                             : launch_multiply<T>(p, place(with_), queue_->stream());
      default:
        if (!fits_) return run_tiled(p, call, outer);
        p.from = place(from_);
        p.to = place(to_);
        return launch_lines<T>(p, queue_->stream());
    }
  }

  void run_tiled(LineParams p, const KernelCall& call, const std::vector<Index>& outer) const {
    std::byte* const tile = call.tile.data();
    const cudaStream_t stream = queue_->stream();
    const Index all = params_.lines;
    for (p.first = 0; p.first < all; p.first += lines_at_once_) {
      p.lines = std::min(lines_at_once_, all - p.first);
      if (p.kind == LineKind::trigonometric)
        check(cudaMemsetAsync(tile, 0, at(p.lines) * at(p.length) * 2 * sizeof(T), stream), "clearing a tile");
      from_.each_group(p.from, call, outer, sizeof(T),
                       [&](int row, int rows) { launch_gather<T>(p, row, rows, tile, stream); });
      if (lines_) (p.lines == lines_at_once_ ? lines_ : last_lines_)->start(tile, p.sign, stream);
      to_.each_group(p.to, call, outer, sizeof(T),
                     [&](int row, int rows) { launch_scatter<T>(p, row, rows, tile, stream); });
    }
  }

  std::shared_ptr<Queue> queue_;
  Pass pass_;
  std::size_t host_loops_, loops_;  // outer ones, each of whose iterations is launched by itself, and those of a launch
  LineEnd from_, with_, to_;
  LineParams params_ = {};
  bool fits_ = false;
  Index lines_at_once_ = 0;
  std::shared_ptr<std::complex<T>> roots_, twiddles_;
  std::unique_ptr<RootProducts> products_;
  std::unique_ptr<CufftLines<T>> lines_, last_lines_;
};

}  // namespace

template <class T>
std::unique_ptr<const Kernel> compile_lines(const Pass& pass, std::size_t depth, Direction direction,
                                            std::shared_ptr<Queue> queue) {
  return std::make_unique<DevicePass<T>>(pass, depth, direction, std::move(queue));
}

template std::unique_ptr<const Kernel> compile_lines<float>(const Pass&, std::size_t, Direction,
                                                            std::shared_ptr<Queue>);
template std::unique_ptr<const Kernel> compile_lines<double>(const Pass&, std::size_t, Direction,
                                                             std::shared_ptr<Queue>);

}  // namespace kallima::cuda
