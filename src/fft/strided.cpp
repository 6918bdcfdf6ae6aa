#include "kallima/strided.hpp"

#include <mutex>
#include <optional>

#include "base/check.hpp"
#include "fft/sweeps.hpp"
#include "fft/team.hpp"
#include "kallima/memory.hpp"

namespace kallima {
namespace {

// Memory of a thread that stays for its next call.
std::span<std::byte> scratch(Array<std::byte>& memory, std::size_t bytes) {
  if (at(memory.size()) < bytes) {
    memory = {};
    memory = Array<std::byte>(static_cast<Index>(bytes));
  }
  return memory.span();
}

std::span<std::byte> tile_of_thread(std::size_t bytes) {
  thread_local Array<std::byte> tile;
  return scratch(tile, bytes);
}

// Long arrays to work in: their pages take as long to get as a transform does to go over them, so that the last one
// stays. Who comes while it is away makes another.
class LongArray {
 public:
  explicit LongArray(std::size_t bytes) {
    const std::lock_guard lock(mutex);
    memory_ = std::move(resting);
    scratch(memory_, bytes);
  }
  ~LongArray() {
    const std::lock_guard lock(mutex);
    if (memory_.size() > resting.size()) resting = std::move(memory_);
  }
  LongArray(const LongArray&) = delete;
  LongArray& operator=(const LongArray&) = delete;
  std::byte* data() const { return memory_.data(); }

 private:
  static inline std::mutex mutex;
  static inline Array<std::byte> resting;
  Array<std::byte> memory_;
};

constexpr std::size_t long_bytes = 4 * 1024 * 1024;

void run_part(const SweepPart& part, const Operands& operands, long double scale, std::size_t tile_bytes) {
  static const Progress nothing = [] {};
  const std::span<std::byte> tile = tile_of_thread(tile_bytes);
  for (Index block = part.begin; block < part.end; ++block)
    for (const SweepKernel& k : part.kernels) {
      Index places[] = {0, 0};
      for (Index d = static_cast<Index>(part.outer.size()), rest = block; d-- > 0; rest /= part.outer[at(d)]) {
        places[0] += rest % part.outer[at(d)] * k.source_strides[at(d)];
        places[1] += rest % part.outer[at(d)] * k.target_strides[at(d)];
      }
      k.kernel->start({operands, places, scale, tile, nothing});
    }
}

}  // namespace

struct StridedFft::Impl {
  Index points;
  Sweeps sweeps;
};

StridedFft::StridedFft(const Problem& problem, Direction direction, const std::vector<Index>& strides_in,
                       const std::vector<Index>& strides_out, int threads) {
  const Problem p = checked(problem);
  for (const auto* strides : {&strides_in, &strides_out})
    require(strides->size() == p.shape.size(), "there are {} strides for {} dimensions: give one for each",
            strides->size(), p.shape.size());
  impl_ = std::make_unique<const Impl>(transformed_count(p), sweeps_of(p, direction, strides_in, strides_out, threads));
}

StridedFft::StridedFft(StridedFft&&) noexcept = default;
StridedFft& StridedFft::operator=(StridedFft&&) noexcept = default;
StridedFft::~StridedFft() = default;

void StridedFft::run(const void* in, void* out, long double scale) const {
  thread_local Array<std::byte> kept;
  std::optional<LongArray> longer;
  const Sweeps& sweeps = impl_->sweeps;
  if (sweeps.work_bytes > long_bytes) longer.emplace(sweeps.work_bytes);
  std::byte* const work = longer ? longer->data() : scratch(kept, sweeps.work_bytes).data();
  // Kernels write to targets only, so that casting `in` to non-const never leads to a write.
  const Operands operands{.buffers = {static_cast<std::byte*>(const_cast<void*>(in)), static_cast<std::byte*>(out),
                                      work, nullptr, nullptr}};
  for (const Sweep& sweep : sweeps.all) {
    const auto part = [&](int i) { run_part(sweep.parts[at(i)], operands, scale, sweeps.tile_bytes); };
    if (sweep.parts.size() == 1)
      part(0);
    else
      Team::of_this_process().run(static_cast<int>(sweep.parts.size()), part);
  }
}

Index StridedFft::points() const { return impl_->points; }
std::size_t StridedFft::work_bytes() const { return impl_->sweeps.work_bytes; }

int StridedFft::threads() const {
  std::size_t most = 1;
  for (const Sweep& sweep : impl_->sweeps.all) most = std::max(most, sweep.parts.size());
  return static_cast<int>(most);
}

}  // namespace kallima
