#include "execute/program.hpp"

#include <algorithm>

namespace kallima {
namespace {

void collect_blocks(const std::vector<Step>& steps, std::vector<int>& blocks) {
  for (const Step& step : steps) {
    collect_blocks(step.body, blocks);
    for (const Piece& source : step.pass.sources)
      if (source.recv >= 0) blocks.push_back(source.recv);
  }
}

Direction opposite(Direction direction) {
  return direction == Direction::forward ? Direction::backward : Direction::forward;
}

}  // namespace

template <class T>
Program<T>::Program(RankSchedule schedule, Direction direction, Effort effort) : schedule_(std::move(schedule)) {
  const std::size_t count = schedule_.tasks.size();
  followers_.resize(count);
  blocks_read_.resize(count);
  readers_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const Task& task = schedule_.tasks[i];
    compiled_.push_back(compile(task.steps, 0, direction, effort));
    for (const int earlier : task.after) followers_[static_cast<std::size_t>(earlier)].push_back(static_cast<int>(i));
    std::vector<int>& blocks = blocks_read_[i];
    collect_blocks(task.steps, blocks);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    for (const int block : blocks) ++readers_[static_cast<std::size_t>(block)];
  }
  feeds_.resize(count);
  for (std::size_t i = count; i-- > 0;) {  // tasks come after all they depend on
    const auto fed = [&](int follower) { return feeds_[static_cast<std::size_t>(follower)]; };
    feeds_[i] =
        schedule_.tasks[i].kind == TaskKind::send_start || std::any_of(followers_[i].begin(), followers_[i].end(), fed);
  }
}

template <class T>
std::vector<typename Program<T>::CompiledStep> Program<T>::compile(const std::vector<Step>& steps, std::size_t depth,
                                                                   Direction direction, Effort effort) {
  std::vector<CompiledStep> result;
  for (const Step& step : steps) {
    CompiledStep& compiled = result.emplace_back();
    compiled.repeat = step.repeat;
    if (!step.body.empty()) {
      compiled.body = compile(step.body, depth + 1, direction, effort);
      continue;
    }
    const Direction turn = step.pass.reversed ? opposite(direction) : direction;
    const kernel::CompiledPass<T>& pass = compiled.pass.emplace_back(step.pass, depth, turn, effort);
    tile_elements_ = std::max(tile_elements_, pass.tile_elements());
    table_bytes_ += pass.table_bytes();
  }
  return result;
}

template <class T>
void Program<T>::compute(int task, const kernel::Memory<T>& memory, T scale, std::span<std::complex<T>> tile,
                         const kernel::Progress& progress) const {
  std::vector<Index> at;
  run(compiled_[static_cast<std::size_t>(task)], at, memory, scale, tile, progress);
}

template <class T>
void Program<T>::run(const std::vector<CompiledStep>& steps, std::vector<Index>& at, const kernel::Memory<T>& memory,
                     T scale, std::span<std::complex<T>> tile, const kernel::Progress& progress) const {
  for (const CompiledStep& step : steps) {
    if (step.body.empty()) {
      step.pass.front().run(memory, at, scale, tile, progress);
      continue;
    }
    at.push_back(0);
    for (Index i = 0; i < step.repeat; ++i) {
      at.back() = i;
      run(step.body, at, memory, scale, tile, progress);
    }
    at.pop_back();
  }
}

template class Program<float>;
template class Program<double>;
template class Program<long double>;

}  // namespace kallima
