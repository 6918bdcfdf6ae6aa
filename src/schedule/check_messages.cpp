// Who sends what to whom: a message is known by its sender, its receiver and its tag. Each such triple that occurs must
// occur once as a send and once as a receive, with the same number of elements, or of reals, at both ends.
//
// Can the whole run to its end, if every rank runs whatever is ready? A task waits for its predecessors on its own
// rank; a recv_finish also for the send_start at the other end; a send_finish for the receiver's recv_finish and, where
// the block has no memory to land in, for everyone there who reads it, because a view is given back only then. All are
// "done before" edges, so the schedule ends exactly when they form no cycle; if they do, it is shown step by step.

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.hpp"
#include "schedule/checks.hpp"
#include "schedule/walk.hpp"

namespace kallima::checks {
namespace {

using Envelope = std::tuple<int, int, int>;  // sender, receiver, tag

struct MessageEnds {
  int send = -1, recv = -1;
};

using Messages = std::map<Envelope, MessageEnds>;

const RankSchedule& rank_of(const Schedule& s, int rank) { return s.ranks[at(rank)]; }

void note(int& end, const RankSchedule& r, int t, int tag) {
  require(end < 0, "{} uses tag {} again (task {} has it already for the same peer) tags are unique per pair of ranks",
          title(r, t), tag, end);
  end = t;
}

Messages collect(const Schedule& schedule) {
  Messages messages;
  for (const RankSchedule& r : schedule.ranks)
    for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
      const Task& task = r.tasks[at(t)];
      if (task.kind == TaskKind::send_start) note(messages[{r.rank, task.peer, task.tag}].send, r, t, task.tag);
      if (task.kind == TaskKind::recv_start) note(messages[{task.peer, r.rank, task.tag}].recv, r, t, task.tag);
    }
  return messages;
}

const char* kind_of(const Range& range) { return range.real ? "reals" : "complex numbers"; }

void check_ends(const RankSchedule& from, const RankSchedule& to, int tag, const MessageEnds& ends) {
  require(ends.recv >= 0, "{} sends with tag {} what rank {} never receives", title(from, ends.send), tag, to.rank);
  require(ends.send >= 0, "{} waits for tag {}, which rank {} never sends", title(to, ends.recv), tag, from.rank);
  const Task& send = from.tasks[at(ends.send)];
  const Task& recv = to.tasks[at(ends.recv)];
  require(send.elements == recv.elements, "{} sends {} elements to {} which expects {}", title(from, ends.send),
          send.elements, title(to, ends.recv), recv.elements);
  require(send.range.real == recv.range.real, "{} sends {} to {} which expects {}", title(from, ends.send),
          kind_of(send.range), title(to, ends.recv), kind_of(recv.range));
  require(recv.range.count == 0 || recv.range.count == send.range.count, "{} sends {} {} to {} which has room for {}",
          title(from, ends.send), send.range.count, kind_of(send.range), title(to, ends.recv), recv.range.count);
}

// All tasks of all ranks as one graph; node numbers run through rank 0, then rank 1, and so on.
class Graph {
 public:
  Graph(const Schedule& schedule, const Matching& matching) : schedule_(schedule) {
    std::size_t nodes = 0;
    for (const RankSchedule& r : schedule.ranks) {
      first_.push_back(nodes);
      nodes += r.tasks.size();
    }
    waits_for_.resize(nodes);
    for (const RankSchedule& r : schedule.ranks)
      for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
        add_task(matching, r.rank, t);
        add_readers(r.rank, t, matching);
      }
  }

  std::vector<int> left_over() const {  // by node: how many of those it waits for are never done
    std::vector<int> left(waits_for_.size());
    std::vector<std::vector<std::size_t>> releases(waits_for_.size());
    std::vector<std::size_t> ready;
    for (std::size_t n = 0; n < waits_for_.size(); ++n) {
      left[n] = static_cast<int>(waits_for_[n].size());
      for (const std::size_t before : waits_for_[n]) releases[before].push_back(n);
      if (left[n] == 0) ready.push_back(n);
    }
    while (!ready.empty()) {
      const std::size_t done = ready.back();
      ready.pop_back();
      for (const std::size_t n : releases[done])
        if (--left[n] == 0) ready.push_back(n);
    }
    return left;
  }

  // From any task that is stuck, going to one that it waits for and that is stuck as well ends in a cycle.
  std::string cycle(const std::vector<int>& left) const {
    const auto stuck = [&left](std::size_t n) { return left[n] > 0; };
    std::size_t n = 0;
    while (!stuck(n)) ++n;
    std::vector<std::size_t> path;
    for (auto seen = path.end(); seen == path.end(); seen = std::ranges::find(path, n)) {
      path.push_back(n);
      n = *std::ranges::find_if(waits_for_[n], stuck);
    }
    std::string all = text(n);
    for (auto step = std::ranges::find(path, n) + 1; step != path.end(); ++step) all += " waits for " + text(*step);
    return all + " waits for the first";
  }

 private:
  std::size_t node(int rank, int task) const { return first_[at(rank)] + at(task); }
  void add_task(const Matching& matching, int rank, int task) {
    const Task& t = schedule_.ranks[at(rank)].tasks[at(task)];
    auto& edges = waits_for_[node(rank, task)];
    for (const int before : predecessors(t)) edges.push_back(node(rank, before));
    if (!is_finish(t.kind)) return;
    const int other = matching.partner[at(rank)][at(t.start)];
    const int end = matching.finish[at(t.peer)][at(other)];
    edges.push_back(node(t.peer, t.kind == TaskKind::recv_finish ? other : end));
  }

  // A task that reads a block where it was made holds up the send_finish there.
  void add_readers(int rank, int task, const Matching& matching) {
    const auto& tasks = schedule_.ranks[at(rank)].tasks;
    for_each_received(tasks[at(task)].steps, [&](int finish) {
      const Task& recv = tasks[at(finish)];
      if (tasks[at(recv.start)].range.count > 0) return;
      const int send = matching.partner[at(rank)][at(recv.start)];
      const int done = matching.finish[at(recv.peer)][at(send)];
      waits_for_[node(recv.peer, done)].push_back(node(rank, task));
    });
  }

  std::string text(std::size_t node) const {
    const auto rank = at(std::upper_bound(first_.begin(), first_.end(), node) - first_.begin()) - 1;
    return checks::text(title(schedule_.ranks[rank], static_cast<int>(node - first_[rank])));
  }

  const Schedule& schedule_;
  std::vector<std::size_t> first_;
  std::vector<std::vector<std::size_t>> waits_for_;
};

}  // namespace

Matching match_messages(const Schedule& schedule) {
  Matching matching;
  for (const RankSchedule& r : schedule.ranks) {
    matching.finish.emplace_back(r.tasks.size(), -1);
    matching.partner.emplace_back(r.tasks.size(), -1);
    matching.received.emplace_back(r.tasks.size(), 0);
    for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
      const Task& task = r.tasks[at(t)];
      if (is_finish(task.kind)) matching.finish.back()[at(task.start)] = t;
    }
  }
  for (const auto& [envelope, ends] : collect(schedule)) {
    const auto [from, to, tag] = envelope;
    check_ends(rank_of(schedule, from), rank_of(schedule, to), tag, ends);
    matching.partner[at(from)][at(ends.send)] = ends.recv;
    matching.partner[at(to)][at(ends.recv)] = ends.send;
    const int finish = matching.finish[at(to)][at(ends.recv)];
    matching.received[at(to)][at(finish)] = reals_of(rank_of(schedule, from).tasks[at(ends.send)].range);
  }
  return matching;
}

void check_progress(const Schedule& schedule, const Matching& matching) {
  const Graph graph(schedule, matching);
  const std::vector<int> left = graph.left_over();
  const auto stuck = std::ranges::count_if(left, [](int n) { return n > 0; });
  if (stuck > 0)
    fail("{} of {} tasks can never run (they wait in a circle): {}", stuck, left.size(), graph.cycle(left));
}

}  // namespace kallima::checks
