// Messages in fewer bytes. Whatever stood in a message is encoded before it leaves, into memory of its own, and decoded
// to where the message was to land; tasks that read the block in the message then read it there.

#include "base/check.hpp"
#include "kallima/wire.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

constexpr Index aligned_to = 8;  // elements; a cache line of the shortest

Piece piece_of(const Range& range) {
  return {.buffer = range.buffer, .offset = range.offset, .count = range.count, .real = range.real};
}

Task recoding(const Task& message, Action action, const Wire& wire, const Piece& from, const Piece& to) {
  Task task{.kind = TaskKind::copy, .label = action == Action::encode ? "encode" : "decode", .chunk = message.chunk};
  const Piece& plain = action == Action::encode ? from : to;
  Pass& pass = task.steps.emplace_back().pass;
  pass = {.action = action, .length = plain.count, .sources = {from}, .targets = {to}, .wire = wire};
  task.elements = (reals_of(from) + reals_of(to) + 1) / 2;
  return task;
}

class Encoder {
 public:
  Encoder(RankSchedule schedule, const Wire& wire, std::size_t real_bytes, EncodedLanding landing)
      : old_(std::move(schedule)), wire_(wire), real_bytes_(real_bytes), landing_(landing) {}

  RankSchedule run() {
    for (std::size_t t = 0; t < old_.tasks.size(); ++t) take(static_cast<int>(t));
    old_.tasks = std::move(tasks_);
    return std::move(old_);
  }

 private:
  void take(int t) {
    Task task = old(t);
    const int start = task.start;
    for (int& before : task.after) before = done_[at(before)];
    if (start >= 0) task.start = self_[at(start)];
    read_in_memory(task.steps, [&](int recv) { return old(old(recv).start).range; });  // where it was decoded to
    const bool travels = task.peer >= 0 && task.elements > 0;
    if (travels) shorten(task);
    if (travels && task.kind == TaskKind::send_start) {
      Task encode = recoding(task, Action::encode, wire_, piece_of(old(t).range), piece_of(task.range));
      encode.after = std::move(task.after);
      task.after = {add(std::move(encode))};
    }
    const bool received = travels && task.kind == TaskKind::recv_finish;
    const int number = self_[at(t)] = done_[at(t)] = add(std::move(task));
    if (!received) return;
    const Range& plain = old(start).range;
    const Piece block{.recv = number, .count = encoded_reals(plain), .real = true};
    Task decode = recoding(old(t), Action::decode, wire_, block, piece_of(plain));
    decode.after = {number};
    done_[at(t)] = add(std::move(decode));
  }

  // A start gets a place for what is encoded, and its finish the same.
  void shorten(Task& task) {
    const bool sends = task.kind == TaskKind::send_start || task.kind == TaskKind::send_finish;
    if (task.start >= 0) {
      task.range = tasks_[at(task.start)].range;
      task.elements = tasks_[at(task.start)].elements;
      return;
    }
    require(task.range.count > 0,
            "a message from rank {} has nowhere to land (it cannot be decoded): plan for messages", task.peer);
    task.range = allot(task.range, sends ? Buffer::work : Buffer::inbox);
    task.elements = (task.range.count + 1) / 2;
    if (!sends && landing_ == EncodedLanding::view) task.range.offset = task.range.count = 0;
  }

  int add(Task task) {
    tasks_.push_back(std::move(task));
    return static_cast<int>(tasks_.size()) - 1;
  }

  Index encoded_reals(const Range& plain) const {
    const std::size_t bytes = encoded_bytes(wire_, static_cast<std::size_t>(reals_of(piece_of(plain))));
    return static_cast<Index>((bytes + real_bytes_ - 1) / real_bytes_);
  }

  // A stretch of its own from the message's start to its finish, since which of them are under way at once is only
  // known when they are.
  Range allot(const Range& plain, Buffer buffer) {
    const Index reals = encoded_reals(plain);
    Index& end = old_.sizes[at(buffer)];
    const Range allotted{.buffer = buffer, .offset = 2 * end, .count = reals, .real = true};
    if (buffer == Buffer::work || landing_ == EncodedLanding::inbox)
      end += ((reals + 1) / 2 + aligned_to - 1) / aligned_to * aligned_to;
    return allotted;
  }

  Task& old(int t) { return old_.tasks[at(t)]; }

  RankSchedule old_;
  Wire wire_;
  std::size_t real_bytes_;
  EncodedLanding landing_;
  std::vector<Task> tasks_;
  std::vector<int> self_ = std::vector(old_.tasks.size(), -1);  // new numbers, by old ones,
  std::vector<int> done_ = self_;                               // and what to wait for: a received block's decoding
};

}  // namespace

RankSchedule encoded(RankSchedule schedule, const Wire& wire, std::size_t real_bytes, EncodedLanding landing) {
  if (wire.format == Wire::Format::same) return schedule;
  require(real_bytes > 0, "elements that have no reals cannot be encoded (wire format {}): send them as they are",
          name(wire.format));
  return Encoder(std::move(schedule), wire, real_bytes, landing).run();
}

void read_in_memory(std::vector<Step>& steps, const std::function<Range(int recv)>& block_of) {
  checks::visit_passes(steps, [&](Pass& pass) {
    for (Piece& source : pass.sources) {
      if (source.recv < 0) continue;
      const Range block = block_of(source.recv);
      source.recv = -1;
      source.buffer = block.buffer;
      source.offset += block.offset * (block.real ? 1 : 2) / (source.real ? 1 : 2);
    }
  });
}

RealsSent reals_sent(const RankSchedule& schedule) {
  RealsSent result;
  for (const Task& task : schedule.tasks) {
    if (task.kind != TaskKind::send_start) continue;
    const Task* const before = task.after.empty() ? nullptr : &schedule.tasks[at(task.after[0])];
    const bool is_encoded =
        before != nullptr && !before->steps.empty() && before->steps[0].pass.action == Action::encode;
    const Index sent = std::min(reals_of(piece_of(task.range)), 2 * task.elements);
    result.plain += is_encoded ? reals_of(before->steps[0].pass.sources[0]) : sent;
    result.sent += sent;
  }
  return result;
}

}  // namespace kallima
