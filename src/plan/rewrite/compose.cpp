// Joining links. Each gets room of its own in the work buffer and the inbox; where one ends and the next begins there
// is a region of the work buffer that the first writes and the second reads. Who waits for whom is found by looking:
// the last writer of every element that a task reads.

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "plan/exchange/link.hpp"
#include "plan/exchange/tasks.hpp"
#include "schedule/walk.hpp"

namespace kallima {
namespace {

// Where a link's buffers are in the whole: a buffer and an offset in words.
struct Mapping {
  Buffer buffer = Buffer::in;
  Index base = 0;
};

using Mappings = std::array<Mapping, 4>;

Mapping& at(Mappings& maps, Buffer b) { return maps[static_cast<std::size_t>(b)]; }

class Composer {
 public:
  Composer(const Links& links, int rank, Direction direction) : links_(links), rank_(rank), direction_(direction) {}
  RankSchedule run();

 private:
  struct Joint {  // of a link and the next: a region of the work buffer
    Index base = 0;
    Index count = 0;
    Index unit = 1;  // reals in what the region is made of, per word
  };

  const Link& link(std::size_t i) const;
  Mappings place(std::size_t i, const RankSchedule& part);
  void append(std::size_t i, RankSchedule part, Mappings maps);
  void move(Piece& piece, Mappings& maps) const;
  void move(std::vector<Step>& steps, Mappings& maps, bool keeps_scale) const;
  void note_writers(const Joint& joint, std::size_t first_task);
  void wait_for_writers(const Joint& joint, std::size_t first_task);
  template <class F>
  void each_run(const Task& task, const Joint& joint, bool writes, const F& visit) const;

  const Links& links_;
  const int rank_;
  const Direction direction_;
  RankSchedule all_;
  Joint joint_;                        // behind the link that was appended last
  std::vector<std::int32_t> writers_;  // of its elements
};

const Link& Composer::link(std::size_t i) const {
  return direction_ == Direction::forward ? *links_[i] : *links_[links_.size() - 1 - i];
}

Mappings Composer::place(std::size_t i, const RankSchedule& part) {
  const bool last = i + 1 == links_.size();
  Mappings maps;
  Index& work = all_.sizes[static_cast<std::size_t>(Buffer::work)];
  Index& inbox = all_.sizes[static_cast<std::size_t>(Buffer::inbox)];
  at(maps, Buffer::in) = i == 0 ? Mapping{Buffer::in, 0} : Mapping{Buffer::work, joint_.base};
  at(maps, Buffer::work) = {Buffer::work, work};
  work += part.size(Buffer::work);
  at(maps, Buffer::inbox) = {Buffer::inbox, inbox};
  inbox += part.size(Buffer::inbox);
  at(maps, Buffer::out) = last ? Mapping{Buffer::out, 0} : Mapping{Buffer::work, work};
  if (!last) {
    joint_ = {work, part.size(Buffer::out), part.data_out == Data::real_ ? 2 : 1};
    work += words(joint_.count, part.data_out);
  }
  return maps;
}

void Composer::move(Piece& piece, Mappings& maps) const {
  if (piece.recv >= 0) {
    piece.recv += static_cast<int>(all_.tasks.size());
    return;
  }
  const Mapping map = at(maps, piece.buffer);
  piece.buffer = map.buffer;
  piece.offset += (piece.real ? 2 : 1) * map.base;
}

void Composer::move(std::vector<Step>& steps, Mappings& maps, bool keeps_scale) const {
  for (Step& step : steps) {
    move(step.body, maps, keeps_scale);
    for (Piece& piece : step.pass.sources) move(piece, maps);
    for (Piece& piece : step.pass.targets) move(piece, maps);
    step.pass.scaled = step.pass.scaled && keeps_scale;
  }
}

void Composer::append(std::size_t i, RankSchedule part, Mappings maps) {
  const auto first = static_cast<int>(all_.tasks.size());
  const auto links = static_cast<int>(links_.size());
  for (Task& task : part.tasks) {
    move(task.steps, maps, i + 1 == links_.size());
    for (int& earlier : task.after) earlier += first;
    if (task.start >= 0) task.start += first;
    if (task.tag >= 0) task.tag = task.tag * links + static_cast<int>(i);
    const Mapping map = at(maps, task.range.buffer);
    task.range.buffer = map.buffer;
    task.range.offset += (task.range.real ? 2 : 1) * map.base;
  }
  // Pieces were moved by the number of tasks before this link's first, so these come last.
  all_.tasks.insert(all_.tasks.end(), std::make_move_iterator(part.tasks.begin()),
                    std::make_move_iterator(part.tasks.end()));
}

// Calls visit(begin, end) for the elements of the region that a compute task reads or writes.
template <class F>
void Composer::each_run(const Task& task, const Joint& joint, bool writes, const F& visit) const {
  std::vector<Index> indices;
  checks::for_each_execution(task.steps, indices, [&](const Pass& pass, std::span<const Index> around) {
    for (const Piece& piece : writes ? pass.targets : pass.sources) {
      if (piece.recv >= 0 || piece.buffer != Buffer::work || piece.real != (joint.unit == 2)) continue;
      Index offset = piece.offset - joint.base * joint.unit;
      const std::vector<checks::LoopAxis> axes = checks::axes_of(piece, pass, around, offset);
      if (offset < 0 || offset >= joint.count) continue;
      checks::for_each_run(offset, axes, visit);
    }
  });
}

void Composer::note_writers(const Joint& joint, std::size_t first_task) {
  writers_.assign(static_cast<std::size_t>(joint.count), -1);
  for (std::size_t t = first_task; t < all_.tasks.size(); ++t)
    each_run(all_.tasks[t], joint, true, [&](Index begin, Index end) {
      std::fill(writers_.begin() + begin, writers_.begin() + end, static_cast<std::int32_t>(t));
    });
}

void Composer::wait_for_writers(const Joint& joint, std::size_t first_task) {
  std::vector<bool> seen(first_task, false);
  for (std::size_t t = first_task; t < all_.tasks.size(); ++t) {
    std::vector<int>& after = all_.tasks[t].after;
    const std::size_t own = after.size();
    std::int32_t latest = -1;  // neighbours mostly have one writer
    each_run(all_.tasks[t], joint, false, [&](Index begin, Index end) {
      for (Index e = begin; e < end; ++e) {
        const std::int32_t writer = writers_[static_cast<std::size_t>(e)];
        if (writer == latest || writer < 0) continue;
        latest = writer;
        if (seen[static_cast<std::size_t>(writer)]) continue;
        seen[static_cast<std::size_t>(writer)] = true;
        after.push_back(writer);
      }
    });
    for (std::size_t i = own; i < after.size(); ++i) seen[static_cast<std::size_t>(after[i])] = false;
  }
}

RankSchedule Composer::run() {
  all_.rank = rank_;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    RankSchedule part = link(i).rank_schedule(rank_, direction_);
    if (i == 0) {
      all_.sizes[0] = part.size(Buffer::in);
      all_.data_in = part.data_in;
    }
    const Joint before = joint_;
    const std::size_t first_task = all_.tasks.size();
    all_.sizes[1] = part.size(Buffer::out);
    all_.data_out = part.data_out;
    all_.padding_out = part.padding_out;
    const Mappings maps = place(i, part);
    append(i, std::move(part), maps);
    if (i > 0) wait_for_writers(before, first_task);
    if (i + 1 < links_.size()) note_writers(joint_, first_task);
  }
  return std::move(all_);
}

// Lower numbers go first, and links come one after the other: what a later link can make for others to receive would
// wait for all of the link before. So a task that waits for no message is moved to behind the last one it needs.
std::vector<int> eager_order(const RankSchedule& schedule) {
  const auto count = static_cast<int>(schedule.tasks.size());
  std::vector<int> key(schedule.tasks.size());
  for (int t = 0; t < count; ++t) {
    const Task& task = schedule.tasks[static_cast<std::size_t>(t)];
    const bool receives = task.kind == TaskKind::recv_start || task.kind == TaskKind::recv_finish;
    const bool first = task.after.empty();
    int latest = receives ? count : first ? t : 0;
    for (const int earlier : task.after) latest = std::max(latest, key[static_cast<std::size_t>(earlier)]);
    key[static_cast<std::size_t>(t)] = latest;
  }
  std::vector<int> order(schedule.tasks.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)]; });
  return order;
}

}  // namespace

RankSchedule compose(const Links& links, int rank, Direction direction) {
  RankSchedule all = Composer(links, rank, direction).run();
  if (links.size() == 1) return all;
  const std::vector<int> order = eager_order(all);
  return receives_first(reordered(std::move(all), order));
}

}  // namespace kallima
