// Plain POSIX, with the loops that short reads and interrupted calls need.

#include "file/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.hpp"

namespace kallima {
namespace {

constexpr std::size_t most_per_call = std::size_t{1} << 30;  // Linux moves a little less than 2 GiB in one call

template <class Call>
auto restarted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

File::File(std::string path, int flags, const char* purpose)
    : path_(std::move(path)), descriptor_(restarted([&] { return ::open(path_.c_str(), flags | O_CLOEXEC, 0666); })) {
  require(descriptor_ >= 0, "cannot open {} for {} ({})", path_, purpose, std::strerror(errno));
}

File File::open_for_reading(const std::string& path) { return {path, O_RDONLY, "reading"}; }
File File::open_for_writing(const std::string& path) { return {path, O_WRONLY, "writing"}; }
File File::create(const std::string& path) { return {path, O_WRONLY | O_CREAT | O_TRUNC, "writing"}; }

File::File(File&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Index File::size() const {
  struct stat info {};
  const bool known = ::fstat(descriptor_, &info) == 0;
  require(known, "cannot tell the size of {} ({})", path_, std::strerror(errno));
  return info.st_size;
}

void File::read_at(Index offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const std::size_t ask = std::min(to.size(), most_per_call);
    const auto got = restarted([&] { return ::pread(descriptor_, to.data(), ask, offset); });
    require(got >= 0, "cannot read {} bytes at byte {} of {} ({})", to.size(), offset, path_, std::strerror(errno));
    require(got > 0, "{} ends at byte {} ({} bytes more are needed)", path_, offset, to.size());
    to = to.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
}

void File::write_at(Index offset, std::span<const std::byte> from) const {
  while (!from.empty()) {
    const std::size_t ask = std::min(from.size(), most_per_call);
    const auto put = restarted([&] { return ::pwrite(descriptor_, from.data(), ask, offset); });
    require(put > 0, "cannot write {} bytes at byte {} of {} ({})", from.size(), offset, path_, std::strerror(errno));
    from = from.subspan(static_cast<std::size_t>(put));
    offset += put;
  }
}

void File::reserve(Index bytes) const {
  if (bytes > 0 && restarted([&] { return ::fallocate(descriptor_, 0, 0, bytes); }) == 0) return;
  const bool optional = bytes == 0 || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
  const bool done = optional && restarted([&] { return ::ftruncate(descriptor_, bytes); }) == 0;
  require(done, "cannot make {} {} bytes long ({}) free some space or write elsewhere", path_, bytes,
          std::strerror(errno));
}

void File::sync() const {
  const bool done = restarted([&] { return ::fsync(descriptor_); }) == 0 || errno == EINVAL || errno == ENOTSUP;
  require(done, "cannot bring {} to the disk ({})", path_, std::strerror(errno));
}

void check_length(const std::string& path, Index size, Index needed) {
  require(size >= needed, "{} is too short ({} bytes, {} are needed) it may have been cut off while being written",
          path, size, needed);
}

void create_with_header(const std::string& path, std::span<const std::byte> header, Index bytes) {
  const File file = File::create(path);
  file.reserve(bytes);
  file.write_at(0, header);
}

}  // namespace kallima
