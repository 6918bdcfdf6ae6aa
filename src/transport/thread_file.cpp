// Threads see each other's parts, so the file is cut into stretches of a few megabytes, each moved whole by one rank,
// which deals it out to, or collects it from, the parts of all. A cyclic layout, whose runs are single items, then
// costs no more calls than a block layout, and every byte of the file is read or written once.

#include "transport/thread_file.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "kallima/memory.hpp"
#include "transport/file.hpp"
#include "transport/part_runs.hpp"

namespace kallima {
namespace {

constexpr Index stretch_bytes = Index{4} << 20;

template <class Byte>  // std::byte to read into, const std::byte to write from
class Stretches {
 public:
  Stretches(Transport& transport, const Layout& layout, Index item_bytes, std::span<Byte> part)
      : item_(item_bytes), rank_(transport.rank()), ranks_(transport.size()) {
    together(transport, [&] { prepare(layout, part.size()); });
    parts_.resize(static_cast<std::size_t>(ranks_));
    Byte* mine = part.data();
    transport.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(parts_)));
  }

  // Calls move(first byte, buffer) for every stretch that is this rank's to move.
  template <class Move>
  void each(Move move) const {
    const Index step = std::max<Index>(1, stretch_bytes / item_);
    const Array<std::byte> buffer(std::min(step, items_) * item_);
    for (Index begin = rank_ * step; begin < items_; begin += ranks_ * step) {
      const Index end = std::min(items_, begin + step);
      move(begin, end, buffer.span().first(static_cast<std::size_t>((end - begin) * item_)));
    }
  }

  // Calls copy(in the buffer, in some rank's part, bytes) for all there is of items begin..end-1.
  template <class Copy>
  void each_run(Index begin, Index end, std::span<std::byte> buffer, Copy copy) const {
    for (std::size_t r = 0; r < runs_.size(); ++r)
      runs_[r].visit_range(begin, end, [&](Index place, Index local, Index items) {
        copy(buffer.data() + (place - begin) * item_, parts_[r] + local * item_,
             static_cast<std::size_t>(items * item_));
      });
  }

 private:
  void prepare(const Layout& layout, std::size_t part_bytes) {
    require(layout.ranks() == ranks_, "a layout for {} ranks is used by {}", layout.ranks(), ranks_);
    items_ = file_bytes(layout, item_, 0) / item_;
    check_part(layout, rank_, item_, part_bytes);
    for (int r = 0; r < layout.ranks(); ++r) runs_.emplace_back(layout, r);
  }

  Index item_;
  int rank_;
  int ranks_;
  Index items_ = 0;
  std::vector<PartRuns> runs_;
  std::vector<Byte*> parts_;
};

}  // namespace

void read_part_by_threads(Transport& transport, const std::string& path, Index offset, const Layout& layout,
                          Index item_bytes, std::span<std::byte> part) {
  const Stretches<std::byte> stretches(transport, layout, item_bytes, part);
  together(transport, [&] {
    const File file = File::open_for_reading(path);
    check_length(path, file.size(), file_bytes(layout, item_bytes, offset));
    stretches.each([&](Index begin, Index end, std::span<std::byte> buffer) {
      file.read_at(offset + begin * item_bytes, buffer);
      stretches.each_run(begin, end, buffer, [](std::byte* in_file, std::byte* in_part, std::size_t n) {
        std::memcpy(in_part, in_file, n);
      });
    });
  });
}

void write_part_by_threads(Transport& transport, const std::string& path, std::span<const std::byte> header,
                           const Layout& layout, Index item_bytes, std::span<const std::byte> part) {
  const Stretches<const std::byte> stretches(transport, layout, item_bytes, part);
  const auto offset = static_cast<Index>(header.size());
  together(transport, [&] {
    if (transport.rank() == 0) create_with_header(path, header, file_bytes(layout, item_bytes, offset));
  });
  together(transport, [&] {
    const File file = File::open_for_writing(path);
    stretches.each([&](Index begin, Index end, std::span<std::byte> buffer) {
      stretches.each_run(begin, end, buffer, [](std::byte* in_file, const std::byte* in_part, std::size_t n) {
        std::memcpy(in_file, in_part, n);
      });
      file.write_at(offset + begin * item_bytes, buffer);
    });
    file.sync();
  });
}

}  // namespace kallima
