// What one rank does on a path, stop by stop.

#include "plan/exchange/rank_writer.hpp"

#include "plan/exchange/axes.hpp"
#include "plan/exchange/tree.hpp"

namespace kallima {
namespace {

CallersArray callers(const Held& held, int rank) {
  const Index size = size_of(held, rank);
  return {size, held.data, size - count_of(held.spread.owned(rank))};
}

}  // namespace

RankWriter::RankWriter(const Path& path, const PlanOptions& options, int rank)
    : path_(path),
      options_(options),
      me_(rank),
      messages_(path, options, rank),
      work_(messages_.work()),
      assembler_(rank, options, callers(path.stops.front().held, rank), callers(path.out, rank)),
      arrays_(path, rank, messages_, assembler_),
      local_(path, messages_, arrays_) {
  for (std::size_t i = 0; i + 1 < path.stops.size(); ++i) {
    exchanges_.push_back(messages_.of(i));
    if (is_tree(i))
      tree_memory_ = assembler_.allocate(words_of(work_[i].done, rank), Data::complex_, Assembler::Use::seen);
    for (Bundle& b : exchanges_.back()) allocate(i, b);
  }
}

Assembler& RankWriter::run() {
  for (std::size_t i = 0; i < path_.stops.size(); ++i)
    if (goes_in_rounds(path_))
      stop_in_rounds(i);
    else
      stop(i);
  exchanges_.clear();  // of which there may be very many
  return assembler_;
}

std::string RankWriter::label(std::size_t i, Role role) const {
  const Work& w = work_[i];
  if (path_.phase == "superstep") return "superstep " + std::to_string(i);
  if (!path_.phase.empty()) return i + 1 == path_.stops.size() ? "phase II" : "phase I";
  if (w.through) return "unpack, transform and pack";
  if (w.back && role == computing) return "unpack and transform";
  return w.front ? "transform and pack" : "local";
}

void RankWriter::stop(std::size_t i) {
  const Stop& s = path_.stops[i];
  const bool at_once = i == 0 || is_last(i) || s.streams;
  const bool later_posts = !is_last(i) && messages_.goes_at_once(i);  // when all blocks are made
  const bool packs = !work_[i].front && !messages_.packs_parts(i);    // some while others are sent
  if (at_once && !s.seen && !is_last(i) && !later_posts) post_receives(i);
  if (s.seen)
    for (Index chunk = 0; chunk < arriving(s).count; ++chunk) {
      post_late_receives(i - 1, chunk);
      unpack(i, chunk);
      keep_sent(i - 1, chunk);
    }
  const bool later = messages_.is_cut_later(i), joins = messages_.joins_parts(i);
  for (Index number = 0; number < s.cut.count; ++number) {
    std::vector<Step> steps;
    take(steps, i, number);
    if (at_once) give(steps, i, number);
    finish_part(steps, i, number, computing);
    if (i > 0 && !s.seen) keep_sent(i - 1, number);
    if (at_once && later_posts && !packs && number + 1 == s.cut.count) post_receives(i);
    if (at_once) leave(i, number);
  }
  if (!is_last(i) && (!at_once || s.seen) && !later_posts) post_receives(i);
  if (later && !work_[i].alone.empty()) {
    std::vector<Step> steps;
    local_.add(steps, i, everything, nullptr);
    finish_part(steps, i, 0, dealing);
  }
  if (work_[i].late) {
    std::vector<Step> steps;
    add_front(steps, i, everything);
    finish_part(steps, i, 0, dealing);
  }
  for (Index number = 0; number < s.cut.count && !at_once; ++number) {
    std::vector<Step> steps;
    if ((later || joins) && number > 0) {
      leave(i, number);
      continue;
    }
    give(steps, i, later || joins ? everything : number);
    finish_part(steps, i, number, packing);
    if (later_posts && !packs && number + 1 == (later || joins ? 1 : s.cut.count)) post_receives(i);
    leave(i, number);
  }
  if (later_posts && packs) post_receives(i);
}

// From what has come to where the array is ready.
void RankWriter::take(std::vector<Step>& steps, std::size_t i, Index number) {
  const Stop& s = path_.stops[i];
  const Work& w = work_[i];
  const bool moved = i > 0 && !w.back && ends_with_parts(i);  // unpacking is all there is
  if (i > 0 && !s.seen) post_late_receives(i - 1, number);
  if (i > 0 && !w.back && !s.seen) unpack(i, number);
  if (w.back) add_back(steps, i, number);
  if (!w.back && !moved && !messages_.is_cut_later(i) && (!w.alone.empty() || (i == 0 && is_last(i))))
    local_.add(steps, i, number, nullptr);
}

// And from there to blocks.
void RankWriter::give(std::vector<Step>& steps, std::size_t i, Index number) {
  if (work_[i].front && !work_[i].through && !is_tree(i)) add_front(steps, i, number);
  if (!messages_.packs_parts(i)) return;
  const Area& from = arrays_.ready(i, number);
  for (const Stretch& to : targets(i, number))
    steps.push_back(
        copied({.extents = shape_of(to.index), .from = arrays_.place(from, to.index)}, to, from, true, false));
}

void RankWriter::finish_part(std::vector<Step>& steps, std::size_t i, Index number, Role role) {
  stage(i, role);
  if (!steps.empty()) assembler_.compute(label(i, role), static_cast<int>(number), std::move(steps));
}

void RankWriter::leave(std::size_t i, Index number) {
  if (is_tree(i))
    split(i);
  else if (!is_last(i))
    send_completed(i, number);
}

void RankWriter::split(std::size_t i) {
  const Area& from = arrays_.ready(i, 0);
  if (count_of(from.held.spread.owned(me_)) == 0) return;
  split_tree(
      {path_.radices, options_, me_, from.buffer, from.held, *work_[i].front, tree_memory_, exchanges_[i], assembler_},
      [&](Bundle& b, BlockMessage& m) { send(i, b, m); });
}
RankSchedule tasks_of(const Path& path, const PlanOptions& options, int rank) {
  return RankWriter(path, options, rank).run().take();
}

Index workspace_of(const Path& path, const PlanOptions& options, int rank) {
  return RankWriter(path, options, rank).run().workspace();
}

}  // namespace kallima
