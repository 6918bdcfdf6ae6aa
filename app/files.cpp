// POSIX calls rather than streams: what went wrong must be told with the system's own words.

#include "app/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <sstream>

#include "app/check.hpp"

namespace kallima::cli {

namespace fs = std::filesystem;

namespace {

std::string reason() { return std::strerror(errno); }

constexpr int most_links = 40;  // as Linux has it

// A link is followed, so that what it points to is replaced and not the link itself, be it there or not.
fs::path resolved(const std::string& path) {
  require(!path.empty(), "there is no file to write to (its name is empty) give it a name");
  std::error_code error;
  fs::path target = fs::absolute(path, error);
  for (int i = 0; i < most_links && !error && fs::is_symlink(target, error); ++i)
    target = target.parent_path() / fs::read_symlink(target, error);
  if (!error || error == std::errc::no_such_file_or_directory) target = fs::weakly_canonical(target, error);
  require(!error, "cannot write {} ({}) choose another place", path, error.message());
  return target;
}

// What a signal must remove before the process dies; empty when nothing. unlink() is allowed in a handler.
char unfinished[4096] = "";

constexpr std::array guarded{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, guarded.size()> before_guard{};

extern "C" void remove_unfinished(int signal_number) {
  if (unfinished[0] != '\0') unlink(unfinished);
  for (std::size_t i = 0; i < guarded.size(); ++i)
    if (guarded[i] == signal_number) sigaction(signal_number, &before_guard[i], nullptr);
  std::raise(signal_number);
}

// Signals that are ignored, as nohup has it, stay so, and what others had arranged for is theirs again afterwards.
void guard(const std::string& path) {
  if (path.size() >= sizeof unfinished) return;
  struct sigaction ours {};
  ours.sa_handler = remove_unfinished;
  std::memcpy(unfinished, path.c_str(), path.size() + 1);
  for (std::size_t i = 0; i < guarded.size(); ++i)
    if (sigaction(guarded[i], nullptr, &before_guard[i]) == 0 && before_guard[i].sa_handler != SIG_IGN)
      sigaction(guarded[i], &ours, nullptr);
}

void stand_down() {
  for (std::size_t i = 0; i < guarded.size(); ++i) sigaction(guarded[i], &before_guard[i], nullptr);
  unfinished[0] = '\0';
}

// As owner and mode may be what the disk has anyway, neither is set where it is right.
bool take_after(int file, const struct stat& old) {
  struct stat now {};
  if (fstat(file, &now) != 0) return false;
  const bool same_owner = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  return (same_owner || fchown(file, old.st_uid, old.st_gid) == 0) &&
         (now.st_mode == old.st_mode || fchmod(file, old.st_mode & 07777) == 0);
}

// Of a file that is to be replaced; nothing where there is none.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

}  // namespace

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
  const auto old = status_of(target);
  require(!old || geteuid() == 0 || old->st_uid == geteuid(),
          "cannot write {} (it belongs to user {}, and would not any more) choose another name or remove it", path,
          old->st_uid);
  const fs::space_info space = fs::space(folder, error);
  require(error || space.available >= static_cast<std::uintmax_t>(bytes),
          "cannot write {} (it needs {} bytes, {} are free there) make room or choose another disk", path, bytes,
          space.available);
}

std::uint64_t random_token() {
  std::random_device random;
  return (std::uint64_t{random()} << 32 | random()) >> 11;
}

// Without the name that it will have, which may be as long as names can be.
std::string temporary_name(const std::string& path, std::uint64_t token) {
  return (resolved(path).parent_path() / fmt::format(".kallima.{:014x}.tmp", token)).string();
}

// What replaces another file may be no more readable than that, so nobody else sees it until it has its mode.
Replacement::Replacement(std::string temporary, const std::string& target)
    : temporary_(std::move(temporary)), target_(resolved(target).string()) {
  guard(temporary_);
  const mode_t mode = status_of(target_) ? 0600 : 0666;
  file_ = open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file_ >= 0) return;
  const std::string why = reason();
  stand_down();
  fail("cannot write {} ({}) choose another place", target_, why);
}

Replacement::~Replacement() {
  if (!done_) unlink(temporary_.c_str());
  stand_down();
  close(file_);
}

// Some file systems find out that they are full only when asked to make sure.
void Replacement::commit(Flush flush) {
  const auto old = status_of(target_);
  const bool done = (!old || take_after(file_, *old)) && (flush == Flush::later || fsync(file_) == 0) &&
                    std::rename(temporary_.c_str(), target_.c_str()) == 0;
  require(done, "cannot write {} ({}) the old file, if any, is untouched", target_, reason());
  done_ = true;
}

std::string read_text(const std::string& path) {
  std::error_code error;
  require(fs::is_regular_file(path, error), "{} cannot be read (it is not there, or not a file)", path);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  require(static_cast<bool>(in), "{} cannot be read", path);
  return text.str();
}

void write_text(const std::string& path, const std::string& text) {
  check_writable(path, static_cast<Index>(text.size()));
  Replacement replacement(temporary_name(path, random_token()), path);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t put = write(replacement.file(), text.data() + at, text.size() - at);
    if (put < 0 && errno == EINTR) continue;
    require(put > 0, "cannot write {} ({}) make room or choose another disk", path, reason());
    at += static_cast<std::size_t>(put);
  }
  replacement.commit();
}

}  // namespace kallima::cli
