// A task becomes a list of kernels: passes without repeats, and transforms of whole arrays where passes amount to one.

#include "cuda/task_kernel.cuh"

#include <map>

#include "cuda/device.cuh"
#include "cuda/model/spread_task.hpp"
#include "cuda/model/whole_run.hpp"

namespace kallima::cuda {
namespace {

// The factor of a transform is part of it, and only known when it is started: each that is asked for has one of its
// own.
class WholeKernel final : public Kernel {
 public:
  WholeKernel(WholeRun run, Effort effort, std::shared_ptr<Queue> queue)
      : run_(std::move(run)),
        by_(effort == Effort::estimate ? ChooseBy::rule : ChooseBy::measurement),
        queue_(std::move(queue)) {
    transforms_.emplace(1.0, make_whole_transform(run_.problem, by_));
    workspace_ = transforms_.at(1.0)->workspace_bytes();
  }

  std::size_t tile_bytes() const override { return workspace_; }

  Ticket start(const KernelCall& call) const override {
    queue_->use();
    const WholeTransform& transform = scaled_by(run_.scaled ? static_cast<double>(call.scale) : 1.0);
    const auto place = [&](const Piece& piece) {
      const std::size_t real = run_.problem.precision == Precision::single_ ? sizeof(float) : sizeof(double);
      return call.operands.buffers[at(piece.buffer)] + piece.offset * static_cast<Index>(piece.real ? real : 2 * real);
    };
    const std::byte* const from = aligned(place(run_.from));
    const bool fits = transform.workspace_bytes() <= call.tile.size();
    if (!fits && own_bytes_ < transform.workspace_bytes()) {
      own_ = device_memory(transform.workspace_bytes());
      own_bytes_ = transform.workspace_bytes();
    }
    transform.start(from, place(run_.to), fits ? call.tile.data() : own_.get(), queue_->stream());
    return queue_->mark();
  }

 private:
  // Reals may begin in the middle of what would be a complex number, which cuFFT does not take: it gets a copy.
  const std::byte* aligned(const std::byte* from) const {
    const std::size_t pair = run_.problem.precision == Precision::single_ ? 2 * sizeof(float) : 2 * sizeof(double);
    if (reinterpret_cast<std::uintptr_t>(from) % pair == 0) return from;
    const std::size_t bytes = input_bytes(run_.problem);
    if (!copy_) copy_ = device_memory(bytes);
    check(cudaMemcpyAsync(copy_.get(), from, bytes, cudaMemcpyDeviceToDevice, queue_->stream()), "copying an array");
    return copy_.get();
  }

  const WholeTransform& scaled_by(double scale) const {
    auto& transform = transforms_[scale];
    if (!transform) {
      WholeProblem problem = run_.problem;
      problem.scale = scale;
      transform = make_whole_transform(problem, by_);
    }
    return *transform;
  }

  WholeRun run_;
  ChooseBy by_;
  std::shared_ptr<Queue> queue_;
  std::size_t workspace_ = 0;
  mutable std::map<double, std::unique_ptr<WholeTransform>> transforms_;  // by factor; a rank's own thread adds to them
  mutable std::shared_ptr<std::byte> own_;   // workspace for one that needs more than the first
  mutable std::shared_ptr<std::byte> copy_;  // of reals that are not aligned
  mutable std::size_t own_bytes_ = 0;
};

class TaskKernel final : public Kernel {
 public:
  explicit TaskKernel(std::vector<std::unique_ptr<const Kernel>> kernels) : kernels_(std::move(kernels)) {}

  Ticket start(const KernelCall& call) const override {
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
};

}  // namespace

std::unique_ptr<const Kernel> compile_whole_task(const Task& task, Precision precision, Direction direction,
                                                 Effort effort, const Backend& backend, std::shared_ptr<Queue> queue) {
  const auto passes = spread(task.steps);
  if (!passes) return nullptr;
  const Direction opposite = direction == Direction::forward ? Direction::backward : Direction::forward;
  std::vector<std::unique_ptr<const Kernel>> kernels;
  bool better = passes->size() != task.steps.size();
  for (const Step& step : task.steps) better = better || !step.body.empty();
  for (std::size_t i = 0; i < passes->size();) {
    WholeRun run = whole_run(std::span(*passes).subspan(i), precision, direction);
    if (run.passes > 0) {
      i += run.passes;
      kernels.push_back(std::make_unique<WholeKernel>(std::move(run), effort, queue));
      better = true;
    } else {
      const Pass& pass = (*passes)[i++];
      kernels.push_back(backend.compile(pass, 0, pass.reversed ? opposite : direction, effort));
    }
  }
  if (!better) return nullptr;  // kernels that are shared with other tasks
  return std::make_unique<TaskKernel>(std::move(kernels));
}

}  // namespace kallima::cuda
