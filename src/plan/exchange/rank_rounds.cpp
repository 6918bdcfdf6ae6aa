// A stop round by round: arrays or parts of them come a few blocks at a time.

#include "plan/exchange/rank_writer.hpp"

namespace kallima {

// The same round by round: an array or a part of it comes, and is then transformed.
void RankWriter::stop_in_rounds(std::size_t i) {
  const Cut& cut = path_.stops[i].cut;
  const bool by_part = messages_.by_part(i), one_by_one = by_part && !transforms_at(path_.stops[i], cut.slot);
  const bool waits = i > 0 && (makes_another(i) || arrays_.changes_sides(i) || !messages_.comes_by_part(i));
  for (std::size_t k = 0; i > 0 && k < exchanges_[i - 1].size(); ++k) {
    std::vector<Bundle>& rounds = exchanges_[i - 1];
    const Index chunk = rounds[k].first_chunk;
    const bool last = k + 1 == rounds.size();
    const bool one_at_a_time = goes_round_by_round(path_);
    if (k == 0 || one_at_a_time) start_round(i - 1, rounds[k]);
    if (!last && !one_at_a_time) start_round(i - 1, rounds[k + 1]);
    unpack(i, rounds[k], messages_.comes_by_part(i) ? chunk : everything);
    keep(rounds[k]);
    if (one_by_one && !waits && (last || rounds[k + 1].first_chunk != chunk)) transform_part(i, chunk);
  }
  for (Index number = 0; (i == 0 || waits) && one_by_one && number < cut.count; ++number) transform_part(i, number);
  if (!by_part) transform_part(i, everything);
  if (by_part && !one_by_one) transform_across_parts(i);
}

// Arrays stand in the work buffer and in `out` by turns, and the last one before the result in the work buffer. Where
// another array is made of parts, there is one more if they wait until the array that they come from is dead. In
// place that decides whether the first one is `out`.
bool RankWriter::makes_another(std::size_t i) const {
  const Cut &cut = path_.stops[i].cut, &before = path_.stops[i - 1].cut;
  const std::size_t left = path_.stops.size() - i;
  const bool in_turn = left == 2 || (left == 3 && i == 1 && assembler_.is_in_place());
  return in_turn && !goes_as_blocks(path_) && std::ranges::any_of(path_.stops[i].transforms, changes) &&
         !(messages_.by_part(i - 1) && before.slot == cut.slot &&
           has_same_parts(path_.stops[i - 1], path_.stops[i], cut.slot));
}

void RankWriter::transform_part(std::size_t i, Index number) {
  std::vector<Step> steps;
  if (!work_[i].alone.empty()) local_.add(steps, i, number, nullptr);
  finish_part(steps, i, std::max<Index>(0, number), computing);
  if (packs_before(i)) pack_part(i, number);
}

// Blocks are free one after the other while the next array comes, and so is an array while it is packed part by part.
// What stands in the caller's input takes no memory that could be free.
bool RankWriter::packs_before(std::size_t i) {
  return goes_as_blocks(path_) && !is_last(i) && (i > 0 || arrays_.may_change(arrays_.ready(0, 0)));
}

void RankWriter::pack_part(std::size_t i, Index number) {
  std::vector<Step> steps;
  for (Bundle& b : exchanges_[i]) {
    for (const BlockMessage& m : b.sent) add_packed(steps, i, m, number);
    if (b.words_kept > 0) add_packed(steps, i, *b.kept, number);
  }
  stage(i, packing);
  if (!steps.empty()) assembler_.compute("pack", static_cast<int>(std::max<Index>(0, number)), std::move(steps));
}

// Lines whose elements are in all parts, after those that are in one.
void RankWriter::transform_across_parts(std::size_t i) {
  const Cut& cut = path_.stops[i].cut;
  std::vector<Step> steps;
  PassStatement across{.transform = {}, .sources = {}, .targets = {}, .scaled = is_last(i)};
  const auto part_of_array = [&](const Area& area, Index number) {
    return arrays_.stretch(area, arrays_.part(area.held, i, number));
  };
  const auto add = [&](std::vector<Stretch>& all, Stretch part) {
    if (count_of(part.index) > 0) all.push_back(std::move(part));
  };
  for (Index number = 0; number < cut.count; ++number) {
    const Stretch part = part_of_array(arrays_.arrival(i, number), number);
    for (const Transform& t : work_[i].alone)
      if (t.slot == cut.slot)
        across.transform = t;
      else if (count_of(part.index) > 0)
        append_passes(steps, {.transform = t, .sources = {part}, .targets = {part}});
    add(across.sources, part);
    add(across.targets, part_of_array(arrays_.ready(i, number), number));
  }
  if (!across.sources.empty()) append_passes(steps, across);
  finish_part(steps, i, 0, computing);
  for (Index number = 0; number < cut.count && packs_before(i); ++number) pack_part(i, number);
}

void RankWriter::start_round(std::size_t exchange, Bundle& b) {
  receive(exchange, b);
  if (b.words_kept > 0 && !packs_before(exchange)) pack(exchange, b, *b.kept);
  for (BlockMessage& m : b.sent) send(exchange, b, m);
}

}  // namespace kallima
