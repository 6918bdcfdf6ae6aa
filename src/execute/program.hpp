#pragma once
// One rank's schedule, compiled for one precision and direction: its passes with their FFTW plans and twiddle tables,
// and who waits for whom.

#include <functional>

#include "kallima/schedule.hpp"
#include "kernel/pass.hpp"

namespace kallima {

template <class T>
class Program {
 public:
  Program(RankSchedule schedule, Direction direction, Effort effort);

  const RankSchedule& schedule() const { return schedule_; }
  const std::vector<int>& followers(int task) const { return followers_[static_cast<std::size_t>(task)]; }
  int readers(int recv_finish) const { return readers_[static_cast<std::size_t>(recv_finish)]; }
  bool feeds(int task) const { return feeds_[static_cast<std::size_t>(task)]; }  // a message waits for it
  const std::vector<int>& blocks_read(int task) const { return blocks_read_[static_cast<std::size_t>(task)]; }

  void compute(int task, const kernel::Memory<T>& memory, T scale, std::span<std::complex<T>> tile,
               const kernel::Progress& progress) const;

  Index tile_elements() const { return tile_elements_; }
  std::size_t table_bytes() const { return table_bytes_; }

 private:
  struct CompiledStep {
    Index repeat = 1;
    std::vector<CompiledStep> body;
    std::vector<kernel::CompiledPass<T>> pass;  // one where body is empty
  };

  std::vector<CompiledStep> compile(const std::vector<Step>& steps, std::size_t depth, Direction direction,
                                    Effort effort);
  void run(const std::vector<CompiledStep>& steps, std::vector<Index>& at, const kernel::Memory<T>& memory, T scale,
           std::span<std::complex<T>> tile, const kernel::Progress& progress) const;

  RankSchedule schedule_;
  std::vector<std::vector<CompiledStep>> compiled_;  // by task
  std::vector<std::vector<int>> followers_;          // tasks that wait for this one
  std::vector<std::vector<int>> blocks_read_;        // recv_finish tasks whose blocks this one reads
  std::vector<bool> feeds_;
  std::vector<int> readers_;  // tasks that read this recv_finish's block
  Index tile_elements_ = 0;
  std::size_t table_bytes_ = 0;
};

}  // namespace kallima
