// Every rank opens the file and reads or writes whole stretches, exchanged with the others before or after. Plain
// POSIX, with the loops that short reads and interrupted calls need.

#include "kallima/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "base/check.hpp"
#include "file/stretches.hpp"

namespace kallima {
namespace {

constexpr std::size_t most_per_call = std::size_t{1} << 30;  // Linux moves a little less than 2 GiB in one call

auto restarted(const auto& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// A file descriptor that closes itself and whose every failure is an Error with path, place and the system's text. A
// pipe, which has neither places nor, perhaps, another end, is not waited for.
class File {
 public:
  File(std::string path, int flags, const char* purpose)
      : path_(std::move(path)),
        descriptor_(restarted([&] { return ::open(path_.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666); })) {
    require(descriptor_ >= 0, "cannot open {} for {} ({})", path_, purpose, std::strerror(errno));
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  Index size() const {
    struct stat info {};
    const bool known = ::fstat(descriptor_, &info) == 0;
    require(known, "cannot tell the size of {} ({})", path_, std::strerror(errno));
    return info.st_size;
  }

  void read_at(Index offset, std::span<std::byte> to) const { move_at("read", ::pread, 0, offset, to); }
  void write_at(Index offset, std::span<const std::byte> from) const { move_at("write", ::pwrite, 1, offset, from); }

  void reserve(Index bytes) const {  // makes it so long, and takes the disk blocks now where the file system can
    if (bytes > 0 && restarted([&] { return ::fallocate(descriptor_, 0, 0, bytes); }) == 0) return;
    const bool optional = bytes == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
    const bool done = optional && restarted([&] { return ::ftruncate(descriptor_, bytes); }) == 0;
    require(done, "cannot make {} {} bytes long ({}) free some space or write elsewhere", path_, bytes,
            std::strerror(errno));
  }

  void sync() const {
    const bool done = restarted([&] { return ::fsync(descriptor_); }) == 0 || errno == EINVAL || errno == ENOTSUP;
    require(done, "cannot bring {} to the disk ({})", path_, std::strerror(errno));
  }

 private:
  // A call that moves fewer bytes than `least` has failed; one that reads none has met the end.
  void move_at(const char* verb, auto* call, Index least, Index offset, auto bytes) const {
    while (!bytes.empty()) {
      const std::size_t ask = std::min(bytes.size(), most_per_call);
      const Index moved = restarted([&] { return call(descriptor_, bytes.data(), ask, offset); });
      require(moved >= least, "cannot {} {} bytes at byte {} of {} ({})", verb, bytes.size(), offset, path_,
              std::strerror(errno));
      require(moved > 0, "{} ends at byte {} ({} bytes more are needed)", path_, offset, bytes.size());
      bytes = bytes.subspan(at(moved));
      offset += moved;
    }
  }

  std::string path_;
  int descriptor_;
};

// Keeps the first failure of a rank, told when all rounds are over, since each takes every rank.
void attempt(Outcome& first, const auto& action) {
  if (!first.error) first = outcome_of(action);
}

}  // namespace

void read_part(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
               std::span<std::byte> part) {
  static const std::string* const call = call_name("reading a file");
  transport.announce({call});
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  std::optional<File> file;
  together(transport, [&] {
    file.emplace(path, O_RDONLY, "reading");
    const Index size = file->size(), needed = file_bytes(layout, item_bytes, offset);
    require(size >= needed, "{} is too short ({} bytes, {} are needed) it may have been cut off while being written",
            path, size, needed);
  });
  Outcome first;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    attempt(first, [&] { file->read_at(offset + stretches.first_byte(round), stretches.stretch(round)); });
    stretches.deal_out(round, part.data());
  }
  together(transport, [&] { first.rethrow(); });
}

// A full disk is found before anything is sent.
void create_file(Transport& transport, const std::string& path, std::span<const std::byte> header, Index bytes) {
  static const std::string* const call = call_name("creating a file");
  transport.announce({call});
  together(transport, [&] {
    if (transport.rank() != 0) return;
    const File created(path, O_WRONLY | O_CREAT | O_TRUNC, "writing");
    created.reserve(bytes);
    created.write_at(0, header);
  });
}

void write_into(Transport& transport, const std::string& path, Index offset, const Layout& layout, Index item_bytes,
                std::span<const std::byte> part, Flush flush) {
  static const std::string* const call = call_name("writing a file");
  transport.announce({call});
  const Stretches stretches(transport, layout, item_bytes, offset, part.size());
  std::optional<File> file;
  together(transport, [&] { file.emplace(path, O_WRONLY, "writing"); });
  Outcome first;
  for (Index round = 0; round < stretches.rounds(); ++round) {
    stretches.collect(round, part.data());
    attempt(first, [&] { file->write_at(offset + stretches.first_byte(round), stretches.stretch(round)); });
  }
  if (flush == Flush::now) attempt(first, [&] { file->sync(); });
  together(transport, [&] { first.rethrow(); });
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
