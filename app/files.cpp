// POSIX calls rather than streams: what went wrong must be told with the system's own words.

#include "app/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/check.hpp"

namespace kallima::cli {

namespace fs = std::filesystem;

namespace {

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

std::string reason() { return std::strerror(errno); }

std::vector<std::byte> read_start(const Descriptor& file, const std::string& path, std::size_t limit) {
  std::vector<std::byte> bytes(limit);
  std::size_t have = 0;
  while (have < limit) {
    const ssize_t got = pread(file.get(), bytes.data() + have, limit - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    require(got >= 0, "cannot read {} ({}) check the disk", path, reason());
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

// A link is followed, so that what it points to is replaced and not the link itself.
fs::path resolved(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(fs::absolute(path), error);
  require(!error, "cannot write {} ({}) choose another place", path, error.message());
  return target;
}

// What a signal must remove before the process dies; empty when nothing. unlink() is allowed in a handler.
char unfinished[4096] = "";

extern "C" void remove_unfinished(int signal_number) {
  if (unfinished[0] != '\0') unlink(unfinished);
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void guard(const std::string& path) {
  if (path.size() >= sizeof unfinished) return;
  std::memcpy(unfinished, path.c_str(), path.size() + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) std::signal(number, path.empty() ? SIG_DFL : remove_unfinished);
}

}  // namespace

NpyHeader read_npy_header(const std::string& path) {
  const Descriptor file(path, O_RDONLY);
  require(file.ok(), "cannot read {} ({}) check the name and its permissions", path, reason());
  struct stat info {};
  require(fstat(file.get(), &info) == 0, "cannot read {} ({}) check the disk", path, reason());
  require(S_ISREG(info.st_mode),
          "cannot read {} (it is not a regular file) every rank reads its own part of it, which only those allow",
          path);
  try {
    const NpyHeader header = parse_npy(read_start(file, path, static_cast<std::size_t>(npy_header_limit)));
    check_npy_size(header, info.st_size);
    return header;
  } catch (const Error& error) {
    fail("{}: {}", path, error.what());
  }
}

void check_writable(const std::string& path, Index bytes) {
  const fs::path target = resolved(path);
  const fs::path folder = target.parent_path();
  std::error_code error;
  require(fs::is_directory(folder, error), "cannot write {} (there is no directory {}) create it first", path,
          folder.string());
  require(!fs::exists(target, error) || fs::is_regular_file(target, error),
          "cannot write {} (it exists and is not a regular file) choose another name", path);
  const bool may_write = access(folder.c_str(), W_OK | X_OK) == 0;  // before anybody looks at errno
  require(may_write, "cannot write {} (directory {}: {}) choose another place", path, folder.string(), reason());
  const fs::space_info space = fs::space(folder, error);
  require(error || space.available >= static_cast<std::uintmax_t>(bytes),
          "cannot write {} (it needs {} bytes, {} are free there) make room or choose another disk", path, bytes,
          space.available);
}

std::string temporary_name(const std::string& path, std::uint64_t token) {
  const fs::path target = resolved(path);
  return (target.parent_path() / fmt::format(".{}.{:x}.tmp", target.filename().string(), token)).string();
}

Replacement::Replacement(std::string temporary, std::string target)
    : temporary_(std::move(temporary)), target_(resolved(target).string()) {
  guard(temporary_);
}

Replacement::~Replacement() {
  if (!done_) unlink(temporary_.c_str());
  guard("");
}

// Some file systems find out that they are full only when asked to make sure.
void Replacement::commit() {
  {
    const Descriptor file(temporary_, O_RDONLY);
    require(file.ok() && fsync(file.get()) == 0, "cannot write {} ({}) the old file, if any, is untouched", target_,
            reason());
  }
  require(std::rename(temporary_.c_str(), target_.c_str()) == 0,
          "cannot write {} ({}) the old file, if any, is untouched", target_, reason());
  done_ = true;
}

std::string read_text(const std::string& path) {
  require(std::filesystem::is_regular_file(path), "{} cannot be read (it is not there, or not a file)", path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  require(static_cast<bool>(in), "{} cannot be read", path);
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  check_writable(path, static_cast<Index>(text.size()));
  Replacement replacement(temporary_name(path, static_cast<std::uint64_t>(getpid())), path);
  {
    const std::string temporary = temporary_name(path, static_cast<std::uint64_t>(getpid()));
    const Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    require(file.ok(), "cannot write {} ({}) choose another place", path, reason());
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t put = write(file.get(), text.data() + at, text.size() - at);
      if (put < 0 && errno == EINTR) continue;
      require(put > 0, "cannot write {} ({}) make room or choose another disk", path, reason());
      at += static_cast<std::size_t>(put);
    }
  }
  replacement.commit();
}

}  // namespace kallima::cli
