// What one rank does on a path: the one place where blocks are listed, packed, sent, received and unpacked.

#include "plan/exchange/writer.hpp"

#include <algorithm>

#include "plan/exchange/arrays.hpp"
#include "plan/exchange/axes.hpp"
#include "plan/exchange/local_work.hpp"
#include "plan/exchange/tree.hpp"

namespace kallima {
namespace {

constexpr Index chunks_in_flight = 3;  // that have memory of their own to land in, besides the early slices
constexpr Index most_places = 16;      // in which the messages of an exchange stand, or one for each of its parts

// What tasks of a stop do; those of one role have nothing to do with each other.
enum Role { receiving, unpacking, computing, dealing, packing, sending, roles };

CallersArray callers(const Held& held, int rank) {
  const Index size = size_of(held, rank);
  return {size, held.data, size - count_of(held.spread.owned(rank))};
}

class Writer {
 public:
  Writer(const Path& path, const PlanOptions& options, int rank)
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

  Assembler& run() {
    for (std::size_t i = 0; i < path_.stops.size(); ++i)
      if (goes_in_rounds(path_))
        stop_in_rounds(i);
      else
        stop(i);
    exchanges_.clear();  // of which there may be very many
    return assembler_;
  }

 private:
  bool is_last(std::size_t stop) const { return stop + 1 == path_.stops.size(); }
  bool ends_with_parts(std::size_t i) const { return is_last(i) && work_[i].alone.empty() && !work_[i].late; }
  void stage(std::size_t stop, Role role) { assembler_.set_stage(static_cast<int>(stop) * roles + role); }
  bool is_tree(std::size_t i) const { return i == path_.tree_stop && !path_.radices.empty(); }
  enum class Side { coming, leaving };

  std::string label(std::size_t i, Role role) const {
    const Work& w = work_[i];
    if (path_.phase == "superstep") return "superstep " + std::to_string(i);
    if (!path_.phase.empty()) return i + 1 == path_.stops.size() ? "phase II" : "phase I";
    if (w.through) return "unpack, transform and pack";
    if (w.back && role == computing) return "unpack and transform";
    return w.front ? "transform and pack" : "local";
  }

  // ---- messages

  void allocate(std::size_t exchange, Bundle& b) {
    const auto near = [&](const BlockMessage& m) { return messages_.near(exchange, m.peer); };
    const bool seen = std::any_of(b.sent.begin(), b.sent.end(), near);
    std::vector<BlockMessage*> sent, landing;
    for (BlockMessage& m : b.sent) sent.push_back(&m);
    for (BlockMessage& m : b.received)
      if (!near(m)) landing.push_back(&m);
    if (is_tree(exchange))
      for (BlockMessage* m : sent) m->memory = tree_memory_;
    else
      allocate(exchange, sent, b.words_sent, seen ? Assembler::Use::seen : Assembler::Use::own);
    allocate(exchange, landing, b.words_landing, Assembler::Use::own);
    if (!b.kept) return;
    b.kept->memory =
        is_tree(exchange) ? tree_memory_ : assembler_.allocate(b.words_kept, Data::complex_, Assembler::Use::own);
  }

  // Messages stand one after the other; where memory is scarce, in several places, each of which may be in `out`.
  void allocate(std::size_t exchange, const std::vector<BlockMessage*>& all, Index words, Assembler::Use use) {
    const Data data = messages_.data(exchange);
    const Index size = (data == Data::real_ ? 2 : 1) * words;
    const Index places = path_.thrift > most_thrift_of_early ? most_places / std::ssize(exchanges_[exchange]) : 1;
    const Index most = size / std::max<Index>(1, places);
    for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
      const Index begin = all[first]->at;
      const auto end = [&](std::size_t i) { return i + 1 < all.size() ? all[i + 1]->at : size; };
      for (last = first + 1; last < all.size() && end(last) - begin <= most;) ++last;
      const Buffer memory = assembler_.allocate(end(last - 1) - begin, data, use);
      for (std::size_t i = first; i < last; ++i) all[i]->memory = memory, all[i]->at -= begin;
    }
  }

  // What there is room for is posted before anything else, the others when it is their turn: they land where earlier
  // ones did, or in blocks that have been sent.
  void post_receives(std::size_t exchange) {
    std::vector<Bundle>& bundles = exchanges_[exchange];
    Index sent = 0, landed = 0;
    for (const Bundle& b : bundles) sent += b.words_sent + b.words_kept;
    const auto part_of_stop = [&](std::size_t i) { return words_of(work_[i].held, me_) / path_.stops[i].cut.count; };
    if (messages_.by_part(exchange + 1)) sent += 2 * part_of_stop(exchange + 1);  // and a part of what is made of it
    if (exchange == 0 && messages_.by_part(0) && options_.placement == Placement::in_place) sent += part_of_stop(0);
    // Where the next stop streams, what is made there is in memory as well, but not in `out`.
    const bool streams = path_.stops[exchange + 1].streams;
    Index spare = assembler_.spare(streams ? assembler_.words() : sent);
    if (path_.stops[exchange].streams) spare -= in_flight_;
    const bool chain = exchange + 2 < path_.stops.size();
    const Index in_flight = chunks_in_flight - (chain ? 1 : 0) - std::max(0, path_.thrift - 2);
    const auto most = static_cast<std::size_t>(path_.stops[exchange].early + std::max<Index>(1, in_flight));
    in_flight_ = 0;
    for (std::size_t i = 0; i < bundles.size(); ++i) {
      landed += bundles[i].words_landing;
      if (bundles[i].words_landing > 0 && (landed > spare || i >= most) && !messages_.goes_at_once(exchange)) continue;
      in_flight_ += bundles[i].words_landing;
      receive(exchange, bundles[i]);
      if (messages_.goes_at_once(exchange)) keep(bundles[i]);  // or all would wait for each other
    }
  }

  void post_late_receives(std::size_t exchange, Index chunk) {
    for (Bundle& b : exchanges_[exchange]) {
      if (b.first_chunk != chunk || b.posted) continue;
      for (const BlockMessage& m : b.received)
        if (!messages_.near(exchange, m.peer)) assembler_.prefer_used(m.memory);
      receive(exchange, b);
    }
  }

  void receive(std::size_t exchange, Bundle& b) {
    const bool real = messages_.data(exchange) == Data::real_;
    stage(exchange, receiving);
    b.posted = true;
    for (BlockMessage& m : b.received) {
      Range landing{.buffer = Buffer::inbox, .real = real};
      if (!messages_.near(exchange, m.peer)) landing = {m.memory, m.at, m.count, real};
      m.start = assembler_.receive(m.peer, b.tag, b.tag, m.count, landing);
    }
  }

  void arrive(Bundle& b) {
    for (BlockMessage& m : b.received)
      if (m.finish < 0) m.finish = assembler_.arrive(m.start);
  }

  void send(std::size_t i, Bundle& b, BlockMessage& m) {
    if (!work_[i].front && !messages_.packs_parts(i)) pack(i, b, m);
    stage(i, sending);
    assembler_.send(m.peer, b.tag, b.tag, {m.memory, m.at, m.count, messages_.data(i) == Data::real_});
  }

  void pack(std::size_t i, const Bundle& b, const BlockMessage& m) {
    const bool real = messages_.data(i) == Data::real_;
    stage(i, packing);
    std::vector<Step> steps;
    Index at = m.at;
    for (const Cell& cell : m.cells) {
      copy_cell(steps, cell, {m.memory, -1, real, {}, {at, row_major(cell.extents)}}, i, Side::leaving, everything);
      at += cell.count();
    }
    assembler_.compute("pack", b.tag, std::move(steps));
  }

  // Bundles that the parts up to this one complete, chunk by chunk or destination by destination.
  void send_completed(std::size_t i, Index number) {
    std::vector<std::pair<Bundle*, BlockMessage*>> all;
    const Index parts = path_.stops[i].cut.count;
    for (Bundle& b : exchanges_[i]) {
      if (number + 1 != (path_.stops[i].left ? parts : b.last_slice)) continue;
      for (BlockMessage& m : b.sent) all.emplace_back(&b, &m);
      if (!work_[i].front && b.words_kept > 0 && !messages_.packs_parts(i)) pack(i, b, *b.kept);
    }
    if (options_.order == Order::destination_first)
      std::stable_sort(all.begin(), all.end(), [&](const auto& x, const auto& y) {
        return messages_.distance(x.second->peer) < messages_.distance(y.second->peer);
      });
    for (const auto& [b, m] : all) send(i, *b, *m);
  }

  // ---- passes

  // Between a block and the array of a stop, which may stand part by part: all of them, or one.
  void copy_cell(std::vector<Step>& steps, const Cell& cell, const Stretch& block, std::size_t i, Side side,
                 Index only) {
    const bool leaves = side == Side::leaving;
    const bool scaled = !leaves && ends_with_parts(i);
    const auto area = [&](Index number) -> const Area& {
      return leaves ? arrays_.ready(i, number) : arrays_.arrival(i, number);
    };
    const Index of_cell = leaves ? cell.from_part : cell.to_part;
    const bool by_part = messages_.by_part(i);
    if (!by_part || cell.index.empty()) {
      if (only == everything || only == of_cell) steps.push_back(copied(cell, block, area(of_cell), leaves, scaled));
      return;
    }
    for (Index number = 0; number < path_.stops[i].cut.count; ++number) {
      if (only != everything && only != number) continue;
      const Area& there = area(number);
      const Block shared = common(cell.index, *there.part);
      if (count_of(shared) == 0) continue;
      Stretch some = block;
      some.place = place_in(cell.index, block.place.strides, shared, block.place.offset);
      const Strided at = arrays_.place(there, shared);
      steps.push_back(copied({.extents = shape_of(shared), .from = at, .to = at}, some, there, leaves, scaled));
    }
  }

  void unpack(std::size_t i, Index chunk) {
    const bool by_part = messages_.by_part(i);
    for (Bundle& b : exchanges_[i - 1])
      if (by_part ? chunk >= b.first_chunk && chunk < b.last_chunk : chunk == b.first_chunk)
        unpack(i, b, by_part ? chunk : everything);
  }

  void unpack(std::size_t i, Bundle& b, Index only) {
    const bool real = messages_.data(i - 1) == Data::real_;
    const auto copy = [&](const BlockMessage& m, Buffer buffer, bool packed) {
      std::vector<Step> steps;
      Index at = m.at;
      if (m.finish >= 0) at = 0;
      for (const Cell& cell : m.cells) {
        const Strided place = packed ? Strided{at, row_major(cell.extents)} : cell.from;
        at += cell.count();
        copy_cell(steps, cell, {buffer, m.finish, real, {}, place}, i, Side::coming, only);
      }
      if (!steps.empty()) assembler_.compute("unpack", b.tag, std::move(steps));
    };
    stage(i, unpacking);
    if (b.kept) {
      const bool packed = b.words_kept > 0;
      copy(*b.kept, packed ? b.kept->memory : arrays_.ready(i - 1, 0).buffer, packed);
    }
    for (BlockMessage& m : b.received) {
      if (m.finish < 0) m.finish = assembler_.arrive(m.start);
      copy(m, Buffer::in, true);
    }
  }

  // What has been sent to this stop, for one chunk; what the rank keeps stands where it is unpacked, in its block, or
  // still where it was.
  std::vector<Stretch> sources(std::size_t i, Index chunk) {
    const std::size_t exchange = i - 1;
    const bool real = messages_.data(exchange) == Data::real_;
    const Block mine = part_of(path_.stops[i].held.spread.owned(me_), path_.stops[i].cut, chunk, chunk + 1);
    std::vector<Stretch> all;
    for (Bundle& b : exchanges_[exchange]) {
      if (chunk < b.first_chunk || chunk >= b.last_chunk) continue;
      arrive(b);
      for (const BlockMessage& m : b.received)
        add_shared(all, mine, {Buffer::in, m.finish, real, m.index, messages_.packed(exchange, m.index, 0)});
      if (b.kept) add_shared(all, mine, packed_kept(exchange, b));
    }
    return all;
  }

  Stretch packed_kept(std::size_t exchange, const Bundle& b) {
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

  std::vector<Stretch> targets(std::size_t i, Index number) {
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

  void add_back(std::vector<Step>& steps, std::size_t i, Index chunk) {
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
  void add_front(std::vector<Step>& steps, std::size_t i, Index number) {
    const Work& w = work_[i];
    const bool joins = messages_.joins_parts(i);
    PassStatement p{
        .transform = w.late ? *w.late : *w.front, .sources = {}, .targets = {}, .scaled = w.late.has_value()};
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

  // ---- stops

  void stop(std::size_t i) {
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

  // The same round by round: an array or a part of it comes, and is then transformed.
  void stop_in_rounds(std::size_t i) {
    const Cut& cut = path_.stops[i].cut;
    const bool by_part = messages_.by_part(i), one_by_one = by_part && !transforms_at(path_.stops[i], cut.slot);
    const bool waits = i > 0 && (makes_another(i) || arrays_.changes_sides(i));
    for (std::size_t k = 0; i > 0 && k < exchanges_[i - 1].size(); ++k) {
      std::vector<Bundle>& rounds = exchanges_[i - 1];
      const Index chunk = rounds[k].first_chunk;
      const bool last = k + 1 == rounds.size();
      const bool one_at_a_time = path_.thrift == most_thrift;
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
  bool makes_another(std::size_t i) const {
    const Cut &cut = path_.stops[i].cut, &before = path_.stops[i - 1].cut;
    const std::size_t left = path_.stops.size() - i;
    const bool in_turn = left == 2 || (left == 3 && i == 1 && assembler_.is_in_place());
    return in_turn && std::ranges::any_of(path_.stops[i].transforms, changes) &&
           !(messages_.by_part(i - 1) && before.slot == cut.slot &&
             has_same_parts(path_.stops[i - 1], path_.stops[i], cut.slot));
  }

  void transform_part(std::size_t i, Index number) {
    std::vector<Step> steps;
    if (!work_[i].alone.empty()) local_.add(steps, i, number, nullptr);
    finish_part(steps, i, std::max<Index>(0, number), computing);
  }

  // Lines whose elements are in all parts.
  void transform_across_parts(std::size_t i) {
    PassStatement p{.transform = work_[i].alone.front(), .sources = {}, .targets = {}, .scaled = is_last(i)};
    const auto add = [&](std::vector<Stretch>& all, const Area& area, Index number) {
      const Block some = arrays_.part(area.held, i, number);
      if (count_of(some) > 0) all.push_back(arrays_.stretch(area, some));
    };
    for (Index number = 0; number < path_.stops[i].cut.count; ++number) {
      add(p.sources, arrays_.arrival(i, number), number);
      add(p.targets, arrays_.ready(i, number), number);
    }
    std::vector<Step> steps;
    if (!p.sources.empty()) append_passes(steps, p);
    finish_part(steps, i, 0, computing);
  }

  void start_round(std::size_t exchange, Bundle& b) {
    receive(exchange, b);
    if (b.words_kept > 0) pack(exchange, b, *b.kept);
    for (BlockMessage& m : b.sent) send(exchange, b, m);
  }

  // From what has come to where the array is ready.
  void take(std::vector<Step>& steps, std::size_t i, Index number) {
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
  void give(std::vector<Step>& steps, std::size_t i, Index number) {
    if (work_[i].front && !work_[i].through && !is_tree(i)) add_front(steps, i, number);
    if (!messages_.packs_parts(i)) return;
    const Area& from = arrays_.ready(i, number);
    for (const Stretch& to : targets(i, number))
      steps.push_back(
          copied({.extents = shape_of(to.index), .from = arrays_.place(from, to.index)}, to, from, true, false));
  }

  void finish_part(std::vector<Step>& steps, std::size_t i, Index number, Role role) {
    stage(i, role);
    if (!steps.empty()) assembler_.compute(label(i, role), static_cast<int>(number), std::move(steps));
  }

  void leave(std::size_t i, Index number) {
    if (is_tree(i))
      split(i);
    else if (!is_last(i))
      send_completed(i, number);
  }

  // Others read this rank's blocks, or have memory for them, when they come to the same part. After that part the
  // memory may be used again, not before, or ranks would wait for each other in a circle.
  void keep_sent(std::size_t exchange, Index chunk) {
    for (const Bundle& b : exchanges_[exchange])
      if (b.last_chunk == chunk + 1 && !messages_.goes_at_once(exchange)) keep(b);
  }

  void keep(const Bundle& b) {
    for (const BlockMessage& m : b.sent) assembler_.keep(m.memory);
  }

  void split(std::size_t i) {
    const Area& from = arrays_.ready(i, 0);
    if (count_of(from.held.spread.owned(me_)) == 0) return;
    split_tree({path_.radices, options_, me_, from.buffer, from.held, *work_[i].front, tree_memory_, exchanges_[i],
                assembler_},
               [&](Bundle& b, BlockMessage& m) { send(i, b, m); });
  }

  const Path& path_;
  const PlanOptions& options_;
  const int me_;
  const Messages messages_;
  std::vector<Work> work_;                      // by stop
  std::vector<std::vector<Bundle>> exchanges_;  // by the stop they leave
  Assembler assembler_;
  Arrays arrays_;
  LocalWork local_;
  Buffer tree_memory_ = Buffer::work;  // of all blocks that a tree of classes makes
  Index in_flight_ = 0;                // words that may be on their way to the exchange that was posted last
};

}  // namespace

RankSchedule tasks_of(const Path& path, const PlanOptions& options, int rank) {
  return Writer(path, options, rank).run().take();
}

Index workspace_of(const Path& path, const PlanOptions& options, int rank) {
  return Writer(path, options, rank).run().workspace();
}

}  // namespace kallima
