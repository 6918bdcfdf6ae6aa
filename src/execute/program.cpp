#include "execute/program.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr std::size_t deepest = 64;  // repeats within repeats

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

Program::Program(RankSchedule schedule, std::shared_ptr<const Backend> backend, Direction direction, Effort effort)
    : schedule_(std::move(schedule)), backend_(std::move(backend)) {
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

std::vector<Program::CompiledStep> Program::compile(const std::vector<Step>& steps, std::size_t depth,
                                                    Direction direction, Effort effort) {
  require(depth <= deepest, "a schedule has {} repeats within each other (at most {} are run)", depth, deepest);
  std::vector<CompiledStep> result;
  for (const Step& step : steps) {
    CompiledStep& compiled = result.emplace_back();
    compiled.repeat = step.repeat;
    if (!step.body.empty()) {
      compiled.body = compile(step.body, depth + 1, direction, effort);
      continue;
    }
    const Direction turn = step.pass.reversed ? opposite(direction) : direction;
    compiled.kernel = backend_->compile(step.pass, depth, turn, effort);
    tile_bytes_ = std::max(tile_bytes_, compiled.kernel->tile_bytes());
    table_bytes_ += compiled.kernel->table_bytes();
  }
  return result;
}

Ticket Program::start(int task, KernelCall call) const {
  std::array<Index, deepest> indices;
  call.at = std::span<Index>(indices).first(0);
  return run(compiled_[static_cast<std::size_t>(task)], indices, call);
}

Ticket Program::run(const std::vector<CompiledStep>& steps, std::span<Index> indices, KernelCall& call) const {
  const std::span<const Index> around = call.at;
  Ticket last = 0;
  for (const CompiledStep& step : steps) {
    call.at = around;
    if (step.body.empty()) {
      last = step.kernel->start(call);
      continue;
    }
    for (Index i = 0; i < step.repeat; ++i) {
      indices[around.size()] = i;
      call.at = indices.first(around.size() + 1);
      last = run(step.body, indices, call);
    }
  }
  call.at = around;
  return last;
}

std::size_t Program::bytes(Buffer b) const { return buffer_bytes(schedule_, b, backend_->element()); }

int Program::tags() const {
  int tags = 1;
  for (const Task& task : schedule_.tasks) tags = std::max(tags, task.tag + 1);
  return tags;
}

std::size_t Program::messages() const {
  return static_cast<std::size_t>(
      std::count_if(schedule_.tasks.begin(), schedule_.tasks.end(), [](const Task& task) { return task.start >= 0; }));
}

std::size_t buffer_bytes(const RankSchedule& schedule, Buffer b, const Element& element) {
  const Data data = b == Buffer::in ? schedule.data_in : b == Buffer::out ? schedule.data_out : Data::complex_;
  return static_cast<std::size_t>(schedule.size(b)) * element.bytes_of(data);
}

}  // namespace kallima
