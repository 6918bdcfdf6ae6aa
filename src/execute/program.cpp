#include "execute/program.hpp"

#include <climits>
#include <map>
#include <set>

#include "base/check.hpp"
#include "base/text.hpp"
#include "schedule/piece_list.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

std::uint64_t mixed(std::uint64_t number, std::uint64_t with) {
  number = (number ^ with) * 0x9e3779b97f4a7c15u;
  return number ^ number >> 29;
}

bool is_computed(const Task& task) { return task.kind == TaskKind::compute || task.kind == TaskKind::copy; }

std::size_t bytes_of(const Pass& pass) {
  return sizeof(Pass) + pass.loops.size() * sizeof(Index) + PieceList(pass.sources).bytes() +
         PieceList(pass.targets).bytes();
}

// Takes out of a pass where it begins, and puts two more repeats around it, whose indices say so. Whole lines that may
// be transformed where they stand begin at one place, so that a kernel sees that it is the same.
Program::CompiledStep without_begin(Pass& pass) {
  const auto here = [](const Piece& piece) { return piece.recv < 0; };
  const auto first = std::ranges::find_if(pass.sources, here);
  const Piece& target = pass.targets.front();
  const bool in_place = pass.action != Action::move && target.count == elements_written(pass) &&
                        first != pass.sources.end() && first->buffer == target.buffer && first->real == target.real;
  Program::CompiledStep begin;
  if (first != pass.sources.end()) begin.source = first->offset;
  begin.target = in_place ? begin.source : target.offset;
  begin.recv = INT_MAX;
  for (const Piece& piece : pass.sources)
    if (!here(piece)) begin.recv = std::min(begin.recv, piece.recv);
  for (Piece& piece : pass.sources) {
    piece.strides.insert(piece.strides.begin(), {here(piece) ? 1 : 0, 0});
    (here(piece) ? piece.offset -= begin.source : piece.recv -= begin.recv);
  }
  for (Piece& piece : pass.targets) {
    piece.strides.insert(piece.strides.begin(), {in_place ? 1 : 0, in_place ? 0 : 1});
    piece.offset -= begin.target;
  }
  return begin;
}

// Steps one behind the other. Among many ranks most passes differ from others in where they begin and in nothing else:
// such are one.
struct StepList {
  std::vector<Program::CompiledStep> steps = {};
  std::map<Pass, int> passes = {};
  std::map<int, std::unique_ptr<const Kernel>> whole = {};  // kernels that do all of a task

  int next_kernel() const { return static_cast<int>(passes.size() + whole.size()); }

  void add(std::unique_ptr<const Kernel> kernel) {
    steps.push_back({.kernel = next_kernel()});
    whole.emplace(next_kernel(), std::move(kernel));
  }

  void add(const std::vector<Step>& body) {
    for (const Step& step : body) {
      const std::size_t at = steps.size();
      if (step.body.empty()) {
        Pass pass = step.pass;
        steps.push_back(without_begin(pass));
        steps[at].kernel = passes.try_emplace(std::move(pass), next_kernel()).first->second;
      } else {
        steps.push_back({.source = step.repeat});
        add(step.body);
        steps[at].recv = static_cast<int>(steps.size() - at - 1);
      }
    }
  }
};

// The tasks that wait for each task, one list behind the other. More than three at equal distances are a run of three
// numbers: the first task, minus how many there are, and the distance.
struct FollowerList {
  std::vector<int> entries = {};
  std::vector<std::size_t> ends = {};

  explicit FollowerList(const std::vector<Task>& tasks) {
    std::vector<std::vector<int>> all(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i)
      for (const int earlier : tasks[i].after) all[at(earlier)].push_back(static_cast<int>(i));
    for (const std::vector<int>& list : all) {
      for (std::size_t i = 0, count = 0; i < list.size(); i += count) add_run(std::span(list).subspan(i), count);
      ends.push_back(entries.size());
    }
  }

  void add_run(std::span<const int> list, std::size_t& count) {
    for (count = 1; count < list.size() && list[count] - list[count - 1] == list[1] - list[0];) ++count;
    entries.push_back(list[0]);
    if (count > 3)
      entries.insert(entries.end(), {-static_cast<int>(count), list[1] - list[0]});
    else
      count = 1;
  }
};

}  // namespace

Program::Program(const RankSchedule& schedule, std::shared_ptr<const Backend> backend, Direction direction,
                 Effort effort)
    : size_(kallima::program_size(schedule)), sizes_(schedule.sizes), backend_(std::move(backend)) {
  for (const Buffer b : buffers) bytes_[at(b)] = buffer_bytes(schedule, b, backend_->element());
  tasks_.resize(schedule.tasks.size() + 1);
  StepList list;
  for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
    const Task& task = schedule.tasks[i];
    tasks_[i].kind = task.kind;
    tasks_[i].label = label_number(task.label);
    if (!is_computed(task)) continue;
    tasks_[i].about = static_cast<int>(computations_.size());
    computations_.push_back({task.elements, task.chunk, static_cast<std::uint32_t>(list.steps.size())});
    if (auto whole = backend_->compile_task(task, direction, effort))
      list.add(std::move(whole));
    else
      list.add(task.steps);
  }
  computations_.push_back({.step = static_cast<std::uint32_t>(list.steps.size())});
  steps_ = std::move(list.steps);
  kernels_.resize(at(list.next_kernel()));
  for (auto& [number, kernel] : list.whole) kernels_[at(number)] = std::move(kernel);
  for (const auto& [pass, number] : list.passes) {
    const std::size_t depth = pass.targets.front().strides.size() - pass.loops.size();
    require(depth <= deepest, "a schedule has {} repeats within each other (at most {} are run)", depth - begins,
            deepest - begins);
    const Direction opposite = direction == Direction::forward ? Direction::backward : Direction::forward;
    kernels_[at(number)] = backend_->compile(pass, depth, pass.reversed ? opposite : direction, effort);
  }
  for (const auto& kernel : kernels_) {
    tile_bytes_ = std::max(tile_bytes_, kernel->tile_bytes());
    for (const KernelTable& table : kernel->tables()) tables_.emplace(table.at, table.bytes);
  }
  list_messages(schedule.tasks);
  list_followers(schedule.tasks);
  list_blocks(schedule.tasks);
  const auto shrink = [](auto&... lists) { (lists.shrink_to_fit(), ...); };
  shrink(followers_, blocks_, messages_, computations_, steps_);
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
                         .real = task.range.real,
                         .is_view = task.range.count == 0});
  }
}

void Program::list_followers(const std::vector<Task>& tasks) {
  FollowerList list(tasks);
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks_[i + 1].follower = static_cast<std::uint32_t>(list.ends[i]);
  followers_ = std::move(list.entries);
  for (int i = this->tasks(); i-- > 0;) {  // tasks come after all they depend on
    bool& feeds = tasks_[at(i)].feeds = kind(i) == TaskKind::send_start;
    each_follower(i, [&](int id) { feeds = feeds || tasks_[at(id)].feeds; });
  }
}

void Program::list_blocks(const std::vector<Task>& tasks) {
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    std::set<int> blocks;
    checks::for_each_received(tasks[i].steps, [&](int recv) {
      if (message(recv).is_view) blocks.insert(message_number(recv));
    });
    for (const int block : blocks) ++messages_[at(block)].readers;
    blocks_.insert(blocks_.end(), blocks.begin(), blocks.end());
    tasks_[i + 1].block = static_cast<std::uint32_t>(blocks_.size());
  }
}

std::uint64_t Program::balance(int rank) const {
  std::uint64_t sum = 0;
  for (const Message& m : messages_) {
    const bool sent = kind(m.start) == TaskKind::send_start;
    std::uint64_t number = hash("message");
    for (const Index part : {Index{sent ? rank : m.peer}, Index{sent ? m.peer : rank}, Index{m.tag}, m.elements})
      number = mixed(number, static_cast<std::uint64_t>(part));
    sum += sent ? number : 0 - number;
  }
  return sum;
}

KernelSize kernel_size(const RankSchedule& schedule, Direction direction, std::shared_ptr<const Backend> backend) {
  const Program program(schedule, std::move(backend), direction, Effort::estimate);
  return {program.table_bytes(), program.tile_bytes()};
}

ProgramSize program_size(const RankSchedule& schedule) {
  ProgramSize size{.bytes = sizeof(Program) + schedule.tasks.size() * sizeof(Program::CompiledTask), .messages = 0};
  size.bytes += FollowerList(schedule.tasks).entries.size() * sizeof(int);
  StepList list;
  for (const Task& task : schedule.tasks) {
    size.messages += task.start >= 0 ? 1 : 0;
    if (is_computed(task)) size.bytes += sizeof(Program::Computation);
    list.add(task.steps);
    std::set<int> blocks;
    checks::for_each_received(task.steps, [&](int recv) {
      if (schedule.tasks[at(schedule.tasks[at(recv)].start)].range.count == 0) blocks.insert(recv);
    });
    size.bytes += blocks.size() * sizeof(int);
  }
  size.bytes += list.steps.size() * sizeof(Program::CompiledStep);
  for (const auto& [pass, number] : list.passes) size.bytes += bytes_of(pass);
  size.bytes += static_cast<std::size_t>(size.messages) * sizeof(Program::Message);
  return size;
}

}  // namespace kallima
