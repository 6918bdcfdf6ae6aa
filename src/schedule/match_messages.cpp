// A message is known by its sender, its receiver and its tag. Each such triple that occurs must occur once as a send
// and once as a receive, with the same number of elements, or of reals, at both ends.

#include <map>
#include <tuple>

#include "base/check.hpp"
#include "schedule/checks.hpp"

namespace kallima::checks {
namespace {

using Envelope = std::tuple<int, int, int>;  // sender, receiver, tag

struct MessageEnds {
  int send = -1;
  int recv = -1;
};

using Messages = std::map<Envelope, MessageEnds>;

const RankSchedule& rank_of(const Schedule& s, int rank) { return s.ranks[static_cast<std::size_t>(rank)]; }

void note(int& end, const RankSchedule& r, int t, int tag) {
  require(end < 0, "{} uses tag {} again (task {} has it already for the same peer) tags are unique per pair of ranks",
          title(r, t), tag, end);
  end = t;
}

Messages collect(const Schedule& schedule) {
  Messages messages;
  for (const RankSchedule& r : schedule.ranks)
    for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
      const Task& task = r.tasks[static_cast<std::size_t>(t)];
      if (task.kind == TaskKind::send_start) note(messages[{r.rank, task.peer, task.tag}].send, r, t, task.tag);
      if (task.kind == TaskKind::recv_start) note(messages[{task.peer, r.rank, task.tag}].recv, r, t, task.tag);
    }
  return messages;
}

const char* kind_of(const Range& range) { return range.real ? "reals" : "complex numbers"; }

void check_ends(const RankSchedule& from, const RankSchedule& to, int tag, const MessageEnds& ends) {
  require(ends.recv >= 0, "{} sends with tag {} what rank {} never receives", title(from, ends.send), tag, to.rank);
  require(ends.send >= 0, "{} waits for tag {}, which rank {} never sends", title(to, ends.recv), tag, from.rank);
  const Task& send = from.tasks[static_cast<std::size_t>(ends.send)];
  const Task& recv = to.tasks[static_cast<std::size_t>(ends.recv)];
  require(send.elements == recv.elements, "{} sends {} elements to {} which expects {}", title(from, ends.send),
          send.elements, title(to, ends.recv), recv.elements);
  require(send.range.real == recv.range.real, "{} sends {} to {} which expects {}", title(from, ends.send),
          kind_of(send.range), title(to, ends.recv), kind_of(recv.range));
  require(recv.range.count == 0 || recv.range.count == send.range.count, "{} sends {} {} to {} which has room for {}",
          title(from, ends.send), send.range.count, kind_of(send.range), title(to, ends.recv), recv.range.count);
}

}  // namespace

Matching match_messages(const Schedule& schedule) {
  Matching matching;
  for (const RankSchedule& r : schedule.ranks) {
    matching.finish.emplace_back(r.tasks.size(), -1);
    matching.partner.emplace_back(r.tasks.size(), -1);
    matching.received.emplace_back(r.tasks.size(), 0);
    for (int t = 0; t < static_cast<int>(r.tasks.size()); ++t) {
      const Task& task = r.tasks[static_cast<std::size_t>(t)];
      if (is_finish(task.kind)) matching.finish.back()[static_cast<std::size_t>(task.start)] = t;
    }
  }
  for (const auto& [envelope, ends] : collect(schedule)) {
    const auto [from, to, tag] = envelope;
    check_ends(rank_of(schedule, from), rank_of(schedule, to), tag, ends);
    matching.partner[static_cast<std::size_t>(from)][static_cast<std::size_t>(ends.send)] = ends.recv;
    matching.partner[static_cast<std::size_t>(to)][static_cast<std::size_t>(ends.recv)] = ends.send;
    const int finish = matching.finish[static_cast<std::size_t>(to)][static_cast<std::size_t>(ends.recv)];
    matching.received[static_cast<std::size_t>(to)][static_cast<std::size_t>(finish)] =
        reals_of(rank_of(schedule, from).tasks[static_cast<std::size_t>(ends.send)].range);
  }
  return matching;
}

}  // namespace kallima::checks
