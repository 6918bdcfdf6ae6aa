#pragma once
// For every element of one rank's buffers: who wrote it last, and who has read it since. Going through the tasks in
// order of their numbers and demanding that each access is ordered after the last writer, and each write also after
// the readers, proves all conflicting pairs ordered, because being ordered is transitive. Sets of readers are shared
// between elements (there are few different ones) and keep only those that no other reader of the set comes after.
// Where anything on the rank is real, all of this is about reals, and a complex number is two of them.

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.hpp"
#include "schedule/checks.hpp"

namespace kallima::checks {

// Which tasks of one rank certainly come before which: a bit for every pair. Dependencies point to lower numbers, so
// one sweep in order of the numbers completes it.
class Reachability {
 public:
  explicit Reachability(const std::vector<Task>& tasks)
      : words_((tasks.size() + 63) / 64), bits_(tasks.size() * words_) {
    for (std::size_t t = 0; t < tasks.size(); ++t)
      for (const int before : predecessors(tasks[t])) add(t, static_cast<std::size_t>(before));
  }

  bool before(int earlier, int later) const {
    const auto e = static_cast<std::size_t>(earlier);
    return (bits_[at(later) * words_ + e / 64] >> (e % 64) & 1) != 0;
  }

 private:
  void add(std::size_t later, std::size_t earlier) {
    for (std::size_t w = 0; w < words_; ++w) bits_[later * words_ + w] |= bits_[earlier * words_ + w];
    bits_[later * words_ + earlier / 64] |= std::uint64_t{1} << (earlier % 64);
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// A stretch [begin, end) of a buffer, in units.
struct BufferSpan {
  Buffer buffer;
  Index begin, end;
};

// Who touches it: an access starts with task `from` and is over when task `until` is done.
struct Access {
  int from;
  int until;
  int recv = -1;  // reading what this recv_finish received
};

class MemoryState {
 public:
  MemoryState(const RankSchedule& rank, Aliasing aliasing)
      : rank_(rank), aliasing_(aliasing), reals_(has_reals(rank)), order_(rank.tasks) {
    for (const Buffer b : buffers) {
      History& s = slots_[slot(b)];
      const std::size_t size = std::max(s.writer.size(), static_cast<std::size_t>(size_of(b)));
      s.writer.assign(size, slot(b) == slot(Buffer::in) || b == Buffer::kept ? initial : unwritten);
      s.readers.assign(size, 0);
    }
  }

  void read(const BufferSpan& run, const Access& access) {
    auto& all_readers = slots_[slot(run.buffer)].readers;
    for_each_state(run, [&](std::size_t b, std::size_t e, std::int32_t writer, std::int32_t readers) {
      if (writer == access.from && access.recv < 0) return;
      if (writer != initial) check_read(run, static_cast<Index>(b), writer, access);
      const std::int32_t more = with_reader(readers, access.until);
      std::fill(all_readers.begin() + static_cast<Index>(b), all_readers.begin() + static_cast<Index>(e), more);
    });
  }

  void write(const BufferSpan& run, const Access& access) {
    if (run.buffer == Buffer::in && aliasing_ == Aliasing::separate)
      fail("{} writes {} (the caller's input is left as it was) write to out or work", title(rank_, access.from),
           text(Buffer::in, run.begin));
    if (run.buffer == Buffer::kept)
      fail("{} writes {} (what is kept is for every run to read) write to out or work", title(rank_, access.from),
           text(Buffer::kept, run.begin));
    History& s = slots_[slot(run.buffer)];
    for_each_state(run, [&](std::size_t b, std::size_t e, std::int32_t writer, std::int32_t readers) {
      if (writer == access.from) return;
      check_write(run, static_cast<Index>(b), writer, readers, access);
      std::fill(s.writer.begin() + static_cast<Index>(b), s.writer.begin() + static_cast<Index>(e), access.until);
      std::fill(s.readers.begin() + static_cast<Index>(b), s.readers.begin() + static_cast<Index>(e), 0);
    });
  }

  void check_complete() const {
    const auto& writers = slots_[slot(Buffer::out)].writer;
    Index padding = rank_.padding_out * units_of(rank_.data_out == Data::real_);
    for (Index e = 0; e < size_of(Buffer::out); ++e) {
      const std::int32_t writer = writers[at(e)];
      if (writer == unwritten && --padding < 0)
        fail("rank {} never writes {} (every element of out but {} of padding must be written)", rank_.rank,
             text(Buffer::out, e), rank_.padding_out);
      if (lands(writer))
        fail("rank {} leaves {} to task {} alone (what is received does not land for good) copy it", rank_.rank,
             text(Buffer::out, e), writer);
    }
  }

  // in and out are one where they alias.
  std::size_t slot(Buffer b) const {
    return static_cast<std::size_t>(aliasing_ == Aliasing::in_is_out && b == Buffer::out ? Buffer::in : b);
  }

  std::size_t slot_size(std::size_t slot) const { return slots_[slot].writer.size(); }
  Index units_of(bool real) const { return real || !reals_ ? 1 : 2; }  // that an element is long
  std::string text(Buffer buffer, Index at) const {                    // out[7], or real 7 of out
    return reals_ ? fmt::format("real {} of {}", at, name(buffer)) : fmt::format("{}[{}]", name(buffer), at);
  }

  bool before(int earlier, int later) const { return order_.before(earlier, later); }

 private:
  struct History {
    std::vector<std::int32_t> writer;   // a task, or one of the two below
    std::vector<std::int32_t> readers;  // a number in sets_
  };
  static constexpr std::int32_t initial = -1;
  static constexpr std::int32_t unwritten = -2;

  Index size_of(Buffer b) const { return reals_ ? reals_of(rank_, b) : rank_.size(b); }
  // Calls visit(begin, end, writer, readers) for the parts of a run in which these are the same.
  void for_each_state(const BufferSpan& run, const auto& visit) {
    History& s = slots_[slot(run.buffer)];
    const auto end = static_cast<std::size_t>(run.end);
    for (auto b = static_cast<std::size_t>(run.begin), e = b; b < end; b = e) {
      while (e < end && s.writer[e] == s.writer[b] && s.readers[e] == s.readers[b]) ++e;
      visit(b, e, s.writer[b], s.readers[b]);
    }
  }

  std::int32_t with_reader(std::int32_t set, int reader) {
    const std::pair asked{set, reader};
    if (asked != last_asked_) last_grown_ = grown(set, reader);
    last_asked_ = asked;
    return last_grown_;
  }

  std::int32_t grown(std::int32_t set, int reader) {
    const auto [known, is_new] = grown_.try_emplace({set, reader}, static_cast<std::int32_t>(sets_.size()));
    if (!is_new) return known->second;
    std::vector<int> readers = sets_[at(set)];
    std::erase_if(readers, [&](int r) { return r == reader || order_.before(r, reader); });
    readers.push_back(reader);
    sets_.push_back(std::move(readers));
    return known->second;
  }

  bool lands(std::int32_t task) const { return task >= 0 && rank_.tasks[at(task)].kind == TaskKind::recv_finish; }

  void check_read(const BufferSpan& run, Index place, std::int32_t writer, const Access& access) const {
    const auto what = [&] { return fmt::format("{} reads {}", title(rank_, access.from), text(run.buffer, place)); };
    if (writer == unwritten) fail("{}, which nothing has written", what());
    if (writer >= 0 && writer != access.from && !order_.before(writer, access.from))
      fail("{}, which task {} writes (nothing orders the two) make one come after the other", what(), writer);
    if (access.recv < 0 && lands(writer))
      fail("{}, where task {} leaves a message (what is received is read by recv alone) name the task", what(), writer);
    if (access.recv >= 0 && writer != access.recv)
      fail("{}, the landing area of task {}, after task {} has overwritten it", what(), access.recv, writer);
  }

  void check_write(const BufferSpan& run, Index place, std::int32_t writer, std::int32_t readers,
                   const Access& access) const {
    const auto what = [&] { return fmt::format("{} writes {}", title(rank_, access.from), text(run.buffer, place)); };
    if (writer >= 0 && !order_.before(writer, access.from))
      fail("{}, which task {} also writes (nothing orders the two) make one come after the other", what(), writer);
    for (const int reader : sets_[at(readers)])
      if (reader != access.from && !order_.before(reader, access.from))
        fail("{} while {} may still read it (nothing orders the two) make one come after the other", what(),
             title(rank_, reader));
  }

  const RankSchedule& rank_;
  Aliasing aliasing_;
  bool reals_;
  Reachability order_;
  std::array<History, buffers.size()> slots_;
  std::vector<std::vector<int>> sets_{{}};
  std::map<std::pair<std::int32_t, int>, std::int32_t> grown_;
  std::pair<std::int32_t, int> last_asked_{-1, -1};  // elements one after the other mostly ask the same
  std::int32_t last_grown_ = 0;
};

}  // namespace kallima::checks
