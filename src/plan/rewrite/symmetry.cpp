#include "kallima/symmetry.hpp"

#include <bit>
#include <map>

namespace kallima {
namespace {

constexpr std::size_t most_tasks = 100'000;  // of a rank: with more, ranks are compared with one other only

int relative(int peer, int rank, int ranks, Peers peers) {
  return peers == Peers::exclusive_or ? peer ^ rank : (peer - rank + ranks) % ranks;
}

// How a peer sees us, given how we see it.
int reversed(int peer, int ranks, Peers peers) { return peers == Peers::ring ? (ranks - peer) % ranks : peer; }

// The script of one rank with its peers named by their relation to it. A send is matched with our own receive from the
// rank that stands to us as we stand to the receiver. Labels are put into `shared`.
std::optional<Script> script_of(const RankSchedule& own, int ranks, Peers peers, Outline& shared) {
  std::map<std::pair<int, int>, int> finishes;  // (peer, tag)
  for (std::size_t i = 0; i < own.tasks.size(); ++i)
    if (const Task& t = own.tasks[i]; t.kind == TaskKind::recv_finish)
      finishes[{relative(t.peer, own.rank, ranks, peers), t.tag}] = static_cast<int>(i);
  Script script;
  for (const Task& task : own.tasks) {
    OutlineTask it{.kind = task.kind, .match = task.start, .words = task.elements, .flops = task.flops};
    it.stage = shared.stage_number(task.label);
    if (task.peer >= 0) it.peer = relative(task.peer, own.rank, ranks, peers);
    if (task.kind == TaskKind::send_start) {
      const auto found = finishes.find({reversed(it.peer, ranks, peers), task.tag});
      if (found == finishes.end()) return std::nullopt;
      it.match = found->second;
    }
    script.add(it, task.after);
  }
  script.close();
  return script;
}

// Sends and receives of a tag, in order, one for the other. What is left of the longer list: receives are there from
// the beginning, and sends are taken by tasks that nobody waits for.
class AsIfShared {
 public:
  AsIfShared(const RankSchedule& own, Outline& shared) : own_(own), shared_(shared) {
    for (std::size_t i = 0; i < own.tasks.size(); ++i)
      if (const Task& t = own.tasks[i]; t.kind == TaskKind::recv_finish)
        finishes_[t.tag].push_back(static_cast<int>(i));
    for (std::size_t i = 0; i < own.tasks.size(); ++i)
      if (const Task& t = own.tasks[i]; t.kind == TaskKind::send_start) match(static_cast<int>(i), t.tag);
  }

  Script script() {
    Script script;
    for (std::size_t i = 0; i < own_.tasks.size(); ++i) script.add(task(static_cast<int>(i)), own_.tasks[i].after);
    for (const int send : left_over_) {
      const OutlineTask start{.kind = TaskKind::recv_start, .peer = script[send].peer};
      const int begun = script.add(start);
      const OutlineTask finish{.kind = TaskKind::recv_finish, .peer = script[send].peer, .match = begun};
      script.set_match(send, script.add(finish, {begun}));
    }
    script.close();
    return script;
  }

 private:
  void match(int send, int tag) {
    const std::vector<int>& all = finishes_[tag];
    int& next = next_[tag];
    if (at(next) == all.size()) return left_over_.push_back(send);
    partner_[send] = all[at(next)];
    taken_[all[at(next++)]] = true;
  }

  OutlineTask task(int i) {
    const Task& from = own_.tasks[at(i)];
    OutlineTask it{.kind = from.kind, .match = from.start, .words = from.elements, .flops = from.flops};
    it.stage = shared_.stage_number(from.label);
    if (from.peer >= 0) it.peer = relative(from.peer, own_.rank, shared_.ranks, shared_.peers);
    if (const auto found = partner_.find(i); found != partner_.end()) it.match = found->second;
    if (from.kind != TaskKind::recv_finish || taken_.contains(i)) return it;
    return {.kind = TaskKind::compute, .stage = it.stage};
  }

  const RankSchedule& own_;
  Outline& shared_;
  std::map<int, std::vector<int>> finishes_;  // by tag
  std::map<int, int> next_, partner_;         // of a tag; of a send
  std::map<int, bool> taken_;
  std::vector<int> left_over_;
};

}  // namespace

Outline outline_as_if_shared(const std::string& name, int ranks, const RankSchedule& own, Peers peers) {
  Outline all{.name = name, .ranks = ranks, .peers = peers};
  all.scripts.push_back(AsIfShared(own, all).script());
  return all;
}

std::optional<Outline> shared_outline(const std::string& name, int ranks, const WritesRank& schedule_of) {
  if (ranks < 2) return std::nullopt;
  for (const Peers peers : {Peers::exclusive_or, Peers::ring}) {
    if (peers == Peers::exclusive_or && !std::has_single_bit(static_cast<unsigned>(ranks))) continue;
    Outline all{.name = name, .ranks = ranks, .peers = peers};
    std::optional<Script> first = script_of(schedule_of(0), ranks, peers, all);
    bool same = first.has_value();
    const bool many = same && first->size() > most_tasks;
    for (const int rank : {ranks - 1, many ? 0 : 1, many ? 0 : ranks / 3})
      if (same && rank > 0) same = script_of(schedule_of(rank), ranks, peers, all) == first;
    if (!same) continue;
    all.scripts.push_back(std::move(*first));
    return all;
  }
  return std::nullopt;
}

std::optional<Outline> shared_outline(const Plan& plan, Direction direction) {
  const int ranks = plan.layout_in().ranks();
  if (plan.layout_in().active_ranks() < ranks) return std::nullopt;
  std::optional<Outline> all =
      shared_outline(plan.options().route, ranks, [&](int rank) { return plan.rank_schedule(rank, direction); });
  if (all) all->word_bytes = word_bytes(plan.problem().precision);
  return all;
}

}  // namespace kallima
