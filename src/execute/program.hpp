#pragma once
// One rank's schedule, compiled by a backend for one direction: a kernel for each of its passes, and who waits for
// whom.

#include <memory>

#include "kallima/backend.hpp"

namespace kallima {

class Program {
 public:
  Program(RankSchedule schedule, std::shared_ptr<const Backend> backend, Direction direction, Effort effort);

  const RankSchedule& schedule() const { return schedule_; }
  const Backend& backend() const { return *backend_; }
  const std::vector<int>& followers(int task) const { return followers_[static_cast<std::size_t>(task)]; }
  int readers(int recv_finish) const { return readers_[static_cast<std::size_t>(recv_finish)]; }
  bool feeds(int task) const { return feeds_[static_cast<std::size_t>(task)]; }  // a message waits for it
  const std::vector<int>& blocks_read(int task) const { return blocks_read_[static_cast<std::size_t>(task)]; }

  // Starts a task's kernels, each of them `at` no enclosing repeats. The ticket is that of the last.
  Ticket start(int task, KernelCall call) const;

  std::size_t bytes(Buffer b) const;  // of the schedule's buffer
  std::size_t tile_bytes() const { return tile_bytes_; }
  std::size_t table_bytes() const { return table_bytes_; }
  int tags() const;              // one more than the highest
  std::size_t messages() const;  // sent and received

 private:
  struct CompiledStep {
    Index repeat = 1;
    std::vector<CompiledStep> body = {};
    std::unique_ptr<const Kernel> kernel = {};  // where body is empty
  };

  std::vector<CompiledStep> compile(const std::vector<Step>& steps, std::size_t depth, Direction direction,
                                    Effort effort);
  Ticket run(const std::vector<CompiledStep>& steps, std::span<Index> indices, KernelCall& call) const;

  RankSchedule schedule_;
  std::shared_ptr<const Backend> backend_;
  std::vector<std::vector<CompiledStep>> compiled_;  // by task
  std::vector<std::vector<int>> followers_;          // tasks that wait for this one
  std::vector<std::vector<int>> blocks_read_;        // recv_finish tasks whose blocks this one reads
  std::vector<bool> feeds_;
  std::vector<int> readers_;  // tasks that read this recv_finish's block
  std::size_t tile_bytes_ = 0;
  std::size_t table_bytes_ = 0;
};

// Bytes of a schedule's buffer, whose elements are reals where it holds these.
std::size_t buffer_bytes(const RankSchedule& schedule, Buffer b, const Element& element);

}  // namespace kallima
