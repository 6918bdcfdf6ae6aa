#include <algorithm>

#include "plan/exchange/region.hpp"
#include "plan/rewrite/rewrite.hpp"

namespace kallima {
namespace {

constexpr Index cache_line = 4;  // complex numbers

struct UsedReals {
  Index first, last;  // reals
};

std::vector<UsedReals> used_of_work(const RankSchedule& schedule) {
  std::vector<UsedReals> all;
  for (const Task& task : schedule.tasks)
    each_access(task, [&](Buffer buffer, const auto& region, bool) {
      if (buffer != Buffer::work) return;
      const Footprint used = region();
      all.push_back({used.first, used.last});
    });
  std::ranges::sort(all, {}, &UsedReals::first);
  return all;
}

// The last word, at most `most`, before which the work buffer can be cut.
Index cut_of_work(const RankSchedule& schedule, Index most) {
  const auto cut_before = [&](Index real) { return std::min(most, real / 2) / cache_line * cache_line; };
  Index best = 0, end = 0;  // words, and reals that are used so far
  for (const UsedReals& used : used_of_work(schedule)) {
    if (const Index cut = cut_before(used.first); 2 * cut >= end) best = cut;
    end = std::max(end, used.last + 1);
    if (end > 2 * most) return best;
  }
  return cut_before(2 * schedule.size(Buffer::work));
}

}  // namespace

void move_work(RankSchedule& schedule, Buffer to, Index most) {
  const Index cut = cut_of_work(schedule, most);
  const auto move = [&](Buffer& buffer, Index& offset, bool real) {
    if (buffer != Buffer::work) return;
    const Index behind = offset - (real ? 2 : 1) * cut;
    if (behind < 0)
      buffer = to;
    else
      offset = behind;
  };
  for (Task& task : schedule.tasks) {
    if (task.range.count > 0) move(task.range.buffer, task.range.offset, task.range.real);
    checks::visit_passes(task.steps, [&](Pass& pass) {
      for (std::vector<Piece>* pieces : {&pass.sources, &pass.targets})
        for (Piece& p : *pieces)
          if (p.recv < 0) move(p.buffer, p.offset, p.real);
    });
  }
  schedule.sizes[at(Buffer::work)] -= cut;
}

}  // namespace kallima
