// Transforms that read blocks as they came, or write blocks as they go.

#include "plan/exchange/axes.hpp"
#include "plan/exchange/rank_writer.hpp"

namespace kallima {

// What has been sent to this stop, for one chunk; what the rank keeps stands where it is unpacked, in its block, or
// still where it was.
std::vector<Stretch> RankWriter::sources(std::size_t i, Index chunk) {
  const std::size_t exchange = i - 1;
  const bool real = messages_.data(exchange) == Data::real_;
  const Block mine = part_of(path_.stops[i].held.spread.owned(me_), path_.stops[i].cut, chunk, chunk + 1);
  std::vector<Stretch> all;
  for (Bundle& b : exchanges_[exchange]) {
    if (chunk < b.first_chunk || chunk >= b.last_chunk) continue;
    arrive(b);
    for (const BlockMessage& m : b.received)
      add_shared(all, mine, {Buffer::in, m.finish, real, m.index, messages_.come(exchange, m)});
    if (b.kept) add_shared(all, mine, packed_kept(exchange, b));
  }
  return all;
}

Stretch RankWriter::packed_kept(std::size_t exchange, const Bundle& b) {
  const Block& index = b.kept->index;
  const bool real = messages_.data(exchange) == Data::real_;
  if (!work_[exchange].front && b.words_kept == 0) return arrays_.stretch(arrays_.ready(exchange, 0), index);
  if (messages_.keeps_in_place(exchange)) {
    const Area& to = arrays_.arrival(exchange + 1, 0);
    Held before = work_[exchange + 1].held;  // the same memory as it is seen before the transform
    before.storage = to.held.storage;
    before.axes = to.held.axes;
    return arrays_.stretch({to.buffer, before}, index);
  }
  return {b.kept->memory, -1, real, index, messages_.packed(exchange, index, b.kept->at)};
}

std::vector<Stretch> RankWriter::targets(std::size_t i, Index number) {
  const bool real = messages_.data(i) == Data::real_;
  const Block mine = arrays_.part(work_[i].done, i, number);
  std::vector<Stretch> all;
  for (Bundle& b : exchanges_[i]) {
    if (number != everything && (number < b.first_slice || number >= b.last_slice)) continue;
    for (const BlockMessage& m : b.sent)
      add_shared(all, mine, {m.memory, -1, real, m.index, messages_.packed(i, m.index, m.at)});
    if (b.kept) add_shared(all, mine, packed_kept(i, b));
  }
  return all;
}

void RankWriter::add_back(std::vector<Step>& steps, std::size_t i, Index chunk) {
  const Work& w = work_[i];
  PassStatement p{.transform = *w.back, .sources = sources(i, chunk), .targets = {}, .scaled = ends_with_parts(i)};
  if (p.sources.empty()) return;
  if (w.through) {
    p.targets = targets(i, chunk);
    return append_passes(steps, p);
  }
  const Area& to = arrays_.arrival(i, chunk);
  p.targets = {arrays_.stretch(to, arrays_.part(to.held, i, chunk))};
  const bool alone = !w.alone.empty() && !messages_.is_cut_later(i);
  if (alone && local_.add(steps, i, chunk, &p)) return;
  append_passes(steps, p);
  if (alone) local_.add(steps, i, chunk, nullptr);
}

// Of one part, or of all of them together.
void RankWriter::add_front(std::vector<Step>& steps, std::size_t i, Index number) {
  const Work& w = work_[i];
  const bool joins = messages_.joins_parts(i);
  PassStatement p{.transform = w.late ? *w.late : *w.front, .sources = {}, .targets = {}, .scaled = w.late.has_value()};
  for (Index n = joins ? 0 : number; n < (joins ? path_.stops[i].cut.count : number + 1); ++n) {
    const Area& from = arrays_.ready(i, n);
    const Block mine = arrays_.part(from.held, i, n);
    if (count_of(mine) > 0) p.sources.push_back(arrays_.stretch(from, mine));
  }
  if (p.sources.empty()) return;
  const Area end{Buffer::out, path_.out};
  p.targets = w.late ? std::vector{arrays_.stretch(end, path_.out.spread.owned(me_))} : targets(i, number);
  append_passes(steps, p);
}

}  // namespace kallima
