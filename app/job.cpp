// A job that is watched. Signals arrive through a file descriptor, so that one poll() waits for the job's output, its
// end and somebody's Ctrl-C alike, and no code ever runs inside a signal handler.

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "app/check.hpp"
#include "app/process.hpp"

namespace kallima::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds(5);  // for a job that was told to end

class Job {
 public:
  Job(const Arguments& arguments, const SignalWatch& signals, JobOutput output, const std::function<void()>& prepare)
      : signals_(signals) {
    int pipe[2] = {-1, -1};
    if (output == JobOutput::capture)
      require(::pipe2(pipe, O_CLOEXEC) == 0, "cannot make a pipe ({}) close other programs", std::strerror(errno));
    std::fflush(nullptr);
    child_ = ::fork();
    require(child_ >= 0, "cannot start {} ({}) end other programs", arguments[0], std::strerror(errno));
    if (child_ == 0) start(arguments, pipe[1], prepare);
    ::setpgid(child_, child_);  // in both processes: neither may come first
    if (pipe[1] >= 0) ::close(pipe[1]);
    out_ = pipe[0];
  }

  Outcome watch() {
    while (!reap()) {
      pollfd files[2] = {{signals_.file(), POLLIN, 0}, {out_, POLLIN, 0}};
      ::poll(files, 2, told_ == 0 ? -1 : 100);
      if (files[1].revents != 0) read_once();
      obey();
    }
    while (out_ >= 0 && readable()) read_once();
    if (out_ >= 0) ::close(out_);
    if (told_ != 0) throw Interrupted(told_);
    return outcome_;
  }

 private:
  // A job must not outlive us, not even if we are killed. It reads from a terminal no more: that is in our hands.
  [[noreturn]] void start(const Arguments& arguments, int out, const std::function<void()>& prepare) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    signals_.release();
    if (out >= 0) ::dup2(out, 1);
    if (::isatty(0) != 0) ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    try {
      prepare();
    } catch (const Error& error) {
      fmt::print(stderr, "kallima: {}\n", error.what());
      std::fflush(stderr);
      ::_exit(1);
    }
    become(arguments);
  }

  bool reap() {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) != child_) return false;
    outcome_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }

  bool readable() const {
    pollfd file{out_, POLLIN, 0};
    return ::poll(&file, 1, 0) > 0;
  }

  void read_once() {
    char part[65536];
    const ssize_t n = ::read(out_, part, sizeof part);
    if (n > 0) outcome_.out.append(part, static_cast<std::size_t>(n));
    if (n > 0 || (n < 0 && errno == EINTR)) return;
    ::close(out_);
    out_ = -1;
  }

  // Passes on the first signal; the second, or a job that takes too long, ends in SIGKILL.
  void obey() {
    for (int signal = signals_.take(); signal != 0; signal = signals_.take()) {
      if (signal == SIGCHLD) continue;
      ::kill(-child_, told_ == 0 ? signal : SIGKILL);
      if (told_ == 0) deadline_ = Clock::now() + patience;
      told_ = signal;
    }
    if (told_ != 0 && Clock::now() > deadline_) ::kill(-child_, SIGKILL);
  }

  const SignalWatch& signals_;
  pid_t child_ = -1;
  int out_ = -1;
  int told_ = 0;
  Clock::time_point deadline_{};
  Outcome outcome_;
};

// nohup and the like ignore signals on our behalf, and blocking would bring them back.
bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN && signal != SIGCHLD;
}

}  // namespace

Interrupted::Interrupted(int number) : Error(fmt::format("interrupted ({})", ::strsignal(number))), signal(number) {}

SignalWatch::SignalWatch() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    if (!is_ignored(signal)) sigaddset(&ours, signal);
  ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
  file_ = ::signalfd(-1, &ours, SFD_NONBLOCK | SFD_CLOEXEC);
}

SignalWatch::~SignalWatch() {
  while (take() != 0) continue;  // what comes during the last steps must not end them in the middle
  ::close(file_);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SignalWatch::take() const {
  signalfd_siginfo info{};
  return ::read(file_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
}

void SignalWatch::check() const {
  for (int signal = take(); signal != 0; signal = take())
    if (signal != SIGCHLD) throw Interrupted(signal);
}

void SignalWatch::release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

Outcome run_job(const Arguments& arguments, const SignalWatch& signals, JobOutput output,
                const std::function<void()>& prepare) {
  return Job(arguments, signals, output, prepare).watch();
}

}  // namespace kallima::cli
