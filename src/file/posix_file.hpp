#pragma once
// Plain POSIX, with the loops that short reads and interrupted calls need.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/check.hpp"

namespace kallima {

inline constexpr std::size_t most_per_call = std::size_t{1} << 30;  // Linux moves a little less than 2 GiB in one call

auto restarted(const auto& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// A file descriptor that closes itself and whose every failure is an Error with path, place and the system's text. A
// pipe, which has neither places nor, perhaps, another end, is not waited for.
class File {
 public:
  File(std::string path, int flags, const char* verb)
      : path_(std::move(path)),
        descriptor_(restarted([&] { return ::open(path_.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666); })) {
    require(descriptor_ >= 0, "cannot {} {} ({}) check the name and its permissions", verb, path_,
            std::strerror(errno));
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

  bool is_regular() const {
    struct stat info {};
    return ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode);
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

}  // namespace kallima
