// Runs one rank's tasks in order over a MemoryState. A send reads its range until its finish is done, a receive writes
// its range until then; a compute task reads its sources and writes its targets, pass by pass. Within a pass iterations
// come in any order the kernel likes, so there no element may be written twice, nor be read and written by two lines.

#include "base/check.hpp"
#include "schedule/checks.hpp"
#include "schedule/memory_state.hpp"
#include "schedule/walk.hpp"

namespace kallima::checks {
namespace {

// A piece in one execution of its pass, with a received block replaced by where it lands, in the memory's units.
struct Placed {
  Buffer buffer;
  Index offset;
  std::vector<LoopAxis> axes;  // the piece's own axis, then the loops
  Index width;                 // of an element
  const Piece* piece;
  bool in_memory = true;  // false: a view of another rank's
};

// Calls visit(element, line) for each element, the lines numbered in the order of the loops.
void for_each_element(const Placed& p, const auto& visit) {
  std::vector<Index> place(p.axes.size(), 0);
  Index line = 0, at = p.offset;
  for (std::size_t k = p.axes.size(); k > 0; ++line) {
    for (Index e = 0; e < p.axes[0].size; ++e)
      for (Index w = 0; w < p.width; ++w) visit(at + e * p.axes[0].stride + w, line);
    for (k = p.axes.size() - 1; k > 0; --k) {
      at += p.axes[k].stride;
      if (++place[k] < p.axes[k].size) break;
      at -= p.axes[k].stride * p.axes[k].size;
      place[k] = 0;
    }
  }
}

void for_each_run(const Placed& p, const auto& visit) {
  std::vector<LoopAxis> axes = p.axes;
  axes.push_back({p.width, 1});
  for_each_run(p.offset, axes, visit);
}

bool same_place(const Placed& a, const Placed& b) {
  const auto same_axis = [](const LoopAxis& x, const LoopAxis& y) { return x.size == y.size && x.stride == y.stride; };
  return a.offset == b.offset && a.width == b.width &&
         std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(), same_axis);
}

class Checker {
 public:
  Checker(const RankSchedule& rank, const std::vector<int>& finish, Aliasing aliasing)
      : rank_(rank), finish_(finish), memory_(rank, aliasing) {}
  void run() {
    for (int t = 0; t < static_cast<int>(rank_.tasks.size()); ++t) {
      const Task& task = rank_.tasks[at(t)];
      if (is_start(task.kind)) message(t);
      std::vector<Index> indices;
      for_each_execution(task.steps, indices,
                         [&](const Pass& pass, std::span<const Index> enclosing) { execute(pass, enclosing, t); });
    }
    memory_.check_complete();
  }

 private:
  void message(int t) {
    const Task& task = rank_.tasks[at(t)];
    const Index width = memory_.units_of(task.range.real);
    const BufferSpan run{task.range.buffer, width * task.range.offset, width * (task.range.offset + task.range.count)};
    const Access access{t, finish_[at(t)]};
    if (task.range.count == 0) return;
    task.kind == TaskKind::send_start ? memory_.read(run, access) : memory_.write(run, access);
  }

  void execute(const Pass& pass, std::span<const Index> indices, int t) {
    std::vector<Placed> sources, targets;
    for (const Piece& p : pass.sources) {
      check_received(p, t);
      sources.push_back(place(p, pass, indices));
    }
    for (const Piece& p : pass.targets) targets.push_back(place(p, pass, indices));
    stamp_targets(targets, t);
    check_lines(sources, targets, t);
    for (const Placed& s : sources)
      if (s.in_memory)
        for_each_run(s, [&](Index begin, Index end) { memory_.read({s.buffer, begin, end}, {t, t, s.piece->recv}); });
    for (const Placed& target : targets)
      for_each_run(target, [&](Index begin, Index end) { memory_.write({target.buffer, begin, end}, {t, t}); });
  }

  Placed place(const Piece& piece, const Pass& pass, std::span<const Index> indices) const {
    Index offset = piece.offset;
    std::vector<LoopAxis> axes = axes_of(piece, pass, indices, offset);
    const Index width = memory_.units_of(piece.real);
    offset *= width;
    for (LoopAxis& axis : axes) axis.stride = axis.size > 1 ? axis.stride * width : 0;  // of one, it may be any number
    if (piece.recv < 0) return {piece.buffer, offset, std::move(axes), width, &piece};
    const Task& finish = rank_.tasks[at(piece.recv)];
    const Range& landing = rank_.tasks[at(finish.start)].range;
    const Index begin = landing.offset * memory_.units_of(landing.real);
    return {landing.buffer, begin + offset, std::move(axes), width, &piece, landing.count > 0};
  }

  void check_received(const Piece& piece, int t) const {
    if (piece.recv >= 0 && !memory_.before(piece.recv, t))
      fail("{} reads the block of task {} (nothing makes it come after that) add it to its `after`", title(rank_, t),
           piece.recv);
  }

  void stamp_targets(const std::vector<Placed>& targets, int t) {
    ++execution_;
    for (const Placed& target : targets) {
      const std::size_t slot = memory_.slot(target.buffer);
      stamps_[slot].resize(memory_.slot_size(slot), 0);
      std::uint32_t* stamps = stamps_[slot].data();
      for_each_run(target, [&](Index begin, Index end) {
        for (Index e = begin; e < end; ++e) {
          if (stamps[e] == execution_)
            fail("{} writes {} twice in one pass (targets must not overlap)", title(rank_, t),
                 memory_.text(target.buffer, e));
          stamps[e] = execution_;
        }
      });
    }
  }

  // A source that is also a target, element by element, is in place and needs no closer look.
  void check_lines(const std::vector<Placed>& sources, const std::vector<Placed>& targets, int t) {
    for (const Placed& source : sources) {
      const bool in_place = std::ranges::any_of(targets, [&](const Placed& target) {
        return memory_.slot(source.buffer) == memory_.slot(target.buffer) && same_place(source, target);
      });
      if (source.in_memory && !in_place && meets_target(source)) compare_lines(source, targets, t);
    }
  }

  bool meets_target(const Placed& source) const {
    const auto& stamps = stamps_[memory_.slot(source.buffer)];
    if (stamps.empty()) return false;
    bool meets = false;
    for_each_run(source, [&](Index begin, Index end) {
      for (Index e = begin; e < end && !meets; ++e) meets = stamps[at(e)] == execution_;
    });
    return meets;
  }

  void compare_lines(const Placed& source, const std::vector<Placed>& targets, int t) {
    const std::size_t slot = memory_.slot(source.buffer);
    lines_[slot].resize(memory_.slot_size(slot));
    for (const Placed& target : targets)
      if (memory_.slot(target.buffer) == slot)
        for_each_element(target, [&](Index e, Index line) { lines_[slot][at(e)] = line; });
    for_each_element(source, [&](Index e, Index line) {
      const auto at = static_cast<std::size_t>(e);
      if (stamps_[slot][at] == execution_ && lines_[slot][at] != line)
        fail("{} reads {} in line {} and writes it in line {} of one pass (lines may run in any order)",
             title(rank_, t), memory_.text(source.buffer, e), line, lines_[slot][at]);
    });
  }

  const RankSchedule& rank_;
  const std::vector<int>& finish_;
  MemoryState memory_;
  std::array<std::vector<std::uint32_t>, buffers.size()> stamps_;  // the last execution that wrote the element
  std::array<std::vector<Index>, buffers.size()> lines_;           // and, where looked at, in which line
  std::uint32_t execution_ = 0;
};

}  // namespace

void check_memory(const RankSchedule& rank, const std::vector<int>& finish, Aliasing aliasing) {
  Checker(rank, finish, aliasing).run();
}

}  // namespace kallima::checks
