#pragma once
// One rank's schedule, compiled by a backend for one direction: a kernel for each of its passes, and who waits for
// whom.

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "kallima/execute.hpp"

namespace kallima {

// Bytes of a schedule's buffer, whose elements are reals where it holds these.
inline std::size_t buffer_bytes(const RankSchedule& schedule, Buffer b, const Element& element) {
  return static_cast<std::size_t>(schedule.size(b)) * element.bytes_of(schedule.data(b));
}

// What stays of a schedule is what a run asks for, in few bytes: of many ranks a plan has very many messages.
class Program {
 public:
  Program(const RankSchedule& schedule, std::shared_ptr<const Backend> backend, Direction direction, Effort effort);

  struct CompiledStep {
    int kernel = -1;   // -1: a repeat of the steps behind it,
    int recv = 0;      // of so many; of a kernel: the first block that it reads,
    Index source = 0;  // how often; of a kernel: where its sources,
    Index target = 0;  // and where its targets begin
  };
  struct Computation {
    Index elements = 0;
    int chunk = 0;
    std::uint32_t step = 0;  // the first of them: up to that of the next computation
  };
  struct Message {
    Index offset = 0;
    Index count = 0;  // of elements or reals
    Index elements = 0;
    int peer = -1;
    int tag = -1;
    int chunk = 0;
    int start = -1;   // the task that posts it
    int readers = 0;  // of a view that comes in: tasks that read it
    std::uint8_t buffer = 0;
    bool real = false;
    bool is_view = false;
  };

  struct CompiledTask {
    TaskKind kind = TaskKind::compute;
    bool feeds = false;
    std::uint16_t label = 0;
    int about = 0;               // which message or computation
    std::uint32_t follower = 0;  // the first of the tasks that wait for it,
    std::uint32_t block = 0;     // and of the messages that it reads: up to those of the next task
  };

  int tasks() const { return static_cast<int>(tasks_.size()) - 1; }
  TaskKind kind(int id) const { return task(id).kind; }
  bool feeds(int id) const { return task(id).feeds; }  // a message waits for it
  const std::string& label(int id) const { return labels_[task(id).label]; }
  void each_follower(int id, const auto& visit) const {
    for (std::size_t i = task(id).follower; i < next(id).follower; ++i) {
      const bool is_run = i + 1 < followers_.size() && followers_[i + 1] < 0;
      const int first = followers_[i], count = is_run ? -followers_[i + 1] : 1, step = is_run ? followers_[i + 2] : 0;
      for (int k = 0; k < count; ++k) visit(first + k * step);
      if (is_run) i += 2;
    }
  }
  // The messages whose blocks a computation reads where they were made.
  std::span<const int> blocks_read(int id) const {
    return std::span(blocks_).subspan(task(id).block, next(id).block - task(id).block);
  }
  int message_number(int id) const { return task(id).about; }
  const Message& message(int id) const { return messages_[at(task(id).about)]; }
  const std::vector<Message>& messages() const { return messages_; }  // sent and received
  const Computation& computation(int id) const { return computations_[at(task(id).about)]; }

  // Starts a task's kernels. The ticket is that of the last.
  Ticket start(int id, KernelCall call) const {
    std::array<Index, deepest> indices;
    const Computation* const it = &computation(id);
    return run(std::span(steps_).subspan(it->step, it[1].step - it->step), indices, begins, call);
  }

  const Backend& backend() const { return *backend_; }
  Index size(Buffer b) const { return sizes_[at(b)]; }
  std::size_t bytes(Buffer b) const { return bytes_[at(b)]; }
  std::size_t tile_bytes() const { return tile_bytes_; }
  const std::map<const void*, std::size_t>& tables() const { return tables_; }  // bytes
  std::size_t table_bytes() const {
    std::size_t sum = 0;
    for (const auto& [at, bytes] : tables_) sum += bytes;
    return sum;
  }
  const ProgramSize& program_size() const { return size_; }
  std::uint64_t balance(int rank) const;  // of messages sent and received, as numbers: over all ranks they cancel
  int tags() const {                      // one more than the highest
    int tags = 1;
    for (const Message& message : messages_) tags = std::max(tags, message.tag + 1);
    return tags;
  }

 private:
  const CompiledTask& task(int id) const { return tasks_[at(id)]; }
  const CompiledTask& next(int id) const { return tasks_[at(id) + 1]; }
  std::uint16_t label_number(const std::string& label);
  void list_messages(const std::vector<Task>& tasks);
  void list_followers(const std::vector<Task>& tasks);
  void list_blocks(const std::vector<Task>& tasks);

  Ticket run(std::span<const CompiledStep> steps, std::span<Index> indices, std::size_t depth, KernelCall& call) const {
    Ticket last = 0;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const CompiledStep& step = steps[s];
      if (step.kernel >= 0) {
        indices[0] = step.source;
        indices[1] = step.target;
        call.at = indices.first(depth);
        call.recv = step.recv;
        last = kernels_[at(step.kernel)]->start(call);
        continue;
      }
      const std::span<const CompiledStep> body = steps.subspan(s + 1, at(step.recv));
      for (Index i = 0; i < step.source; ++i) {
        indices[depth] = i;
        last = run(body, indices, depth + 1, call);
      }
      s += body.size();
    }
    return last;
  }

  static constexpr std::size_t begins = 2;    // repeats around all others, whose indices say where a pass begins
  static constexpr std::size_t deepest = 64;  // repeats within repeats

  ProgramSize size_;
  BufferSizes sizes_;
  std::array<std::size_t, buffers.size()> bytes_{};
  std::shared_ptr<const Backend> backend_;
  std::vector<CompiledTask> tasks_;  // and one behind the last
  std::vector<Message> messages_;
  std::vector<Computation> computations_;  // and one behind the last
  std::vector<CompiledStep> steps_;
  std::vector<std::unique_ptr<const Kernel>> kernels_;
  std::vector<int> followers_;  // task by task, and runs of tasks in three numbers
  std::vector<int> blocks_;
  std::vector<std::string> labels_;
  std::size_t tile_bytes_ = 0;
  std::map<const void*, std::size_t> tables_;
};

}  // namespace kallima
