// An exchange by store and forward (Bruck et al., IEEE TPDS 8, 1997). A block with j ranks to go travels in the rounds
// of j's binary digits, 1, 2, 4, ... ranks at a time. In each round a rank packs what it has to send on, from its own
// blocks and from what it received in earlier rounds, into one message; nothing is unpacked: whoever reads a received
// block afterwards reads it inside the message in which it came. There are log2 P messages in place of P - 1, each of
// half the data, and they need log2(P)/2 times the data as room.

#include <algorithm>
#include <map>

#include "base/check.hpp"
#include "plan/exchange/tasks.hpp"
#include "plan/rewrite/bruck.hpp"
#include "plan/rewrite/rewrite.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

class Relay {
 public:
  Relay(const RankSchedule& old, int ranks)
      : old_(old),
        me_(old.rank),
        ranks_(ranks),
        rounds_(bruck::rounds(ranks)),
        work_(old.size(Buffer::work)),
        lands_(std::any_of(old.tasks.begin(), old.tasks.end(),
                           [](const Task& t) { return t.kind == TaskKind::recv_start && t.range.count > 0; })),
        number_(old.tasks.size(), -1) {}

  RankSchedule run();

 private:
  struct Round {
    int recv_start = -1;
    int recv_finish = -1;
    int pack = -1;
  };
  struct Exchange {  // the messages of one tag
    int chunk = 0;
    Index block = 0;
    std::map<int, int> sends;  // the old send_start, by ranks to go
    std::vector<Round> rounds = {};
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int ahead(int by) const { return ((me_ + by) % ranks_ + ranks_) % ranks_; }
  Exchange& exchange(const Task& task) { return exchanges_.at(task.tag); }

  void find_exchanges();
  void post_receives(int tag, Exchange& e);
  void keep(int t);
  void send(int t);
  void all_rounds(int tag, Exchange& e);
  void pack(Exchange& e, int round, Index slot);
  Location found(const Exchange& e, int j, int round) const;
  void redirect(std::vector<Step>& steps) const;
  std::vector<int> renumbered(const std::vector<int>& tasks) const;

  const RankSchedule& old_;
  const int me_, ranks_, rounds_;
  Index work_;
  Index inbox_ = 0;
  const bool lands_;
  std::map<int, Exchange> exchanges_;  // by tag
  std::map<int, std::size_t> sent_;    // so far, by tag
  std::vector<int> number_;            // by old task: the new one that takes its place
  std::vector<int> sends_;
  TaskList tasks_{0, {}};
};

void Relay::find_exchanges() {
  for (std::size_t t = 0; t < old_.tasks.size(); ++t) {
    const Task& task = old_.tasks[t];
    if (task.kind != TaskKind::send_start) continue;
    Exchange& e = exchanges_[task.tag];
    e.chunk = task.chunk;
    e.block = task.elements;
    e.sends[(task.peer - me_ + ranks_) % ranks_] = static_cast<int>(t);
  }
  for (auto& [tag, e] : exchanges_) {
    expect(static_cast<int>(e.sends.size()) == ranks_ - 1);
    for (const auto& [j, t] : e.sends) expect(old_.tasks[at(t)].elements == e.block);
  }
}

void Relay::post_receives(int tag, Exchange& e) {
  for (int round = 0; round < rounds_; ++round) {
    const Index count = bruck::blocks_in(round, ranks_) * e.block;
    const Range landing{Buffer::inbox, inbox_, lands_ ? count : 0};
    inbox_ += landing.count;
    e.rounds.push_back({.recv_start = tasks_.recv_start(ahead(-(1 << round)), tag, e.chunk, count, landing, {})});
  }
}

std::vector<int> Relay::renumbered(const std::vector<int>& tasks) const {
  std::vector<int> result;
  for (const int t : tasks)
    if (number_[at(t)] >= 0) result.push_back(number_[at(t)]);
  return result;
}

// Where a block with j ranks to go is before a round: at home, or in the message in which it last came.
Location Relay::found(const Exchange& e, int j, int round) const {
  const int travelled = j & ((1 << round) - 1);
  if (travelled == 0) {
    const Range& home = old_.tasks[at(e.sends.at(j))].range;
    return {home.buffer, home.offset};
  }
  const int last = bruck::last_round(travelled);
  return received(e.rounds[at(last)].recv_finish, bruck::position(j, last) * e.block);
}

void Relay::pack(Exchange& e, int round, Index slot) {
  std::vector<Step> steps;
  std::vector<int> after;
  for (int earlier = 0; earlier < round; ++earlier) after.push_back(e.rounds[at(earlier)].recv_finish);
  for (int j = 1; j < ranks_; ++j) {
    if (!bruck::travels(j, round)) continue;
    append_copy(steps, found(e, j, round), {Buffer::work, slot + bruck::position(j, round) * e.block}, e.block);
    if (bruck::first_round(j) < round) continue;
    const std::vector<int> made = renumbered(old_.tasks[at(e.sends.at(j))].after);
    after.insert(after.end(), made.begin(), made.end());
  }
  std::sort(after.begin(), after.end());
  after.erase(std::unique(after.begin(), after.end()), after.end());
  e.rounds[at(round)].pack = tasks_.compute("relay", e.chunk, std::move(steps), std::move(after));
}

void Relay::all_rounds(int tag, Exchange& e) {
  for (int round = 0; round < rounds_; ++round) {
    const Range packed{Buffer::work, work_, bruck::blocks_in(round, ranks_) * e.block};
    work_ += packed.count;
    pack(e, round, packed.offset);
    sends_.push_back(tasks_.send_start(ahead(1 << round), tag, e.chunk, packed, {e.rounds[at(round)].pack}));
    e.rounds[at(round)].recv_finish = tasks_.finish(e.rounds[at(round)].recv_start);
  }
}

// With the last block of an exchange all of it can be written down. What waited for a block to be gone waits for the
// round in which it is packed.
void Relay::send(int t) {
  const Task& task = old_.tasks[at(t)];
  Exchange& e = exchange(task);
  if (++sent_[task.tag] < e.sends.size()) return;
  all_rounds(task.tag, e);
  for (const auto& [j, old] : e.sends) number_[at(old)] = e.rounds[at(bruck::first_round(j))].pack;
}

void Relay::redirect(std::vector<Step>& steps) const {
  checks::visit_passes(steps, [&](Pass& pass) {
    for (Piece& source : pass.sources) {
      if (source.recv < 0) continue;
      const Task& finish = old_.tasks[at(source.recv)];
      const int j = (me_ - finish.peer + ranks_) % ranks_;
      source.offset += bruck::position(j, bruck::last_round(j)) * finish.elements;
      source.recv = number_[at(source.recv)];
    }
  });
}

void Relay::keep(int t) {
  const Task& task = old_.tasks[at(t)];
  switch (task.kind) {
    case TaskKind::recv_start:
      break;
    case TaskKind::send_start:
      send(t);
      break;
    case TaskKind::send_finish:
      number_[at(t)] = number_[at(task.start)];
      break;
    case TaskKind::recv_finish: {
      const int j = (me_ - task.peer + ranks_) % ranks_;
      number_[at(t)] = exchange(task).rounds[at(bruck::last_round(j))].recv_finish;
      break;
    }
    default:
      std::vector<Step> steps = task.steps;
      redirect(steps);
      number_[at(t)] = tasks_.compute(task.label, task.chunk, std::move(steps), renumbered(task.after));
  }
}

RankSchedule Relay::run() {
  find_exchanges();
  for (auto& [tag, e] : exchanges_) post_receives(tag, e);
  for (int t = 0; at(t) < old_.tasks.size(); ++t) keep(t);
  for (const int start : sends_) tasks_.finish(start);
  RankSchedule schedule = old_;
  schedule.tasks = tasks_.take().tasks;
  schedule.sizes[static_cast<std::size_t>(Buffer::work)] = work_;
  schedule.sizes[static_cast<std::size_t>(Buffer::inbox)] = inbox_;
  return schedule;
}

}  // namespace

RankSchedule relayed(RankSchedule schedule, int ranks) {
  return schedule.rank >= ranks || ranks == 1 ? schedule : Relay(schedule, ranks).run();
}

}  // namespace kallima
