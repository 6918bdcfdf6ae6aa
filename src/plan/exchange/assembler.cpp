#include "plan/exchange/assembler.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "plan/exchange/tasks.hpp"

namespace kallima {
namespace {

constexpr Index cache_line = 4;             // complex numbers: words that no two allocations share
constexpr std::size_t most_regions = 1024;  // of a task, to be looked at one by one
constexpr Index most_stretches = 64;        // of the caller's arrays, to be used each by itself
constexpr Index dense = 8;                  // times as many tasks: what a list of them is among
constexpr int count_of_buffers = static_cast<int>(buffers.size());

// Workspace in hundredths of the larger array: with both arrays three times a rank's data, and room for tables.
constexpr Index share_out_of_place = 115;
constexpr Index share_in_place = 122;

Index rounded(Index words) { return (words + cache_line - 1) / cache_line * cache_line; }
// That the result's memory has, for allocations.
Index reals_of_out(const RankSchedule& s) { return s.size(Buffer::out) * (s.data_out == Data::real_ ? 1 : 2); }
Footprint placed(Footprint region, Index base) {
  region.first += 2 * base;
  region.last += 2 * base;
  return region;
}
Index words_of(const CallersArray& a) { return a.data == Data::real_ ? (a.size + 1) / 2 : a.size; }

}  // namespace

Assembler::Assembler(int rank, const PlanOptions& options, const CallersArray& in, const CallersArray& out)
    : allocations_(buffers.size()), placement_(options.placement) {
  schedule_ = {.rank = rank, .sizes = {in.size, out.size, 0, 0}};
  schedule_.data_in = in.data;
  schedule_.data_out = out.data;
  schedule_.padding_out = out.padding;
  for (const Buffer b : buffers) allocation_of(b).buffer = b;
  allocation_of(Buffer::in).words = words_of(in);
  allocation_of(Buffer::out).words = words_of(out);
  if (placement_ != Placement::in_place) return;
  allocation_of(Buffer::in).overlapping = {static_cast<int>(Buffer::out)};
  allocation_of(Buffer::out).overlapping = {static_cast<int>(Buffer::in)};
}

Index Assembler::words() const { return std::max(allocation_of(Buffer::in).words, allocation_of(Buffer::out).words); }

Index Assembler::spare(Index taken) const {
  const Index share = placement_ == Placement::in_place ? share_in_place : share_out_of_place;
  return std::max<Index>(0, words() * share / 100 - taken);
}

Buffer Assembler::allocate(Index count, Data data, Use use) {
  const Index reals = data == Data::real_ ? count : 2 * count;
  allocations_.push_back({.words = rounded((reals + 1) / 2), .used = reals, .use = use});
  return static_cast<Buffer>(allocations_.size() - 1);
}

Buffer Assembler::allocate_in_out(Index count, Data data) {
  const Buffer b = allocate(count, data, Use::own);
  allocation_of(b).placed = true;
  allocation_of(b).buffer = Buffer::out;
  return b;
}

void Assembler::keep(Buffer b) {
  allocation_of(b).last = std::max(allocation_of(b).last, static_cast<int>(schedule_.tasks.size()) - 1);
}

void Assembler::touch(Buffer buffer, int task) {
  Allocation& allocation = allocation_of(buffer);
  if (allocation.first < 0) allocation.first = task;
  allocation.last = std::max(allocation.last, task);
}

int Assembler::add(Task task) {
  const auto number = static_cast<int>(schedule_.tasks.size());
  each_access(task, [&](Buffer b, const auto&, bool) { touch(b, number); });
  schedule_.tasks.push_back(std::move(task));
  stages_.push_back(stage_);
  finish_.push_back(-1);
  return number;
}

int Assembler::compute(std::string label, int chunk, std::vector<Step> steps) {
  Task task = compute_task(std::move(label), chunk, std::move(steps));
  checks::for_each_received(task.steps, [&](int recv) {
    task.after.push_back(recv);
    const Range& landing = schedule_.tasks[at(recv)].range;  // which lives until it has been read
    if (landing.count > 0) touch(landing.buffer, static_cast<int>(schedule_.tasks.size()));
  });
  return add(std::move(task));
}

int Assembler::send(int peer, int tag, int chunk, const Range& from, Index count) {
  return add(send_task(peer, tag, chunk, from, count));
}

int Assembler::receive(int peer, int tag, int chunk, Index count, const Range& landing) {
  return add(receive_task(peer, tag, chunk, count, landing));
}

int Assembler::arrive(int receive) { return add(finish_task(schedule_.tasks[at(receive)], receive)); }

bool Assembler::is_one_array() const {
  return is_in_place() && schedule_.data_in == schedule_.data_out &&
         schedule_.size(Buffer::in) == schedule_.size(Buffer::out);
}

// Memory of `out` costs nothing, but the caller's data comes before and the result after.
bool Assembler::fits_out(const Allocation& allocation) const {
  const Allocation& in = allocation_of(Buffer::in);
  const Allocation& out = allocation_of(Buffer::out);
  const bool late = placement_ == Placement::in_place && in.first >= 0 && in.last >= allocation.first;
  return schedule_.padding_out == 0 && allocation.use == Use::own && !late &&
         (out.first < 0 || allocation.last < out.first);
}

// Notes with whom an allocation shares its memory.
void Assembler::note_overlaps(int number) {
  Allocation& allocation = allocations_[at(number)];
  if (allocation.buffer == Buffer::out)
    for (const Buffer b : {Buffer::out, Buffer::in}) {
      if (b == Buffer::in && placement_ != Placement::in_place) continue;
      allocation.overlapping.push_back(static_cast<int>(b));
      allocation_of(b).overlapping.push_back(number);
    }
  for (int i = count_of_buffers; i < static_cast<int>(allocations_.size()); ++i) {
    const Allocation& other = allocations_[at(i)];
    if (i == number || other.first < 0 || other.buffer != allocation.buffer) continue;
    if (other.base < allocation.base + allocation.words && allocation.base < other.base + other.words)
      allocation.overlapping.push_back(i);
  }
}

// Stretches of the caller's memory, from when the result is written there or, in place, until the data has been read:
// by others, too, who are given views of it.
std::vector<MemoryUse> Assembler::callers_uses() const {
  const Index all = allocation_of(Buffer::out).words, length = std::max(cache_line, rounded(all / most_stretches));
  constexpr int never = std::numeric_limits<int>::max();
  std::vector<MemoryUse> result, data;
  for (Index base = 0; base < all; base += length) {
    result.push_back({.words = length, .first = never, .last = never, .base = base});
    data.push_back({.words = length, .first = -1, .last = -1, .base = base});
  }
  for (int t = 0; t < static_cast<int>(schedule_.tasks.size()); ++t)
    each_access(schedule_.tasks[at(t)], [&](Buffer b, const auto& region, bool) {
      if (b != Buffer::out && (b != Buffer::in || !is_in_place())) return;
      const Footprint touched = region();
      for (Index place = touched.first; place <= touched.last;) {
        const auto k = at(place / (2 * length));
        if (k >= result.size()) break;
        if (b == Buffer::out) result[k].first = std::min(result[k].first, t);
        const bool lent = schedule_.tasks[at(t)].kind == TaskKind::send_start;
        if (b == Buffer::in) data[k].last = lent ? allocation_of(b).last : std::max(t, data[k].last);
        const Index next = 2 * length * (static_cast<Index>(k) + 1);
        place = next > touched.last ? next : next_of(touched, next);
      }
    });
  result.insert(result.end(), data.begin(), data.end());
  std::erase_if(result, [&](const MemoryUse& use) { return use.first == never || use.last < 0; });
  return result;
}

MemoryMap Assembler::memory_map(bool by_stretches) const {
  std::vector<MemoryUse> uses, fixed;
  if (by_stretches) fixed = callers_uses();
  for (const Allocation& a : std::span(allocations_).subspan(buffers.size())) {
    const bool fits = by_stretches ? a.use == Use::own && schedule_.padding_out == 0 : fits_out(a);
    if (a.first >= 0) (a.placed ? fixed : uses).push_back({a.words, a.used, a.first, a.last, a.fresh, fits});
  }
  return packed_memory(uses, fixed, reals_of_out(schedule_), spare(0));
}

// As long as some of the caller's memory is in use, all of it is, unless that takes too much.
std::vector<int> Assembler::place_allocations() {
  MemoryMap map = memory_map(false);
  if (map.words > spare(0))
    if (MemoryMap less = memory_map(true); less.words < map.words) map = std::move(less);
  std::vector<int> all;
  auto place = map.places.begin();
  for (int i = count_of_buffers; i < static_cast<int>(allocations_.size()); ++i) {
    Allocation& a = allocations_[at(i)];
    if (a.first < 0) continue;
    all.push_back(i);
    if (a.placed) continue;
    a.buffer = place->in_out ? Buffer::out : Buffer::work;
    a.base = (place++)->base;
  }
  schedule_.sizes[at(Buffer::work)] = map.words;
  return all;
}

// Whoever writes waits for all who touched the place before, whoever reads for those who wrote.
void Assembler::wait_for(int task, const Allocation& touched, const Footprint& region, bool writes,
                         bool shares_memory) {
  touched.accesses.each_near(region, [&](const TaskAccess& other, bool meets) {
    const bool apart = shares_memory ? other.task != task : other.stage != stages_[at(task)];
    if (!(writes || other.writes) || !apart || seen_[at(other.task)] == task) return;
    if (!meets && !meet(other.region, region)) return;
    seen_[at(other.task)] = task;
    awaited_.push_back(other.task);
  });
}

// In the order of their numbers, each once; if these are many, by going through all tasks.
void Assembler::sort_awaited(int task) {
  if (awaited_.empty()) return;
  const auto [first, last] = std::ranges::minmax(awaited_);
  if (last - first >= dense * std::ssize(awaited_)) return sort_unique(awaited_);
  for (const int t : awaited_) seen_[at(t)] = task;
  awaited_.clear();
  for (int t = first; t <= last; ++t)
    if (seen_[at(t)] == task) awaited_.push_back(t);
}

// What is waited for by way of a computation need not be said. Messages may be replaced by others later on. It is found
// among those that the computations wait for, or among the computations that wait for it, whichever are fewer.
void Assembler::drop_implied(int task) {
  std::vector<int>& after = awaited_;
  const auto computes = [&](int t) { return at(t) < stages_.size() && schedule_.tasks[at(t)].peer < 0; };
  const int implied = -2 - task;
  std::size_t awaited = 0, waiting = 0;
  for (const int t : after) {
    if (computes(t)) awaited += schedule_.tasks[at(t)].after.size();
    waiting += waiting_[at(t)].size();
  }
  if (waiting < awaited) {
    for (const int t : after) seen_[at(t)] = task;
    std::erase_if(after, [&](int t) {
      return std::ranges::any_of(waiting_[at(t)], [&](int other) { return seen_[at(other)] == task; });
    });
  } else {
    for (const int t : after)
      if (computes(t)) {
        const std::vector<int>& others = schedule_.tasks[at(t)].after;  // as sorted as `after` is
        for (auto it = others.rbegin(); it != others.rend() && *it >= after.front(); ++it) seen_[at(*it)] = implied;
      }
    std::erase_if(after, [&](int t) { return seen_[at(t)] == implied; });
  }
  if (computes(task))
    for (const int t : after) waiting_[at(t)].push_back(task);
}

// All that a task touches or, if that is in very many places, what they are between.
std::vector<Assembler::Touched> Assembler::touched_by(const Task& task) {
  std::vector<Touched> all;
  each_access(task, [&](Buffer b, const auto& region, bool writes) {
    all.push_back({&allocation_of(b), placed(region(), allocation_of(b).base), writes});
  });
  if (all.size() <= most_regions) return all;
  std::map<std::pair<Allocation*, bool>, Footprint> between;
  for (const Touched& x : all) {
    Footprint& hull = between.try_emplace({x.allocation, x.writes}, x.region).first->second;
    const Index first = std::min(hull.first, x.region.first), last = std::max(hull.last, x.region.last);
    hull = {first, last, {{last - first + 1, 1}}};
  }
  all.clear();
  for (const auto& [where, hull] : between) all.push_back({where.first, hull, where.second});
  return all;
}

void Assembler::find_dependencies() {
  const auto count = static_cast<int>(schedule_.tasks.size());
  for (int t = 0; t < count; ++t) {
    Task& task = schedule_.tasks[at(t)];
    std::vector<Touched> all = touched_by(task);
    awaited_ = task.after;
    for (const Touched& x : all) {
      wait_for(t, *x.allocation, x.region, x.writes, false);
      for (const int i : x.allocation->overlapping) wait_for(t, allocations_[at(i)], x.region, x.writes, true);
    }
    const int over = task.peer >= 0 && task.start < 0 ? finish_[at(t)] : t;
    const int stage = stages_[at(t)];
    for (Touched& x : all) x.allocation->accesses.note({over, stage, x.writes, std::move(x.region)});
    // Who read a landing touched it, too.
    checks::for_each_received(task.steps, [&](int recv) {
      const Range& landing = schedule_.tasks[at(recv)].range;
      if (landing.count == 0) return;
      Allocation& allocation = allocation_of(landing.buffer);
      allocation.accesses.note({t, stage, false, placed(region_of(landing), allocation.base)});
    });
    sort_awaited(t);
    drop_implied(t);
    task.after = awaited_;
  }
}

// Sends are finished where somebody waits for that, the others at the end.
std::vector<int> Assembler::order() const {
  std::vector<int> all;
  std::vector<bool> listed(schedule_.tasks.size(), false);
  const auto list = [&](int t) {
    if (!listed[at(t)]) all.push_back(t);
    listed[at(t)] = true;
  };
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    for (const int before : schedule_.tasks[t].after) list(before);
    list(static_cast<int>(t));
  }
  for (std::size_t t = stages_.size(); t < schedule_.tasks.size(); ++t) list(static_cast<int>(t));
  return all;
}

Index Assembler::workspace() {
  place_allocations();
  return schedule_.size(Buffer::work);
}

RankSchedule Assembler::take() {
  for (const int number : place_allocations()) note_overlaps(number);
  const auto count = static_cast<int>(schedule_.tasks.size());
  for (int t = 0; t < count; ++t) {
    const Task& task = schedule_.tasks[at(t)];
    if (task.kind == TaskKind::recv_finish) finish_[at(task.start)] = t;
  }
  int finish = count;
  for (int t = 0; t < count; ++t)
    if (schedule_.tasks[at(t)].kind == TaskKind::send_start) finish_[at(t)] = finish++;
  seen_.assign(at(finish), -1);
  waiting_.assign(at(finish), {});
  find_dependencies();
  for (Allocation& a : allocations_) a.accesses.clear();
  for (int t = 0; t < count; ++t) {
    if (schedule_.tasks[at(t)].kind != TaskKind::send_start) continue;
    schedule_.tasks.push_back(finish_task(schedule_.tasks[at(t)], t));
  }
  std::vector<Region> regions;  // in place an array that stays what it is has one name: kernels see where they work
  for (const Allocation& a : allocations_)
    regions.push_back({a.buffer == Buffer::in && is_one_array() ? Buffer::out : a.buffer, a.base});
  for (Task& task : schedule_.tasks) {
    relocate(task, regions);
    task.steps = folded(std::move(task.steps));
  }
  const std::vector<int> sequence = order();
  return reordered(std::move(schedule_), sequence);
}

}  // namespace kallima
