#include "execute/program.hpp"

#include <set>

#include "base/check.hpp"
#include "schedule/piece_list.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

bool is_computed(const Task& task) { return task.kind == TaskKind::compute || task.kind == TaskKind::copy; }

std::size_t bytes_of(const Pass& pass) {
  return sizeof(Pass) + pass.loops.size() * sizeof(Index) + PieceList(pass.sources).bytes() +
         PieceList(pass.targets).bytes();
}

}  // namespace

Program::Program(const RankSchedule& schedule, std::shared_ptr<const Backend> backend, Direction direction,
                 Effort effort)
    : size_(kallima::program_size(schedule)), sizes_(schedule.sizes), backend_(std::move(backend)) {
  for (const Buffer b : buffers) bytes_[at(b)] = buffer_bytes(schedule, b, backend_->element());
  tasks_.resize(schedule.tasks.size() + 1);
  for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
    const Task& task = schedule.tasks[i];
    tasks_[i].kind = task.kind;
    tasks_[i].label = label_number(task.label);
    if (!is_computed(task)) continue;
    tasks_[i].about = static_cast<int>(computations_.size());
    computations_.push_back({compile(task.steps, 0, direction, effort), task.elements, task.chunk});
  }
  list_messages(schedule.tasks);
  list_followers(schedule.tasks);
  list_blocks(schedule.tasks);
  for (auto* list : {&followers_, &blocks_}) list->shrink_to_fit();
  messages_.shrink_to_fit();
  computations_.shrink_to_fit();
}

std::uint16_t Program::label_number(const std::string& label) {
  const auto found = std::find(labels_.begin(), labels_.end(), label);
  const auto number = static_cast<std::size_t>(found - labels_.begin());
  if (found == labels_.end()) labels_.push_back(label);
  require(number <= UINT16_MAX, "a schedule has more than {} different labels", UINT16_MAX);
  return static_cast<std::uint16_t>(number);
}

void Program::list_messages(const std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Task& task = tasks[i];
    if (is_computed(task)) continue;
    if (task.start >= 0) {
      tasks_[i].about = tasks_[at(task.start)].about;
      continue;
    }
    tasks_[i].about = static_cast<int>(messages_.size());
    messages_.push_back({.offset = task.range.offset,
                         .count = task.range.count,
                         .elements = task.elements,
                         .peer = task.peer,
                         .tag = task.tag,
                         .chunk = task.chunk,
                         .start = static_cast<int>(i),
                         .buffer = static_cast<std::uint8_t>(task.range.buffer),
                         .real = task.range.real});
  }
}

void Program::list_followers(const std::vector<Task>& tasks) {
  for (const Task& task : tasks)
    for (const int earlier : task.after) ++tasks_[at(earlier) + 1].follower;
  for (std::size_t i = 1; i < tasks_.size(); ++i) tasks_[i].follower += tasks_[i - 1].follower;
  followers_.resize(tasks_.back().follower);
  std::vector<std::uint32_t> next;
  for (const CompiledTask& entry : tasks_) next.push_back(entry.follower);
  for (std::size_t i = 0; i < tasks.size(); ++i)
    for (const int earlier : tasks[i].after) followers_[next[at(earlier)]++] = static_cast<int>(i);
  for (int i = this->tasks(); i-- > 0;) {  // tasks come after all they depend on
    const auto after = followers(i);
    tasks_[at(i)].feeds =
        kind(i) == TaskKind::send_start || std::any_of(after.begin(), after.end(), [&](int id) { return feeds(id); });
  }
}

void Program::list_blocks(const std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::set<int> blocks;
    checks::for_each_received(tasks[i].steps, [&](int recv) {
      if (message(recv).count == 0) blocks.insert(message_number(recv));
    });
    for (const int block : blocks) ++messages_[at(block)].readers;
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
    tasks_[i + 1].block = static_cast<std::uint32_t>(blocks_.size());
  }
}

std::vector<Program::CompiledStep> Program::compile(const std::vector<Step>& steps, std::size_t depth,
                                                    Direction direction, Effort effort) {
  require(depth <= deepest, "a schedule has {} repeats within each other (at most {} are run)", depth, deepest);
  std::vector<CompiledStep> result;
  result.reserve(steps.size());
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

ProgramSize program_size(const RankSchedule& schedule) {
  ProgramSize size{.bytes = sizeof(Program) + schedule.tasks.size() * sizeof(Program::CompiledTask), .messages = 0};
  for (const Task& task : schedule.tasks) {
    size.messages += task.start >= 0 ? 1 : 0;
    size.bytes += task.after.size() * sizeof(int);
    if (is_computed(task)) size.bytes += sizeof(Program::Computation);
    std::set<int> blocks;
    checks::visit_passes(task.steps,
                         [&](const Pass& pass) { size.bytes += sizeof(Program::CompiledStep) + bytes_of(pass); });
    checks::for_each_received(task.steps, [&](int recv) {
      if (schedule.tasks[at(schedule.tasks[at(recv)].start)].range.count == 0) blocks.insert(recv);
    });
    size.bytes += blocks.size() * sizeof(int);
  }
  size.bytes += static_cast<std::size_t>(size.messages) * sizeof(Program::Message);
  return size;
}

}  // namespace kallima
