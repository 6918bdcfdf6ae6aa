// Every rank opens the file and reads or writes whole stretches, exchanged with the others before or after.

#include "kallima/file.hpp"

#include <cstdio>
#include <optional>

#include "base/check.hpp"
#include "file/posix_file.hpp"
#include "file/slab_runs.hpp"
#include "file/stretches.hpp"

namespace kallima {
namespace {

// Keeps the first failure of a rank, told when all rounds are over, since each takes every rank.
void attempt(Outcome& first, const auto& action) {
  if (!first.error) first = outcome_of(action);
}

}  // namespace

namespace {

Hyperslab all_of(const Layout& layout) { return {layout.shape(), Shape(layout.shape().size(), 0)}; }

// Calls move(place in the file, bytes) for what a rank's stretch of one round is in the file.
void each_piece(const SlabRuns& runs, const Stretches& stretches, Index round, Index offset, Index item,
                const auto& move) {
  const std::span<std::byte> stretch = stretches.stretch(round);
  const Index first = stretches.first_byte(round) / item;
  runs.visit_items(first, first + std::ssize(stretch) / item, [&](Index in_file, Index place, Index items) {
    move(offset + in_file * item, stretch.subspan(at(place * item), at(items * item)));
  });
}

}  // namespace

void read_slab(Transport& transport, const std::string& path, Index offset, const Hyperslab& slab, const Layout& layout,
               Index item_bytes, std::span<std::byte> part) {
  static const std::string* const call = call_name("reading a file");
  transport.announce({call});
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  std::optional<File> file;
  std::optional<SlabRuns> runs;
  together(transport, [&] {
    runs.emplace(slab, layout.shape());
    file.emplace(path, O_RDONLY, "read");
    const Index size = file->size(), needed = file_bytes(slab.whole, item_bytes, offset);
    require(size >= needed, "{} is too short ({} bytes, {} are needed) it may have been cut off while being written",
            path, size, needed);
  });
  Outcome first;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    attempt(first, [&] {
      each_piece(*runs, stretches, round, offset, item_bytes,
                 [&](Index place, std::span<std::byte> bytes) { file->read_at(place, bytes); });
    });
    stretches.deal_out(round, part.data());
  }
  together(transport, [&] { first.rethrow(); });
}

void read_part(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
               std::span<std::byte> part) {
  read_slab(transport, path, offset, all_of(layout), layout, item_bytes, part);
}

// A full disk is found before anything is sent.
void create_file(Transport& transport, const std::string& path, std::span<const std::byte> header, Index bytes) {
  static const std::string* const call = call_name("creating a file");
  transport.announce({call});
  together(transport, [&] {
    if (transport.rank() != 0) return;
    const File created(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
    created.reserve(bytes);
    created.write_at(0, header);
  });
}

namespace {

void write_pieces(Transport& transport, const std::string& path, Index offset, const Hyperslab& slab,
                  const Layout& layout, Index item_bytes, std::span<const std::byte> part, Flush flush) {
  static const std::string* const call = call_name("writing a file");
  transport.announce({call});
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  std::optional<File> file;
  std::optional<SlabRuns> runs;
  together(transport, [&] {
    runs.emplace(slab, layout.shape());
    file.emplace(path, O_WRONLY, "write");
  });
  Outcome first;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    stretches.collect(round, part.data());
    attempt(first, [&] {
      each_piece(*runs, stretches, round, offset, item_bytes,
                 [&](Index place, std::span<const std::byte> bytes) { file->write_at(place, bytes); });
    });
  }
  if (flush == Flush::now) attempt(first, [&] { file->sync(); });
  together(transport, [&] { first.rethrow(); });
}

}  // namespace

void write_slab(Transport& transport, const std::string& path, Index offset, const Hyperslab& slab,
                const Layout& layout, Index item_bytes, std::span<const std::byte> part) {
  write_pieces(transport, path, offset, slab, layout, item_bytes, part, Flush::later);
}

void write_into(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
                std::span<const std::byte> part, Flush flush) {
  write_pieces(transport, path, offset, all_of(layout), layout, item_bytes, part, flush);
}

void write_part(Transport& transport, const std::string& path, std::span<const std::byte> header, const Layout& layout,
                Index item_bytes, std::span<const std::byte> part, Flush flush) {
  const auto offset = static_cast<Index>(header.size());
  Index bytes = 0;
  together(transport, [&] { bytes = file_bytes(layout, item_bytes, offset); });
  create_file(transport, path, header, bytes);
  write_into(transport, path, offset, layout, item_bytes, part, flush);
}

void replace_file(Transport& transport, const std::string& from, const std::string& to) {
  static const std::string* const call = call_name("replacing a file");
  transport.announce({call});
  together(transport, [&] {
    const bool done = transport.rank() != 0 || std::rename(from.c_str(), to.c_str()) == 0;
    require(done, "cannot put {} in the place of {} ({})", from, to, std::strerror(errno));
  });
}

}  // namespace kallima
