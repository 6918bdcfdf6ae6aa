#pragma once
// One rank's schedule, compiled by a backend for one direction: a kernel for each of its passes, and who waits for
// whom.

#include <algorithm>
#include <memory>
#include <set>

#include "base/check.hpp"
#include "kallima/backend.hpp"
#include "schedule/walk.hpp"

namespace kallima {

// Bytes of a schedule's buffer, whose elements are reals where it holds these.
inline std::size_t buffer_bytes(const RankSchedule& schedule, Buffer b, const Element& element) {
  return static_cast<std::size_t>(schedule.size(b)) * element.bytes_of(schedule.data(b));
}

class Program {
 public:
  Program(RankSchedule schedule, std::shared_ptr<const Backend> backend, Direction direction, Effort effort)
      : schedule_(std::move(schedule)), backend_(std::move(backend)) {
    tasks_.resize(schedule_.tasks.size());
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const Task& task = schedule_.tasks[i];
      tasks_[i].steps = compile(task.steps, 0, direction, effort);
      for (const int earlier : task.after)
        tasks_[static_cast<std::size_t>(earlier)].followers.push_back(static_cast<int>(i));
      std::set<int> blocks;
      checks::visit_passes(task.steps, [&](const Pass& pass) {
        for (const Piece& source : pass.sources)
          if (source.recv >= 0) blocks.insert(source.recv);
      });
      for (const int block : blocks) ++tasks_[static_cast<std::size_t>(block)].readers;
      tasks_[i].blocks_read.assign(blocks.begin(), blocks.end());
    }
    for (std::size_t i = tasks_.size(); i-- > 0;) {  // tasks come after all they depend on
      const std::vector<int>& followers = tasks_[i].followers;
      tasks_[i].feeds = schedule_.tasks[i].kind == TaskKind::send_start ||
                        std::any_of(followers.begin(), followers.end(), [&](int id) { return task(id).feeds; });
    }
  }

  const RankSchedule& schedule() const { return schedule_; }
  const Backend& backend() const { return *backend_; }

  struct CompiledStep {
    Index repeat = 1;
    std::vector<CompiledStep> body = {};
    std::unique_ptr<const Kernel> kernel = {};  // where body is empty
  };
  struct CompiledTask {
    std::vector<CompiledStep> steps = {};
    std::vector<int> followers = {};    // tasks that wait for it
    std::vector<int> blocks_read = {};  // recv_finish tasks whose blocks it reads
    int readers = 0;                    // of a recv_finish: tasks that read its block
    bool feeds = false;                 // a message waits for it
  };
  const CompiledTask& task(int id) const { return tasks_[static_cast<std::size_t>(id)]; }

  // Starts a task's kernels, each of them `at` no enclosing repeats. The ticket is that of the last.
  Ticket start(int id, KernelCall call) const {
    std::array<Index, deepest> indices;
    call.at = std::span<Index>(indices).first(0);
    return run(task(id).steps, indices, call);
  }

  std::size_t bytes(Buffer b) const { return buffer_bytes(schedule_, b, backend_->element()); }
  std::size_t tile_bytes() const { return tile_bytes_; }
  std::size_t table_bytes() const { return table_bytes_; }
  int tags() const {  // one more than the highest
    int tags = 1;
    for (const Task& task : schedule_.tasks) tags = std::max(tags, task.tag + 1);
    return tags;
  }

  std::size_t messages() const {  // sent and received
    return static_cast<std::size_t>(std::count_if(schedule_.tasks.begin(), schedule_.tasks.end(),
                                                  [](const Task& task) { return task.start >= 0; }));
  }

 private:
  std::vector<CompiledStep> compile(const std::vector<Step>& steps, std::size_t depth, Direction direction,
                                    Effort effort) {
    require(depth <= deepest, "a schedule has {} repeats within each other (at most {} are run)", depth, deepest);
    std::vector<CompiledStep> result;
    for (const Step& step : steps) {
      CompiledStep& compiled = result.emplace_back();
      compiled.repeat = step.repeat;
      if (!step.body.empty()) {
        compiled.body = compile(step.body, depth + 1, direction, effort);
        continue;
      }
      const Direction opposite = direction == Direction::forward ? Direction::backward : Direction::forward;
      compiled.kernel = backend_->compile(step.pass, depth, step.pass.reversed ? opposite : direction, effort);
      tile_bytes_ = std::max(tile_bytes_, compiled.kernel->tile_bytes());
      table_bytes_ += compiled.kernel->table_bytes();
    }
    return result;
  }

  Ticket run(const std::vector<CompiledStep>& steps, std::span<Index> indices, KernelCall& call) const {
    const std::span<const Index> enclosing = call.at;
    Ticket last = 0;
    for (const CompiledStep& step : steps) {
      call.at = enclosing;
      if (step.body.empty()) {
        last = step.kernel->start(call);
        continue;
      }
      for (Index i = 0; i < step.repeat; ++i) {
        indices[enclosing.size()] = i;
        call.at = indices.first(enclosing.size() + 1);
        last = run(step.body, indices, call);
      }
    }
    call.at = enclosing;
    return last;
  }

  static constexpr std::size_t deepest = 64;  // repeats within repeats

  RankSchedule schedule_;
  std::shared_ptr<const Backend> backend_;
  std::vector<CompiledTask> tasks_;
  std::size_t tile_bytes_ = 0;
  std::size_t table_bytes_ = 0;
};

}  // namespace kallima
