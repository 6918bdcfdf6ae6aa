// A task becomes a list of kernels: passes without repeats, and transforms of whole arrays where passes amount to one.

#include "cuda/task_kernel.cuh"

#include <functional>
#include <map>

#include "cuda/device.cuh"
#include "cuda/model/spread_task.hpp"
#include "cuda/model/whole_run.hpp"
#include "cuda/recordings.hpp"

namespace kallima::cuda {
namespace {

// Where a piece begins in the memory that a call gives.
std::byte* place_of(const Piece& piece, Precision precision, const KernelCall& call) {
  const std::size_t real = precision == Precision::single_ ? sizeof(float) : sizeof(double);
  return call.operands.buffers[at(piece.buffer)] + piece.offset * static_cast<Index>(piece.real ? real : 2 * real);
}

// Ways to do what differs in a factor alone, which is part of it and only known when it is started: each that is asked
// for has one of its own. A rank's own thread adds to them.
template <class Way>
class ScaledWays {
 public:
  using Make = std::function<std::unique_ptr<Way>(double scale)>;
  explicit ScaledWays(Make make) : make_(std::move(make)) {
    ways_.emplace(1.0, make_(1.0));
    bytes_ = ways_.at(1.0)->workspace_bytes();
  }

  std::size_t workspace_bytes() const { return bytes_; }  // of the first

  const Way& of(double scale) {
    auto& way = ways_[scale];
    if (!way) way = make_(scale);
    return *way;
  }

  // The tile or, where that is too short, memory of its own.
  std::byte* workspace(const Way& way, std::span<std::byte> tile) {
    if (way.workspace_bytes() <= tile.size()) return tile.data();
    if (own_bytes_ < way.workspace_bytes()) {
      own_ = device_memory(way.workspace_bytes());
      own_bytes_ = way.workspace_bytes();
    }
    return own_.get();
  }

 private:
  Make make_;
  std::map<double, std::unique_ptr<Way>> ways_;
  std::size_t bytes_ = 0, own_bytes_ = 0;
  std::shared_ptr<std::byte> own_;
};

WholeProblem scaled_by(WholeProblem problem, double scale) {
  problem.scale = scale;
  return problem;
}

ChooseBy chosen_by(Effort effort) { return effort == Effort::estimate ? ChooseBy::rule : ChooseBy::measurement; }

class WholeKernel final : public Kernel {
 public:
  WholeKernel(WholeRun run, Effort effort, std::shared_ptr<Queue> queue)
      : run_(std::move(run)), queue_(std::move(queue)), ways_([this, by = chosen_by(effort)](double scale) {
          return make_whole_transform(scaled_by(run_.problem, scale), by);
        }) {}

  std::size_t tile_bytes() const override { return ways_.workspace_bytes(); }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    const WholeTransform& way = ways_.of(run_.scaled ? static_cast<double>(call.scale) : 1.0);
    const std::byte* const from = aligned(place_of(run_.from, run_.problem.precision, call));
    std::byte* const asked = place_of(run_.to, run_.problem.precision, call);
    std::byte* const to = is_aligned(asked) ? asked : room_for(output_bytes(run_.problem));
    std::byte* const work = ways_.workspace(way, call.tile);
    recordings_.start({&way, from, to, work}, queue_->stream(),
                      [&](Stream stream) { way.start(from, to, work, stream); });
    if (to != asked) copy(asked, to, output_bytes(run_.problem));
    return queue_->mark();
  }

 private:
  // Reals may begin in the middle of what would be a complex number, which kernels do not take: they get a copy.
  bool is_aligned(const std::byte* place) const {
    const std::size_t pair = run_.problem.precision == Precision::single_ ? 2 * sizeof(float) : 2 * sizeof(double);
    return reinterpret_cast<std::uintptr_t>(place) % pair == 0;
  }
  const std::byte* aligned(const std::byte* from) const {
    if (is_aligned(from)) return from;
    std::byte* const to = room_for(input_bytes(run_.problem));
    copy(to, from, input_bytes(run_.problem));
    return to;
  }
  std::byte* room_for(std::size_t bytes) const {  // the side of the reals is the only one that needs it
    if (!copy_) copy_ = device_memory(bytes);
    return copy_.get();
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, queue_->stream()), "copying an array");
  }

  WholeRun run_;
  std::shared_ptr<Queue> queue_;
  mutable ScaledWays<WholeTransform> ways_;
  mutable Recordings recordings_;
  mutable std::shared_ptr<std::byte> copy_;  // of reals that are not aligned
};

class ProductKernel final : public Kernel {
 public:
  ProductKernel(WholeProduct product, Effort effort, std::shared_ptr<Queue> queue)
      : product_(std::move(product)), queue_(std::move(queue)), ways_([this, by = chosen_by(effort)](double scale) {
          return make_whole_apply(scaled_by(product_.problem, scale), FactorKind::complex_array, by);
        }) {}

  std::size_t tile_bytes() const override { return ways_.workspace_bytes(); }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    const WholeApply& way = ways_.of(product_.scaled ? static_cast<double>(call.scale) : 1.0);
    const auto place = [&](const Piece& piece) { return place_of(piece, product_.problem.precision, call); };
    const std::byte *const from = place(product_.from), *const factors = place(product_.factors);
    std::byte *const to = place(product_.to), *const work = ways_.workspace(way, call.tile);
    recordings_.start({&way, from, to, factors, work}, queue_->stream(),
                      [&](Stream stream) { way.start(from, to, factors, work, stream); });
    return queue_->mark();
  }

 private:
  WholeProduct product_;
  std::shared_ptr<Queue> queue_;
  mutable ScaledWays<WholeApply> ways_;
  mutable Recordings recordings_;
};

class TaskKernel final : public Kernel {
 public:
  TaskKernel(std::vector<std::unique_ptr<const Kernel>> kernels, Callers arrays)
      : kernels_(std::move(kernels)), arrays_(arrays) {}

  Ticket start(const KernelCall& call) const override {
    const auto& buffers = call.operands.buffers;
    require(arrays_ == Callers::maybe_one || buffers[at(Buffer::in)] != buffers[at(Buffer::out)],
            "a computation on a device whose repeats are done at once is for input and output that are two arrays");
    Ticket last = 0;
    for (const auto& kernel : kernels_) last = kernel->start(call);
    return last;
  }
  std::size_t tile_bytes() const override {
    std::size_t most = 0;
    for (const auto& kernel : kernels_) most = std::max(most, kernel->tile_bytes());
    return most;
  }

 private:
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  Callers arrays_;
};

}  // namespace

std::unique_ptr<const Kernel> compile_whole_task(const Task& task, Precision precision, Direction direction,
                                                 Effort effort, const Backend& backend, std::shared_ptr<Queue> queue) {
  const auto spread = spread_task(task.steps);
  if (!spread) return nullptr;
  const std::vector<Pass>& passes = spread->passes;
  const Direction opposite = direction == Direction::forward ? Direction::backward : Direction::forward;
  std::vector<std::unique_ptr<const Kernel>> kernels;
  bool better = passes.size() != task.steps.size();
  for (const Step& step : task.steps) better = better || !step.body.empty();
  for (std::size_t i = 0; i < passes.size();) {
    const auto rest = std::span(passes).subspan(i);
    WholeProduct product = whole_product(rest, precision, direction);
    WholeRun run = whole_run(rest, precision, direction);
    if (product.passes > 0) {
      i += product.passes;
      kernels.push_back(std::make_unique<ProductKernel>(std::move(product), effort, queue));
      better = true;
    } else if (run.passes > 0) {
      i += run.passes;
      kernels.push_back(std::make_unique<WholeKernel>(std::move(run), effort, queue));
      better = true;
    } else {
      const Pass& pass = passes[i++];
      kernels.push_back(backend.compile(pass, 0, pass.reversed ? opposite : direction, effort));
    }
  }
  if (!better) return nullptr;  // kernels that are shared with other tasks
  return std::make_unique<TaskKernel>(std::move(kernels), spread->arrays);
}

}  // namespace kallima::cuda
