#include "app/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/laboratory.hpp"
#include "kallima/draw.hpp"

namespace kallima::cli {
namespace {

using Number = std::map<int, int>;  // of a task in the run: its number in the replay

// Messages between two ranks have tags, the same at both ends.
struct MessageEnd {
  int from, to, tag;
  auto operator<=>(const MessageEnd&) const = default;
};

class Replay {
 public:
  Replay(const Trace& run, double flops_per_s) : flops_per_s_(flops_per_s), events_(at(run.ranks)) {
    const auto carries = [](const Event& e) { return e.kind == TaskKind::copy && e.peer >= 0; };  // a message's piece
    for (const Event& e : run.events)
      if (e.task >= 0 && !carries(e)) events_.at(at(e.rank)).push_back(&e);
    for (auto& rank : events_) {
      std::ranges::stable_sort(rank, {}, [](const Event* e) { return e->begin; });
      number_tasks(rank);
    }
    outline_ = {.name = "replay", .ranks = run.ranks};
    if (run.element_bytes > 0) outline_.word_bytes = run.element_bytes;
  }

  Outline outline() {
    for (std::size_t rank = 0; rank < events_.size(); ++rank) outline_.scripts.push_back(script(rank));
    return std::move(outline_);
  }

 private:
  void number_tasks(const std::vector<const Event*>& rank) {
    Number& mine = numbers_.emplace_back();
    for (const Event* e : rank) {
      const int number = static_cast<int>(mine.size());
      require(mine.emplace(e->task, number).second, "rank {} has task {} twice: record one run only", e->rank, e->task);
      if (e->kind == TaskKind::recv_start) received_[{e->peer, e->rank, e->tag}].in_place = e->in_place;
      if (e->kind == TaskKind::recv_finish) {
        const auto start = std::ranges::find_if(rank, [&](const Event* s) { return s->task == e->start; });
        require(start != rank.end(), "a message of rank {} ends that never began", e->rank);
        received_[{(*start)->peer, e->rank, (*start)->tag}].finish = number;
      }
    }
  }

  OutlineTask task_of(const Event& e) {
    OutlineTask task{.kind = e.kind, .stage = outline_.stage_number(e.label), .peer = e.peer};
    const Number& mine = numbers_[at(e.rank)];
    switch (e.kind) {
      case TaskKind::send_start: {
        const auto other = received_.find({e.rank, e.peer, e.tag});
        require(other != received_.end() && other->second.finish >= 0,
                "what rank {} sends to {} (tag {}) nobody receives: record all ranks", e.rank, e.peer, e.tag);
        task.match = other->second.finish;
        task.words = other->second.in_place ? 0 : e.elements;
        break;
      }
      case TaskKind::send_finish:
      case TaskKind::recv_finish:
        task.match = mine.at(e.start);
        break;
      case TaskKind::recv_start:
        break;
      default:
        task.kind = TaskKind::compute;
        task.flops = (e.end - e.begin - e.polling) * flops_per_s_;
    }
    return task;
  }

  // One after another; only that a message has left is nothing that anybody waits for.
  Script script(std::size_t rank) {
    Script all;
    int before = -1;
    for (const Event* e : events_[rank]) {
      const OutlineTask task = task_of(*e);
      const bool finishes = task.kind == TaskKind::send_finish;
      std::vector<int> after;
      if (finishes)
        after.push_back(task.match);
      else if (before >= 0)
        after.push_back(before);
      if (task.kind == TaskKind::recv_finish && task.match != before) after.push_back(task.match);
      std::ranges::sort(after);
      const int number = all.add(task, after);
      if (!finishes) before = number;
    }
    all.close();
    return all;
  }

  struct Received {
    int finish = -1;
    bool in_place = false;
  };

  double flops_per_s_;
  std::vector<std::vector<const Event*>> events_;  // by rank
  std::vector<Number> numbers_;
  std::map<MessageEnd, Received> received_;
  Outline outline_;
};

// Times from 0, so that both begin together.
Trace from_zero(Trace trace) {
  double first = INFINITY;
  for (const Event& e : trace.events) first = std::min(first, e.begin);
  for (Event& e : trace.events) {
    e.begin -= first;
    e.end -= first;
  }
  return trace;
}

}  // namespace

Outline outline_of_run(const Trace& run, double flops_per_s) { return Replay(run, flops_per_s).outline(); }

Replayed replayed(const ReplayFlags& flags) {
  Replayed both{.run = from_zero(trace_from_perfetto_json(read_text(flags.trace))), .replay = {}, .machine = {}};
  require(both.run.unit == "s" && !both.run.events.empty(),
          "{} is no trace of a run in seconds (kallima bench --trace)", flags.trace);
  const Machine machine = lab_machine(flags.machine);
  require(time_unit(machine) == "s", "{} does not count in seconds: give it a rate r= in operations a second",
          text(machine));
  const double flops_per_s = flop_rate(flags.from.empty() ? machine : lab_machine(flags.from));
  both.machine = text(machine);
  const SimulateOptions options{.pricing = Pricing::all_ranks, .trace = true};
  both.replay = simulate(outline_of_run(both.run, flops_per_s), machine, options).trace;
  both.run.title = fmt::format("the run, {}", flags.trace);
  both.replay.title = fmt::format("the same on {}", flags.machine);
  return both;
}

std::string replay_svg(const Replayed& both) {
  const std::vector<Trace> panels{both.run, both.replay};
  return draw_gantt(panels, {.title = "A run, and the same on another machine", .shifts = true});
}

}  // namespace kallima::cli
