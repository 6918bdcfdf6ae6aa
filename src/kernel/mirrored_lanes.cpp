#include "kernel/mirrored_lanes.hpp"

#include <algorithm>

#include "kernel/lane_fft.hpp"
#include "kernel/roots.hpp"

namespace kallima::kernel {
namespace {

constexpr Index tile_bytes_at_most = 512 * 1024;  // of two tiles, in a second-level cache with what transforms need
constexpr Index longest_run = 512;                // bytes of lanes
constexpr Index shortest_run = 128;

template <class T>
class MirroredPass final : public Kernel {
  using Complex = std::complex<T>;

 public:
  MirroredPass(Direction direction, const MirroredLanes& lanes)
      : direction_(direction), lanes_(lanes), fft_(lanes.length, direction), together_(lanes_at_once()) {
    const Roots roots(2 * points());
    for (Index r = 0; r < lanes.length; ++r) row_roots_.push_back(roots.as<T>(r * lanes.period));
    for (Index b = 0; b < lanes.count; ++b) lane_roots_.push_back(roots.as<T>(lanes.first + b));
    for (Index b = 0; b < lanes.count;) {
      const Index whole = std::min(together_, (lanes.count - b) / vector_ * vector_);
      blocks_.push_back(whole > 0 ? Block{b, whole} : Block{lanes.count - vector_, vector_});
      b = blocks_.back().begin + blocks_.back().count;
    }
    if (direction == Direction::backward) make_twiddles();
  }

  Ticket start(const KernelCall& call) const override {
    auto* const tile = reinterpret_cast<Complex*>(call.tile.data());
    auto* const work = reinterpret_cast<Complex*>(call.operands.buffers[at(Buffer::work)]);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (direction_ == Direction::forward)
        to_half(blocks_[i], work, reinterpret_cast<Complex*>(call.operands.buffers[at(Buffer::out)]), tile);
      else
        to_pairs(i, reinterpret_cast<Complex*>(call.operands.buffers[at(Buffer::in)]), work, tile);
      call.progress();
    }
    return 0;
  }

  std::size_t tile_bytes() const override {
    return static_cast<std::size_t>(2 * tile_elements(together_) + fft_.tile_elements(together_)) * sizeof(Complex);
  }
  std::vector<KernelTable> tables() const override {
    return {{this, (row_roots_.size() + lane_roots_.size() + coarse_.size() + fine_.size()) * sizeof(Complex)}};
  }

 private:
  struct Block {
    Index begin, count;  // of our lanes
  };

  static std::size_t at(Buffer buffer) { return static_cast<std::size_t>(buffer); }
  Index points() const { return lanes_.length * lanes_.period; }
  Index tile_elements(Index lanes) const { return spread_row<T>(lanes_.length, lanes); }

  Index lanes_at_once() const {
    const auto element = static_cast<Index>(sizeof(Complex));
    const Index fit = tile_bytes_at_most / (2 * lanes_.length * element);
    const Index wanted = std::clamp(fit, shortest_run / element, longest_run / element);
    return std::max(vector_, std::min(wanted, lanes_.count) / vector_ * vector_);
  }

  // The factors of row k of the transform of lane l: omega_m^(k l), for the first lane of each block and of its
  // mirrored one, and for how far a lane is from these.
  void make_twiddles() {
    const Roots roots(points());
    for (const Block& block : blocks_) {
      const Index first = lanes_.first + block.begin;
      for (const Index lane : {first, lanes_.period - first - block.count + 1})
        for (Index k = 0; k < lanes_.length; ++k) coarse_.push_back(roots.as<T>(k * lane));
    }
    for (Index k = 0; k < lanes_.length; ++k)
      for (Index b = 0; b < together_; ++b) fine_.push_back(roots.as<T>(k * b));
  }

  // Where rows of X stand from which lanes go on, and to which they come back.
  MirroredRows<T> rows_of(const Block& block, Complex* spectrum, Complex* tile) const {
    const Index k = lanes_.first + block.begin;
    return {.z = tile,
            .y = tile + tile_elements(block.count),
            .pitch = spread_row<T>(1, block.count),
            .low = {spectrum + k * lanes_.stride, lanes_.stride},
            .high = {spectrum + (points() - k) * lanes_.stride, -lanes_.stride},
            .row_apart = lanes_.period * lanes_.stride,
            .count = lanes_.length,
            .lanes = block.count,
            .row_roots = row_roots_.data(),
            .lane_roots = lane_roots_.data() + block.begin};
  }

  void to_half(const Block& block, const Complex* work, Complex* spectrum, Complex* tile) const {
    const MirroredRows<T> rows = rows_of(block, spectrum, tile);
    Complex* const scratch = tile + 2 * tile_elements(block.count);
    const Index lane = lanes_.first + block.begin, length = lanes_.length;
    const auto transform = [&](Index first, Index stride, Complex* to) {
      fft_({{.base = work + first * length, .pitch = 1, .lane_stride = stride},
            {.base = to, .pitch = rows.pitch, .lane_stride = 1}},
           0, block.count, {}, scratch);
    };
    transform(lane, length, rows.z);
    transform(lanes_.period - lane, -length, rows.y);
    codelets<T>().unfold(rows);
  }

  void to_pairs(std::size_t number, Complex* spectrum, Complex* work, Complex* tile) const {
    const Block& block = blocks_[number];
    const MirroredRows<T> rows = rows_of(block, spectrum, tile);
    Complex* const scratch = tile + 2 * tile_elements(block.count);
    const Index lane = lanes_.first + block.begin;
    const Complex* coarse = coarse_.data() + 2 * static_cast<Index>(number) * lanes_.length;
    const auto transform = [&](const Complex* from, Index first, const Complex* row) {
      fft_({{.base = from, .pitch = rows.pitch, .lane_stride = 1},
            {.base = work + first, .pitch = lanes_.period, .lane_stride = 1}},
           0, block.count, {.row = row, .fine = fine_.data(), .fine_stride = together_}, scratch);
    };
    codelets<T>().fold(rows);
    transform(rows.z, lane, coarse);
    transform(rows.y, lanes_.period - lane - block.count + 1, coarse + lanes_.length);
  }

  Direction direction_;
  MirroredLanes lanes_;
  LaneFft<T> fft_;
  Index vector_ = LaneFft<T>::granularity();
  Index together_;
  std::vector<Block> blocks_;
  std::vector<Complex> row_roots_, lane_roots_;  // whose product is omega_n^k
  std::vector<Complex> coarse_, fine_;
};

// The function of `make` for the type of a precision.
auto with_type(Precision precision, const auto& make) {
  switch (precision) {
    case Precision::single_:
      return make.template operator()<float>();
    case Precision::double_:
      return make.template operator()<double>();
    default:
      return make.template operator()<long double>();
  }
}

}  // namespace

Index fewest_mirrored_lanes(Precision precision) {
  return with_type(precision, []<class T>() { return LaneFft<T>::granularity(); });
}

std::shared_ptr<const Kernel> mirrored_kernel(Precision precision, Direction direction, const MirroredLanes& lanes) {
  return with_type(precision, [&]<class T>() -> std::shared_ptr<const Kernel> {
    return std::make_shared<MirroredPass<T>>(direction, lanes);
  });
}

}  // namespace kallima::kernel
