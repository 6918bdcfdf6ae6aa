// The rules of reading and writing, and their messages.

#include "schedule/memory_state.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kallima::checks {

MemoryState::MemoryState(const RankSchedule& rank, Aliasing aliasing)
    : rank_(rank), aliasing_(aliasing), reals_(has_reals(rank)), order_(rank.tasks) {
  for (const Buffer b : buffers) {
    Slot& s = slots_[slot(b)];
    const std::size_t size = std::max(s.writer.size(), static_cast<std::size_t>(size_of(b)));
    s.writer.assign(size, slot(b) == slot(Buffer::in) ? initial : unwritten);
    s.readers.assign(size, 0);
  }
}

std::size_t MemoryState::slot(Buffer b) const {
  return static_cast<std::size_t>(aliasing_ == Aliasing::in_is_out && b == Buffer::out ? Buffer::in : b);
}

Index MemoryState::size_of(Buffer b) const { return reals_ ? reals_of(rank_, b) : rank_.size(b); }

std::string MemoryState::text(Buffer buffer, Index at) const {
  return reals_ ? fmt::format("real {} of {}", at, name(buffer)) : fmt::format("{}[{}]", name(buffer), at);
}

template <class F>
void MemoryState::for_each_state(const BufferSpan& run, const F& visit) {
  Slot& s = slots_[slot(run.buffer)];
  const auto end = static_cast<std::size_t>(run.end);
  for (auto b = static_cast<std::size_t>(run.begin), e = b; b < end; b = e) {
    while (e < end && s.writer[e] == s.writer[b] && s.readers[e] == s.readers[b]) ++e;
    visit(b, e, s.writer[b], s.readers[b]);
  }
}

std::int32_t MemoryState::with_reader(std::int32_t set, int reader) {
  const std::pair asked{set, reader};
  if (asked != last_asked_) last_grown_ = grown(set, reader);
  last_asked_ = asked;
  return last_grown_;
}

std::int32_t MemoryState::grown(std::int32_t set, int reader) {
  const auto [known, is_new] = grown_.try_emplace({set, reader}, static_cast<std::int32_t>(sets_.size()));
  if (!is_new) return known->second;
  std::vector<int> readers = sets_[static_cast<std::size_t>(set)];
  std::erase_if(readers, [&](int r) { return r == reader || order_.before(r, reader); });
  readers.push_back(reader);
  sets_.push_back(std::move(readers));
  return known->second;
}

bool MemoryState::lands(std::int32_t task) const {
  return task >= 0 && rank_.tasks[static_cast<std::size_t>(task)].kind == TaskKind::recv_finish;
}

void MemoryState::check_read(const BufferSpan& run, Index at, std::int32_t writer, const Access& access) const {
  const auto what = [&] { return fmt::format("{} reads {}", title(rank_, access.from), text(run.buffer, at)); };
  if (writer == unwritten) fail("{}, which nothing has written", what());
  if (writer >= 0 && writer != access.from && !order_.before(writer, access.from))
    fail("{}, which task {} writes (nothing orders the two) make one come after the other", what(), writer);
  if (access.recv < 0 && lands(writer))
    fail("{}, where task {} may leave a message (it may also be a view of the sender's memory) read it by recv", what(),
         writer);
  if (access.recv >= 0 && writer != access.recv)
    fail("{}, the landing area of task {}, after task {} has overwritten it", what(), access.recv, writer);
}

void MemoryState::check_write(const BufferSpan& run, Index at, std::int32_t writer, std::int32_t readers,
                              const Access& access) const {
  const auto what = [&] { return fmt::format("{} writes {}", title(rank_, access.from), text(run.buffer, at)); };
  if (writer >= 0 && !order_.before(writer, access.from))
    fail("{}, which task {} also writes (nothing orders the two) make one come after the other", what(), writer);
  for (const int reader : sets_[static_cast<std::size_t>(readers)])
    if (reader != access.from && !order_.before(reader, access.from))
      fail("{} while {} may still read it (nothing orders the two) make one come after the other", what(),
           title(rank_, reader));
}

void MemoryState::read(const BufferSpan& run, const Access& access) {
  auto& all_readers = slots_[slot(run.buffer)].readers;
  for_each_state(run, [&](std::size_t b, std::size_t e, std::int32_t writer, std::int32_t readers) {
    if (writer == access.from && access.recv < 0) return;
    if (writer != initial) check_read(run, static_cast<Index>(b), writer, access);
    const std::int32_t more = with_reader(readers, access.until);
    std::fill(all_readers.begin() + static_cast<Index>(b), all_readers.begin() + static_cast<Index>(e), more);
  });
}

void MemoryState::write(const BufferSpan& run, const Access& access) {
  if (run.buffer == Buffer::in && aliasing_ == Aliasing::separate)
    fail("{} writes {} (the caller's input is left as it was) write to out or work", title(rank_, access.from),
         text(Buffer::in, run.begin));
  Slot& s = slots_[slot(run.buffer)];
  for_each_state(run, [&](std::size_t b, std::size_t e, std::int32_t writer, std::int32_t readers) {
    if (writer == access.from) return;
    check_write(run, static_cast<Index>(b), writer, readers, access);
    std::fill(s.writer.begin() + static_cast<Index>(b), s.writer.begin() + static_cast<Index>(e), access.until);
    std::fill(s.readers.begin() + static_cast<Index>(b), s.readers.begin() + static_cast<Index>(e), 0);
  });
}

void MemoryState::check_complete() const {
  const auto& writers = slots_[slot(Buffer::out)].writer;
  Index padding = rank_.padding_out * units_of(rank_.data_out == Data::real_);
  for (Index e = 0; e < size_of(Buffer::out); ++e) {
    const std::int32_t writer = writers[static_cast<std::size_t>(e)];
    if (writer == unwritten && --padding < 0)
      fail("rank {} never writes {} (every element of out but {} of padding must be written)", rank_.rank,
           text(Buffer::out, e), rank_.padding_out);
    if (lands(writer))
      fail("rank {} leaves {} to task {} alone (a message may be a view and not land) copy it", rank_.rank,
           text(Buffer::out, e), writer);
  }
}

}  // namespace kallima::checks
