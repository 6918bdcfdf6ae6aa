// An exchange by store and forward (Bruck et al., IEEE TPDS 8, 1997). A block with j ranks to go travels in the rounds
// of j's binary digits, 1, 2, 4, ... ranks at a time. In each round a rank packs what it has to send on, from its own
// blocks and from what it received in earlier rounds, into one message; nothing is unpacked: whoever reads a received
// block afterwards reads it inside the message in which it came. There are log2 P messages in place of P - 1, each of
// half the data, and they need log2(P)/2 times the data as room.

#include <algorithm>
#include <map>

#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

class Relay {
 public:
  Relay(const RankSchedule& old, int ranks) : old_(old), ranks_(ranks) {}

  RankSchedule run() {
    find_exchanges();
    for (int t = 0; at(t) < old_.tasks.size(); ++t) keep(t);
    for (const int start : sends_) tasks_.finish(start);
    RankSchedule schedule = old_;
    schedule.tasks = tasks_.take().tasks;
    schedule.sizes[at(Buffer::work)] = work_;
    schedule.sizes[at(Buffer::inbox)] = inbox_;
    return receives_first(std::move(schedule));
  }

 private:
  struct Exchange {  // the messages of one tag
    int chunk = 0;
    std::size_t unsent = 0;
    std::vector<Index> bound = {};      // elements of a block, by the rank that it is for
    std::map<int, int> sends = {};      // the old send_start, by ranks to go
    std::map<int, int> receives = {};   // the old recv_finish, by ranks that the block has come
    std::vector<Location> blocks = {};  // that had so many ranks to go: where this rank has such a one
  };

  int ahead(int by) const { return ((me_ + by) % ranks_ + ranks_) % ranks_; }

  void find_exchanges() {
    for (int t = 0; at(t) < old_.tasks.size(); ++t) {
      const Task& task = old_.tasks[at(t)];
      if (task.kind != TaskKind::send_start && task.kind != TaskKind::recv_finish) continue;
      const bool sends = task.kind == TaskKind::send_start;
      Exchange& e = exchanges_[task.tag];
      e.chunk = task.chunk;
      e.unsent += sends ? 1 : 0;
      e.bound.resize(at(ranks_));
      e.bound[at(sends ? task.peer : me_)] = task.elements;
      (sends ? e.sends : e.receives)[((sends ? task.peer - me_ : me_ - task.peer) + ranks_) % ranks_] = t;
    }
  }

  // Those that are still there.
  void wait_for(const std::vector<int>& tasks, std::vector<int>& after) const {
    for (const int t : tasks)
      if (number_[at(t)] >= 0) after.push_back(number_[at(t)]);
  }

  // One message on to the rank `far` ahead, and one from the rank as far behind.
  void write_round(int tag, Exchange& e, int far) {
    std::vector<Step> steps;
    std::vector<int> after, first_moved;
    std::vector<std::pair<int, Index>> came;  // blocks in the message from behind, and where
    Index sent = 0, taken = 0;
    for (int j = far; j < ranks_; ++j) {
      if ((j & far) == 0) continue;
      Location& block = e.blocks[at(j)];
      const int left = j & -far;  // ranks that it has to go from whoever sends it now
      append_copy(steps, block, {Buffer::work, work_ + sent}, e.bound[at(ahead(left))]);
      if (block.recv >= 0) after.push_back(block.recv);
      if (const auto home = e.sends.find(j); block.recv < 0 && home != e.sends.end()) {
        wait_for(old_.tasks[at(home->second)].after, after);
        first_moved.push_back(home->second);
      }
      sent += e.bound[at(ahead(left))];
      came.emplace_back(j, taken);
      taken += e.bound[at(ahead(left - far))];
    }
    sort_unique(after);
    // What waited for a block to be gone waits for the round in which it is packed.
    const int pack = sent > 0 ? tasks_.add(compute_task("relay", e.chunk, std::move(steps)), after) : -1;
    for (const int send : first_moved) number_[at(send)] = pack;
    if (sent > 0)
      sends_.push_back(tasks_.add(send_task(ahead(far), tag, e.chunk, {Buffer::work, work_, sent}), {pack}));
    work_ += sent;
    if (taken == 0) return;
    const Range landing{Buffer::inbox, inbox_, lands_ ? taken : 0};
    inbox_ += landing.count;
    const int finish = tasks_.finish(tasks_.add(receive_task(ahead(-far), tag, e.chunk, taken, landing)));
    for (const auto& [j, offset] : came) e.blocks[at(j)] = received(finish, offset);
  }

  void write_rounds(int tag, Exchange& e) {
    e.blocks.resize(at(ranks_));
    for (const auto& [j, t] : e.sends) {
      const Range& home = old_.tasks[at(t)].range;
      e.blocks[at(j)] = {home.buffer, home.offset};
    }
    for (int far = 1; far < ranks_; far *= 2) write_round(tag, e, far);
    for (const auto& [j, t] : e.receives) number_[at(t)] = e.blocks[at(j)].recv;
  }

  // With the last block of an exchange all of it can be written down.
  void keep(int t) {
    const Task& task = old_.tasks[at(t)];
    if (task.peer < 0) {
      keep_computing(t);
    } else if (task.kind == TaskKind::send_finish) {
      number_[at(t)] = number_[at(task.start)];
    } else if (task.kind != TaskKind::recv_start) {
      Exchange& e = exchanges_.at(task.tag);
      if (task.kind == TaskKind::send_start) --e.unsent;
      if (e.unsent == 0 && e.blocks.empty()) write_rounds(task.tag, e);
    }
  }

  void keep_computing(int t) {
    const Task& task = old_.tasks[at(t)];
    std::vector<Step> steps = task.steps;
    checks::visit_passes(steps, [&](Pass& pass) {
      for (Piece& source : pass.sources) {
        if (source.recv < 0) continue;
        const Task& finish = old_.tasks[at(source.recv)];
        const Location& block = exchanges_.at(finish.tag).blocks[at((me_ - finish.peer + ranks_) % ranks_)];
        source.offset += block.offset;
        source.recv = block.recv;
      }
    });
    std::vector<int> after;
    wait_for(task.after, after);
    number_[at(t)] = tasks_.add(compute_task(task.label, task.chunk, std::move(steps)), after);
  }

  const RankSchedule& old_;
  const int ranks_;
  const int me_ = old_.rank;
  const bool lands_ = std::ranges::any_of(
      old_.tasks, [](const Task& t) { return t.kind == TaskKind::recv_start && t.range.count > 0; });
  Index work_ = old_.size(Buffer::work);
  Index inbox_ = 0;
  std::map<int, Exchange> exchanges_;                             // by tag
  std::vector<int> number_ = std::vector(old_.tasks.size(), -1);  // by old task: the new one that takes its place
  std::vector<int> sends_;
  TaskList tasks_{0, {}};
};

}  // namespace

RankSchedule relayed(RankSchedule schedule, int ranks) {
  return schedule.rank >= ranks || ranks == 1 ? schedule : Relay(schedule, ranks).run();
}

}  // namespace kallima
