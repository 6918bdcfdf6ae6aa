// Can the whole run to its end, if every rank runs whatever is ready? A task waits for its predecessors on its own
// rank; a recv_finish also for the send_start at the other end; a send_finish for the receiver's recv_finish and for
// everyone there who reads the block, because a block that is a view is given back only then. These are all "done
// before" edges, so the schedule ends exactly when they form no cycle; one that exists is shown step by step.

#include <algorithm>

#include "base/check.hpp"
#include "schedule/checks.hpp"
#include "schedule/walk.hpp"

namespace kallima::checks {
namespace {

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
    for (auto seen = path.end(); seen == path.end(); seen = std::find(path.begin(), path.end(), n)) {
      path.push_back(n);
      n = *std::find_if(waits_for_[n].begin(), waits_for_[n].end(), stuck);
    }
    std::string all = text(n);
    for (auto step = std::find(path.begin(), path.end(), n) + 1; step != path.end(); ++step)
      all += " waits for " + text(*step);
    return all + " waits for the first";
  }

 private:
  std::size_t node(int rank, int task) const {
    return first_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(task);
  }
  void add_task(const Matching& matching, int rank, int task) {
    const Task& t = schedule_.ranks[static_cast<std::size_t>(rank)].tasks[static_cast<std::size_t>(task)];
    auto& edges = waits_for_[node(rank, task)];
    for (const int before : predecessors(t)) edges.push_back(node(rank, before));
    if (!is_finish(t.kind)) return;
    const int other = matching.partner[static_cast<std::size_t>(rank)][static_cast<std::size_t>(t.start)];
    const int end = matching.finish[static_cast<std::size_t>(t.peer)][static_cast<std::size_t>(other)];
    edges.push_back(node(t.peer, t.kind == TaskKind::recv_finish ? other : end));
  }

  // A task that reads a received block holds up the send_finish at the other end.
  void add_readers(int rank, int task, const Matching& matching) {
    const auto& tasks = schedule_.ranks[static_cast<std::size_t>(rank)].tasks;
    visit_passes(tasks[static_cast<std::size_t>(task)].steps, [&](const Pass& pass) {
      for (const Piece& p : pass.sources) {
        if (p.recv < 0) continue;
        const Task& recv = tasks[static_cast<std::size_t>(p.recv)];
        const int send = matching.partner[static_cast<std::size_t>(rank)][static_cast<std::size_t>(recv.start)];
        const int done = matching.finish[static_cast<std::size_t>(recv.peer)][static_cast<std::size_t>(send)];
        waits_for_[node(recv.peer, done)].push_back(node(rank, task));
      }
    });
  }

  std::string text(std::size_t node) const {
    const auto rank =
        static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), node) - first_.begin()) - 1;
    return checks::text(title(schedule_.ranks[rank], static_cast<int>(node - first_[rank])));
  }

  const Schedule& schedule_;
  std::vector<std::size_t> first_;
  std::vector<std::vector<std::size_t>> waits_for_;
};

}  // namespace

void check_progress(const Schedule& schedule, const Matching& matching) {
  const Graph graph(schedule, matching);
  const std::vector<int> left = graph.left_over();
  const auto stuck = std::count_if(left.begin(), left.end(), [](int n) { return n > 0; });
  if (stuck > 0)
    fail("{} of {} tasks can never run (they wait in a circle): {}", stuck, left.size(), graph.cycle(left));
}

}  // namespace kallima::checks
