// Tools read from and write to files in memory, which cannot fill up as pipes do, so that nobody has to listen.

#include "app/process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "app/check.hpp"

namespace kallima::cli {

namespace {

class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("kallima", MFD_CLOEXEC)) {
    require(file_ >= 0, "cannot make a file in memory ({}) close other programs", std::strerror(errno));
  }
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int file() const { return file_; }

  void fill(const std::string& text) const {
    const ssize_t written = ::write(file_, text.data(), text.size());
    require(written == static_cast<ssize_t>(text.size()), "cannot write {} bytes to memory ({}) close other programs",
            text.size(), std::strerror(errno));
    ::lseek(file_, 0, SEEK_SET);
  }

  std::string text() const {
    std::string all;
    char part[4096];
    ::lseek(file_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = ::read(file_, part, sizeof part)) > 0;) all.append(part, static_cast<std::size_t>(n));
    return all;
  }

 private:
  int file_;
};

bool is_program(const std::string& path) { return ::access(path.c_str(), X_OK) == 0; }

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(std::string(path != nullptr ? path : "/usr/bin:/bin") + ":/usr/sbin:/sbin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && is_program(folder + "/" + name)) return folder + "/" + name;
  return "";
}

void become(const Arguments& arguments) {
  std::vector<char*> pointers;
  for (const std::string& word : arguments) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers[0], pointers.data());
  fmt::print(stderr, "kallima: cannot start {} ({}) is it installed and executable?\n", arguments[0],
             std::strerror(errno));
  std::fflush(stderr);
  ::_exit(127);
}

// In a group of its own, or the terminal's Ctrl-C would end a tool half way.
Outcome run_tool(const Arguments& arguments, const std::string& input) {
  const MemoryFile in, out, err;
  in.fill(input);
  std::fflush(nullptr);
  const pid_t child = ::fork();
  require(child >= 0, "cannot start {} ({}) end other programs", arguments[0], std::strerror(errno));
  if (child == 0) {
    ::setpgid(0, 0);
    ::dup2(in.file(), 0);
    ::dup2(out.file(), 1);
    ::dup2(err.file(), 2);
    become(arguments);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

}  // namespace kallima::cli
